import Model

/// The first phase of the parser: finds the blocks, line by line, with a stack of open containers.
///
/// The algorithm is described in the appendix of the CommonMark specification, “A parsing
/// strategy”. Text isn't copied: a leaf's content is a list of slices of the source. O(bytes ×
/// nesting depth) in the worst case, O(bytes) for a single deep line.
struct BlockParser {
  let bytes: Bytes
  let options: MarkdownOptions
  /// `options.hasDialectBlocks`, cached because every line needs it.
  let hasDialectBlocks: Bool
  var tree = BlockTree()

  /// The innermost open block.
  var tip = 0
  // The current line. Its content ends at `lineEnd`; the next line begins at `lineNext`.
  var lineStart = 0
  var lineEnd = 0
  var lineNext = 0
  // The position in the line. Columns count from 0; a tab extends to the next multiple of 4.
  var offset = 0
  var column = 0
  /// Whether the tab at `offset` is partly consumed.
  var isInsideTab = false
  // Set by `findNonblank()`.
  var nonblank = 0
  var nonblankColumn = 0
  var indent = 0
  var isBlank = false
  /// Whether a fence or a delimiter row consumed the line.
  var isFenceLine = false
  /// Whether the last line was blank and closed no block. Further blank lines then change nothing
  /// and aren't matched against the open items.
  private var isSettled = false
  /// The offset in the line before which no thematic break can begin. It is remembered so that
  /// lines such as `- - - …` are parsed in linear time.
  var noBreakBefore = 0
  /// The state for dialects other than CommonMark and GFM.
  var dialect = DialectState()

  init(_ bytes: Bytes, options: MarkdownOptions) {
    self.bytes = bytes
    self.options = options
    hasDialectBlocks = options.hasDialectBlocks
    tree.nodes.reserveCapacity(bytes.count / 40 + 8)
    tree.lines.reserveCapacity(bytes.count / 40 + 8)
    tree.append(.document, to: -1, start: 0)
  }

  /// Finds all blocks and returns them as a tree.
  mutating func parse() -> BlockTree {
    var position = bytes.starts(with: "\u{FEFF}", at: 0) ? 3 : 0
    // The offsets of the next line feed and the next carriage return. Each offset is searched for
    // only once.
    var feed = -1
    var carriage = -1
    if options.frontMatter { position = frontMatter(from: position) }
    while position < bytes.count {
      if feed < position { feed = bytes.firstIndex(of: Byte.lineFeed, from: position) }
      if carriage < position {
        carriage = bytes.firstIndex(of: Byte.carriageReturn, from: position)
      }
      let end = min(feed, carriage)
      var next = end
      if next < bytes.count {
        next += bytes[end] == Byte.carriageReturn && bytes.at(end + 1) == Byte.lineFeed ? 2 : 1
      }
      line(from: position, to: end, next: next)
      position = next
    }
    closeDown(to: 0)
    close(0)
    tree.nodes[0].end = bytes.count
    return tree
  }

  // MARK: - One line

  private mutating func line(from start: Int, to end: Int, next: Int) {
    lineStart = start
    lineEnd = end
    lineNext = next
    offset = start
    column = 0
    isInsideTab = false
    noBreakBefore = 0
    isFenceLine = false
    dialect.closing = -1
    nonblank = -1
    findNonblank()
    let isBlankLine = isBlank
    if isBlankLine, isSettled { return }
    let before = tip
    isSettled = false

    guard let lastMatched = matchOpenBlocks(), !closeDirective(around: lastMatched) else { return }
    let container = startBlocks(in: lastMatched)
    addText(to: container, lastMatched: lastMatched)
    isSettled = isBlankLine && tip == before && !tree.nodes[tip].isLeafOfLines
  }

