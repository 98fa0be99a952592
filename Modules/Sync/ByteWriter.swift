import Model

/// Writes the numbers and texts of the sync format one after the other.
struct ByteWriter {
  private(set) var bytes: [UInt8] = []

  /// - Parameter capacity: The expected number of bytes.
  init(capacity: Int = 0) { bytes.reserveCapacity(capacity) }

  mutating func removeAll() { bytes.removeAll(keepingCapacity: true) }

  mutating func byte(_ value: UInt8) { bytes.append(value) }
  mutating func raw(_ value: some Collection<UInt8>) { bytes.append(contentsOf: value) }

  /// Writes a number in the fewest groups of seven bits, lowest group first. Every byte except the
  /// last has its top bit set.
  mutating func varint(_ value: UInt64) {
    var rest = value
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(truncatingIfNeeded: rest))
  }

  /// Writes a number that must not be negative.
  mutating func count(_ value: Int) { varint(UInt64(value)) }

  /// Writes a signed number in zigzag form: 0, -1, 1, -2, 2 … become 0, 1, 2, 3, 4 …
  mutating func signed(_ value: Int64) {
    varint(UInt64(bitPattern: value << 1 ^ value >> 63))
  }

  /// Writes a number in as many bytes as its type has, highest byte first.
  mutating func fixed(_ value: some FixedWidthInteger) {
    withUnsafeBytes(of: value.bigEndian) { bytes.append(contentsOf: $0) }
  }

  /// Writes a text as the number of its UTF-8 bytes, followed by the bytes.
  mutating func text(_ value: String) {
    count(value.utf8.count)
    bytes.append(contentsOf: value.utf8)
  }

  mutating func dot(_ dot: Dot) {
    fixed(dot.replica.rawValue)
    varint(UInt64(bitPattern: dot.sequence))
  }
}
