/// Reads comma-separated values row by row. Cells in quotation marks may contain commas, line
/// breaks and doubled quotation marks; lines end with LF, CRLF or CR. All rows together take
/// O(bytes).
struct CSVRows {
  private let bytes: [UInt8]
  private var index: Int
  /// The number of the line at which the last row begins, from 1; 0 before the first row.
  private(set) var line = 0
  private var nextLine = 1

  /// Starts at the beginning, after a byte order mark if there is one.
  init(_ bytes: [UInt8]) {
    self.bytes = bytes
    index = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
  }

  /// A cell whose opening quotation mark has no closing one.
  struct Unclosed: Error {
    /// The number of the line at which the cell begins, from 1.
    var line: Int
  }

  /// Returns the cells of the next row; nil after the last row.
  ///
  /// - Throws: `Unclosed` if a cell's closing quotation mark is missing.
  mutating func next() throws(Unclosed) -> [String]? {
    guard index < bytes.count else { return nil }
    line = nextLine
    var cells: [String] = []
    while true {
      cells.append(try cell())
      guard index < bytes.count else { return cells }
      let byte = bytes[index]
      index += 1
      if byte == UInt8(ascii: ",") { continue }
      if byte == 13, index < bytes.count, bytes[index] == 10 { index += 1 }
      nextLine += 1
      return cells
    }
  }

  private mutating func cell() throws(Unclosed) -> String {
    guard index < bytes.count, bytes[index] == UInt8(ascii: "\"") else {
      return String(decoding: plain(), as: UTF8.self)
    }
    let first = nextLine
    index += 1
    var text: [UInt8] = []
    while index < bytes.count {
      let byte = bytes[index]
      index += 1
      if byte == UInt8(ascii: "\"") {
        guard index < bytes.count, bytes[index] == UInt8(ascii: "\"") else {
          // Text after the closing quotation mark belongs to the cell, as in most programs.
          return String(decoding: text + plain(), as: UTF8.self)
        }
        index += 1
      } else if byte == 10 || byte == 13 && !(index < bytes.count && bytes[index] == 10) {
        nextLine += 1
      }
      text.append(byte)
    }
    throw Unclosed(line: first)
  }

  /// Returns the bytes up to the end of the cell.
  private mutating func plain() -> ArraySlice<UInt8> {
    let start = index
    while index < bytes.count, ![UInt8(ascii: ","), 10, 13].contains(bytes[index]) { index += 1 }
    return bytes[start..<index]
  }
}