  /// Finds the last open block that the line continues. Returns nil if the line is consumed because
  /// it closed a fence or hidden markup.
  private mutating func matchOpenBlocks() -> Int? {
    var container = 0
    while let child = openChild(of: container) {
      findNonblank()
      let node = tree.nodes[child]
      switch node.kind {
      case .blockQuote:
        guard indent <= 3, byte(nonblank) == UInt8(ascii: ">") else { return container }
        recordPart(.quoteMarker, of: child, nonblank..<nonblank + 1)
        tree.nodes[child].end = nonblank + 1
        consumeQuoteMarker()
      case .item, .description:
        if indent >= node.list.markerOffset + node.list.padding {
          advance(columns: node.list.markerOffset + node.list.padding)
        } else if isBlank && node.firstChild >= 0 {
          advance(to: nonblank)
        } else {
          return container
        }
      case .footnote:
        if indent >= 4 {
          advance(columns: 4)
        } else if isBlank {
          advance(to: nonblank)
        } else {
          return container
        }
      case .fencedCode:
        if indent <= 3 || options.mdx, let end = closingFenceEnd(node) {
          recordPart(.closingFence, of: child, nonblank..<end)
          tree.nodes[child].end = lineEnd
          close(child)
          tip = container
          return nil
        }
        var rest = node.fenceOffset
        while rest > 0, byte(offset).isBlank {
          advance(columns: 1)
          rest -= 1
        }
      case .indentedCode:
        if indent >= 4 {
          advance(columns: 4)
        } else if isBlank {
          advance(to: nonblank)
        } else {
          return container
        }
      case .html:
        if isBlank && node.number >= 6 { return container }
      case .paragraph, .table:
        if isBlank { return container }
      case .heading, .thematicBreak, .definition, .tableRow, .tableCell, .frontMatter,
        .calloutLabel, .descriptionTerm:
        return container
      case .admonition:
        if !continueAdmonition(child) { return container }
      case .hidden:
        switch continueHidden(child) {
        case .continues: break
        case .ended: return container
        case .endedWithLine: return nil
        }
      case .list, .descriptionList, .document: break
      }
      container = child
    }
    return container
  }

  @inline(__always)
  private func openChild(of index: Int) -> Int? {
    let child = tree.nodes[index].lastChild
    return child >= 0 && tree.nodes[child].isOpen ? child : nil
  }

  /// Returns the end of the closing fence on the line for a code block; nil if not found.
  @inline(__always)
  private func closingFenceEnd(_ node: Node) -> Int? {
    if node.fence == UInt8(ascii: "%") { return endOfLiquidCode() }
    if node.fence == UInt8(ascii: "{") { return endOfShortcodeCode() }
    var index = nonblank
    while index < lineEnd, bytes[index] == node.fence { index += 1 }
    guard index - nonblank >= node.number, index == contentEnd else { return nil }
    return index
  }

  /// Adds the rest of the line to the block to which it belongs.
  private mutating func addText(to matched: Int, lastMatched: Int) {
    var container = matched
    findNonblank()
    if isBlank, !isFenceLine, tree.nodes[container].lastChild >= 0 {
      tree.nodes[tree.nodes[container].lastChild].lastLineIsBlank = true
    }
    noteBlankLine(container)

    if tip != lastMatched, container == lastMatched, !isBlank,
      tree.nodes[tip].kind == .paragraph
    {
      addLine(to: tip, from: nonblank)  // A lazy continuation line.
      return
    }
    closeDown(to: container)
    switch tree.nodes[container].kind {
    case .fencedCode where isFenceLine: break
    case .fencedCode where options.roles && isOptionOfCode(container):
      recordPart(.infoString, of: container, nonblank..<contentEnd)
      tree.nodes[container].end = lineEnd
    case .fencedCode, .indentedCode: addLine(to: container, from: offset)
    case .html:
      addLine(to: container, from: offset)
      let kind = tree.nodes[container].number
      if kind <= 5, HTMLScanner.endsBlock(bytes, from: offset, to: lineEnd, kind: kind) {
        close(container)
        tip = tree.nodes[container].parent
      }
    case .table:
      addRow(to: container)
    case .hidden: addHiddenLine(to: container)
    default:
      if isBlank { return }
      if tree.nodes[container].kind == .paragraph {
        addLine(to: container, from: nonblank)
      } else if tree.nodes[container].kind != .heading,
        tree.nodes[container].kind != .thematicBreak
      {
        let text = taskMarker(of: container)
        // After a checkbox without text, the item's text may begin on the next line.
        if text == lineEnd {
          tree.nodes[container].end = text
          return
        }
        container = add(.paragraph, to: container, start: nonblank)
        addLine(to: container, from: text)
      }
    }
  }

