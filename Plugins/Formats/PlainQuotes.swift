public import Interchange
import Model

/// Reads plain text in which each paragraph is a quote.
public struct PlainQuotes: Importer {
  /// The id, which selects the format: `diple import --from text`.
  public static let id = "text"
  /// The name of the format in messages.
  public static let name = "plain text"
  /// The description that `diple strategies` prints.
  public static let summary = "plain text, a quote in each paragraph"
  /// Examples, which are also the tests.
  public static let examples = [
    ImportExample(
      "two paragraphs", input: "\u{FEFF}Look here,\r\nand there.\r\n\r\n \t\r\nClean.\r\n",
      records: ["Look here,\nand there.", "Clean."].map {
        AnnotationRecord(id: "", quote: $0, source: "", title: "", color: .yellow)
      }),
    ImportExample("nothing", input: " \n\n", records: nil),
  ]

  /// Creates the importer, which has no state.
  public init() {}

  /// Always returns false, because any file could be plain text. The format must be named.
  public func recognizes(_ source: ImportSource) -> Bool { false }

  /// Reads the records.
  ///
  /// - Throws: `ImportError` if the text is empty.
  public func read(_ source: ImportSource) throws(ImportError) -> ImportContent {
    var content = ImportContent(records: [])
    var paragraph: [String] = []
    func end() {
      guard !paragraph.isEmpty else { return }
      content.records.append(
        AnnotationRecord(
          id: "", quote: paragraph.joined(separator: "\n"), source: "", title: source.title,
          color: .yellow))
      paragraph = []
    }
    for line in source.text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline) {
      let words = line.trimmed
      if words.isEmpty { end() } else { paragraph.append(words) }
    }
    end()
    guard !content.records.isEmpty else { throw ImportError("it contains no text") }
    return content
  }
}
