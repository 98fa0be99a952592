import MarkdownParse
import Model

/// A part of a leaf block's source that formatting doesn't move: a single character, or a construct
/// that can't be divided. Delimiters are in the gaps between pieces.
struct LeafPiece {
  enum Kind {
    /// A character written literally.
    case character
    /// A character written as an escape or an entity.
    case reference
    /// A line's end, with the spaces before it and the container markers after it.
    case lineBreak(isHard: Bool)
    /// A construct that can only be formatted as a whole. The value names it in error messages.
    case whole(FormattingError.Obstacle)
    /// A construct that renders nothing, such as a tag or a footnote reference.
    case silent
  }

  var kind: Kind
  var text: Range<Int>
  var source: Range<Int>
  var isSpace: Bool

  var isHardBreak: Bool { if case .lineBreak(true) = kind { true } else { false } }
  var isSilent: Bool { if case .silent = kind { true } else { false } }
  var isAddress: Bool { if case .whole(.address) = kind { true } else { false } }
}

/// A style or a link over a range of pieces, with the delimiters that can express it. The preferred
/// delimiters are first.
struct LeafSpan {
  enum Kind: Hashable {
    case style(InlineStyle)
    /// An index into `ParsedDocument.links`, or -1 for the link that is being created.
    case link(Int)
  }

  struct Form: Hashable {
    var open: [UInt8]
    var close: [UInt8]
  }

  var kind: Kind
  /// The indices of the pieces that the span covers.
  var pieces: Range<Int>
  var forms: [Form]
  /// Whether the span isn't in the source yet.
  var isNew = false
  /// The label of a reference link whose text is also its label; nil for other spans. If the text
  /// changes, the label must be written separately.
  var label: [UInt8]?

  var isLink: Bool { if case .link = kind { true } else { false } }
  var isCode: Bool { kind == .style(.code) }

  /// The tags that express only a style.
  private static let plainTags: Set<String> = [
    "<b>", "<strong>", "<i>", "<em>", "<s>", "<del>", "<strike>", "<mark>", "<code>", "<tt>",
  ]

  /// Whether the delimiters express only the style: Markdown delimiters, or tags without
  /// attributes.
  var isPlain: Bool {
    forms.allSatisfy { form in
      let first = form.open.first ?? form.close.first
      return first != UInt8(ascii: "<")
        || Self.plainTags.contains(String(decoding: form.open, as: UTF8.self).lowercased())
    }
  }

  /// Whether the tags are those of a term (`dt`) or of a fold's title (`summary`).
  var isTerm: Bool {
    forms.contains { form in
      let close = String(decoding: form.close, as: UTF8.self).lowercased()
      let open = String(decoding: form.open.prefix(8), as: UTF8.self).lowercased()
      return ["summary", "dt"].contains { open.hasPrefix("<\($0)") || close.hasPrefix("</\($0)") }
    }
  }
}

/// A leaf block divided into pieces, with the spans over them. Outer spans precede inner ones.
struct Leaf {
  /// The maximum length in UTF-16 units of a block that is divided into pieces. Longer blocks are
  /// refused, because each unit needs more than 100 bytes of memory.
  static let longest = 1 << 20

  let block: Int
  private(set) var pieces: [LeafPiece] = []
  private(set) var spans: [LeafSpan] = []
  /// The bytes from the first to the last byte of the text, with the delimiters between them.
  private(set) var source: Range<Int> = 0..<0
  let isCell: Bool
  /// Whether the leaf is part of HTML, where tags are the only delimiters.
  let isHTML: Bool

  /// Divides a paragraph, a heading or a table cell. O(text + spans log spans).
  init(_ block: Int, of document: ParsedDocument) {
    self.block = block
    isHTML = document.isHTML(block)
    isCell = document.blocks[block].kind == .tableCell
    var parts: [Part] = []
    collectInlines(document, &parts)
    collectText(document, &parts)
    parts.sort {
      ($0.source.lowerBound, $0.source.upperBound) < ($1.source.lowerBound, $1.source.upperBound)
    }
    Self.closeGaps(&parts)
    assemble(parts, document)
  }

  /// Returns the bytes before the piece at `index`, or after the last piece. All of these bytes are
  /// delimiters.
  func gap(_ index: Int) -> Range<Int> {
    let start = index > 0 ? pieces[index - 1].source.upperBound : source.lowerBound
    let end = index < pieces.count ? pieces[index].source.lowerBound : source.upperBound
    return start..<max(start, end)
  }

