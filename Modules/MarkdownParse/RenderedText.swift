public import Model

/// The text that a reader sees and selects, without styles.
public struct RenderedText: Hashable, Sendable {
  /// The text in UTF-16.
  public let utf16: [UInt16]
  /// The text in UTF-8; nil if it is longer than ``storedLimit``.
  private let storedUTF8: [UInt8]?
  /// The length of the text in UTF-8 bytes.
  package let utf8Count: Int

  /// The maximum length in bytes of a text that is also stored in UTF-8. Longer texts are encoded
  /// on request, because a document of 60 MB would otherwise need another 60 MB of memory.
  static let storedLimit = 4 << 20

  /// Creates a text from valid UTF-8. `count` is its length in UTF-16 units.
  init(utf8: [UInt8], count: Int) {
    storedUTF8 = utf8.count <= Self.storedLimit ? utf8 : nil
    utf8Count = utf8.count
    utf16 = utf8.withUnsafeBufferPointer { Self.units(of: $0, count: count) }
  }

  /// Creates a text that is longer than ``storedLimit`` bytes from its UTF-16 units. `utf8Count` is
  /// its length in UTF-8 bytes.
  init(long units: [UInt16], utf8Count: Int) {
    storedUTF8 = nil
    (utf16, self.utf8Count) = (units, utf8Count)
  }

  /// Converts valid UTF-8 to UTF-16.
  ///
  /// - Parameter count: the number of units; nil if it isn't known.
  static func units(of bytes: UnsafeBufferPointer<UInt8>, count: Int? = nil) -> [UInt16] {
    let count = count ?? bytes.count
    return [UInt16](unsafeUninitializedCapacity: count) { buffer, filled in
      var index = 0
      while index < bytes.count, filled < count {
        if bytes[index] < 0x80 {
          // An ASCII character is one unit. Sixteen of them are converted at a time.
          let end = bytes.endOfASCII(from: index, to: min(bytes.count, index + count - filled))
          while index + 16 <= end {
            let ascii = UnsafeRawPointer(bytes.baseAddress! + index).loadUnaligned(
              as: SIMD16<UInt8>.self)
            UnsafeMutableRawPointer(buffer.baseAddress! + filled).storeBytes(
              of: SIMD16<UInt16>(truncatingIfNeeded: ascii), as: SIMD16<UInt16>.self)
            filled += 16
            index += 16
          }
          while index < end {
            buffer[filled] = UInt16(bytes[index])
            filled += 1
            index += 1
          }
          continue
        }
        let scalar = bytes.scalar(at: index)
        if scalar >= 0x10000 {
          buffer[filled] = UInt16(0xD800 + (scalar - 0x10000) >> 10)
          buffer[filled + 1] = UInt16(0xDC00 + (scalar - 0x10000) & 0x3FF)
          filled += 2
          index += 4
        } else {
          buffer[filled] = UInt16(scalar)
          filled += 1
          index += scalar >= 0x800 ? 3 : 2
        }
      }
    }
  }

  /// The length in UTF-16 units.
  public var count: Int { utf16.count }

  /// Whether two texts have the same characters.
  public static func == (first: RenderedText, second: RenderedText) -> Bool {
    first.utf16 == second.utf16
  }

  /// Hashes the characters.
  public func hash(into hasher: inout Hasher) { hasher.combine(utf16) }

  /// The text in UTF-8; always valid. O(1) up to ``storedLimit`` bytes, O(bytes) beyond.
  package var utf8: [UInt8] {
    storedUTF8
      ?? [UInt8](unsafeUninitializedCapacity: utf8Count) { buffer, filled in
        filled = Self.encode(utf16, utf16.indices, to: buffer)
      }
  }

  /// Calls a closure with the text in UTF-8, in pieces. The length of every piece except the last
  /// is a multiple of 64 bytes. No copy of a long text is made. O(bytes).
  package func withUTF8Pieces(_ body: (UnsafeBufferPointer<UInt8>) -> Void) {
    if let storedUTF8 { return storedUTF8.withUnsafeBufferPointer(body) }
    Self.withUTF8Pieces(of: utf16, body)
  }

  /// Calls a closure with the UTF-8 encoding of UTF-16 units, in pieces. The units must not contain
  /// half a surrogate pair.
  package static func withUTF8Pieces(
    of units: [UInt16], _ body: (UnsafeBufferPointer<UInt8>) -> Void
  ) {
    // A unit has at most three bytes, and a piece may begin with the rest of the previous one.
    let piece = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: pieceUnits * 3 + 70)
    defer { piece.deallocate() }
    var (start, filled) = (0, 0)
    while start < units.count {
      var end = min(start + pieceUnits, units.count)
      // The halves of a pair stay together.
      if end < units.count, units[end] & 0xFC00 == 0xDC00 { end += 1 }
      filled += encode(
        units, start..<end, to: UnsafeMutableBufferPointer(rebasing: piece[filled...]))
      start = end
      let whole = start < units.count ? filled & ~63 : filled
      body(UnsafeBufferPointer(rebasing: piece[..<whole]))
      for index in whole..<filled { piece[index - whole] = piece[index] }
      filled -= whole
    }
  }

  /// The number of UTF-16 units from which a piece is made.
  private static let pieceUnits = 1 << 16

  /// The text as a string. O(bytes).
  package var string: String {
    if let storedUTF8 { return String(decoding: storedUTF8, as: UTF8.self) }
    return String(unsafeUninitializedCapacity: utf8Count) {
      Self.encode(utf16, utf16.indices, to: $0)
    }
  }

  /// Encodes a range of UTF-16 units in UTF-8, writes it to memory, and returns the number of
  /// bytes. The range must not divide a surrogate pair. O(range).
  private static func encode(
    _ text: [UInt16], _ range: Range<Int>, to bytes: UnsafeMutableBufferPointer<UInt8>
  ) -> Int {
    text.withUnsafeBufferPointer {
      UTF8Bytes.encode(UnsafeBufferPointer(rebasing: $0[range]), to: bytes)
    }
  }

  /// Returns the text in a range. Offsets beyond the end are clamped, and half of a surrogate pair
  /// becomes U+FFFD.
  public func substring(_ range: TextRange) -> String {
    String(units: utf16[range.utf16.clamped(to: utf16.indices)])
  }
}
