/// Cells of comma-separated values, as RFC 4180 writes them.
enum CSVCell {
  /// A line of cells.
  static func line(_ cells: [String]) -> String {
    cells.map(quoted).joined(separator: ",") + "\r\n"
  }

  /// A text that no spreadsheet takes for a formula: one that begins like one has an apostrophe before
  /// it, as spreadsheets themselves write it.
  static func inert(_ text: String) -> String {
    guard let first = text.unicodeScalars.first, "=+-@\t\r".unicodeScalars.contains(first) else {
      return text
    }
    return "'" + text
  }

  private static func quoted(_ cell: String) -> String {
    let needsQuotes = cell.utf8.contains { [0x22, 0x2C, 0x0A, 0x0D].contains($0) }
    guard needsQuotes || cell.first == " " || cell.last == " " else { return cell }
    return "\"" + cell.replacing("\"", with: "\"\"") + "\""
  }
}
