package import Model

/// A stretch of the source with the one thing that its bytes are.
package struct SourceSegment: Hashable, Sendable {
  /// What the bytes are.
  package var kind: Kind
  /// The bytes; never empty.
  package var source: SourceRange

  /// What a byte of the source can be.
  package enum Kind: UInt8, Hashable, Sendable, CaseIterable {
    /// Space, tabs, line endings that do not render, and the byte order mark.
    case blank
    /// It renders: as itself, or as part of an entity, an escape, a line break.
    case text
    /// It begins or ends a span: `**`, `](address)`, `<b>`, what makes a hard line break.
    case delimiter
    /// It makes a block what it is: a `BlockPart`, or a bar between cells.
    case blockMarker
    /// A link reference definition.
    case definition
    /// The YAML before the document, with its fences.
    case frontMatter
    /// Content that does not render: tags that are no delimiters, what stands in comments and scripts,
    /// comments of other kinds, and cells beyond a table's columns.
    case hidden
  }
}

extension ParsedDocument {
  /// The source from its first byte to its last as segments without gaps or overlaps; neighbours
  /// differ in kind. O(bytes).
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

  /// Names the bytes that are not blank, each once; in no order.
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

  /// The HTML block around a block that its tags make; nil for a block of Markdown's. O(depth), which
  /// is small inside of HTML.
  package func htmlBlock(around index: Int) -> Int? {
    var block = index
    for _ in 0..<HTMLBuilder.deepestBlock where block > 0 {
      block = blocks[block].parent
      if blocks[block].kind == .htmlBlock { return block }
    }
    return nil
  }

  /// Whether tags make a block.
  package func isHTML(_ index: Int) -> Bool { htmlBlock(around: index) != nil }

  /// Whether a cell in HTML is a heading of its column or row, `th`.
  package func isHeaderCell(_ index: Int) -> Bool {
    source.bytes[blocks[index].source.bytes].prefix(3).elementsEqual("<th".utf8) {
      $0.lowercased == $1
    }
  }

  /// What does not render of an HTML block: the delimiters of spans, and all other tags.
  private func claimHTML(
    of index: Int, _ lines: ArraySlice<LineSlice>,
    _ claim: (Range<Int>, SourceSegment.Kind) -> Void
  ) {
    let source = blocks[index].source
    var taken = map.runs(startingIn: source.bytes).map(\.source.bytes)
    var child = index + 1
    while child < blocks.count, blocks[child].source.bytes.lowerBound < source.bytes.upperBound {
      claimDelimiters(of: blocks[child], lines) {
        taken.append($0)
        claim($0, $1)
      }
      child += 1
    }
    taken.sort { $0.lowerBound < $1.lowerBound }
    var next = taken.startIndex
    var covered = 0
    for line in lines {
      var start = max(line.start, covered)
      func gap(_ end: Int) {
        var (first, last) = (start, end)
        while first < last, self.source.bytes[first].isSpace { first += 1 }
        while last > first, self.source.bytes[last - 1].isSpace { last -= 1 }
        if first < last { claim(first..<last, .hidden) }
      }
      while next < taken.endIndex, taken[next].lowerBound < line.end {
        gap(taken[next].lowerBound)
        covered = max(covered, taken[next].upperBound)
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
      // Its brackets and its label are text.
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

  /// What stands around a row's cells: bars, and cells that are left out.
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

  /// The parts of a range that lie in a leaf's lines, which leaves out the line endings and the
  /// markers of its containers; all of it for a leaf of one line (nil). O(log lines + parts).
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
