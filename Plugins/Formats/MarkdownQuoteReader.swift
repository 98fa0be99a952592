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
      records: ["Look here. And there.", "Clean."].map {
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
  /// - Throws: `ImportError` if there are no block quotes, or the file has too much markup.
  public func read(_ source: ImportSource) throws(ImportError) -> ImportContent {
    let file = try QuotedMarkdown(source)
    guard !file.blockQuotes.isEmpty else { throw ImportError("it contains no block quotes") }
    let title = file.title.isEmpty ? source.title : file.title
    return ImportContent(
      records: file.blockQuotes.map {
        AnnotationRecord(id: "", quote: $0, source: "", title: title, color: .yellow)
      })
  }
}
