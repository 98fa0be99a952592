public import Editing
public import MarkdownParse
public import Model

/// Highlights every occurrence of the selected words.
///
/// ```swift
/// let words = TextRange(utf16: 2..<5)  // “fox” in “a fox and a fox”
/// let ranges = EveryOccurrence().ranges(from: words, in: document)  // 2..<5 and 12..<15
/// ```
public struct EveryOccurrence: HighlightStrategy {
  /// The id, which selects the strategy: `diple mark --strategy every`.
  public static let id = "every"
  /// The description that `diple strategies` prints.
  public static let summary = "every occurrence of the selected words"
  /// Examples, which are also the tests.
  public static let examples = [
    HighlightExample(
      "a word that occurs twice", selected: "a «fox» and a fox", highlighted: "a «fox» and a «fox»")
  ]

  /// True, because every occurrence is highlighted.
  public static let ignoresPlace = true

  /// Creates the strategy, which has no state.
  public init() {}

  /// Returns the ranges to highlight, in the order of the text; empty if there is nothing to
  /// highlight.
  public func ranges(from selection: TextRange, in document: ParsedDocument) -> [TextRange] {
    let range = selection.trimmed(in: document.text)
    return range.isEmpty ? [] : document.occurrences(of: document.text.substring(range))
  }
}
