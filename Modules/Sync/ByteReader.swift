import Model

/// Reads the numbers and texts that `ByteWriter` writes.
///
/// Every length is checked against the remaining bytes before memory is allocated for it, and a
/// number that isn't in its shortest form is refused. Reading throws `SegmentError.badContent` if
/// the bytes end early or a value is out of range.
struct ByteReader {
  private let bytes: [UInt8]
  private(set) var index: Int
  private let end: Int

  init(_ bytes: [UInt8]) { self.init(bytes, in: 0..<bytes.count) }

  /// Reads only the bytes in `range`.
  init(_ bytes: [UInt8], in range: Range<Int>) {
    precondition(range.lowerBound >= 0 && range.upperBound <= bytes.count)
    self.bytes = bytes
    (index, end) = (range.lowerBound, range.upperBound)
  }

  /// The number of bytes not yet read.
  var left: Int { end - index }

  /// Throws `SegmentError.badContent` unless all bytes have been read.
  func finish() throws(SegmentError) {
    guard index == end else { throw .badContent("it has \(left.counted("byte")) too many") }
  }

  mutating func byte() throws(SegmentError) -> UInt8 {
    guard index < end else { throw .badContent("it is cut short") }
    defer { index += 1 }
    return bytes[index]
  }

  mutating func raw(_ count: Int) throws(SegmentError) -> ArraySlice<UInt8> {
    guard count >= 0, count <= left else { throw .badContent("it is cut short") }
    defer { index += count }
    return bytes[index..<index + count]
  }

  mutating func varint() throws(SegmentError) -> UInt64 {
    var value: UInt64 = 0
    for shift in stride(from: UInt64(0), to: 64, by: 7) {
      let byte = try byte()
      // The tenth byte has room for a single bit, and the last group of a longer number is never
      // zero.
      guard shift < 63 || byte <= 1, byte != 0 || shift == 0 else {
        throw .badContent("a number is not in its shortest form")
      }
      value |= UInt64(byte & 0x7F) << shift
      if byte < 0x80 { return value }
    }
    throw .badContent("a number is too large")
  }

  /// Reads a number from 0 to `limit`.
  ///
  /// - Parameter what: The name of the number in the error message.
  mutating func count(upTo limit: Int, _ what: @autoclosure () -> String) throws(SegmentError)
    -> Int
  {
    let value = try varint()
    guard limit >= 0, value <= UInt64(limit) else { throw .badContent("\(what()) is \(value)") }
    return Int(value)
  }

  mutating func signed() throws(SegmentError) -> Int64 {
    let value = try varint()
    return Int64(bitPattern: value >> 1) ^ -Int64(bitPattern: value & 1)
  }

  mutating func fixed<Number: FixedWidthInteger>(_ type: Number.Type = Number.self)
    throws(SegmentError) -> Number
  {
    try raw(Number.bitWidth / 8).reduce(0) { $0 << 8 | Number(truncatingIfNeeded: $1) }
  }

  /// Reads a text of at most `limit` bytes of UTF-8.
  mutating func text(upTo limit: Int, _ what: @autoclosure () -> String) throws(SegmentError)
    -> String
  {
    let size = try count(upTo: limit, "the size of " + what())
    let start = index
    _ = try raw(size)
    // Invalid sequences are refused, never repaired: equal texts must have equal bytes.
    guard let text = String(validating: bytes[start..<start + size], as: UTF8.self) else {
      throw .badContent("\(what()) is not UTF-8")
    }
    return text
  }

  mutating func dot() throws(SegmentError) -> Dot {
    let replica = ReplicaID(rawValue: try fixed())
    let sequence = try count(upTo: Int(Wire.sequenceLimit), "a sequence number")
    guard sequence > 0 else { throw .badContent("a sequence number is 0") }
    return Dot(replica: replica, sequence: Int64(sequence))
  }
}
