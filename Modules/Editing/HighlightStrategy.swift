public import MarkdownParse
public import Model

/// A way to make highlights of a selection.
public protocol HighlightStrategy: Strategy where Example == HighlightExample {
  /// The passages to highlight; none when there is nothing.
  ///
  /// - Throws: `StrategyFailure` when the strategy could not do its work.
  func ranges(from selection: TextRange, in document: ParsedDocument) throws(StrategyFailure)
    -> [TextRange]
}

extension Registry where Element == any HighlightStrategy {
  /// Appends a strategy.
  package mutating func register<S: HighlightStrategy>(_ strategy: S) {
    register(strategy, as: S.self)
  }
}

/// An example of what a highlight strategy makes of a selection in plain text.
public struct HighlightExample: Sendable {
  /// What it shows.
  public var title: String
  /// The text with the selection between `«` and `»`.
  public var selected: String
  /// The text with the highlights between `«` and `»`.
  public var highlighted: String

  /// Makes an example of its parts.
  public init(_ title: String, selected: String, highlighted: String) {
    self.title = title
    self.selected = selected
    self.highlighted = highlighted
  }
}

extension TextRange {
  /// The range without the white space at its ends.
  public func trimmed(in text: RenderedText) -> TextRange {
    var range = utf16
    let isSpace: (UInt16) -> Bool = { $0 <= 32 || $0 == 0xA0 || $0 == 0x3000 || $0 == 0x2028 }
    while let first = range.first, isSpace(text.utf16[first]) { range = range.dropFirst() }
    while let last = range.last, isSpace(text.utf16[last]) { range = range.dropLast() }
    return TextRange(utf16: range)
  }

  /// The range grown to the outer borders of the segments that it touches.
  public func grown(to segments: [TextRange]) -> TextRange {
    let touched = segments.filter { $0.overlaps(self) }
    guard let first = touched.first, let last = touched.last else { return self }
    return TextRange(min(lowerBound, first.lowerBound), max(upperBound, last.upperBound))
  }
}
