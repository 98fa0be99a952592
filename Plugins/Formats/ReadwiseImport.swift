public import Interchange
import Model

/// Writes the table that Readwise imports. Its tags are words with a full stop at the start of a note.
public struct ReadwiseImport: Exporter {
  /// The name by which it is chosen.
  public static let id = "readwise"
  /// What it does, in one line.
  public static let summary = "the CSV file that Readwise imports"
  /// What it leaves out.
  public static let omissions: [RecordPart] = [.colors, .states, .context]
  /// What it must do; these are its tests.
  public static let examples = [
    ExportExample(
      "tags are in the note", records: ExportSample.records,
      output: """
        Highlight,Title,Author,URL,Note,Location,Date\r
        "Look ""here"",
        *now*",On signs,"Reed, Ann",,.signs .two_words =Why <this>?,page 12,1970-01-01T00:00:00Z\r
        Clean.,On signs,,,,,1970-01-01T00:00:00Z\r

        """)
  ]

  /// Makes the format.
  public init() {}

  /// The most characters that Readwise takes.
  private static let limit = 8_191

  /// Writes the records. What is longer than Readwise takes is divided.
  public func export(
    _ records: some Sequence<AnnotationRecord>, to output: inout some TextOutputStream
  ) {
    output.write("Highlight,Title,Author,URL,Note,Location,Date\r\n")
    for record in records {
      let isAddress = ["http://", "https://"].contains(where: record.source.hasPrefix)
      let tags = record.tags.map { "." + $0.joinedWords(keeping: "-") }
      let note = (tags + (record.note.isEmpty ? [] : [record.note])).joined(separator: " ")
      var rest = record.quote[...]
      repeat {
        let part = rest.prefix(Self.limit)
        rest = rest[part.endIndex...]
        let cells = [
          String(part), record.title, record.author, isAddress ? record.source : "", note,
          record.placeText, record.createdText,
        ]
        output.write(CSVCell.line(cells.map(CSVCell.inert)))
      } while !rest.isEmpty
    }
  }
}

extension String {
  /// A tag for programs whose tags are one word: what is no letter, digit or `_` is `_`.
  func joinedWords(keeping others: String = "") -> String {
    String(map { $0.isLetter || $0.isNumber || others.contains($0) ? $0 : "_" })
  }
}
