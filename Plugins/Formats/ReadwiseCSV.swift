import FoundationEssentials
public import Interchange
import Model

/// Reads a file exported from Readwise: comma-separated values with 10 or 11 columns, which are
/// named in the first line.
public struct ReadwiseCSV: Importer {
  /// The id, which selects the format: `diple import --from readwise`.
  public static let id = "readwise"
  /// The name of the format in messages.
  public static let name = "Readwise export"
  /// The description that `diple strategies` prints.
  public static let summary = "the CSV file that Readwise exports"
  /// Examples, which are also the tests.
  public static let examples = [
    ImportExample(
      "commas, quotation marks and line ends in cells",
      input: """
        Highlight,Book Title,Book Author,Amazon Book ID,Note,Color,Tags,Location Type,Location,Highlighted at
        "Look ""here"",
        and there",On signs,"Reed, Ann",,Why?,blue,"signs, old",page,12,2026-01-27 05:56:46+00:00

        """,
      records: [sample]),
    ImportExample(
      "the cells missing at the end of a row are empty",
      input: "Highlight,Book Title,Note\nLook here\n",
      records: [AnnotationRecord(id: "", quote: "Look here", source: "", title: "", color: .yellow)]
    ),
    ImportExample(
      "a cell without a closing quotation mark",
      input: "Highlight,Book Title\n\"Look,On signs\n", records: nil),
    ImportExample("other columns", input: "Quote,Book\na,b\n", records: nil),
  ]

  private static let sample: AnnotationRecord = {
    let date = Date(timeIntervalSince1970: 1_769_493_406)
    var record = AnnotationRecord(
      id: "", quote: "Look \"here\",\nand there", source: "", title: "On signs", color: .blue,
      note: "Why?", tags: ["signs", "old"], created: date, updated: date)
    record.author = "Reed, Ann"
    record.location = "page 12"
    record.sourceColor = "blue"
    return record
  }()

  /// Creates the importer, which has no state.
  public init() {}

  /// Returns whether the first line names the columns.
  public func recognizes(_ source: ImportSource) -> Bool {
    var rows = CSVRows(Array(source.bytes.prefix(4096)))
    return (try? rows.next()).map(Self.isHeader) ?? false
  }

  private static func isHeader(_ cells: [String]) -> Bool {
    cells.contains("Highlight") && cells.contains("Book Title")
  }

  /// Reads the records. Rows without a highlight are skipped; cells missing at the end of a row are
  /// empty.
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
        header.enumerated().map { ($1.trimmed, $0) }, uniquingKeysWith: { first, _ in first })
      while let row = try rows.next() {
        func cell(_ name: String) -> String {
          guard let place = places[name], place < row.count else { return "" }
          return row[place]
        }
        if row == [""] { continue }
        let quote = cell("Highlight").trimmed
        guard !quote.isEmpty else {
          content.skipped.append("line \(rows.line) has no highlight")
          continue
        }
        content.records.append(Self.record(quote, cell))
      }
    } catch {
      throw ImportError(
        error.line == 0
          ? "not a Readwise export" : "line \(error.line): a quotation mark is never closed")
    }
    return content
  }

  private static func record(_ quote: String, _ cell: (String) -> String) -> AnnotationRecord {
    var record = AnnotationRecord(
      id: "", quote: quote, source: "", title: cell("Book Title").trimmed, color: .yellow,
      note: cell("Note").trimmed,
      tags: cell("Tags").split(separator: ",").map { String($0).trimmed }.filter { !$0.isEmpty })
    record.author = cell("Book Author").trimmed
    let number = cell("Location").trimmed
    if !number.isEmpty, number != "0" {
      let type = cell("Location Type").trimmed
      record.location = type.isEmpty ? number : "\(type) \(number)"
    }
    if !cell("Color").isEmpty { record.setColor(cell("Color").trimmed) }
    record.setDates(WrittenDate(cell("Highlighted at")))
    return record
  }
}
