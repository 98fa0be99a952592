public import Interchange
import Model

/// Reads plain text: a quote in each paragraph.
public struct PlainQuotes: Importer {
  /// The name by which it is chosen.
  public static let id = "text"
  /// What it is called in messages.
  public static let name = "plain text"
  /// What it does, in one line.
  public static let summary = "plain text, a quote in each paragraph"
  /// What it must do; these are its tests.
  public static let examples = [
    ImportExample(
      "two paragraphs", input: "\u{FEFF}Look here,\r\nand there.\r\n\r\n \t\r\nClean.\r\n",
      records: ["Look here,\nand there.", "Clean."].map {
        AnnotationRecord(id: "", quote: $0, source: "", title: "", color: .yellow)
      }),
    ImportExample("nothing", input: " \n\n", records: nil),
  ]

  /// Makes the format.
  public init() {}

  /// Never by itself: anything is plain text.
  public func recognizes(_ source: ImportSource) -> Bool { false }

  /// Reads the records.
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
    guard !content.records.isEmpty else { throw ImportError("it contains no words") }
    return content
  }
}
