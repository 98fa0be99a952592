/// Cells of comma-separated values, as RFC 4180 writes them.
enum CSVCell {
  /// Returns a row of cells with its line end.
  static func line(_ cells: [String]) -> String {
    cells.map(quoted).joined(separator: ",") + "\r\n"
  }

  /// Returns a text that no spreadsheet reads as a formula. An apostrophe is inserted before each
  /// character that would begin a formula, as spreadsheets themselves do, and before apostrophes
  /// that precede such a character. O(length).
  ///
  /// A formula can begin at the start of the cell, also after blanks, and after a line feed, a tab
  /// or a semicolon, because some programs separate cells there.
  static func inert(_ text: String) -> String { changed(text) { ["'"] + $0 } }

  /// Returns the text that ``inert(_:)`` made inert. O(length).
  static func original(_ cell: String) -> String {
    changed(cell) { $0.first == "'" ? Array($0.dropFirst()) : $0 }
  }

  /// Changes each run of apostrophes, which may be empty, at a place where a formula can begin, if
  /// a character that begins a formula follows.
  private static func changed(_ text: String, _ change: ([Unicode.Scalar]) -> [Unicode.Scalar])
    -> String
  {
    var result = String.UnicodeScalarView()
    var isStart = true
    var run: [Unicode.Scalar] = []
    var isFirst = true
    for scalar in text.unicodeScalars {
      if isStart, scalar == "'" {
        run.append(scalar)
        continue
      }
      // Some programs remove white space at the start of a cell before they check for a formula.
      let isSpace = isFirst && "\t\r\n".unicodeScalars.contains(scalar)
      let begins = isStart && (Self.begins.contains(scalar) || isSpace)
      result.append(contentsOf: begins ? change(run) : run)
      if dividers.contains(scalar) {
        isStart = true
      } else if !isPassed(scalar) || !run.isEmpty {
        isStart = false
      }
      run = []
      isFirst = false
      result.append(scalar)
    }
    result.append(contentsOf: run)
    return String(result)
  }

  /// The characters that begin a formula. Some programs also accept their full-width forms.
  private static let begins = Set("=+-@＝＋－＠﹦﹢﹣﹫−".unicodeScalars)
  private static let dividers = Set("\n\r\t;\u{B}\u{C}\u{85}\u{2028}\u{2029}".unicodeScalars)

  /// Whether a scalar can precede a formula: white space, or an invisible or control character.
  private static func isPassed(_ scalar: Unicode.Scalar) -> Bool {
    scalar.properties.isWhitespace || scalar.properties.isDefaultIgnorableCodePoint
      || scalar.value < 0x20 || (0x7F..<0xA0).contains(scalar.value)
  }

  private static let special = Set("\t\",;\n\r".utf8)

  private static func quoted(_ cell: String) -> String {
    let needsQuotes = cell.utf8.contains { special.contains($0) }
    guard needsQuotes || cell.first == " " || cell.last == " " else { return cell }
    // Compare bytes: a quotation mark with a combining mark is another character.
    var bytes: [UInt8] = [UInt8(ascii: "\"")]
    for byte in cell.utf8 {
      if byte == UInt8(ascii: "\"") { bytes.append(byte) }
      bytes.append(byte)
    }
    bytes.append(UInt8(ascii: "\""))
    return String(decoding: bytes, as: UTF8.self)
  }
}
