/// A part of a leaf that HTML makes, in the order of the source; nothing in it is counted by
/// reference.
struct HTMLPiece {
  enum Kind: UInt8 {
    /// Bytes that render as they are.
    case text
    /// A blank or a line's end that renders as a space.
    case space
    /// A line's end that renders as one.
    case lineFeed
    /// A character reference.
    case entity
    /// The last part of a picture's address, which is shown where it has no description.
    case name
    /// A tag that renders as a line feed.
    case lineBreak
    /// White space that renders nothing, unless text follows.
    case pendingSpace, pendingFeed
    /// A tag that renders nothing, unless text follows.
    case pendingBreak
    /// A tag that renders nothing.
    case tag
    /// A tag behind which letters are raised or lowered, and one behind which they are not any more.
    case raising, lowering, level
    /// A tag that renders as the sign before what has no such form, and the bracket behind it.
    case raisedSign, raisedBracket, loweredSign, loweredBracket, closingBracket
    /// The delimiters of a span; empty where it begins or ends without a tag.
    case open, close

    /// What it is when text follows.
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
  /// Of an opening delimiter.
  var span: HTMLSpan
  /// The link of an opening delimiter.
  @Packed var link: Int
  private var stored: PackedRange

  init(_ kind: Kind, _ source: Range<Int>, span: HTMLSpan = .link, link: Int = -1) {
    (self.kind, stored, self.span, self.link) = (kind, PackedRange(source), span, link)
  }

  /// Its bytes.
  var source: Range<Int> { stored.range }
}

/// A name that a place of the source has, for links to lead to.
struct AnchorName: Sendable {
  /// The name's bytes.
  var name: PackedRange
  /// The place.
  @Packed var place: Int

  init(_ name: Range<Int>, at place: Int) {
    self.name = PackedRange(name)
    self.place = place
  }
}
