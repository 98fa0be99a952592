public import Editing
public import MarkdownParse
public import Model

/// Highlights the selection, extended to whole words, so that it need not be precise.
public struct WholeWords: HighlightStrategy {
  /// The id, which selects the strategy: `diple mark --strategy word`.
  public static let id = "word"
  /// The description that `diple strategies` prints.
  public static let summary = "the selection grown to whole words"
  /// Examples, which are also the tests.
  public static let examples = [
    HighlightExample(
      "a part of a word", selected: "the qu«ic»k fox", highlighted: "the «quick» fox")
  ]

  /// Creates the strategy, which has no state.
  public init() {}

  /// Returns the ranges to highlight, in the order of the text; empty if there is nothing to
  /// highlight.
  public func ranges(from selection: TextRange, in document: ParsedDocument) -> [TextRange] {
    let range = selection.trimmed(in: document.text)
      .grown(to: DictionarySegmenter().words(in: document.text.utf16))
    return range.isEmpty ? [] : [range]
  }
}
