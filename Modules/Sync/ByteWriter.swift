import Model

/// Writes the numbers and texts of the format one after the other.
struct ByteWriter {
  private(set) var bytes: [UInt8] = []

  mutating func removeAll() { bytes.removeAll(keepingCapacity: true) }

  mutating func byte(_ value: UInt8) { bytes.append(value) }
  mutating func raw(_ value: some Collection<UInt8>) { bytes.append(contentsOf: value) }

  /// A number in the fewest groups of seven bits, the lowest first; all but the last have the top bit.
  mutating func varint(_ value: UInt64) {
    var rest = value
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(truncatingIfNeeded: rest))
  }

  /// A number that is not negative.
  mutating func count(_ value: Int) { varint(UInt64(value)) }

  /// A number that may be negative: 0, -1, 1, -2, 2 … are written as 0, 1, 2, 3, 4 …
  mutating func signed(_ value: Int64) {
    varint(UInt64(bitPattern: value << 1 ^ value >> 63))
  }

  /// A number in a fixed count of bytes, the highest first.
  mutating func fixed(_ value: some FixedWidthInteger) {
    withUnsafeBytes(of: value.bigEndian) { bytes.append(contentsOf: $0) }
  }

  /// A text: the count of its bytes in UTF-8, then these.
  mutating func text(_ value: String) {
    count(value.utf8.count)
    bytes.append(contentsOf: value.utf8)
  }

  mutating func dot(_ dot: Dot) {
    fixed(dot.replica.rawValue)
    varint(UInt64(bitPattern: dot.sequence))
  }
}
