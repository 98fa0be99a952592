public import Interchange
import Model

/// Writes comma-separated values for spreadsheets, one row for each highlight. A cell that a
/// spreadsheet would interpret as a formula is written as text.
public struct CSVTable: Exporter {
  /// The id, which selects the format: `diple export --to csv`.
  public static let id = "csv"
  /// The description that `diple strategies` prints.
  public static let summary = "comma-separated values for spreadsheets, one highlight a line"
  /// The properties of highlights that the format doesn't support.
  public static let omissions: [RecordPart] = [.context]
  /// Examples, which are also the tests.
  public static let examples = [
    ExportExample(
      "cells with commas, quotation marks and line ends; a formula is text",
      records: ExportSample.records,
      output: """
        id,quote,note,tags,color,label,title,author,document,place,state,created,updated,link,line,start,end\r
        urn:diple:1,"Look ""here"",
        *now*",'=Why <this>?,"signs, two words",blue,question,On signs,"Reed, Ann",signs.md,page 12,exact,1970-01-01T00:00:00Z,1970-01-01T00:01:00Z,,7,6,22\r
        urn:diple:2,Clean.,,,yellow,,On signs,,signs.md,,exact,1970-01-01T00:00:00Z,1970-01-01T00:00:00Z,,,,\r

        """),
    ExportExample(
      "no highlights", records: [],
      output: header.joined(separator: ",") + "\r\n"),
  ]

  static let header = [
    "id", "quote", "note", "tags", "color", "label", "title", "author", "document", "place",
    "state", "created", "updated", "link", "line", "start", "end",
  ]

  /// Creates the exporter, which has no state.
  public init() {}

  /// Writes the records in their order.
  public func export(
    _ records: some Sequence<AnnotationRecord>, to output: inout some TextOutputStream
  ) {
    output.write(CSVCell.line(Self.header))
    for record in records {
      let cells = [
        record.id, record.quote, record.note, record.tags.joined(separator: ", "),
        record.color.rawValue, record.colorLabel ?? "", record.title, record.author,
        record.source, record.placeText, record.state.rawValue, record.createdText,
        record.updatedText, record.link ?? "", record.line.map(String.init) ?? "",
        record.textRange.map { String($0.lowerBound) } ?? "",
        record.textRange.map { String($0.upperBound) } ?? "",
      ]
      output.write(CSVCell.line(cells.map(CSVCell.inert)))
    }
  }
}
