/// Character references: `&name;`, `&#35;`, `&#x22;`.
enum Entities {
  /// A reference that stands at the start of some bytes.
  struct Match {
    /// The bytes it takes, from `&` to `;`.
    var length: Int
    /// What it stands for: one scalar, or two for a few names.
    var scalars: [Unicode.Scalar]
  }

  /// The reference that begins at an index where an `&` stands, or nil. O(length of the reference).
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

  /// Where each row of the table begins.
  private static let rows: [Int] = {
    var starts = [0]
    let table = UnsafeBufferPointer(
      start: entityTable.utf8Start, count: entityTable.utf8CodeUnitCount)
    for (index, byte) in table.enumerated() where byte == UInt8(ascii: ";") {
      starts.append(index + 1)
    }
    return starts
  }()

  /// Binary search in the table.
  private static func named(_ name: Bytes) -> [Unicode.Scalar]? {
    let table = UnsafeBufferPointer(
      start: entityTable.utf8Start, count: entityTable.utf8CodeUnitCount)
    var low = 0
    var high = rows.count - 1
    while low < high {
      let middle = (low + high) / 2
      switch order(table, row: rows[middle], name) {
      case 0: return scalars(table, from: rows[middle] + name.count + 1)
      case ..<0: low = middle + 1
      default: high = middle
      }
    }
    return nil
  }

  /// Below 0 when the row's name sorts before `name`.
  private static func order(_ table: Bytes, row: Int, _ name: Bytes) -> Int {
    for (offset, byte) in name.enumerated() {
      let entry = table[row + offset]
      if entry == Byte.space { return -1 }
      if entry != byte { return Int(entry) - Int(byte) }
    }
    return table[row + name.count] == Byte.space ? 0 : 1
  }

  private static func scalars(_ table: Bytes, from start: Int) -> [Unicode.Scalar] {
    var result: [Unicode.Scalar] = []
    var value: UInt32 = 0
    for index in start..<table.count {
      let byte = table[index]
      if byte.isHexDigit {
        value = value << 4 | UInt32(byte.isDigit ? byte - 48 : byte - 87)
        continue
      }
      if let scalar = Unicode.Scalar(value) { result.append(scalar) }
      value = 0
      if byte == UInt8(ascii: ";") { break }
    }
    return result
  }
}
