/// A piece of an HTML leaf, in the order of the source. It has no reference-counted objects, so
/// copying it is cheap.
struct HTMLPiece {
  enum Kind: UInt8 {
    /// Bytes that are rendered unchanged.
    case text
    /// A space or line ending that is rendered as a space.
    case space
    /// A line ending that is rendered as a line feed.
    case lineFeed
    /// A character reference.
    case entity
    /// The file name in the address of an image without a description.
    case name
    /// A tag that is rendered as a line feed.
    case lineBreak
    /// Whitespace that is rendered only if text follows.
    case pendingSpace, pendingFeed
    /// A tag that is rendered as a line break only if text follows.
    case pendingBreak
    /// A tag that renders nothing.
    case tag
    /// A tag that begins superscript or subscript characters, or ends them.
    case raising, lowering, level
    /// A tag rendered as the sign or bracket that replaces superscript or subscript characters.
    case raisedSign, raisedBracket, loweredSign, loweredBracket, closingBracket
    /// A delimiter of a span; empty if the span begins or ends without a tag.
    case open, close

    /// The kind that a pending piece has if text follows it.
    var shown: Kind {
      switch self {
      case .pendingSpace: .space
      case .pendingFeed: .lineFeed
      case .pendingBreak: .lineBreak
      default: self
      }
    }
  }

  var kind: Kind
  /// The span of an opening delimiter.
  var span: HTMLSpan
  /// The index of an opening delimiter's link; -1 if it isn't the delimiter of a link.
  @Packed var link: Int
  private var stored: PackedRange

  init(_ kind: Kind, _ source: Range<Int>, span: HTMLSpan = .link, link: Int = -1) {
    (self.kind, stored, self.span, self.link) = (kind, PackedRange(source), span, link)
  }

  /// The bytes of the piece.
  var source: Range<Int> { stored.range }
}

/// The name of a position in the source, to which links can refer.
struct AnchorName: Sendable {
  /// The range of the name in bytes.
  var name: PackedRange
  /// The position in bytes.
  @Packed var place: Int

  init(_ name: Range<Int>, at place: Int) {
    self.name = PackedRange(name)
    self.place = place
  }
}
