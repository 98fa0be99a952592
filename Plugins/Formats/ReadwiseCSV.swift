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
    let header = CSVRecords.header(of: source)
    return Self.exportColumns.isSubset(of: header) || Self.importColumns.isSubset(of: header)
  }

  /// The columns of the file that Readwise exports.
  private static let exportColumns: Set = ["Highlight", "Book Title"]
  /// The columns of the table that Readwise imports.
  private static let importColumns: Set = ["Highlight", "Title", "Author", "URL", "Note"]

  /// Reads the records. Rows without a highlight are skipped; cells missing at the end of a row are
  /// empty.
  ///
  /// - Throws: `ImportError` if the columns aren't named in the first line, or with the line of a
  ///   cell whose closing quotation mark is missing.
  public func read(_ source: ImportSource) throws(ImportError) -> ImportContent {
    var content = ImportContent(records: [])
    let isForImport = !Self.exportColumns.isSubset(of: CSVRecords.header(of: source))
    let columns = isForImport ? Self.importColumns : Self.exportColumns
    try CSVRecords.forEach(in: source, with: columns, "a Readwise export") { row in
      if row["Highlight"].isEmpty {
        content.skipped.append("line \(row.line) has no highlight")
      } else {
        content.records.append(isForImport ? Self.importedRecord(row) : Self.record(row))
      }
    }
    return content
  }

  private static func record(_ row: CSVRecords.Row) -> AnnotationRecord {
    // The tags of the book count for each of its highlights.
    let tags = CSVRecords.tags(row["Tags"])
    let others = CSVRecords.tags(row["Document tags"]).filter { !tags.contains($0) }
    var record = AnnotationRecord(
      id: "", quote: row["Highlight"], source: "", title: row["Book Title"], color: .yellow,
      note: row["Note"], tags: tags + others)
    record.author = row["Book Author"]
    let number = row["Location"]
    if !number.isEmpty, number != "0" {
      let type = row["Location Type"]
      record.location = type.isEmpty ? number : "\(type) \(number)"
    }
    record.isColorKnown = !row["Color"].isEmpty
    if record.isColorKnown { record.setColor(row["Color"]) }
    record.setDates(WrittenDate(row["Highlighted at"]))
    return record
  }

  /// Returns the record of a row of the table that Readwise imports.
  private static func importedRecord(_ row: CSVRecords.Row) -> AnnotationRecord {
    func cell(_ name: String) -> String { CSVCell.original(row[name]).trimmed }
    var note = cell("Note")[...]
    var tags: [String] = []
    while note.first == "." {
      let tag = note.dropFirst().prefix { !$0.isWhitespace }
      if tag.isEmpty { break }
      tags.append(String(tag))
      note = note[tag.endIndex...].drop(while: \.isWhitespace)
    }
    var record = AnnotationRecord(
      id: "", quote: cell("Highlight"), source: cell("URL"), title: cell("Title"), color: .yellow,
      note: String(note), tags: tags)
    record.isColorKnown = false
    record.author = cell("Author")
    let place = cell("Location")
    record.location = place.wholeMatch(of: /line [0-9]+/) == nil ? place : ""
    record.setDates(WrittenDate(cell("Date")))
    return record
  }
}
