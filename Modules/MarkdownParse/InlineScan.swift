/// The result of the inline parser for one leaf block. All offsets refer to the leaf's joined text.
struct InlineScan {
  /// Content other than literal text and spans. It contains no spans.
  struct Atom {
    enum Kind {
      /// A backslash and the character that it escapes.
      case escape
      /// A character reference or an emoji's name, with the range of its scalars in
      /// `InlineScan.scalars`.
      case entity(Range<Int>)
      /// A code span, with the range of its content.
      case code(Range<Int>)
      /// A formula in TeX, with the range of its content.
      case math(Range<Int>, display: Bool)
      /// `<address>`, with the index of the link.
      case autolink(Int)
      /// An address without brackets, with the index of the link.
      case bareLink(Int)
      case rawHTML
      case softBreak
      case hardBreak
      /// A footnote reference, with the range of its label.
      case footnote(Range<Int>)
      /// `[[target|shown]]` or `![[embedded]]`, with the index of the link and the range of the
      /// shown text.
      case wikiLink(Int, shown: Range<Int>, isEmbed: Bool)
      /// `^superscript^` or `~subscript~`, with the range of the text.
      case script(Range<Int>, ScriptLetters)
      /// `++ctrl+c++`, with the range of the keys, including the plus signs between them.
      case keys(Range<Int>)
      /// Markup that isn't rendered.
      case hidden
    }

    var kind: Kind
    var range: Range<Int>
  }

  /// Styled text, a link or an image: the ranges of its opening and closing delimiters.
  struct Span {
    enum Kind: Hashable { case emphasis, strong, strikethrough, mark, link(Int), image(Int) }

    var kind: Kind
    var open: Range<Int>
    var close: Range<Int>
  }

  var atoms: [Atom] = []
  var spans: [Span] = []
  /// The scalars of all character references and emoji.
  var scalars: [Unicode.Scalar] = []
  /// Whether the literal text may contain bare addresses.
  var mayContainAddresses = false
  /// Whether there are tags among the atoms.
  var hasTags = false
  /// Whether there is hidden markup among the atoms.
  var hasHidden = false
  /// The end of the text, without trailing spaces.
  var end = 0
  /// The range of the block ID after the text; nil if absent.
  var blockID: Range<Int>?

  /// Whether the leaf contains only literal text and atoms in order, without spans, tags or hidden
  /// markup.
  var isFlat: Bool {
    guard spans.isEmpty, !hasTags, !hasHidden else { return false }
    var end = 0
    for index in atoms.indices {
      if atoms[index].range.lowerBound < end { return false }
      end = atoms[index].range.upperBound
    }
    return end <= self.end
  }

  /// Removes all results, but keeps the allocated memory.
  mutating func reset() {
    if !atoms.isEmpty { atoms.removeAll(keepingCapacity: true) }
    if !spans.isEmpty { spans.removeAll(keepingCapacity: true) }
    if !scalars.isEmpty { scalars.removeAll(keepingCapacity: true) }
    mayContainAddresses = false
    hasTags = false
    hasHidden = false
    end = 0
    blockID = nil
  }
}

/// A run of `*`, `_`, `~` or `=` that may open or close a span.
struct DelimiterRun {
  var byte: UInt8
  /// The unmatched part of the run. Closing delimiters are taken from its start, opening delimiters
  /// from its end.
  var range: Range<Int>
  /// The length of the complete run.
  let length: Int
  var canOpen: Bool
  var canClose: Bool
  /// The index of the previous run in the list of unmatched runs; -1 for the first.
  var previous: Int
  /// The index of the next run in that list; -1 for the last.
  var next: Int
}
