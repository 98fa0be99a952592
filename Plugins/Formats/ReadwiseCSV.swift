import FoundationEssentials
public import Interchange
import Model

/// Reads a file exported from Readwise: comma-separated values with 10 or 11 columns, which are
/// named in the first line. It also reads the table that Readwise imports, which `ReadwiseImport`
/// writes: it has no colours, and its tags are words with a full stop at the start of a note.
public struct ReadwiseCSV: Importer {
  /// The id, which selects the format: `diple import --from readwise`.
  public static let id = "readwise"
  /// The name of the format in messages.
  public static let name = "Readwise export"
  /// The description that `diple strategies` prints.
  public static let summary = "the CSV files that Readwise exports and imports"
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
      records: [colorless]),
    ImportExample(
      "the table that Readwise imports",
      input: """
        Highlight,Title,Author,URL,Note,Location,Date
        Look,On signs,,,.old .new =Why?,3,

        """,
      records: [imported]),
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

  private static let colorless: AnnotationRecord = {
    var record = AnnotationRecord(
      id: "", quote: "Look here", source: "", title: "", color: .yellow)
    record.isColorKnown = false
    return record
  }()

  private static let imported: AnnotationRecord = {
    var record = AnnotationRecord(
      id: "", quote: "Look", source: "", title: "On signs", color: .yellow, note: "=Why?",
      tags: ["old", "new"])
    (record.location, record.isColorKnown) = ("3", false)
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
    cells.contains("Highlight") && (cells.contains("Book Title") || isForImport(cells))
  }

  /// Whether the columns are those of the table that Readwise imports.
  private static func isForImport(_ cells: [String]) -> Bool {
    Set(cells).isSuperset(of: ["Highlight", "Title", "Author", "URL", "Note"])
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
      let isForImport = Self.isForImport(header)
      while let row = try rows.next() {
        func cell(_ name: String) -> String {
          guard let place = places[name], place < row.count else { return "" }
          return isForImport ? CSVCell.original(row[place]) : row[place]
        }
        if row == [""] { continue }
        let quote = cell("Highlight").trimmed
        guard !quote.isEmpty else {
          content.skipped.append("line \(rows.line) has no highlight")
          continue
        }
        content.records.append(
          isForImport ? Self.imported(quote, cell) : Self.record(quote, cell))
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
    record.isColorKnown = !cell("Color").isEmpty
    if record.isColorKnown { record.setColor(cell("Color").trimmed) }
    record.setDates(WrittenDate(cell("Highlighted at")))
    return record
  }

  /// Returns the record of a row of the table that Readwise imports.
  private static func imported(_ quote: String, _ cell: (String) -> String) -> AnnotationRecord {
    var note = cell("Note").trimmed[...]
    var tags: [String] = []
    while note.first == "." {
      let tag = note.dropFirst().prefix { !$0.isWhitespace }
      if tag.isEmpty { break }
      tags.append(String(tag))
      note = note[tag.endIndex...].drop(while: \.isWhitespace)
    }
    var record = AnnotationRecord(
      id: "", quote: quote, source: cell("URL").trimmed, title: cell("Title").trimmed,
      color: .yellow, note: String(note), tags: tags)
    record.isColorKnown = false
    record.author = cell("Author").trimmed
    let place = cell("Location").trimmed
    record.location = place.wholeMatch(of: /line [0-9]+/) == nil ? place : ""
    record.setDates(WrittenDate(cell("Date")))
    return record
  }
}
