public import Interchange
import Model

/// Reads the table that `CSVTable` writes. Its columns may be in any order, as a spreadsheet may
/// have moved them; the columns of the id, the quote and the document are required.
public struct CSVTableReader: Importer {
  /// The id, which selects the format: `diple import --from csv`.
  public static let id = "csv"
  /// The name of the format in messages.
  public static let name = "table of Diple"
  /// The description that `diple strategies` prints.
  public static let summary = "the table that Diple exports"
  /// Examples, which are also the tests.
  public static let examples = [
    ImportExample(
      "the table of an export", input: CSVTable.examples[0].output,
      records: ExportSample.records.map { record in
        var read = AnnotationRecord(
          id: record.id, quote: record.quote, source: record.source, title: record.title,
          color: record.color, note: record.note, tags: record.tags, created: record.created,
          updated: record.updated)
        (read.author, read.location) = (record.author, record.location)
        return read
      }),
    ImportExample("other columns", input: "quote,book\na,b\n", records: nil),
  ]

  /// Creates the importer, which has no state.
  public init() {}

  /// Returns whether the first line has the names of the columns.
  public func recognizes(_ source: ImportSource) -> Bool {
    var rows = CSVRows(Array(source.bytes.prefix(4096)))
    return (try? rows.next()).map(Self.isHeader) ?? false
  }

  private static func isHeader(_ cells: [String]) -> Bool {
    Set(cells).isSuperset(of: ["id", "quote", "color", "document"])
  }

  /// Reads the records. Rows without a quote are skipped.
  ///
  /// - Throws: `ImportError` if the columns aren't named in the first line, or with the line of a
  ///   cell whose closing quotation mark is missing.
  public func read(_ source: ImportSource) throws(ImportError) -> ImportContent {
    var rows = CSVRows(source.bytes)
    var content = ImportContent(records: [])
    do throws(CSVRows.Unclosed) {
      guard let header = try rows.next(), Self.isHeader(header) else {
        throw CSVRows.Unclosed(line: 0)
      }
      let places = Dictionary(
        header.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
      while let row = try rows.next() {
        func cell(_ name: String) -> String {
          guard let place = places[name], place < row.count else { return "" }
          return CSVCell.original(row[place])
        }
        if row == [""] { continue }
        guard !cell("quote").isEmpty else {
          content.skipped.append("line \(rows.line) has no quote")
          continue
        }
        content.records.append(Self.record(cell))
      }
    } catch {
      throw ImportError(
        error.line == 0
          ? "not a table of Diple" : "line \(error.line): a quotation mark is never closed")
    }
    return content
  }

  private static func record(_ cell: (String) -> String) -> AnnotationRecord {
    let color = HighlightColor(rawValue: cell("color"))
    var record = AnnotationRecord(
      id: cell("id"), quote: cell("quote"), source: cell("document"), title: cell("title"),
      color: color ?? .yellow, note: cell("note"),
      tags: cell("tags").split(separator: ",").map { String($0).trimmed }.filter { !$0.isEmpty })
    record.isColorKnown = color != nil
    record.author = cell("author")
    // A line of the file isn't a location in the source.
    let place = cell("place")
    record.location = place.wholeMatch(of: /line [0-9]+/) == nil ? place : ""
    record.setDates(WrittenDate(cell("created")), WrittenDate(cell("updated")))
    return record
  }
}
