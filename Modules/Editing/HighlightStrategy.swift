public import MarkdownParse
public import Model

/// Turns a selection into the passages to highlight: for example the selection itself, its words,
/// or its sentences.
public protocol HighlightStrategy: Strategy where Example == HighlightExample {
  /// Returns the passages to highlight, or an empty array if the selection contains nothing to
  /// highlight.
  ///
  /// - Throws: ``StrategyError`` if the strategy fails, for example because a program does not
  ///   answer.
  func ranges(from selection: TextRange, in document: ParsedDocument) throws(StrategyError)
    -> [TextRange]

  /// Whether the result is the same for all occurrences of the selected words, so that a quote that
  /// occurs several times needs no number.
  static var ignoresPlace: Bool { get }
}

extension HighlightStrategy {
  /// False.
  public static var ignoresPlace: Bool { false }
}

extension Registry where Element == any HighlightStrategy {
  /// Appends a strategy to the registry.
  package mutating func register<S: HighlightStrategy>(_ strategy: S) {
    register(strategy, as: S.self)
  }
}

/// An example of a selection in plain text and the highlights that a strategy makes of it.
public struct HighlightExample: Sendable {
  /// A short description of the example.
  public var title: String
  /// The text with the selection between `«` and `»`.
  public var selected: String
  /// The text with each highlight between `«` and `»`.
  public var highlighted: String

  /// Creates an example. Both texts must be equal apart from the `«` and `»`.
  public init(_ title: String, selected: String, highlighted: String) {
    self.title = title
    self.selected = selected
    self.highlighted = highlighted
  }
}

extension TextRange {
  /// Returns the range without the white space at its ends; it may become empty.
  public func trimmed(in text: RenderedText) -> TextRange {
    var range = utf16
    let isSpace: (UInt16) -> Bool = { $0 <= 32 || $0 == 0xA0 || $0 == 0x3000 || $0 == 0x2028 }
    while let first = range.first, isSpace(text.utf16[first]) { range = range.dropFirst() }
    while let last = range.last, isSpace(text.utf16[last]) { range = range.dropLast() }
    return TextRange(utf16: range)
  }

  /// Returns the range widened to the outer bounds of the segments that it touches. A range that
  /// touches none is returned unchanged.
  public func grown(to segments: [TextRange]) -> TextRange {
    let touched = segments.filter { $0.overlaps(self) }
    guard let first = touched.first, let last = touched.last else { return self }
    return TextRange(min(lowerBound, first.lowerBound), max(upperBound, last.upperBound))
  }
}
