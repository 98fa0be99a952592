public import Editing
public import MarkdownParse
public import Model

/// Highlights the selection, extended to whole sentences.
public struct WholeSentences: HighlightStrategy {
  /// The id, which selects the strategy: `diple mark --strategy sentence`.
  public static let id = "sentence"
  /// The description that `diple strategies` prints.
  public static let summary = "the selection grown to whole sentences"
  /// Examples, which are also the tests.
  public static let examples = [
    HighlightExample(
      "one word", selected: "It rained. We st«ay»ed. It cleared.",
      highlighted: "It rained. «We stayed.» It cleared.")
  ]

  /// Creates the strategy, which has no state.
  public init() {}

  /// Returns the ranges to highlight, in the order of the text; empty if there is nothing to
  /// highlight.
  public func ranges(from selection: TextRange, in document: ParsedDocument) -> [TextRange] {
    let range = selection.trimmed(in: document.text)
      .grown(to: DictionarySegmenter().sentences(in: document.text.utf16))
    return range.isEmpty ? [] : [range]
  }
}
