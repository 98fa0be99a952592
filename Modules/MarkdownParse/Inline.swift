public import Model

/// One inline span. A leaf block's spans stand in document order, an outer one before those inside.
public struct Inline: Hashable, Sendable {
  /// What it is.
  public var kind: Kind
  /// The bytes from the opening delimiter to the end of the closing one.
  public var source: SourceRange
  /// The opening delimiter (`**`, `[`, `` ` ``, `<`); empty where there is none.
  public var open: SourceRange
  /// The closing delimiter with what belongs to it (`](url "title")`); empty where there is none.
  public var close: SourceRange
  /// The part of the rendered text that the span styles; empty for breaks and raw HTML.
  public var text: TextRange

  /// The kinds of span.
  public enum Kind: Hashable, Sendable {
    /// Emphasis.
    case emphasis
    /// Strong emphasis.
    case strong
    /// Struck text.
    case strikethrough
    /// Marked text, `==like this==`.
    case mark
    /// A code span.
    case code
    /// Mathematics in TeX.
    case math(display: Bool)
    /// A link; an index into `ParsedDocument.links`.
    case link(Int)
    /// An image: its text is its description; an index into `ParsedDocument.links`.
    case image(Int)
    /// A reference to a footnote; the label's bytes.
    case footnoteReference(label: SourceRange)
    /// A raw HTML tag: a decoration, not text.
    case rawHTML
    /// A line end that renders as a space.
    case softBreak
    /// A line end that renders as a line feed.
    case hardBreak
  }
}

/// Where a link or an image leads.
public struct Link: Hashable, Sendable {
  /// The destination with escapes and entities resolved; not percent-encoded.
  public var destination: String
  /// The title with escapes and entities resolved; nil where there is none.
  public var title: String?
  /// The destination's bytes (in the definition for a reference link), without `<` and `>`.
  public var destinationSource: SourceRange
  /// The title's bytes with their quotes; nil where there is none.
  public var titleSource: SourceRange?

  /// Makes a link of its parts.
  public init(
    destination: String, title: String?, destinationSource: SourceRange, titleSource: SourceRange?
  ) {
    self.destination = destination
    self.title = title
    self.destinationSource = destinationSource
    self.titleSource = titleSource
  }
}
