public import Interchange
import Model

/// Writes the table that Readwise imports. Readwise only accepts numbers as locations. Tags are words with a leading full stop at the start of
/// a note.
public struct ReadwiseImport: Exporter {
  /// The id, which selects the format: `diple export --to readwise`.
  public static let id = "readwise"
  /// The description that `diple strategies` prints.
  public static let summary = "the CSV file that Readwise imports"
  /// The properties of highlights that the format doesn't support.
  public static let omissions: [RecordPart] = [.colors, .states, .context]
  /// Examples, which are also the tests.
  public static let examples = [
    ExportExample(
      "tags are in the note", records: ExportSample.records,
      output: """
        Highlight,Title,Author,URL,Note,Location,Date\r
        "Look ""here"",
        *now*",On signs,"Reed, Ann",,.signs .two_words =Why <this>?,12,1970-01-01T00:00:00Z\r
        Clean.,On signs,,,,,1970-01-01T00:00:00Z\r

        """)
  ]

  /// Creates the exporter, which has no state.
  public init() {}

  /// The maximum length of a highlight in Readwise, in characters.
  private static let limit = 8_191

  /// Writes the records. Quotes that are too long for Readwise are divided into several rows.
  public func export(
    _ records: some Sequence<AnnotationRecord>, to output: inout some TextOutputStream
  ) {
    output.write("Highlight,Title,Author,URL,Note,Location,Date\r\n")
    for record in records {
      let tags = record.tags.map { "." + $0.joinedWords(keeping: "-") }
      let note = (tags + (record.note.isEmpty ? [] : [record.note])).joined(separator: " ")
      var rest = record.quote[...]
      repeat {
        let part = rest.prefix(Self.limit)
        rest = rest[part.endIndex...]
        let cells = [
          String(part), record.title, record.author, record.address, note,
          record.placeNumber.map(String.init) ?? "", record.createdText,
        ]
        output.write(CSVCell.line(cells.map(CSVCell.inert)))
      } while !rest.isEmpty
    }
  }
}

extension String {
  /// Returns a tag for programs whose tags are single words: every character that isn't a letter, a
  /// digit or in `others` becomes `_`.
  func joinedWords(keeping others: String = "") -> String {
    String(map { $0.isLetter || $0.isNumber || others.contains($0) ? $0 : "_" })
  }
}
