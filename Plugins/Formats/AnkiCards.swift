public import Interchange
import Model

/// Writes cards for Anki as tab-separated values. The quote is on the front, the note and the
/// source are on the back. Anki reads the lines that begin with `#` as settings of the import.
public struct AnkiCards: Exporter {
  /// The id, which selects the format: `diple export --to anki`.
  public static let id = "anki"
  /// The description that `diple strategies` prints.
  public static let summary = "tab-separated cards for Anki: the quote, then its note and source"
  /// The properties of highlights that the format doesn't support.
  public static let omissions: [RecordPart] = [.colors, .states, .dates, .context]
  /// Examples, which are also the tests.
  public static let examples = [
    ExportExample(
      "line breaks, special characters of HTML, and a tag of two words",
      records: ExportSample.records,
      output: """
        #separator:tab
        #html:true
        #guid column:1
        #tags column:4
        urn:diple:1\tLook &quot;here&quot;,<br>*now*\t=Why &lt;this&gt;?<br><br>Reed, Ann, On signs, page 12\tsigns two_words
        urn:diple:2\tClean.\tOn signs\t

        """)
  ]

  /// Creates the exporter, which has no state.
  public init() {}

  /// Writes the records in their order.
  public func export(
    _ records: some Sequence<AnnotationRecord>, to output: inout some TextOutputStream
  ) {
    output.write("#separator:tab\n#html:true\n#guid column:1\n#tags column:4\n")
    for record in records {
      let origin = [record.author, record.title, record.placeText].filter { !$0.isEmpty }
        .joined(separator: ", ")
      let link = record.link.map { " <a href=\"\($0.escapedForHTML)\">Diple</a>" } ?? ""
      let back =
        [record.note, origin].filter { !$0.isEmpty }.map(Self.html).joined(separator: "<br><br>")
        + link
      let tags = record.tags.map { $0.joinedWords(keeping: "-:") }.joined(separator: " ")
      let cells = [Self.html(record.id), Self.html(record.quote), back, tags]
      output.write(cells.joined(separator: "\t") + "\n")
    }
  }

  /// Returns a text as HTML on one line. Brackets and braces are character references, because Anki
  /// interprets `[sound:…]`, `[latex]` and `{{…}}` before it shows the HTML.
  private static func html(_ text: String) -> String {
    text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).map { line in
      line.escapedForHTML.unicodeScalars.reduce(into: "") { result, scalar in
        switch scalar {
        case "\t": result += " "
        case "[": result += "&#91;"
        case "{": result += "&#123;"
        default: result.unicodeScalars.append(scalar)
        }
      }
    }.joined(separator: "<br>")
  }
}
