public import Editing
public import MarkdownParse
public import Model

/// Every place at which the selected words stand.
public struct EveryOccurrence: HighlightStrategy {
  public static let id = "every"
  public static let summary = "every occurrence of the selected words"
  public static let examples = [
    HighlightExample(
      "a word that stands twice", selected: "a «fox» and a fox", highlighted: "a «fox» and a «fox»")
  ]

  /// Makes the strategy.
  public init() {}

  public func ranges(from selection: TextRange, in document: ParsedDocument) -> [TextRange] {
    let range = selection.trimmed(in: document.text)
    return range.isEmpty ? [] : document.occurrences(of: document.text.substring(range))
  }
}
