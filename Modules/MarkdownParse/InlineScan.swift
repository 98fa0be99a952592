/// What the inline parser found in one leaf block, in offsets of the leaf's joined text.
struct InlineScan {
  /// Something that is not taken literally and holds no other span.
  struct Atom {
    enum Kind {
      /// A backslash and the character it protects.
      case escape
      /// A character reference or an emoji's name; the range of its scalars in `InlineScan.scalars`.
      case entity(Range<Int>)
      /// A code span; its content.
      case code(Range<Int>)
      /// TeX; its content.
      case math(Range<Int>, display: Bool)
      /// `<address>`; the link.
      case autolink(Int)
      /// An address without brackets; the link.
      case bareLink(Int)
      case rawHTML
      case softBreak
      case hardBreak
      /// A reference to a footnote; its label.
      case footnote(Range<Int>)
      /// `[[target|shown]]` or `![[embedded]]`; the link, and what of it is shown.
      case wikiLink(Int, shown: Range<Int>, isEmbed: Bool)
      /// `^raised^` or `~lowered~`; what is between.
      case script(Range<Int>, ScriptLetters)
      /// `++ctrl+c++`; the keys with the signs between.
      case keys(Range<Int>)
      /// Markup that does not render.
      case hidden
    }

    var kind: Kind
    var range: Range<Int>
  }

  /// A pair of delimiters with what lies between them.
  struct Span {
    enum Kind: Hashable { case emphasis, strong, strikethrough, mark, link(Int), image(Int) }

    var kind: Kind
    var open: Range<Int>
    var close: Range<Int>
  }

  var atoms: [Atom] = []
  var spans: [Span] = []
  /// The scalars of all entities.
  var scalars: [Unicode.Scalar] = []
  /// Whether the literal text may hold addresses that become links.
  var mayHoldAddresses = false
  /// Whether tags are among the atoms.
  var hasTags = false
  /// Whether atoms that do not render are among them.
  var hasHidden = false
  /// Where the text ends, without trailing blanks.
  var end = 0
  /// The block's id behind its text, where it has one.
  var blockID: Range<Int>?

  /// Whether the leaf is literal text and atoms in order, without spans, tags or hidden markup.
  var isFlat: Bool {
    guard spans.isEmpty, !hasTags, !hasHidden else { return false }
    var end = 0
    for index in atoms.indices {
      if atoms[index].range.lowerBound < end { return false }
      end = atoms[index].range.upperBound
    }
    return end <= self.end
  }

  /// Forgets all of it, but keeps the memory.
  mutating func reset() {
    if !atoms.isEmpty { atoms.removeAll(keepingCapacity: true) }
    if !spans.isEmpty { spans.removeAll(keepingCapacity: true) }
    if !scalars.isEmpty { scalars.removeAll(keepingCapacity: true) }
    mayHoldAddresses = false
    hasTags = false
    hasHidden = false
    end = 0
    blockID = nil
  }
}

/// A run of `*`, `_`, `~` or `=` that may open or close a span.
struct DelimiterRun {
  var byte: UInt8
  /// What is left of the run: closers are taken from its start, openers from its end.
  var range: Range<Int>
  /// The length before anything was taken.
  let length: Int
  var canOpen: Bool
  var canClose: Bool
  var previous: Int
  var next: Int
}
