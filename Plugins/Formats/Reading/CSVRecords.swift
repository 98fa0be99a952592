import Interchange
import Model

/// The rows of a table of comma-separated values whose first line names the columns.
struct CSVRecords {
  /// A row of the table.
  struct Row {
    fileprivate var cells: [String]
    fileprivate var places: [String: Int]
    /// The number of the line at which the row begins, from 1.
    var line: Int

    /// The cell of a column without surrounding blanks; empty if the column or the cell is missing.
    subscript(_ column: String) -> String { whole(column).trimmed }

    /// Returns the cell of a column with surrounding blanks; empty if it is missing.
    func whole(_ column: String) -> String {
      guard let place = places[column], place < cells.count else { return "" }
      return cells[place]
    }
  }

  /// Returns the names of the columns in the first line of a file, of which at most the first 4 KiB
  /// are read; empty if the file does not begin with a line of cells.
  static func header(of source: ImportSource) -> [String] {
    var rows = CSVRows(Array(source.bytes.prefix(4096)))
    let cells = (try? rows.next()) ?? nil
    return (cells ?? []).map(\.trimmed)
  }

  /// Calls `body` with each row. Empty rows are skipped.
  ///
  /// - Parameters:
  ///   - columns: the columns that the table must have.
  ///   - name: the name of the format in the error.
  /// - Throws: `ImportError` if one of the columns is missing, or with the line of a cell whose
  ///   closing quotation mark is missing.
  static func forEach(
    in source: ImportSource, with columns: Set<String>, _ name: String, _ body: (Row) -> Void
  ) throws(ImportError) {
    var rows = CSVRows(source.bytes)
    do throws(CSVRows.Unclosed) {
      let header = (try rows.next() ?? []).map(\.trimmed)
      guard columns.isSubset(of: header) else { throw CSVRows.Unclosed(line: 0) }
      let places = Dictionary(
        header.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
      while let cells = try rows.next() {
        if cells != [""] { body(Row(cells: cells, places: places, line: rows.line)) }
      }
    } catch {
      throw ImportError(
        error.line == 0 ? "not \(name)" : "line \(error.line): a quotation mark is never closed")
    }
  }

  /// Returns tags of a cell such as `signs, "old words"`, `['signs', 'old words']` or
  /// `["signs"]`.
  static func tags(_ cell: String) -> [String] {
    var list = cell[...]
    if list.hasPrefix("["), list.hasSuffix("]") { list = list.dropFirst().dropLast() }
    return list.split(separator: ",").map { tag in
      let tag = tag.trimmed
      for mark in ["'", "\""] where tag.count > 1 && tag.hasPrefix(mark) && tag.hasSuffix(mark) {
        return String(tag.dropFirst().dropLast()).trimmed
      }
      return tag
    }.filter { !$0.isEmpty }
  }
}
