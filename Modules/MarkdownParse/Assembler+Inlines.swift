import Model

// Writes the spans of a leaf block.
extension Assembler {
  mutating func writeInlines(_ node: Node) {
    let isCell = node.kind == .tableCell
    // Moved out of `self`, because `self` is modified while the memory is read.
    var memory = LeafLines()
    swap(&memory, &leafLines)
    leafStart = writer.nextOffset
    memory.withText(UnsafeBufferPointer(rebasing: lines[node.lines]), of: bytes) { leaf in
      parser.parse(leaf, isCell: isCell)
      emit(leaf.bytes, leaf, isCell: isCell)
      if let id = parser.scan.blockID { hide(leaf.source(id).bytes) }
    }
    swap(&memory, &leafLines)
  }

  /// The start of content other than literal text.
  enum Mark {
    case atom(Int)
    case open(Int)
    case close(Int)
  }

  private mutating func emit(_ content: Bytes, _ leaf: LeafText, isCell: Bool) {
    if parser.scan.atoms.isEmpty, parser.scan.spans.isEmpty {
      writeText(0..<parser.scan.end, content, leaf, isPlain: !parser.scan.mayContainAddresses)
      return
    }
    if parser.scan.isFlat { return emitFlat(content, leaf, isCell: isCell) }
    let scan = parser.scan
    var marks = self.marks
    self.marks = []  // So that the array isn't copied when it grows, and keeps its memory.
    for (index, atom) in scan.atoms.enumerated() { marks.append((atom.range, .atom(index))) }
    for (index, span) in scan.spans.enumerated() {
      marks.append((span.open, .open(index)))
      marks.append((span.close, .close(index)))
    }
    marks.sort { $0.range.lowerBound < $1.range.lowerBound }
    if options.htmlText { tags.find(in: marks, scan, content) }
    blanks =
      options.htmlText && (scan.hasTags || scan.hasHidden)
      ? BlankRules(marks, scan, tags, content) : BlankRules()
    placed.removeAll(keepingCapacity: true)
    placed.append(contentsOf: repeatElement(-1, count: scan.spans.count))
    var linkDepth = 0
    var position = 0
    for (number, (range, mark)) in marks.enumerated() {
      if !tags.isEmpty, range.lowerBound < position {
        position = max(position, range.upperBound)
        continue
      }
      var end = range.lowerBound
      if case .atom(let index) = mark, case .lineBreak = tags[index] {
        while end > position, content[end - 1].isBlank { end -= 1 }
      }
      writeLiteral(
        position..<end, content, leaf, isPlain: !scan.mayContainAddresses || linkDepth > 0,
        before: mark)
      position = max(position, range.upperBound)
      switch mark {
      case .atom(let index):
        if blanks.isActive, !settleBlanks(before: scan.atoms[index], index, leaf) { continue }
        if script?.end == range.lowerBound {
          // The closing bracket is written after any pending spaces.
          if case .signed(inBrackets: true) = script?.form { flushBlanks(leaf) }
          endScript(with: range, content, leaf)
        } else if case .script(let letters, let end) = tags[index] {
          begin(
            letters, to: end, with: range,
            scriptText(in: marks[(number + 1)...], from: range, to: end, scan, content),
            leaf)
        } else if let role = tags[index] {
          write(role, of: scan.atoms[index], content, leaf, &position, &linkDepth)
        } else {
          write(scan.atoms[index], content, leaf, isCell: isCell, isInLink: linkDepth > 0)
        }
      case .open(let index):
        flushBlanks(leaf)
        placed[index] = inlines.count
        if scan.spans[index].kind.isLink { linkDepth += 1 }
        open(scan.spans[index], leaf)
      case .close(let index):
        if scan.spans[index].kind.isLink { linkDepth -= 1 }
        close(placed[index], scan.spans[index], leaf)
      }
    }
    writeLiteral(
      position..<scan.end, content, leaf, isPlain: !scan.mayContainAddresses, before: nil)
    blanks.isActive = false
    marks.removeAll(keepingCapacity: true)
    self.marks = marks
  }

  /// Writes a leaf that contains only literal text and atoms (`InlineScan.isFlat`).
  private mutating func emitFlat(_ content: Bytes, _ leaf: LeafText, isCell: Bool) {
    let isPlain = !parser.scan.mayContainAddresses
    var position = 0
    for index in parser.scan.atoms.indices {
      let atom = parser.scan.atoms[index]
      writeText(position..<atom.range.lowerBound, content, leaf, isPlain: isPlain)
      write(atom, content, leaf, isCell: isCell, isInLink: false)
      position = atom.range.upperBound
    }
    writeText(position..<parser.scan.end, content, leaf, isPlain: isPlain)
  }

