public import Model

/// An inline span. The spans of a leaf block are in document order, an outer span before those
/// inside it.
///
/// ```swift
/// for inline in document.inlines[block.inlines] {
///   if case .emphasis = inline.kind { print(document.text.substring(inline.text)) }
/// }
/// ```
public struct Inline: Hashable, Sendable {
  private var stored: PackedRange
  private var storedText: PackedRange
  @Packed private var openEnd: Int
  @Packed private var closeStart: Int
  /// The index of a link, or the start of a hard break's line ending.
  @Packed private var detail: Int
  private var tag: Tag

  private enum Tag: UInt8 {
    case emphasis, strong, strikethrough, mark, code, math, displayMath, link, image
    case footnoteReference, rawHTML, softBreak, hardBreak, hidden
  }

  /// Packs the properties of a span. Spans are small because some texts have as many spans as
  /// words.
  ///
  /// `open` begins at the start of `source`, except in hard breaks. `close` ends with it, unless it
  /// is empty.
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

  /// The kind of the span.
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
    // `[^label]` is always on one line.
    case .footnoteReference:
      .footnoteReference(label: SourceRange(bytes: stored.range.dropFirst(2).dropLast()))
    case .rawHTML: .rawHTML
    case .softBreak: .softBreak
    case .hardBreak: .hardBreak
    case .hidden: .hidden
    }
  }

  /// The bytes from the start of the opening delimiter to the end of the closing one.
  package var source: SourceRange { SourceRange(bytes: stored.range) }

  /// The opening delimiter (`**`, `[`, `` ` ``, `<`, `<b>`); empty if the span has none.
  package var open: SourceRange {
    SourceRange(bytes: (tag == .hardBreak ? detail : stored.range.lowerBound)..<openEnd)
  }

  /// The closing delimiter, including a link's destination (`](url "title")`); empty if the span
  /// has none.
  package var close: SourceRange {
    SourceRange(bytes: closeStart..<(tag == .hardBreak ? openEnd : stored.range.upperBound))
  }

  /// The range of the rendered text that the span styles; empty for raw HTML and hidden markup.
  public internal(set) var text: TextRange {
    get { TextRange(utf16: storedText.range) }
    set { storedText = PackedRange(newValue.utf16) }
  }

  /// Sets the closing delimiter, which isn't known when a span is opened.
  mutating func end(with close: Range<Int>) {
    closeStart = close.lowerBound
    stored = PackedRange(stored.range.lowerBound..<close.upperBound)
  }

  /// The kinds of spans.
  public enum Kind: Hashable, Sendable {
    case emphasis
    /// Strong emphasis.
    case strong
    /// Struck-through text.
    case strikethrough
    /// Highlighted text, `==like this==`.
    case mark
    /// A code span.
    case code
    /// A formula in TeX. `display` is true for a displayed formula.
    case math(display: Bool)
    /// A link, as an index into `ParsedDocument.links`.
    case link(Int)
    /// An image, as an index into `ParsedDocument.links`. Its text is its description or its file
    /// name.
    case image(Int)
    /// A footnote reference, with the range of its label. Its text is the label in brackets.
    case footnoteReference(label: SourceRange)
    /// A comment, a script, or a tag that doesn't delimit a span. It isn't part of the text.
    case rawHTML
    /// A line ending that is rendered as a space.
    case softBreak
    /// A line ending that is rendered as a line feed.
    case hardBreak
    /// Markup that isn't rendered, such as a comment, a template tag or a block's ID.
    case hidden
  }
}
