public import Editing
public import MarkdownParse
public import Model

/// The links inside the selection.
public struct Links: HighlightStrategy {
  /// The name by which it is chosen.
  public static let id = "links"
  /// What it does, in one line.
  public static let summary = "the text of each link that the selection touches"
  /// What it must do; these are its tests.
  public static let examples = [
    HighlightExample(
      "bare addresses", selected: "«See https://diple.example/a and www.diple.example» or so.",
      highlighted: "See «https://diple.example/a» and «www.diple.example» or so."),
    HighlightExample(
      "one outside", selected: "«here» https://diple.example/a",
      highlighted: "here https://diple.example/a"),
  ]

  /// Makes the strategy.
  public init() {}

  /// The passages to highlight.
  public func ranges(from selection: TextRange, in document: ParsedDocument) -> [TextRange] {
    document.inlines.compactMap { inline in
      guard case .link = inline.kind, inline.text.overlaps(selection) else { return nil }
      let range = inline.text.trimmed(in: document.text)
      return range.isEmpty ? nil : range
    }
  }
}
