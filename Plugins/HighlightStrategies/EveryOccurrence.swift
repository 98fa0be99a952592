public import Editing
public import MarkdownParse
public import Model

/// Every place at which the selected words stand.
public struct EveryOccurrence: HighlightStrategy {
  /// The name by which it is chosen.
  public static let id = "every"
  /// What it does, in one line.
  public static let summary = "every occurrence of the selected words"
  /// What it must do; these are its tests.
  public static let examples = [
    HighlightExample(
      "a word that stands twice", selected: "a «fox» and a fox", highlighted: "a «fox» and a «fox»")
  ]

  /// Makes the strategy.
  public init() {}

  /// The passages to highlight.
  public func ranges(from selection: TextRange, in document: ParsedDocument) -> [TextRange] {
    let range = selection.trimmed(in: document.text)
    return range.isEmpty ? [] : document.occurrences(of: document.text.substring(range))
  }
}