  /// Returns the pieces that render part of a range of the text; an empty range if no piece does.
  func pieces(in range: Range<Int>) -> Range<Int> {
    let first = pieces.firstIndex { !$0.text.isEmpty && $0.text.upperBound > range.lowerBound }
    guard let first,
      let last = pieces.lastIndex(where: {
        !$0.text.isEmpty && $0.text.lowerBound < range.upperBound
      }), first <= last
    else { return 0..<0 }
    return first..<last + 1
  }

  /// Returns the text of a non-empty range of pieces.
  func text(of range: Range<Int>) -> TextRange {
    TextRange(
      utf16: pieces[range.lowerBound].text.lowerBound..<pieces[range.upperBound - 1].text.upperBound
    )
  }

  /// Returns for each piece whether a span of the given kind covers it.
  func coverage(_ kind: LeafSpan.Kind) -> [Bool] {
    var covered = [Bool](repeating: false, count: pieces.count)
    for span in spans where span.kind == kind {
      for index in span.pieces { covered[index] = true }
    }
    return covered
  }

  // MARK: - Division into pieces

  private struct Part {
    enum Kind {
      case piece(LeafPiece)
      case open(Int, isCode: Bool)
      case close(Int, isCode: Bool)
    }
    var kind: Kind
    var source: Range<Int>
  }

  private func collectInlines(_ document: ParsedDocument, _ parts: inout [Part]) {
    var wholeEnd = 0
    for index in document.blocks[block].inlines {
      let inline = document.inlines[index]
      guard inline.source.bytes.lowerBound >= wholeEnd else { continue }
      switch inline.kind {
      case .softBreak, .hardBreak: continue
      case .code, .emphasis, .strong, .strikethrough, .mark, .link:
        guard let kind = Self.wholeKind(inline, document) else {
          let isCode = inline.kind == .code
          parts.append(Part(kind: .open(index, isCode: isCode), source: inline.open.bytes))
          parts.append(Part(kind: .close(index, isCode: isCode), source: inline.close.bytes))
          continue
        }
        parts.append(Self.whole(inline, kind))
      case .image: parts.append(Self.whole(inline, .whole(.image)))
      case .math: parts.append(Self.whole(inline, .whole(.mathematics)))
      case .footnoteReference: parts.append(Self.whole(inline, .whole(.footnote)))
      case .rawHTML, .hidden: parts.append(Self.whole(inline, .silent))
      }
      wholeEnd = inline.source.bytes.upperBound
    }
  }

  /// Returns the kind of piece for a span that can't be divided, or nil if the span can be divided.
  private static func wholeKind(_ inline: Inline, _ document: ParsedDocument) -> LeafPiece.Kind? {
    if inline.text.isEmpty { return .silent }
    guard case .link(let link) = inline.kind else { return nil }
    if document.links[link].isNote { return .whole(.address) }
    // An address has no delimiters or angle brackets, which are one byte long. A tag is longer.
    let isTag = document.isHTML(of: inline)
    let isBracketed =
      !inline.open.isEmpty
      && document.source.bytes[inline.open.bytes.lowerBound] == UInt8(ascii: "[")
    return isBracketed || isTag ? nil : .whole(.address)
  }

  private static func whole(_ inline: Inline, _ kind: LeafPiece.Kind) -> Part {
    let isSilent = inline.text.isEmpty
    return Part(
      kind: .piece(
        LeafPiece(
          kind: isSilent ? .silent : kind, text: inline.text.utf16, source: inline.source.bytes,
          isSpace: false)), source: inline.source.bytes)
  }

  private func collectText(_ document: ParsedDocument, _ parts: inout [Part]) {
    let text = document.blocks[block].text.utf16
    let wholes = parts.compactMap { part in
      if case .piece(let piece) = part.kind, !piece.text.isEmpty { piece.text } else { nil }
    }
    var position = text.lowerBound
    var whole = wholes.startIndex
    for run in document.map.runs(in: TextRange(utf16: text)) where run.kind != .synthetic {
      var source = run.source.bytes.lowerBound
      position = run.text.utf16.lowerBound
      while position < run.text.utf16.upperBound {
        let length =
          run.kind == .verbatim
          ? Self.scalarLength(document.source.bytes[source]) : run.source.count
        let units = run.kind == .verbatim ? (length == 4 ? 2 : 1) : run.text.count
        let place = position..<position + units
        while whole < wholes.endIndex, wholes[whole].upperBound <= place.lowerBound { whole += 1 }
        if whole == wholes.endIndex || !wholes[whole].overlaps(place) {
          let bytes = source..<source + length
          parts.append(
            Part(kind: .piece(Self.piece(run.kind, place, bytes, document)), source: bytes))
        }
        position += units
        source += length
      }
    }
  }

