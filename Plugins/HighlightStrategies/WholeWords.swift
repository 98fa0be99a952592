public import Editing
public import MarkdownParse
public import Model

/// The selection grown to whole words, for a hurried hand.
public struct WholeWords: HighlightStrategy {
  /// The name by which it is chosen.
  public static let id = "word"
  /// What it does, in one line.
  public static let summary = "the selection grown to whole words"
  /// What it must do; these are its tests.
  public static let examples = [
    HighlightExample(
      "a part of a word", selected: "the qu«ic»k fox", highlighted: "the «quick» fox")
  ]

  /// Makes the strategy.
  public init() {}

  /// The passages to highlight.
  public func ranges(from selection: TextRange, in document: ParsedDocument) -> [TextRange] {
    let range = selection.trimmed(in: document.text)
      .grown(to: DictionarySegmenter().words(in: document.text.utf16))
    return range.isEmpty ? [] : [range]
  }
}
