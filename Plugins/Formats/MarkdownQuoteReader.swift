public import Interchange
import Model

/// Reads the block quotes of a Markdown file. The quotes are from a text whose title is the file's
/// first heading.
public struct MarkdownQuoteReader: Importer {
  /// The id, which selects the format: `diple import --from markdown`.
  public static let id = "markdown"
  /// The name of the format in messages.
  public static let name = "Markdown quotes"
  /// The description that `diple strategies` prints.
  public static let summary = "block quotes (> …) of a Markdown file"
  /// Examples, which are also the tests.
  public static let examples = [
    ImportExample(
      "two quotes",
      input: "# On signs\n\n> Look *here*.\n> And there.\n\nMine.\n\n> [!note] Why\n> Clean.\n",
      records: ["Look here.\nAnd there.", "Clean."].map {
        AnnotationRecord(id: "", quote: $0, source: "", title: "On signs", color: .yellow)
      }),
    ImportExample("no quotes", input: "# On signs\n\nMine.\n", records: nil),
  ]

  /// Creates the importer, which has no state.
  public init() {}

  /// Always returns false, because most Markdown files with quotes are documents. The format must
  /// be named.
  public func recognizes(_ source: ImportSource) -> Bool { false }

  /// Reads the records.
  ///
  /// - Throws: `ImportError` if there are no block quotes.
  public func read(_ source: ImportSource) throws(ImportError) -> ImportContent {
    let scan = MarkdownScan(source.text)
    var content = ImportContent(records: [])
    for block in scan.blocks {
      let lines = block.map { $0.drop(while: \.isWhitespace) }
      guard lines[0].hasPrefix(">") else { continue }
      var quoted = lines.prefix { $0.hasPrefix(">") }.map { line in
        line.drop { $0 == ">" || $0 == " " }
      }
      // The first line of a callout is its label.
      if quoted[0].hasPrefix("[!") { quoted.removeFirst() }
      let quote = MarkdownScan.plain(quoted.joined(separator: "\n")).trimmed
      guard !quote.isEmpty else { continue }
      content.records.append(
        AnnotationRecord(
          id: "", quote: quote, source: "",
          title: scan.title.isEmpty ? source.title : scan.title, color: .yellow))
    }
    guard !content.records.isEmpty else { throw ImportError("it contains no block quotes") }
    return content
  }
}