  mutating func open(_ span: InlineScan.Span, _ leaf: LeafText) {
    let kind: Inline.Kind =
      switch span.kind {
      case .emphasis: .emphasis
      case .strong: .strong
      case .strikethrough: .strikethrough
      case .mark: .mark
      case .link(let link): .link(link)
      case .image(let link): .image(link)
      }
    let open = leaf.source(span.open).bytes
    let start = writer.nextOffset
    inlines.append(Inline(kind, source: open, open: open, close: open, text: start..<start))
  }

  mutating func close(_ index: Int, _ span: InlineScan.Span, _ leaf: LeafText) {
    if case .image(let link) = span.kind, options.imageNames,
      span.open.upperBound == span.close.lowerBound,
      nameImage(index, link, span.close, leaf)
    {
      return
    }
    inlines[index].end(with: leaf.source(span.close).bytes)
    let start = inlines[index].text.utf16.lowerBound
    inlines[index].text.utf16 = start..<max(start, writer.count)
  }

  /// Writes literal text, which never contains a line ending. Finds the bare addresses in it,
  /// unless `isPlain` is true.
  mutating func writeText(
    _ range: Range<Int>, _ content: Bytes, _ leaf: LeafText, isPlain: Bool
  ) {
    guard !range.isEmpty else { return }
    let source = leaf.sourceOffset(range.lowerBound)
    guard options.autolinks, !isPlain else {
      writer.verbatim(source..<source + range.count)
      return
    }
    var position = range.lowerBound
    func place(_ offset: Int) -> Int { source + offset - range.lowerBound }
    for match in Autolinks.matches(in: content, range) {
      writer.verbatim(place(position)..<place(match.range.lowerBound))
      let bytes = place(match.range.lowerBound)..<place(match.range.upperBound)
      let link = match.add(to: &parser.links, content, leaf)
      let start = writer.nextOffset
      writer.verbatim(bytes)
      append(
        .link(link), source: bytes, open: bytes.prefix(0), close: bytes.suffix(0),
        from: start)
      position = match.range.upperBound
    }
    writer.verbatim(place(position)..<place(range.upperBound))
  }

  mutating func append(
    _ kind: Inline.Kind, source: Range<Int>, open: Range<Int>, close: Range<Int>, from start: Int
  ) {
    let end = max(start, writer.count)
    inlines.append(Inline(kind, source: source, open: open, close: close, text: start..<end))
  }

  mutating func write(
    _ atom: InlineScan.Atom, _ content: Bytes, _ leaf: LeafText, isCell: Bool, isInLink: Bool
  ) {
    if case .softBreak = atom.kind { return writeSoftBreak(atom.range, content, leaf) }
    let source = leaf.source(atom.range).bytes
    let start = writer.nextOffset
    func empty(_ kind: Inline.Kind, _ assembler: inout Assembler) {
      assembler.append(
        kind, source: source, open: source, close: source.suffix(0), from: start)
    }
    switch atom.kind {
    case .escape:
      let byte = content[atom.range.upperBound - 1]
      if writer.script != nil {
        writer.atomic([Unicode.Scalar(byte)], source: source)
      } else {
        writer.atomic(byte, source: source)
      }
    case .entity(let scalars): writer.atomic(Array(parser.scan.scalars[scalars]), source: source)
    case .softBreak: break
    case .hardBreak: writeHardBreak(atom.range, content, leaf)
    case .hidden: empty(.hidden, &self)
    case .keys(let keys): writeKeys(keys, source, leaf.source(keys).bytes, content)
    case .script(let text, let letters): write(text, letters, of: atom.range, content, leaf)
    case .wikiLink(let link, let shown, let isEmbed):
      writeNoteName(link, shown, isEmbed: isEmbed, source, content, leaf)
    case .rawHTML:
      empty(.rawHTML, &self)
      if options.htmlText {
        tree.noteAnchor(in: atom.range, content.element(ofTag: atom.range), leaf, content)
      }
    case .footnote(let label):
      // `[^label]` is rendered as `[label]`.
      writer.verbatim(source.prefix(1))
      writer.verbatim(leaf.source(label.lowerBound..<atom.range.upperBound).bytes)
      append(
        .footnoteReference(label: leaf.source(label)), source: source, open: source,
        close: source.suffix(0), from: start)
    case .autolink(let link):
      let inner = atom.range.dropFirst().dropLast()
      writeAddress(inner, of: link, content, leaf, isCell: isCell)
      append(
        .link(link), source: source, open: source.prefix(1), close: source.suffix(1), from: start)
    case .bareLink(let link):
      writeAddress(atom.range, of: link, content, leaf, isCell: isCell)
      if isInLink, tags.hasLinks { return }
      append(
        .link(link), source: source, open: source.prefix(0), close: source.suffix(0), from: start)
    case .code(let range):
      let shown = Self.trimmedCode(range, content)
      writeCodeSpan(shown, content, leaf, isCell: isCell)
      append(
        .code, source: source, open: leaf.source(atom.range.lowerBound..<range.lowerBound).bytes,
        close: leaf.source(range.upperBound..<atom.range.upperBound).bytes, from: start)
    case .math(let range, let display):
      writeCodeSpan(range, content, leaf, isCell: isCell)
      append(
        .math(display: display), source: source,
        open: leaf.source(atom.range.lowerBound..<range.lowerBound).bytes,
        close: leaf.source(range.upperBound..<atom.range.upperBound).bytes, from: start)
    }
  }

