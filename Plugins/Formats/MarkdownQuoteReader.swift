public import Interchange
import Model

/// Reads the block quotes of a Markdown file: of any text, which its first heading names.
public struct MarkdownQuoteReader: Importer {
  /// The name by which it is chosen.
  public static let id = "markdown"
  /// What it is called in messages.
  public static let name = "Markdown quotes"
  /// What it does, in one line.
  public static let summary = "block quotes (> …) of a Markdown file"
  /// What it must do; these are its tests.
  public static let examples = [
    ImportExample(
      "two quotes",
      input: "# On signs\n\n> Look *here*.\n> And there.\n\nMine.\n\n> [!note] Why\n> Clean.\n",
      records: ["Look here.\nAnd there.", "Clean."].map {
        AnnotationRecord(id: "", quote: $0, source: "", title: "On signs", color: .yellow)
      }),
    ImportExample("no quotes", input: "# On signs\n\nMine.\n", records: nil),
  ]

  /// Makes the format.
  public init() {}

  /// Never by itself: most Markdown with quotes is a document.
  public func recognizes(_ source: ImportSource) -> Bool { false }

  /// Reads the records.
  public func read(_ source: ImportSource) throws(ImportError) -> ImportContent {
    let scan = MarkdownScan(source.text)
    var content = ImportContent(records: [])
    for block in scan.blocks {
      let lines = block.map { $0.drop(while: \.isWhitespace) }
      guard lines[0].hasPrefix(">") else { continue }
      var quoted = lines.prefix { $0.hasPrefix(">") }.map { line in
        line.drop { $0 == ">" || $0 == " " }
      }
      // The line of a callout is its label.
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
