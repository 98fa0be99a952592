public import Interchange
import Model

/// Writes an Org file: a heading for each document, and below it a heading for each highlight, with
/// the quote in a quote block.
public struct OrgQuotes: Exporter {
  /// The id, which selects the format: `diple export --to org`.
  public static let id = "org"
  /// The description that `diple strategies` prints.
  public static let summary = "an Org file with quote blocks, by document"
  /// The properties of highlights that the format doesn't support.
  public static let omissions: [RecordPart] = [.context]
  /// Examples, which are also the tests.
  public static let examples = [
    ExportExample(
      "properties, tags, and lines with a meaning in Org", records: ExportSample.records,
      output: """
        * On signs
        :PROPERTIES:
        :SOURCE: signs.md
        :AUTHOR: Reed, Ann
        :END:
        ** page 12 :signs:two_words:
        :PROPERTIES:
        :ID: urn:diple:1
        :COLOR: blue
        :LABEL: question
        :STATE: exact
        :CREATED: 1970-01-01T00:00:00Z
        :UPDATED: 1970-01-01T00:01:00Z
        :END:
        #+begin_quote
        Look "here",
        \u{200B}*now*
        #+end_quote

        =Why <this>?

        ** Clean.
        :PROPERTIES:
        :ID: urn:diple:2
        :COLOR: yellow
        :STATE: exact
        :CREATED: 1970-01-01T00:00:00Z
        :UPDATED: 1970-01-01T00:00:00Z
        :END:
        #+begin_quote
        Clean.
        #+end_quote


        """)
  ]

  /// Creates the exporter, which has no state.
  public init() {}

  /// Writes the records in their order.
  public func export(
    _ records: some Sequence<AnnotationRecord>, to output: inout some TextOutputStream
  ) {
    var source: String?
    for record in records {
      if record.source != source {
        source = record.source
        output.write("* \(OrgText.line(record.title))\n")
        output.write(
          Self.drawer([
            ("SOURCE", OrgText.line(record.source)), ("AUTHOR", OrgText.line(record.author)),
          ]))
      }
      let tags =
        record.tags.isEmpty
        ? ""
        : " :" + record.tags.map { $0.joinedWords(keeping: "@#%") }.joined(separator: ":") + ":"
      let place = record.placeText
      let heading = OrgText.line(place.isEmpty ? String(record.quote.prefix(60)) : place)
      output.write("** \(heading)\(tags)\n")
      output.write(
        Self.drawer([
          ("ID", OrgText.line(record.id)), ("COLOR", record.color.rawValue),
          ("LABEL", OrgText.line(record.colorLabel ?? "")),
          ("STATE", record.state.rawValue), ("CREATED", record.createdText),
          ("UPDATED", record.updatedText), ("LINK", record.link.map { "[[\($0)][Diple]]" } ?? ""),
        ]))
      output.write("#+begin_quote\n\(OrgText.lines(record.quote))\n#+end_quote\n\n")
      if !record.note.isEmpty { output.write("\(OrgText.lines(record.note))\n\n") }
    }
  }

  /// The properties that have a value.
  private static func drawer(_ properties: [(String, String)]) -> String {
    let lines = properties.filter { !$0.1.isEmpty }.map { ":\($0.0): \($0.1)\n" }
    return ":PROPERTIES:\n\(lines.joined()):END:\n"
  }
}