  private mutating func noteBlankLine(_ container: Int) {
    let isBlank = isBlank && !isFenceLine
    let lineStart = lineStart
    tree.nodes.withUnsafeMutableBufferPointer { nodes in
      let counts: Bool
      switch nodes[container].kind {
      case .blockQuote, .heading, .thematicBreak, .fencedCode: counts = false
      // A blank line directly after a marker doesn't make the list loose.
      case .item, .description:
        counts = nodes[container].firstChild >= 0 || nodes[container].start < lineStart
      default: counts = true
      }
      nodes[container].lastLineIsBlank = isBlank && counts
      var parent = nodes[container].parent
      while parent >= 0 {
        nodes[parent].lastLineIsBlank = false
        parent = nodes[parent].parent
      }
    }
  }

  // MARK: - Building

  /// Opens a block inside `parent` or its nearest ancestor that can contain it.
  mutating func add(_ kind: Node.Kind, to parent: Int, start: Int) -> Int {
    var parent = parent
    closeDown(to: parent)
    while !tree.nodes[parent].canContain(kind) {
      close(parent)
      parent = tree.nodes[parent].parent
    }
    let index = tree.append(kind, to: parent, start: start)
    tree.nodes[index].end = lineEnd
    tip = index
    return index
  }

  /// Records a part of a block, unless its range is empty.
  mutating func recordPart(_ kind: BlockPart.Kind, of block: Int, _ range: Range<Int>) {
    guard !range.isEmpty else { return }
    tree.parts.append(BlockPart(kind, of: block, source: range))
  }

  /// Appends the line to a leaf, beginning at `start`.
  mutating func addLine(to leaf: Int, from start: Int) {
    var slice = LineSlice(start: start, end: lineEnd, next: lineNext)
    if isInsideTab, start == offset {
      slice.start += 1
      slice.tabRest = 4 - column % 4
    }
    appendLine(slice, to: leaf)
    tree.nodes[leaf].end = lineEnd
  }

  mutating func appendLine(_ slice: LineSlice, to leaf: Int) {
    tree.nodes[leaf].addLine(tree.lines.count)
    tree.lines.append(slice)
  }

  /// Closes the open blocks inside `index`.
  mutating func closeDown(to index: Int) {
    while tip != index {
      close(tip)
      tip = tree.nodes[tip].parent
    }
  }

  /// Closes a block. Nothing is added to it afterwards.
  mutating func close(_ index: Int) {
    guard tree.nodes[index].isOpen else { return }
    tree.nodes[index].isOpen = false
    switch tree.nodes[index].kind {
    case .paragraph: _ = takeDefinitions(from: index)
    case .admonition, .hidden: closeDialectBlock(index)
    case .indentedCode:
      var lines = tree.nodes[index].lines
      while let last = lines.last, isBlankSlice(tree.lines[last]) { lines.removeLast() }
      tree.nodes[index].lines = lines
      if let last = lines.last { tree.nodes[index].end = tree.lines[last].end }
    case .list: tree.nodes[index].isLoose = hasBlankLineBetweenItems(index)
    case .html where options.htmlText: divideHTML(index)
    default: break
    }
  }

  @inline(__always)
  private func isBlankSlice(_ slice: LineSlice) -> Bool {
    bytes[slice.start..<slice.end].allSatisfy(\.isBlank)
  }

  private func hasBlankLineBetweenItems(_ list: Int) -> Bool {
    var item = tree.nodes[list].firstChild
    while item >= 0 {
      let hasNext = tree.nodes[item].next >= 0
      if hasNext, endsWithBlankLine(item) { return true }
      var child = tree.nodes[item].firstChild
      while child >= 0 {
        if hasNext || tree.nodes[child].next >= 0, endsWithBlankLine(child) { return true }
        child = tree.nodes[child].next
      }
      item = tree.nodes[item].next
    }
    return false
  }

  @inline(__always)
  private func endsWithBlankLine(_ index: Int) -> Bool {
    var index = index
    while index >= 0 {
      if tree.nodes[index].lastLineIsBlank { return true }
      let kind = tree.nodes[index].kind
      guard kind == .list || kind == .item else { return false }
      index = tree.nodes[index].lastChild
    }
    return false
  }
}
