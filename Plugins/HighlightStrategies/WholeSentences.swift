public import Editing
public import MarkdownParse
public import Model

/// The selection grown to whole sentences.
public struct WholeSentences: HighlightStrategy {
  /// The name by which it is chosen.
  public static let id = "sentence"
  /// What it does, in one line.
  public static let summary = "the selection grown to whole sentences"
  /// What it must do; these are its tests.
  public static let examples = [
    HighlightExample(
      "one word", selected: "It rained. We st«ay»ed. It cleared.",
      highlighted: "It rained. «We stayed.» It cleared.")
  ]

  /// Makes the strategy.
  public init() {}

  /// The passages to highlight.
  public func ranges(from selection: TextRange, in document: ParsedDocument) -> [TextRange] {
    let range = selection.trimmed(in: document.text)
      .grown(to: DictionarySegmenter().sentences(in: document.text.utf16))
    return range.isEmpty ? [] : [range]
  }
}
