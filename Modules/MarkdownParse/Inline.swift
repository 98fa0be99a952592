public import Model

/// One inline span. A leaf block's spans stand in document order, an outer one before those inside.
public struct Inline: Hashable, Sendable {
  private var stored: PackedRange
  private var storedText: PackedRange
  @Packed private var openEnd: Int
  @Packed private var closeStart: Int
  /// The link, or where a hard break's line ending begins.
  @Packed private var detail: Int
  private var tag: Tag

  private enum Tag: UInt8 {
    case emphasis, strong, strikethrough, mark, code, math, displayMath, link, image
    case footnoteReference, rawHTML, softBreak, hardBreak, hidden
  }

  /// Packs a span, of which there are as many as words in some texts. `open` begins with `source`,
  /// apart from hard breaks; `close` ends with it, unless it is empty.
  init(_ kind: Kind, source: Range<Int>, open: Range<Int>, close: Range<Int>, text: Range<Int>) {
    stored = PackedRange(source)
    storedText = PackedRange(text)
    (openEnd, closeStart, detail) = (open.upperBound, close.lowerBound, 0)
    switch kind {
    case .emphasis: tag = .emphasis
    case .strong: tag = .strong
    case .strikethrough: tag = .strikethrough
    case .mark: tag = .mark
    case .code: tag = .code
    case .math(let display): tag = display ? .displayMath : .math
    case .link(let link): (tag, detail) = (.link, link)
    case .image(let link): (tag, detail) = (.image, link)
    case .footnoteReference: tag = .footnoteReference
    case .rawHTML: tag = .rawHTML
    case .softBreak: tag = .softBreak
    case .hardBreak: (tag, detail) = (.hardBreak, open.lowerBound)
    case .hidden: tag = .hidden
    }
    assert(self.kind == kind && self.open.bytes == open && self.close.bytes == close)
  }

  /// What it is.
  public var kind: Kind {
    switch tag {
    case .emphasis: .emphasis
    case .strong: .strong
    case .strikethrough: .strikethrough
    case .mark: .mark
    case .code: .code
    case .math: .math(display: false)
    case .displayMath: .math(display: true)
    case .link: .link(detail)
    case .image: .image(detail)
    // `[^label]`, always on one line.
    case .footnoteReference:
      .footnoteReference(label: SourceRange(bytes: stored.range.dropFirst(2).dropLast()))
    case .rawHTML: .rawHTML
    case .softBreak: .softBreak
    case .hardBreak: .hardBreak
    case .hidden: .hidden
    }
  }

  /// The bytes from the opening delimiter to the end of the closing one.
  package var source: SourceRange { SourceRange(bytes: stored.range) }

  /// The opening delimiter (`**`, `[`, `` ` ``, `<`, `<b>`); empty where there is none.
  package var open: SourceRange {
    SourceRange(bytes: (tag == .hardBreak ? detail : stored.range.lowerBound)..<openEnd)
  }

  /// The closing delimiter with what belongs to it (`](url "title")`); empty where there is none.
  package var close: SourceRange {
    SourceRange(bytes: closeStart..<(tag == .hardBreak ? openEnd : stored.range.upperBound))
  }

  /// The part of the rendered text that the span styles; empty for breaks and raw HTML.
  public internal(set) var text: TextRange {
    get { TextRange(utf16: storedText.range) }
    set { storedText = PackedRange(newValue.utf16) }
  }

  /// Gives a span its end, which was not known when it was opened.
  mutating func end(with close: Range<Int>) {
    closeStart = close.lowerBound
    stored = PackedRange(stored.range.lowerBound..<close.upperBound)
  }

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
    /// An image: its text is its description, or its file's name; an index into `ParsedDocument.links`.
    case image(Int)
    /// A reference to a footnote: its text is the label in brackets; the label's bytes.
    case footnoteReference(label: SourceRange)
    /// A tag that is no delimiter, a comment or a script: a decoration, not text.
    case rawHTML
    /// A line end that renders as a space.
    case softBreak
    /// A line end that renders as a line feed.
    case hardBreak
    /// Markup that does not render: a comment, a tag of a template, a block's own id.
    case hidden
  }
}
