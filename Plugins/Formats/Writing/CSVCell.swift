/// Cells of comma-separated values, as RFC 4180 writes them.
enum CSVCell {
  /// A line of cells.
  static func line(_ cells: [String]) -> String {
    cells.map(quoted).joined(separator: ",") + "\r\n"
  }

  /// A text that no spreadsheet takes for a formula: an apostrophe is written before a sign that
  /// would begin one, as spreadsheets themselves write it.
  ///
  /// A formula begins at the start of the cell, also behind blanks, and behind a line feed, a tab or
  /// a semicolon, which divide cells for programs that do not divide them at commas. O(length).
  static func inert(_ text: String) -> String {
    var result = String.UnicodeScalarView()
    // Some programs drop what is not seen before they look.
    if let first = text.unicodeScalars.first, "\t\r\n".unicodeScalars.contains(first) {
      result.append("'")
    }
    var isStart = true
    for scalar in text.unicodeScalars {
      if isStart, begins.contains(scalar) { result.append("'") }
      if dividers.contains(scalar) {
        isStart = true
      } else if !isPassed(scalar) {
        isStart = false
      }
      result.append(scalar)
    }
    return String(result)
  }

  /// The signs that begin a formula, also as wide letters, which some programs read as plain ones.
  private static let begins = Set("=+-@＝＋－＠﹦﹢﹣﹫−".unicodeScalars)
  private static let dividers = Set("\n\r\t;\u{B}\u{C}\u{85}\u{2028}\u{2029}".unicodeScalars)

  /// Whether it is a blank or is not seen, and may stand before a formula.
  private static func isPassed(_ scalar: Unicode.Scalar) -> Bool {
    scalar.properties.isWhitespace || scalar.properties.isDefaultIgnorableCodePoint
      || scalar.value < 0x20 || (0x7F..<0xA0).contains(scalar.value)
  }

  private static let special = Set("\t\",;\n\r".utf8)

  private static func quoted(_ cell: String) -> String {
    let needsQuotes = cell.utf8.contains { special.contains($0) }
    guard needsQuotes || cell.first == " " || cell.last == " " else { return cell }
    // By bytes: a letter may have a quotation mark as its base.
    var bytes: [UInt8] = [UInt8(ascii: "\"")]
    for byte in cell.utf8 {
      if byte == UInt8(ascii: "\"") { bytes.append(byte) }
      bytes.append(byte)
    }
    bytes.append(UInt8(ascii: "\""))
    return String(decoding: bytes, as: UTF8.self)
  }
}
