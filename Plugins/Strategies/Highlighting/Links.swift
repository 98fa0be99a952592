public import Editing
public import MarkdownParse
public import Model

/// Highlights the text of each link in the selection.
public struct Links: HighlightStrategy {
  /// The id, which selects the strategy: `diple mark --strategy links`.
  public static let id = "links"
  /// The description that `diple strategies` prints.
  public static let summary = "the text of each link that the selection touches"
  /// Examples, which are also the tests.
  public static let examples = [
    HighlightExample(
      "bare addresses", selected: "«See https://diple.example/a and www.diple.example» or so.",
      highlighted: "See «https://diple.example/a» and «www.diple.example» or so."),
    HighlightExample(
      "one outside", selected: "«here» https://diple.example/a",
      highlighted: "here https://diple.example/a"),
  ]

  /// Creates the strategy, which has no state.
  public init() {}

  /// Returns the ranges to highlight, in the order of the text; empty if there is nothing to
  /// highlight.
  public func ranges(from selection: TextRange, in document: ParsedDocument) -> [TextRange] {
    document.inlines.compactMap { inline in
      guard case .link = inline.kind, inline.text.overlaps(selection) else { return nil }
      let range = inline.text.trimmed(in: document.text)
      return range.isEmpty ? nil : range
    }
  }
}
