import Model

extension HTMLBuilder {
  // MARK: - Spans

  mutating func begin(_ span: HTMLSpan, _ tag: Range<Int>, link: Int = -1) {
    if let index = opens.firstIndex(where: { $0.span == span }) {
      opens[index].depth += 1
      return hide(tag)
    }
    opens.append(Open(span: span, link: link, tag: tag, isWritten: leafNode >= 0))
    if leafNode >= 0 { append(.open, tag, span, link: link) }
  }

  mutating func end(_ span: HTMLSpan, _ tag: Range<Int>) {
    guard let index = opens.firstIndex(where: { $0.span == span }) else { return hide(tag) }
    guard opens[index].depth == 1 || span == .link else {
      opens[index].depth -= 1
      return hide(tag)
    }
    if leafNode >= 0 {
      for _ in opens[(index + 1)...] { append(.close, tag.prefix(0)) }
      append(.close, tag)
      for inner in opens[(index + 1)...] {
        append(.open, tag.upperBound..<tag.upperBound, inner.span, link: inner.link)
      }
    }
    opens.remove(at: index)
  }

  // MARK: - Superscript and subscript

  mutating func beginScript(_ letters: ScriptLetters, _ tag: Range<Int>) {
    guard script == nil, !bytes[tag].contains(Byte.lineFeed) else { return hide(tag) }
    let found = scriptText(letters, from: tag.upperBound)
    let isAtWord = isAttached && !ScriptForm.opens(bytes.scalar(before: textEnd))
    let form = ScriptForm(
      found.text, letters, isAttached: isAttached, isAtWord: isAtWord,
      isSimple: found.end != nil)
    let isRaised = letters == .raised
    let kind: HTMLPiece.Kind
    switch form {
    case .plain: return hide(tag)
    case .apart:
      appendPending(.pendingSpace, tag)
      if let end = found.end { script = (form, end) } else { hasWordsApart = true }
      return
    case .shifted: kind = isRaised ? .raising : .lowering
    case .signed(inBrackets: false): kind = isRaised ? .raisedSign : .loweredSign
    case .signed(inBrackets: true): kind = isRaised ? .raisedBracket : .loweredBracket
    }
    writePendingWhitespace(at: tag.lowerBound)
    append(kind, tag)
    script = found.end.map { (form, $0) }
  }

  mutating func endScript(_ tag: Range<Int>) {
    guard let script, script.end == tag.lowerBound, leafNode >= 0 else {
      guard hasWordsApart, script == nil, leafNode >= 0 else { return hide(tag) }
      hasWordsApart = false
      return endWords(tag)
    }
    self.script = nil
    switch script.form {
    case .apart: endWords(tag)
    case .signed(inBrackets: true) where !bytes[tag].contains(Byte.lineFeed):
      append(.closingBracket, tag)
    case .shifted: append(.level, tag)
    default: hide(tag)
    }
  }

  /// Adds a space after words in the form `apart` if another word follows directly.
  private mutating func endWords(_ tag: Range<Int>) {
    guard isAttached, !bytes[tag].contains(Byte.lineFeed),
      ScriptForm.continuesWord(bytes.scalar(at: tag.upperBound))
    else { return hide(tag) }
    appendPending(.pendingSpace, tag)
  }

  /// Returns the text up to the tag that ends a superscript or subscript, and the offset of that
  /// tag. The text must contain only characters and styles, and the tag must be within
  /// `ScriptForm.longest` bytes. Otherwise returns the text read so far and nil.
  /// O(`ScriptForm.longest`).
  private func scriptText(_ letters: ScriptLetters, from start: Int)
    -> (text: [Unicode.Scalar], end: Int?)
  {
    // The limit is long enough for tags that contain whitespace.
    let bytes = Bytes(rebasing: bytes[..<min(bytes.count, start + ScriptForm.longest)])
    var text: [Unicode.Scalar] = []
    var index = start
    while index < bytes.count {
      if bytes[index] == UInt8(ascii: "<") {
        let isClosing = bytes.at(index + 1) == UInt8(ascii: "/")
        let element = bytes.element(ofTag: index..<bytes.count)
        if element.script != nil {
          return (text, isClosing && element.script == letters ? index : nil)
        }
        guard bytes.at(index + (isClosing ? 2 : 1)).isLetter,
          element == .other || element == .link || element.span != nil && !element.breaksLines
        else { return (text, nil) }
        let end = bytes.firstIndex(of: UInt8(ascii: ">"), from: index)
        guard end < bytes.count else { return (text, nil) }
        index = end + 1
      } else if bytes[index] == UInt8(ascii: "&"), let entity = Entities.match(bytes, at: index) {
        text += entity.scalars
        index += entity.length
      } else {
        guard let scalar = Unicode.Scalar(bytes.scalar(at: index)), scalar != "\u{FFFD}" else {
          return (text, nil)
        }
        text.append(scalar)
        index += UTF8.width(scalar)
      }
    }
    return (text, nil)
  }

  // MARK: - Leaves

  mutating func append(
    _ kind: HTMLPiece.Kind, _ range: Range<Int>, _ span: HTMLSpan = .link, link: Int = -1
  ) {
    tree.html.append(HTMLPiece(kind, leaf.source(range).bytes, span: span, link: link))
    pieceEnd = max(pieceEnd, range.upperBound)
    if kind == .text || kind == .entity || kind == .name {
      isAttached = true
      textEnd = kind == .text ? range.upperBound : 0
    }
  }

  mutating func appendPending(_ kind: HTMLPiece.Kind, _ range: Range<Int>) {
    isAttached = false
    pending.append(tree.html.count)
    tree.html.append(HTMLPiece(kind, leaf.source(range).bytes))
    hasPendingBreak = hasPendingBreak || kind != .pendingSpace
    if kind == .pendingBreak { pieceEnd = range.upperBound }
  }

