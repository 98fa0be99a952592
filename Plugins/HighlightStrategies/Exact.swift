public import Editing
public import MarkdownParse
public import Model

/// The selection as it is.
public struct Exact: HighlightStrategy {
  /// The name by which it is chosen.
  public static let id = "exact"
  /// What it does, in one line.
  public static let summary = "the selection as it is, without blanks at its ends"
  /// What it must do; these are its tests.
  public static let examples = [
    HighlightExample(
      "blanks at both ends", selected: "one« two »three", highlighted: "one «two» three")
  ]

  /// Makes the strategy.
  public init() {}

  /// The passages to highlight.
  public func ranges(from selection: TextRange, in document: ParsedDocument) -> [TextRange] {
    let range = selection.trimmed(in: document.text)
    return range.isEmpty ? [] : [range]
  }
}
