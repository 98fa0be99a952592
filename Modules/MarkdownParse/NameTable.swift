/// A lookup table of names, stored in one string and sorted by their bytes: `name value;`.
struct NameTable: Sendable {
  private let text: StaticString
  /// The offset of each row.
  private let rows: [Int]

  /// Creates a table. O(bytes).
  init(_ text: StaticString) {
    self.text = text
    var starts = [0]
    let bytes = Bytes(start: text.utf8Start, count: text.utf8CodeUnitCount)
    for (index, byte) in bytes.enumerated() where byte == UInt8(ascii: ";") {
      starts.append(index + 1)
    }
    rows = starts
  }

  /// Returns the bytes of a name's value; nil if the name isn't in the table. O(log names × length
  /// of the name).
  func value(of name: Bytes) -> Bytes? {
    let bytes = Bytes(start: text.utf8Start, count: text.utf8CodeUnitCount)
    var low = 0
    var high = rows.count - 1
    while low < high {
      let middle = (low + high) / 2
      switch Self.order(bytes, row: rows[middle], name) {
      case 0:
        let start = rows[middle] + name.count + 1
        return Bytes(rebasing: bytes[start..<rows[middle + 1] - 1])
      case ..<0: low = middle + 1
      default: high = middle
      }
    }
    return nil
  }

  /// Compares a row's name with `name`. The result is negative if the row sorts first and 0 if the
  /// names are equal.
  private static func order(_ table: Bytes, row: Int, _ name: Bytes) -> Int {
    for (offset, byte) in name.enumerated() {
      let entry = table[row + offset]
      if entry == Byte.space { return -1 }
      if entry != byte { return Int(entry) - Int(byte) }
    }
    return table[row + name.count] == Byte.space ? 0 : 1
  }
}