  /// Writes a soft line break as a space. Its source is only the line ending, without the spaces
  /// and block markers around it.
  private mutating func writeSoftBreak(
    _ range: Range<Int>, _ content: Bytes, _ leaf: LeafText
  ) {
    let source = sourceOfFeed(in: range, content, leaf)
    let start = writer.nextOffset
    writer.atomic(Byte.space, source: source)
    append(.softBreak, source: source, open: source, close: source.suffix(0), from: start)
  }

  /// Writes a hard line break as a line feed.
  private mutating func writeHardBreak(
    _ range: Range<Int>, _ content: Bytes, _ leaf: LeafText
  ) {
    let source = sourceOfFeed(in: range, content, leaf)
    let start = writer.nextOffset
    writer.atomic(Byte.lineFeed, source: source)
    append(
      .hardBreak, source: leaf.source(range).bytes, open: source, close: source.suffix(0),
      from: start)
  }

  @inline(__always)
  private func sourceOfFeed(in range: Range<Int>, _ content: Bytes, _ leaf: LeafText) -> Range<Int>
  {
    var feed = range.lowerBound
    while content[feed] != Byte.lineFeed { feed += 1 }
    return leaf.source(feed..<feed + 1).bytes
  }

  /// Returns a code span's content without the one space on each side that only separates it from
  /// the backticks.
  private static func trimmedCode(_ range: Range<Int>, _ content: Bytes) -> Range<Int> {
    func isBlank(_ index: Int) -> Bool {
      content[index] == Byte.space || content[index] == Byte.lineFeed
    }
    guard range.count >= 2, isBlank(range.lowerBound), isBlank(range.upperBound - 1),
      range.contains(where: { !isBlank($0) })
    else { return range }
    return range.lowerBound + 1..<range.upperBound - 1
  }

  /// Writes an address. Backslash escapes are not processed in it, except for `\|` in a table cell.
  mutating func writeAddress(
    _ range: Range<Int>, of link: Int, _ content: Bytes, _ leaf: LeafText, isCell: Bool
  ) {
    writeCodeSpan(range, content, leaf, isCell: isCell)
    let address = Bytes(rebasing: content[range])
    guard isCell, address.contains(UInt8(ascii: "\\")) else { return }
    let destination =
      parser.links.resolved[link]?.destination ?? String(decoding: address, as: UTF8.self)
    parser.links.resolve(link, destination.replacing("\\|", with: "|"))
  }

  mutating func writeCodeSpan(
    _ range: Range<Int>, _ content: Bytes, _ leaf: LeafText, isCell: Bool
  ) {
    if !isCell, !content.contains(Byte.lineFeed, in: range) {
      let source = leaf.sourceOffset(range.lowerBound)
      return writer.verbatim(source..<source + range.count)
    }
    var start = range.lowerBound
    var index = start
    func flush(_ end: Int, _ assembler: inout Assembler) {
      guard end > start else { return }
      let source = leaf.sourceOffset(start)
      assembler.writer.verbatim(source..<source + end - start)
    }
    while index < range.upperBound {
      if content[index] == Byte.lineFeed {
        flush(index, &self)
        writer.atomic(Byte.space, source: leaf.source(index..<index + 1).bytes)
        start = index + 1
      } else if isCell, content[index] == UInt8(ascii: "\\"), index + 1 < range.upperBound,
        content[index + 1] == UInt8(ascii: "|")
      {
        flush(index, &self)
        writer.atomic(UInt8(ascii: "|"), source: leaf.source(index..<index + 2).bytes)
        index += 1
        start = index + 1
      }
      index += 1
    }
    flush(range.upperBound, &self)
  }
}

extension InlineScan.Span.Kind {
  var isLink: Bool { if case .link = self { true } else { false } }
  var isImage: Bool { if case .image = self { true } else { false } }
}
