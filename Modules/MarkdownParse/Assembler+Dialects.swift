import Model

// The syntax that neither CommonMark nor GFM defines.
extension Assembler {
  func dialectKind(of node: Node) -> PackedKind {
    let type = PackedRange(node.info ?? node.start..<node.start)
    switch node.kind {
    case .calloutLabel: return .calloutLabel(type: type)
    case .admonition where node.number == 0: return .indentedAdmonition(type: type)
    case .admonition: return .fencedAdmonition(type: type)
    case .descriptionList: return .descriptionList
    case .descriptionTerm: return .descriptionTerm
    case .description: return .description
    default: return .hidden
    }
  }

  /// Writes a callout's type as its label: `NOTE` and `note` as “Note”.
  mutating func writeType(_ node: Node) {
    guard let type = node.info else { return }
    var shown = Array(bytes[type])
    guard shown.allSatisfy({ $0 > 32 && $0 < 127 || $0 == Byte.space }), shown[0].isLetter else {
      writer.verbatim(type)
      return
    }
    if !shown.contains(where: { $0 &- 97 < 26 }) { shown = shown.map(\.lowercased) }
    shown[0] &= 0xDF
    if shown.elementsEqual(bytes[type]) {
      writer.verbatim(type)
    } else {
      writer.atomic(shown, source: type)
    }
  }

  /// Writes an attribute's value that serves as a label.
  mutating func writeLiteral(_ node: Node) {
    for line in lines[node.lines] {
      var start = line.start
      var index = start
      while index < line.end {
        guard bytes[index] == UInt8(ascii: "&"), let entity = Entities.match(bytes, at: index),
          index + entity.length <= line.end
        else {
          index += 1
          continue
        }
        writer.verbatim(start..<index)
        writer.atomic(entity.scalars, source: index..<index + entity.length)
        index += entity.length
        start = index
      }
      writer.verbatim(start..<line.end)
    }
  }

  /// Writes the names of keys with initial capitals: `page-up` as “Page Up”.
  mutating func writeKeys(
    _ keys: Range<Int>, _ source: Range<Int>, _ inner: Range<Int>, _ content: Bytes
  ) {
    let start = writer.nextOffset
    for name in content[keys].split(separator: UInt8(ascii: "+")) {
      let first = inner.lowerBound + name.startIndex - keys.lowerBound
      if first > inner.lowerBound { writer.verbatim(first - 1..<first) }
      var isFirst = true
      let shown = name.map { byte in
        defer { isFirst = byte == UInt8(ascii: "-") }
        if byte == UInt8(ascii: "-") { return Byte.space }
        return isFirst && byte &- 97 < 26 ? byte & 0xDF : byte
      }
      if shown.elementsEqual(name) {
        writer.verbatim(first..<first + name.count)
      } else {
        writer.atomic(shown, source: first..<first + name.count)
      }
    }
    append(
      .code, source: source, open: source.lowerBound..<inner.lowerBound,
      close: inner.upperBound..<source.upperBound, from: start)
  }

  /// Records that some bytes after a leaf's text are not rendered.
  mutating func hide(_ source: Range<Int>) {
    append(
      .hidden, source: source, open: source, close: source.suffix(0), from: writer.nextOffset)
  }

  /// Writes the text of a `[[note]]` link. The `#` in `note#heading` becomes “ > ”.
  mutating func writeNoteName(
    _ link: Int, _ shown: Range<Int>, isEmbed: Bool, _ source: Range<Int>, _ content: Bytes,
    _ leaf: LeafText
  ) {
    let start = writer.nextOffset
    let inner = leaf.source(shown).bytes
    let target = parser.links.stored[link].destination.range
    if inner.upperBound <= target.upperBound {
      var position = inner.lowerBound
      for index in inner where bytes[index] == UInt8(ascii: "#") {
        writer.verbatim(position..<index)
        writer.atomic(" > ".utf8, source: index..<index + 1)
        position = index + 1
      }
      writer.verbatim(position..<inner.upperBound)
    } else {
      writer.verbatim(inner)
    }
    append(
      isEmbed ? .image(link) : .link(link), source: source,
      open: source.lowerBound..<inner.lowerBound, close: inner.upperBound..<source.upperBound,
      from: start)
  }

  /// Turns a paragraph into hidden markup if it only marks the position of a table of contents.
  mutating func hideContents(_ index: Int) {
    let lines = tree.nodes[index].lines
    guard tree.nodes[index].kind == .paragraph, lines.count == 1,
      let line = lines.first.map({ self.lines[$0] }),
      bytes.at(line.start) == UInt8(ascii: "[")
    else { return }
    var slice = line.start..<line.end
    while let last = slice.last, bytes[last].isBlank { slice = slice.dropLast() }
    guard (5...9).contains(slice.count),
      Self.contentsMarks.contains(String(decoding: bytes[slice], as: UTF8.self)),
      tree.definitions["TOC"] == nil
    else { return }
    tree.nodes[index].kind = .hidden
  }

  private static let contentsMarks: Set<String> = [
    "[TOC]", "[toc]", "[[TOC]]", "[[toc]]", "[[_TOC_]]",
  ]
}
