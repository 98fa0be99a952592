public import Interchange
import Model

/// Reads the marked passages of a Markdown file, as written with Obsidian: `==words==` and
/// `<mark>words</mark>`. The highlights belong to this file.
public struct MarkdownMarks: Importer {
  /// The id, which selects the format: `diple import --from obsidian`.
  public static let id = "obsidian"
  /// The name of the format in messages.
  public static let name = "marked passages"
  /// The description that `diple strategies` prints.
  public static let summary = "==marks== and <mark> in a Markdown file, as of Obsidian"
  /// Examples, which are also the tests.
  public static let examples = [
    ImportExample(
      "marks, and equals signs that are not marks: in code, in comments, over a blank line",
      input: """
        # On signs

        Says: ==Look **here**==, and `==not==` <mark>there</mark>. %%==hidden==%%

        ```
        ==code==
        ```

        One ==end

        and another==.
        """,
      records: ["Look here", "there"].map {
        AnnotationRecord(id: "", quote: $0, source: "", title: "On signs", color: .yellow)
      }),
    ImportExample("no marks", input: "# On signs\n\nIf a == b or b == c.\n", records: nil),
  ]

  /// Creates the importer, which has no state.
  public init() {}

  /// Returns whether the file is Markdown, by its name, and has a marked passage.
  public func recognizes(_ source: ImportSource) -> Bool {
    (source.path.isEmpty ? source.bytes.starts(with: [UInt8(ascii: "#")]) : source.isMarkdown)
      && (try? read(source)) != nil
  }

  /// Reads the records.
  ///
  /// - Throws: `ImportError` if no passage is marked, or the file has too much markup.
  public func read(_ source: ImportSource) throws(ImportError) -> ImportContent {
    let file = try QuotedMarkdown(source)
    guard !file.marks.isEmpty else { throw ImportError("it contains no marked passages") }
    return ImportContent(
      records: file.marks.map {
        AnnotationRecord(id: "", quote: $0, source: source.path, title: file.title, color: .yellow)
      })
  }
}

extension ImportSource {
  /// Whether the file has an extension of Markdown.
  var isMarkdown: Bool {
    [".md", ".markdown", ".mdown", ".mkd", ".mkdn"].contains(where: path.lowercased().hasSuffix)
  }

  /// The name of the file without its extension, which is the title of contents that have none.
  var title: String {
    let name = path.split(separator: "/").last ?? ""
    return String(name.lastIndex(of: ".").map { name[..<$0] } ?? name)
  }
}
