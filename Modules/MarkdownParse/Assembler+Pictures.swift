import Model

extension Assembler {
  /// Writes the file name of an image without a description. Returns false if the address contains
  /// no name.
  ///
  /// - Parameters:
  ///   - index: the image's span, which is still open.
  ///   - close: the image's closing delimiter in the leaf.
  mutating func nameImage(_ index: Int, _ link: Int, _ close: Range<Int>, _ leaf: LeafText) -> Bool
  {
    let address = parser.links.stored[link].destination.range
    guard let name = PictureName.range(in: address, of: bytes) else { return false }
    let closing = leaf.source(close).bytes
    let isInline = closing.contains(all: name)
    let content = Bytes(rebasing: bytes[name])
    var place = name
    if !isInline {
      // In `![][label]`, the address is elsewhere, so the label is the source of the name.
      guard close.count > 3 else { return false }
      let label = leaf.source(close.lowerBound + 2..<close.lowerBound + 3).bytes.lowerBound
      let end = bytes[label..<closing.upperBound].firstIndex {
        $0 == Byte.lineFeed || $0 == Byte.carriageReturn || $0 == UInt8(ascii: "]")
      }
      guard let end, end > label else { return false }
      place = label..<end
    }
    let start = writer.nextOffset
    if isInline, PictureName.isPlain(content) {
      writer.verbatim(name)
    } else {
      writer.atomic(PictureName.decoded(content, isMarkdown: true), source: place)
    }
    let source = inlines[index].source.bytes.lowerBound..<closing.upperBound
    inlines[index] = Inline(
      .image(link), source: source, open: source.lowerBound..<place.lowerBound,
      close: place.upperBound..<closing.upperBound, text: start..<max(start, writer.count))
    return true
  }
}

extension Assembler {
  /// Writes the name of an image that is the only content of a line.
  mutating func writePicture(_ node: Node) {
    guard let line = lines[node.lines].first else { return }
    let address = node.info ?? line.start..<line.end
    // The source of an image with arguments is its whole tag.
    let source = node.info == nil ? address : node.start..<node.end
    let link = parser.links.append(SourceRange(bytes: address))
    let start = writer.nextOffset
    if node.columns >= 0 {
      let shown = node.fenceOffset..<node.columns
      writer.verbatim(shown)
      return append(
        .image(link), source: source, open: source.lowerBound..<shown.lowerBound,
        close: shown.upperBound..<source.upperBound, from: start)
    }
    let name = PictureName.range(in: address, of: bytes) ?? address
    let content = Bytes(rebasing: bytes[name])
    if PictureName.isPlain(content) {
      writer.verbatim(name)
    } else {
      writer.atomic(PictureName.decoded(content, isMarkdown: false), source: name)
    }
    append(
      .image(link), source: source, open: source.lowerBound..<name.lowerBound,
      close: name.upperBound..<source.upperBound, from: start)
  }
}

extension Range<Int> {
  fileprivate func contains(all other: Range<Int>) -> Bool {
    lowerBound <= other.lowerBound && other.upperBound <= upperBound
  }
}
