package import Model

/// A range of the source whose bytes all have the same role.
package struct SourceSegment: Hashable, Sendable {
  /// The role of the bytes.
  package var kind: Kind
  /// The range; never empty.
  package var source: SourceRange

  /// The roles of a byte of the source.
  package enum Kind: UInt8, Hashable, Sendable, CaseIterable {
    /// Whitespace and line endings that aren't rendered, and the byte order mark.
    case blank
    /// Rendered text, including character references, escapes and line breaks.
    case text
    /// A delimiter of a span: `**`, `](address)`, `<b>`, or the characters that mark a hard line
    /// break.
    case delimiter
    /// A `BlockPart`, or a pipe between table cells.
    case blockMarker
    /// A link reference definition.
    case definition
    /// The front matter before the document, with its fences.
    case frontMatter
    /// Content that isn't rendered: tags that aren't delimiters, the content of comments and
    /// scripts, hidden markup, and cells beyond a table's columns.
    case hidden
  }
}

extension ParsedDocument {
  /// Divides the whole source into segments without gaps or overlaps. Adjacent segments have
  /// different kinds. O(bytes).
  package func sourceSegments() -> [SourceSegment] {
    var kinds = [SourceSegment.Kind](repeating: .blank, count: source.bytes.count)
    eachClaim { range, kind in
      for index in range { kinds[index] = kind }
    }
    var segments: [SourceSegment] = []
    var start = 0
    while start < kinds.count {
      var end = start + 1
      while end < kinds.count, kinds[end] == kinds[start] { end += 1 }
      segments.append(
        SourceSegment(kind: kinds[start], source: SourceRange(bytes: start..<end)))
      start = end
    }
    return segments
  }

  /// Calls `claim` exactly once for every byte that isn't blank, as part of a range with its role.
  /// The ranges are in no particular order.
  func eachClaim(_ claim: (Range<Int>, SourceSegment.Kind) -> Void) {
    for run in map.runs { claim(run.source.bytes, .text) }
    for part in parts where blocks[part.block].kind != .definition {
      claim(part.source.bytes, .blockMarker)
    }
    for (index, block) in blocks.enumerated() where !isHTML(index) {
      let lines = self.lines[blockLines[index]]
      switch block.kind {
      case .frontMatter: claim(block.source.bytes, .frontMatter)
      case .definition: Self.clip(block.source.bytes, to: lines) { claim($0, .definition) }
      case .htmlBlock: claimHTML(of: index, lines, claim)
      case .hidden: for line in lines { claim(line.start..<line.end, .hidden) }
      case .tableRow: claimBars(of: index, claim)
      case .tableCell: claimDelimiters(of: block, nil, claim)
      default: claimDelimiters(of: block, lines, claim)
      }
    }
  }

  /// Returns the HTML block that contains a block; nil if the block is written in Markdown.
  /// O(depth), which is limited in HTML.
  package func htmlBlock(around index: Int) -> Int? {
    var block = index
    for _ in 0..<HTMLBuilder.deepestBlock where block > 0 {
      block = blocks[block].parent
      if blocks[block].kind == .htmlBlock { return block }
    }
    return nil
  }

  /// Whether a block is written in HTML.
  package func isHTML(_ index: Int) -> Bool { htmlBlock(around: index) != nil }

  /// Whether a table cell in HTML is a header of its column or row, `th`.
  package func isHeaderCell(_ index: Int) -> Bool {
    source.bytes[blocks[index].source.bytes].prefix(3).elementsEqual("<th".utf8) {
      $0.lowercased == $1
    }
  }

  /// Passes the unrendered parts of an HTML block to `claim`: the delimiters of spans and all other
  /// tags.
  private func claimHTML(
    of index: Int, _ lines: ArraySlice<LineSlice>,
    _ claim: (Range<Int>, SourceSegment.Kind) -> Void
  ) {
    let source = blocks[index].source
    var rendered = map.runs(startingIn: source.bytes).map(\.source.bytes)
    var child = index + 1
    while child < blocks.count, blocks[child].source.bytes.lowerBound < source.bytes.upperBound {
      claimDelimiters(of: blocks[child], lines) {
        rendered.append($0)
        claim($0, $1)
      }
      child += 1
    }
    rendered.sort { $0.lowerBound < $1.lowerBound }
    var next = rendered.startIndex
    var covered = 0
    for line in lines {
      var start = max(line.start, covered)
      func gap(_ end: Int) {
        var (first, last) = (start, end)
        while first < last, self.source.bytes[first].isSpace { first += 1 }
        while last > first, self.source.bytes[last - 1].isSpace { last -= 1 }
        if first < last { claim(first..<last, .hidden) }
      }
      while next < rendered.endIndex, rendered[next].lowerBound < line.end {
        gap(rendered[next].lowerBound)
        covered = max(covered, rendered[next].upperBound)
        start = max(start, covered)
        next += 1
      }
      gap(line.end)
    }
  }

  private func claimDelimiters(
    of block: Block, _ lines: ArraySlice<LineSlice>?,
    _ claim: (Range<Int>, SourceSegment.Kind) -> Void
  ) {
    for inline in inlines[block.inlines] {
      switch inline.kind {
      case .softBreak: break
      // The brackets and the label are text.
      case .footnoteReference:
        claim(inline.open.bytes.prefix(2).dropFirst(), .delimiter)
      case .hardBreak:
        claim(inline.source.bytes.lowerBound..<inline.open.bytes.lowerBound, .delimiter)
        Self.clip(inline.open.bytes.upperBound..<inline.source.bytes.upperBound, to: lines) {
          claim($0, .delimiter)
        }
      case .rawHTML, .hidden: Self.clip(inline.source.bytes, to: lines) { claim($0, .hidden) }
      default:
        Self.clip(inline.open.bytes, to: lines) { claim($0, .delimiter) }
        Self.clip(inline.close.bytes, to: lines) { claim($0, .delimiter) }
      }
    }
  }

  /// Passes the parts of a row outside its cells to `claim`: pipes and surplus cells.
  private func claimBars(of row: Int, _ claim: (Range<Int>, SourceSegment.Kind) -> Void) {
    func gap(_ range: Range<Int>) {
      for index in range where !source.bytes[index].isBlank {
        claim(
          index..<index + 1, source.bytes[index] == UInt8(ascii: "|") ? .blockMarker : .hidden)
      }
    }
    var position = blocks[row].source.bytes.lowerBound
    var cell = blocks[row].firstChild
    while cell >= 0 {
      let content = blocks[cell].source.bytes
      gap(position..<content.lowerBound)
      position = content.upperBound
      cell = blocks[cell].nextSibling
    }
    gap(position..<blocks[row].source.bytes.upperBound)
  }

  /// Calls `body` with the parts of a range that are in a leaf's lines. Line endings and the
  /// markers of containers are omitted. If `lines` is nil, the leaf has one line, and the whole
  /// range is passed. O(log lines + parts).
  private static func clip(
    _ range: Range<Int>, to lines: ArraySlice<LineSlice>?, _ body: (Range<Int>) -> Void
  ) {
    guard !range.isEmpty else { return }
    guard let lines else { return body(range) }
    var low = lines.startIndex
    var high = lines.endIndex
    while low < high {
      let middle = (low + high) / 2
      if lines[middle].end <= range.lowerBound { low = middle + 1 } else { high = middle }
    }
    while low < lines.endIndex, lines[low].start < range.upperBound {
      let part = range.clamped(to: lines[low].start..<lines[low].end)
      if !part.isEmpty { body(part) }
      low += 1
    }
  }
}