  private static func piece(
    _ kind: SourceMap.Run.Kind, _ text: Range<Int>, _ source: Range<Int>,
    _ document: ParsedDocument
  ) -> LeafPiece {
    let units = document.text.utf16[text]
    let isSpace = units.allSatisfy(\.isSpaceUnit)
    let isBreak =
      units.first == 10 || document.source.bytes[source].contains { $0 == 10 || $0 == 13 }
    let pieceKind: LeafPiece.Kind =
      kind == .verbatim
      ? .character : isBreak ? .lineBreak(isHard: units.first == 10) : .reference
    return LeafPiece(kind: pieceKind, text: text, source: source, isSpace: isSpace)
  }

  private static func scalarLength(_ lead: UInt8) -> Int {
    lead < 0xC0 ? 1 : lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2
  }

  /// Assigns the bytes between two parts to one of the parts. Spaces and container markers around a
  /// line's end belong to the line's end. The space that separates backticks from code belongs to
  /// the delimiter.
  private static func closeGaps(_ parts: inout [Part]) {
    func takesBefore(_ kind: Part.Kind) -> Bool {
      switch kind {
      case .piece(let piece): if case .lineBreak = piece.kind { true } else { false }
      case .close(_, let isCode): isCode
      case .open: false
      }
    }
    for index in parts.indices.dropFirst() {
      let end = parts[index - 1].source.upperBound
      let start = parts[index].source.lowerBound
      guard end < start else { continue }
      if takesBefore(parts[index].kind) {
        parts[index].source = end..<parts[index].source.upperBound
      } else {
        parts[index - 1].source = parts[index - 1].source.lowerBound..<start
      }
    }
  }

  private mutating func assemble(_ parts: [Part], _ document: ParsedDocument) {
    guard let first = parts.first, let last = parts.last else { return }
    source = first.source.lowerBound..<last.source.upperBound
    var open: [Int: Int] = [:]
    let bytes = document.source.bytes
    for part in parts {
      switch part.kind {
      case .piece(var piece):
        piece.source = part.source
        pieces.append(piece)
      case .open(let index, _):
        open[index] = spans.count
        spans.append(
          LeafSpan(
            kind: Self.kind(document.inlines[index].kind), pieces: pieces.count..<pieces.count,
            forms: [LeafSpan.Form(open: Array(bytes[part.source]), close: [])]))
      case .close(let index, _):
        guard let span = open[index] else { continue }
        spans[span].pieces = spans[span].pieces.lowerBound..<pieces.count
        spans[span].forms[0].close = Array(bytes[part.source])
        let inline = document.inlines[index]
        spans[span].label = label(
          of: spans[span], inline.open.bytes.upperBound..<inline.close.bytes.lowerBound, bytes)
      }
    }
  }

  private static func kind(_ kind: Inline.Kind) -> LeafSpan.Kind {
    switch kind {
    case .strong: .style(.strong)
    case .strikethrough: .style(.strikethrough)
    case .mark: .style(.mark)
    case .code: .style(.code)
    case .link(let link): .link(link)
    default: .style(.emphasis)
    }
  }

  /// Returns the label of `[label]` or `[label][]`: the bytes between the brackets, joined to one
  /// line. Returns nil for other forms of links.
  private func label(of span: LeafSpan, _ range: Range<Int>, _ bytes: [UInt8]) -> [UInt8]? {
    let close = span.forms[0].close
    guard span.isLink, close.elementsEqual("]".utf8) || close.elementsEqual("][]".utf8) else {
      return nil
    }
    var label: [UInt8] = []
    var position = range.lowerBound
    for piece in pieces[span.pieces] {
      guard case .lineBreak = piece.kind else { continue }
      label += bytes[position..<piece.source.lowerBound] + [UInt8(ascii: " ")]
      position = piece.source.upperBound
    }
    return label + bytes[position..<range.upperBound]
  }
}

extension ParsedDocument {
  /// Returns whether a span is delimited by HTML tags.
  func isHTML(of inline: Inline) -> Bool {
    inline.open.count > 1 && source.bytes[inline.open.bytes.lowerBound] == UInt8(ascii: "<")
      || inline.open.isEmpty && inline.close.count > 1
  }
}

extension SourceMap {
  /// Returns the runs that overlap a range, in order. O(log runs) to the first.
  func runs(in range: TextRange) -> some Sequence<Run> {
    let runs = self.runs
    var low = 0
    var high = runs.count
    while low < high {
      let middle = (low + high) / 2
      let run = runs[runs.index(runs.startIndex, offsetBy: middle)]
      if run.text.utf16.upperBound <= range.utf16.lowerBound {
        low = middle + 1
      } else {
        high = middle
      }
    }
    return runs.dropFirst(low).prefix { $0.text.utf16.lowerBound < range.utf16.upperBound }
  }
}
