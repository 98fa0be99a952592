public import Interchange
import Model

/// Writes cards for Anki as tab-separated values: the words in front; the note and where they are from
/// behind. Anki reads the lines with `#` as settings of the import.
public struct AnkiCards: Exporter {
  /// The name by which it is chosen.
  public static let id = "anki"
  /// What it does, in one line.
  public static let summary = "tab-separated cards for Anki: the quote, then its note and source"
  /// What it leaves out.
  public static let omissions: [RecordPart] = [.colors, .states, .dates, .context]
  /// What it must do; these are its tests.
  public static let examples = [
    ExportExample(
      "lines, signs of HTML and tags of two words", records: ExportSample.records,
      output: """
        #separator:tab
        #html:true
        #guid column:1
        #tags column:4
        urn:diple:1\tLook &quot;here&quot;,<br>*now*\t=Why &lt;this&gt;?<br><br>Reed, Ann, On signs, page 12\tsigns two_words
        urn:diple:2\tClean.\tOn signs\t

        """)
  ]

  /// Makes the format.
  public init() {}

  /// Writes the records.
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

  /// Text as HTML on one line. Brackets and braces are references, since Anki makes sounds, LaTeX
  /// and cards of `[sound:…]`, `[latex]` and `{{…}}` before it shows the HTML.
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
