/// Character references: `&name;`, `&#35;`, `&#x22;`.
enum Entities {
  /// A character reference.
  struct Match {
    /// The length in bytes, from `&` to `;`.
    var length: Int
    /// The characters to which it refers: one scalar, or two for a few names.
    var scalars: [Unicode.Scalar]
  }

  /// Returns the character reference that begins with the `&` at an index; nil if it isn't valid.
  /// O(length of the reference).
  static func match(_ bytes: Bytes, at start: Int) -> Match? {
    if bytes.at(start + 1) == UInt8(ascii: "#") { return numeric(bytes, at: start) }
    var end = start + 1
    while end < bytes.count, bytes[end].isAlphanumeric, end - start <= longestName { end += 1 }
    guard end > start + 1, bytes.at(end) == UInt8(ascii: ";") else { return nil }
    guard let scalars = named(Bytes(rebasing: bytes[start + 1..<end])) else { return nil }
    return Match(length: end + 1 - start, scalars: scalars)
  }

  private static let longestName = 32

  private static func numeric(_ bytes: Bytes, at start: Int) -> Match? {
    let isHex = bytes.at(start + 2) | 32 == UInt8(ascii: "x")
    var index = start + (isHex ? 3 : 2)
    let digits = index
    let limit = digits + (isHex ? 6 : 7)
    var value: UInt32 = 0
    while index < bytes.count, index < limit {
      let byte = bytes[index]
      guard isHex ? byte.isHexDigit : byte.isDigit else { break }
      let digit = byte.isDigit ? byte - 48 : (byte | 32) - 87
      value = value * (isHex ? 16 : 10) + UInt32(digit)
      index += 1
    }
    guard index > digits, bytes.at(index) == UInt8(ascii: ";") else { return nil }
    let scalar = value == 0 ? nil : Unicode.Scalar(value)
    return Match(length: index + 1 - start, scalars: [scalar ?? "\u{FFFD}"])
  }

  private static let names = NameTable(entityTable)

  private static func named(_ name: Bytes) -> [Unicode.Scalar]? {
    guard let value = names.value(of: name) else { return nil }
    return value.split(separator: Byte.space).compactMap { digits in
      Unicode.Scalar(digits.reduce(0) { $0 << 4 | UInt32($1.isDigit ? $1 - 48 : $1 - 87) })
    }
  }
}
