public import Editing
public import MarkdownParse
public import Model

/// The selection as it is.
public struct Exact: HighlightStrategy {
  public static let id = "exact"
  public static let summary = "the selection as it is, without blanks at its ends"
  public static let examples = [
    HighlightExample(
      "blanks at both ends", selected: "one« two »three", highlighted: "one «two» three")
  ]

  /// Makes the strategy.
  public init() {}

  public func ranges(from selection: TextRange, in document: ParsedDocument) -> [TextRange] {
    let range = selection.trimmed(in: document.text)
    return range.isEmpty ? [] : [range]
  }
}
