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
          id: record.id, quote: record.quote,
          position: record.textRange.map { .utf16(TextRange(utf16: $0)) }, source: record.source,
          title: record.title, color: record.color, note: record.note, tags: record.tags,
          created: record.created,
          updated: record.updated)
        (read.author, read.location, read.line) = (record.author, record.location, record.line)
        return read
      }),
    ImportExample(
      "a table of an earlier version, with the line as the place",
      input: "id,quote,color,document,place\n1,Look,blue,signs.md,line 4\n",
      records: [earlier]),
    ImportExample(
      "cells that are no position",
      input: "id,quote,color,document,line,start,end\n1,Look,blue,signs.md,-4,9,5\n",
      records: [unplaced]),
    ImportExample("other columns", input: "quote,book\na,b\n", records: nil),
  ]

  private static let unplaced = AnnotationRecord(
    id: "1", quote: "Look", source: "signs.md", title: "", color: .blue)

  private static let earlier: AnnotationRecord = {
    var record = unplaced
    record.line = 4
    return record
  }()

  /// Creates the importer, which has no state.
  public init() {}

  private static let columns: Set = ["id", "quote", "color", "document"]

  /// Returns whether the first line has the names of the columns.
  public func recognizes(_ source: ImportSource) -> Bool {
    Self.columns.isSubset(of: CSVRecords.header(of: source))
  }

  /// Reads the records. Rows without a quote are skipped.
  ///
  /// - Throws: `ImportError` if the columns aren't named in the first line, or with the line of a
  ///   cell whose closing quotation mark is missing.
  public func read(_ source: ImportSource) throws(ImportError) -> ImportContent {
    var content = ImportContent(records: [])
    try CSVRecords.forEach(in: source, with: Self.columns, "a table of Diple") { row in
      func cell(_ name: String) -> String { CSVCell.original(row.whole(name)) }
      if cell("quote").isEmpty {
        content.skipped.append("line \(row.line) has no quote")
      } else {
        content.records.append(Self.record(cell))
      }
    }
    return content
  }

  private static func record(_ cell: (String) -> String) -> AnnotationRecord {
    let color = HighlightColor(rawValue: cell("color"))
    var position: AnnotationRecord.Position?
    if let start = Int(cell("start")), let end = Int(cell("end")), 0 <= start, start < end {
      position = .utf16(TextRange(utf16: start..<end))
    }
    var record = AnnotationRecord(
      id: cell("id"), quote: cell("quote"), position: position, source: cell("document"),
      title: cell("title"),
      color: color ?? .yellow, note: cell("note"),
      tags: cell("tags").split(separator: ",").map { String($0).trimmed }.filter { !$0.isEmpty })
    record.isColorKnown = color != nil
    record.author = cell("author")
    // A line of the file isn't a location in the source.
    let place = cell("place")
    let line = place.wholeMatch(of: /line ([0-9]+)/)?.1
    record.location = line == nil ? place : ""
    record.line = (Int(cell("line")) ?? line.flatMap { Int($0) }).flatMap { $0 > 0 ? $0 : nil }
    record.setDates(WrittenDate(cell("created")), WrittenDate(cell("updated")))
    return record
  }
}