  /// Writes the pending whitespace before content at an offset. Begins a leaf if there is none.
  mutating func writePendingWhitespace(at offset: Int) {
    guard leafNode >= 0 else { return beginLeaf(at: offset) }
    for index in pending {
      let piece = tree.html[index]
      // Spaces beside a line break are dropped.
      if hasPendingBreak, piece.kind == .pendingSpace { continue }
      tree.html[index].kind = piece.kind.shown
    }
    pending.removeAll(keepingCapacity: true)
    hasPendingBreak = false
  }

  mutating func beginLeaf(at offset: Int) {
    let first = opens.first { !$0.isWritten && $0.tag.lowerBound >= earliestLeafStart }
    let start = first?.tag.lowerBound ?? offset
    if cell >= 0 {
      leafNode = cell
    } else if let heading {
      leafNode = add(
        .heading, to: parent(), min(start, max(earliestLeafStart, heading.start))..<offset)
      tree.nodes[leafNode].number = heading.level
    } else {
      leafNode = add(isPreformatted ? .indentedCode : .paragraph, to: parent(), start..<offset)
    }
    firstPiece = tree.html.count
    pieceEnd = start
    for index in opens.indices {
      let open = opens[index]
      let tag = open.isWritten || open.tag.lowerBound < earliestLeafStart ? start..<start : open.tag
      append(.open, tag, open.span, link: open.link)
      opens[index].isWritten = true
    }
  }

  /// Ends the current leaf, and the current term, before a tag of another block.
  mutating func endLeaf(at tag: Range<Int>) {
    if isTerm {
      isTerm = false
      end(.strong, tag.prefix(0))
    }
    endLeaf()
  }

  mutating func endLeaf() {
    guard leafNode >= 0 else { return }
    for _ in opens { append(.close, pieceEnd..<pieceEnd) }
    tree.nodes[leafNode].info = firstPiece..<tree.html.count
    tree.nodes[leafNode].end = leaf.source(pieceEnd..<pieceEnd).bytes.upperBound
    earliestLeafStart = pieceEnd
    leafNode = -1
    isAttached = false
    hasWordsApart = false
    pending.removeAll(keepingCapacity: true)
    hasPendingBreak = false
  }

  mutating func hide(_ tag: Range<Int>) {
    if leafNode >= 0, !tag.isEmpty { append(.tag, tag) }
  }

  mutating func lineBreak(_ tag: Range<Int>) {
    guard leafNode >= 0 else { return }
    let line = bytes[tag].firstIndex(of: Byte.lineFeed)
    appendPending(.pendingBreak, tag.lowerBound..<(line ?? tag.upperBound))
  }

  /// Adds a line break where an element begins or ends that would be a block if it were outside
  /// this leaf.
  mutating func breakLine(_ tag: Range<Int>) {
    if hasPendingBreak { hide(tag) } else { lineBreak(tag) }
  }

  mutating func text(_ range: Range<Int>) {
    var index = range.lowerBound
    while index < range.upperBound {
      let start = index
      if bytes[index].isSpace {
        var feed: Int?
        while index < range.upperBound, bytes[index].isSpace {
          if feed == nil, bytes[index] == Byte.lineFeed { feed = index }
          index += 1
        }
        // Of two spaces around the end of a span, the outer one is kept.
        if pending.count == 1, !hasPendingBreak, tree.html.last?.kind == .close {
          pending.removeAll(keepingCapacity: true)
        }
        if leafNode >= 0, pending.isEmpty {
          let place = feed ?? start
          appendPending(.pendingSpace, place..<place + 1)
        }
        continue
      }
      index = characters(from: index, to: range.upperBound) { $0.isSpace }
    }
  }

  mutating func preformatted(_ range: Range<Int>) {
    var index = range.lowerBound
    if skipsFeed, bytes[index] == Byte.lineFeed { index += 1 }
    skipsFeed = false
    while index < range.upperBound {
      if bytes[index] == Byte.lineFeed {
        if leafNode >= 0 { appendPending(.pendingFeed, index..<index + 1) }
        index += 1
      } else {
        index = characters(from: index, to: range.upperBound) { $0 == Byte.lineFeed }
      }
    }
  }

  /// Writes characters up to the first for which `isEnd` returns true. Returns its offset.
  mutating func characters(from start: Int, to end: Int, until isEnd: (UInt8) -> Bool)
    -> Int
  {
    writePendingWhitespace(at: start)
    var first = start
    var index = start
    while index < end, !isEnd(bytes[index]) {
      if bytes[index] == UInt8(ascii: "&"), let entity = Entities.match(bytes, at: index),
        index + entity.length <= end
      {
        if index > first { append(.text, first..<index) }
        append(.entity, index..<index + entity.length)
        index += entity.length
        first = index
      } else {
        index += 1
      }
    }
    if index > first { append(.text, first..<index) }
    return index
  }

  mutating func image(_ tag: Range<Int>) {
    let picture = HTMLPicture(tag, bytes)
    guard let shown = picture.shown else { return hide(tag) }
    writePendingWhitespace(at: tag.lowerBound)
    let link = tree.links.append(html: picture.address ?? tag.prefix(0), leaf, bytes)
    append(.open, tag.lowerBound..<shown.lowerBound, .image, link: link)
    if picture.isDescribed {
      text(shown)
      pending.removeAll(keepingCapacity: true)
    } else {
      append(picture.isPlain ? .text : .name, shown)
    }
    append(.close, shown.upperBound..<tag.upperBound)
  }
}
