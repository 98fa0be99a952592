import Model

extension Assembler {
  /// Writes a leaf block that was parsed from HTML.
  mutating func writeHTML(_ node: Node) {
    guard let pieces = node.info else { return }
    var open: [Int] = []
    for index in pieces {
      let piece = tree.html[index]
      let source = piece.source
      switch piece.kind {
      case .text: writer.verbatim(source)
      case .space: writeLineEnd(source, as: Byte.space)
      case .lineFeed: writeLineEnd(source, as: Byte.lineFeed)
      case .entity:
        if let entity = Entities.match(bytes, at: source.lowerBound) {
          writer.atomic(entity.scalars, source: source)
        }
      case .name:
        let name = Bytes(rebasing: bytes[source])
        writer.atomic(PictureName.decoded(name, isMarkdown: false), source: source)
      case .lineBreak: writeTagBreak(source, source)
      case .pendingSpace, .pendingFeed: break
      case .raising, .lowering, .level:
        writeTag(source)
        writer.script = piece.kind == .raising ? .raised : piece.kind == .lowering ? .lowered : nil
      case .raisedSign: write(.raised, inBrackets: false, source)
      case .raisedBracket: write(.raised, inBrackets: true, source)
      case .loweredSign: write(.lowered, inBrackets: false, source)
      case .loweredBracket: write(.lowered, inBrackets: true, source)
      case .closingBracket:
        writer.atomic(UInt8(ascii: ")"), source: source)
      case .pendingBreak, .tag: writeTag(source)
      case .open:
        open.append(inlines.count)
        let start = writer.nextOffset
        inlines.append(
          Inline(
            piece.span.kind(link: piece.link), source: source, open: source, close: source,
            text: start..<start))
      case .close:
        guard let span = open.popLast() else { continue }
        end(span, with: source)
      }
    }
  }

  private mutating func writeLineEnd(_ source: Range<Int>, as byte: UInt8) {
    if source.count == 1, bytes[source.lowerBound] == byte {
      writer.verbatim(source)
    } else {
      writer.atomic(byte, source: source)
    }
  }

  private mutating func end(_ span: Int, with close: Range<Int>) {
    inlines[span].end(with: close)
    let start = inlines[span].text.utf16.lowerBound
    inlines[span].text.utf16 = start..<max(start, writer.count)
  }

  mutating func writeTag(_ source: Range<Int>) {
    append(
      .rawHTML, source: source, open: source, close: source.suffix(0), from: writer.nextOffset)
  }

  private mutating func writeTagBreak(_ tag: Range<Int>, _ source: Range<Int>) {
    let start = writer.nextOffset
    writer.atomic(Byte.lineFeed, source: tag)
    append(.hardBreak, source: source, open: tag, close: tag.suffix(0), from: start)
  }

  /// Writes the text of an HTML tag in a Markdown leaf.
  ///
  /// - Parameters:
  ///   - position: the offset in the leaf from which literal text is written next.
  ///   - linkDepth: the number of links that are open.
  mutating func write(
    _ role: InlineTags.Role, of atom: InlineScan.Atom, _ content: Bytes, _ leaf: LeafText,
    _ position: inout Int, _ linkDepth: inout Int
  ) {
    let source = leaf.source(atom.range).bytes
    if atom.isTag {
      tree.noteAnchor(in: atom.range, content.element(ofTag: atom.range), leaf, content)
    }
    switch role {
    case .open(let span):
      var link = -1
      if span == .link, let address = HTMLTokens.attribute("href", in: atom.range, of: content) {
        link = parser.links.append(html: address, leaf, content)
        linkDepth += 1
      }
      let start = writer.nextOffset
      tags.opened.append((inlines.count, span))
      inlines.append(
        Inline(
          span.kind(link: link), source: source, open: source, close: source, text: start..<start))
    case .close:
      guard let (index, span) = tags.opened.popLast() else { return }
      if span == .link { linkDepth -= 1 }
      end(index, with: source)
    case .image: writeImage(atom.range, content, leaf)
    case .lineBreak:
      // If a tag spans several lines, only its first line is the source of the line break.
      let line = content[atom.range].firstIndex(of: Byte.lineFeed) ?? atom.range.upperBound
      let tag = leaf.source(atom.range.lowerBound..<line).bytes
      writeTagBreak(tag, source)
      while content.at(position).isBlank { position += 1 }
    case .nothing, .script: break
    case .hidden(let end):
      writeTag(leaf.source(atom.range.lowerBound..<end).bytes)
      position = end
    }
  }

  private mutating func writeImage(_ tag: Range<Int>, _ content: Bytes, _ leaf: LeafText) {
    let picture = HTMLPicture(tag, content)
    guard let shown = picture.shown else { return }
    let link = parser.links.append(html: picture.address ?? tag.prefix(0), leaf, content)
    let start = writer.nextOffset
    var pending: Range<Int>?
    var index = shown.lowerBound
    while index < shown.upperBound {
      let first = index
      if content[index].isSpace {
        let feed = content[index..<shown.upperBound].firstIndex {
          $0 == Byte.lineFeed || !$0.isSpace
        }
        let place = feed.map { content[$0] == Byte.lineFeed ? $0 : first } ?? first
        pending = leaf.source(place..<place + 1).bytes
        while index < shown.upperBound, content[index].isSpace { index += 1 }
        continue
      }
      if let space = pending { writeLineEnd(space, as: Byte.space) }
      pending = nil
      if !picture.isDescribed {
        index = shown.upperBound
        let source = leaf.source(shown).bytes
        if picture.isPlain {
          writer.verbatim(source)
        } else {
          let name = Bytes(rebasing: content[shown])
          writer.atomic(PictureName.decoded(name, isMarkdown: false), source: source)
        }
      } else if content[index] == UInt8(ascii: "&"),
        let entity = Entities.match(content, at: index), index + entity.length <= shown.upperBound
      {
        index += entity.length
        writer.atomic(entity.scalars, source: leaf.source(first..<index).bytes)
      } else {
        index += 1
        while index < shown.upperBound, !content[index].isSpace,
          content[index] != UInt8(ascii: "&")
        { index += 1 }
        writer.verbatim(leaf.source(first..<index).bytes)
      }
    }
    append(
      .image(link), source: leaf.source(tag).bytes,
      open: leaf.source(tag.lowerBound..<shown.lowerBound).bytes,
      close: leaf.source(shown.upperBound..<tag.upperBound).bytes, from: start)
  }
}
