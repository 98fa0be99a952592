import Model

// Footnotes and front matter.
extension BlockParser {
  /// Returns the range of the label of a footnote that begins at the current position; nil if no
  /// footnote begins there.
  @inline(__always)
  func footnoteLabel() -> Range<Int>? {
    guard byte(nonblank) == UInt8(ascii: "["), byte(nonblank + 1) == UInt8(ascii: "^") else {
      return nil
    }
    var index = nonblank + 2
    while index < lineEnd, bytes[index] != UInt8(ascii: "]") {
      if bytes[index].isSpace || bytes[index] == UInt8(ascii: "[") { return nil }
      index += 1
    }
    guard index > nonblank + 2, byte(index + 1) == UInt8(ascii: ":") else { return nil }
    return nonblank + 2..<index
  }

  mutating func startFootnote(_ container: inout Int, _ label: Range<Int>) {
    container = add(.footnote, to: container, start: nonblank)
    recordPart(.footnoteMarker, of: container, nonblank..<label.upperBound + 2)
    tree.nodes[container].info = label
    tree.footnotes.insert(LinkScanner.normalized(Bytes(rebasing: bytes[label])))
    advance(to: label.upperBound + 2)
    while byte(offset).isBlank { advance(columns: 1) }
    nonblank = -1
    findNonblank()
  }

  /// Parses YAML front matter, or TOML between lines of `+++`, at the start of the file. Returns
  /// the offset at which the document begins.
  mutating func frontMatter(from start: Int) -> Int {
    func lineEnd(_ start: Int) -> Int {
      var end = start
      while end < bytes.count, bytes[end] != Byte.lineFeed, bytes[end] != Byte.carriageReturn {
        end += 1
      }
      return end
    }
    let fence: StaticString = bytes.starts(with: "+++", at: start) ? "+++" : "---"
    func isFence(_ start: Int, _ end: Int, orDots: Bool) -> Bool {
      var end = end
      while end > start, bytes[end - 1].isBlank { end -= 1 }
      guard end - start == 3 else { return false }
      return bytes.starts(with: fence, at: start)
        || (orDots && bytes.starts(with: "...", at: start))
    }
    func afterLine(_ end: Int) -> Int {
      guard end < bytes.count else { return end }
      let isPair = bytes[end] == Byte.carriageReturn && bytes.at(end + 1) == Byte.lineFeed
      return end + (isPair ? 2 : 1)
    }
    var end = lineEnd(start)
    guard isFence(start, end, orDots: false) else { return start }
    while end < bytes.count {
      let line = afterLine(end)
      end = lineEnd(line)
      if isFence(line, end, orDots: true) {
        let node = tree.append(.frontMatter, to: 0, start: start)
        tree.nodes[node].end = end
        tree.nodes[node].isOpen = false
        return afterLine(end)
      }
    }
    return start
  }
}
