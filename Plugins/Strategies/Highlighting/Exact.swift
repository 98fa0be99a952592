public import Editing
public import MarkdownParse
public import Model

/// Highlights the selection unchanged, except for spaces at its ends.
public struct Exact: HighlightStrategy {
  /// The id, which selects the strategy: `diple mark --strategy exact`.
  public static let id = "exact"
  /// The description that `diple strategies` prints.
  public static let summary = "the selection, without blanks at its ends"
  /// Examples, which are also the tests.
  public static let examples = [
    HighlightExample(
      "blanks at both ends", selected: "one« two »three", highlighted: "one «two» three")
  ]

  /// Creates the strategy, which has no state.
  public init() {}

  /// Returns the ranges to highlight, in the order of the text; empty if there is nothing to
  /// highlight.
  public func ranges(from selection: TextRange, in document: ParsedDocument) -> [TextRange] {
    let range = selection.trimmed(in: document.text)
    return range.isEmpty ? [] : [range]
  }
}
