import Model

extension BlockParser {
  /// Opens the blocks that begin in the rest of the line, inside of the node `lastMatched`.
  ///
  /// - Returns: the node of the innermost block that was opened; `lastMatched` if no block begins.
  mutating func startBlocks(in lastMatched: Int) -> Int {
    var container = lastMatched
    var mayBeLazy = tree.nodes[tip].kind == .paragraph
    while startBlock(&container, mayBeLazy) { mayBeLazy = false }
    return container
  }

  /// Opens one block. Returns false if no further block can begin: no block begins here, or the
  /// rest of the line is the text of the new block.
  private mutating func startBlock(_ container: inout Int, _ mayBeLazy: Bool) -> Bool {
    switch tree.nodes[container].kind {
    case .fencedCode, .indentedCode, .html: return false
    default: break
    }
    findNonblank()
    // MDX has no indented code.
    let isIndented = indent >= 4 && !options.mdx
    let kind = tree.nodes[container].kind
    if !isIndented {
      if hasDialectBlocks, let continues = startDialectBlock(&container, mayBeLazy) {
        return continues
      }
      if !Self.mayBeginBlock(byte(nonblank)) { return false }
    }
    if !isIndented, byte(nonblank) == UInt8(ascii: ">") {
      let start = nonblank
      consumeQuoteMarker()
      container = add(.blockQuote, to: container, start: start)
      recordPart(.quoteMarker, of: container, start..<start + 1)
      if options.alerts || options.callouts, startCallout(&container) { return false }
    } else if !isIndented, let level = headingLevel() {
      startHeading(&container, level)
      return false
    } else if !isIndented, let length = fenceLength() {
      startFence(&container, length)
      return false
    } else if !isIndented, byte(nonblank) == UInt8(ascii: "<"),
      let html = HTMLScanner.blockKind(
        bytes, at: nonblank, end: lineEnd,
        interruptsParagraph: kind == .paragraph
          || (tip != container && tree.nodes[tip].kind == .paragraph)),
      html < 6 || !options.mdx
    {
      container = add(.html, to: container, start: nonblank)
      tree.nodes[container].number = html
      return false
    } else if !isIndented, kind == .paragraph, let level = underlineLevel(),
      makeHeading(&container, level)
    {
      return false
    } else if !isIndented, isThematicBreak(isParagraph: kind == .paragraph) {
      container = add(.thematicBreak, to: container, start: nonblank)
      recordPart(.thematicBreak, of: container, nonblank..<contentEnd)
      advance(to: lineEnd)
      return false
    } else if !isIndented, options.footnotes, let label = footnoteLabel() {
      startFootnote(&container, label)
    } else if !isIndented || kind == .list, indent < 4 || options.mdx,
      let marker = listMarker(interruptsParagraph: kind == .paragraph)
    {
      startItem(&container, marker)
    } else if isIndented, !mayBeLazy, !isBlank {
      advance(columns: 4)
      container = add(.indentedCode, to: container, start: offset)
      return false
    } else if !isIndented, options.tables, kind == .paragraph, startTable(&container) {
      return false
    } else {
      return false
    }
    return true
  }

  /// Whether a line with this first byte can begin a block of CommonMark or GFM, be the underline
  /// of a heading, or be the delimiter row of a table. For most lines, which are plain text, no
  /// other check is needed.
  @inline(__always)
  private static func mayBeginBlock(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: ">"), UInt8(ascii: "#"), UInt8(ascii: "`"), UInt8(ascii: "~"),
      UInt8(ascii: "<"), UInt8(ascii: "="), UInt8(ascii: "-"), UInt8(ascii: "*"),
      UInt8(ascii: "_"), UInt8(ascii: "["), UInt8(ascii: "+"), UInt8(ascii: "|"),
      UInt8(ascii: ":"), UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    default: false
    }
  }

  // MARK: - Headings

  @inline(__always)
  private func headingLevel() -> Int? {
    var index = nonblank
    while byte(index) == UInt8(ascii: "#") { index += 1 }
    let level = index - nonblank
    guard (1...6).contains(level), index == lineEnd || bytes[index].isBlank else { return nil }
    return level
  }

  private mutating func startHeading(_ container: inout Int, _ level: Int) {
    container = add(.heading, to: container, start: nonblank)
    tree.nodes[container].number = level
    var start = nonblank + level
    recordPart(.headingMarker, of: container, nonblank..<start)
    while byte(start).isBlank { start += 1 }
    var end = max(start, contentEnd)
    let hasAttributes = takeAttributes(of: container, from: start, to: &end)
    var marks = end
    while marks > start, bytes[marks - 1] == UInt8(ascii: "#") { marks -= 1 }
    if marks == start || bytes[marks - 1].isBlank {
      recordPart(.headingClosing, of: container, marks..<end)
      end = marks
      while end > start, bytes[end - 1].isBlank { end -= 1 }
      if !hasAttributes { _ = takeAttributes(of: container, from: start, to: &end) }
    }
    appendLine(LineSlice(start: start, end: end, next: lineNext), to: container)
    if options.calloutHeadings { makeTitle(of: container) }
    advance(to: lineEnd)
  }

  @inline(__always)
  private func underlineLevel() -> Int? {
    let mark = byte(nonblank)
    guard mark == UInt8(ascii: "=") || mark == UInt8(ascii: "-") else { return nil }
    var index = nonblank
    while byte(index) == mark { index += 1 }
    while byte(index).isBlank { index += 1 }
    guard index == lineEnd else { return nil }
    return mark == UInt8(ascii: "=") ? 1 : 2
  }

  /// Turns the open paragraph into a heading. Returns false if it contains only definitions.
  private mutating func makeHeading(_ container: inout Int, _ level: Int) -> Bool {
    guard let rest = takeDefinitions(from: container) else {
      tree.nodes[container].isOpen = false
      tip = tree.nodes[container].parent
      container = tip
      return false
    }
    container = rest
    tip = rest
    tree.nodes[rest].kind = .heading
    tree.nodes[rest].number = level
    tree.nodes[rest].end = lineEnd
    recordPart(.headingUnderline, of: rest, nonblank..<contentEnd)
    if let last = tree.nodes[rest].lines.last {
      let line = tree.lines[last]
      var end = line.end
      while end > line.start, bytes[end - 1].isBlank { end -= 1 }
      if takeAttributes(of: rest, from: line.start, to: &end) { tree.lines[last].end = end }
    }
    advance(to: lineEnd)
    return true
  }

  // MARK: - Code, rules

  @inline(__always)
  private func fenceLength() -> Int? {
    let mark = byte(nonblank)
    guard mark == UInt8(ascii: "`") || mark == UInt8(ascii: "~") else { return nil }
    var index = nonblank
    while byte(index) == mark { index += 1 }
    guard index - nonblank >= 3 else { return nil }
    if mark == UInt8(ascii: "`"), bytes[index..<lineEnd].contains(mark) { return nil }
    return index - nonblank
  }

  private mutating func startFence(_ container: inout Int, _ length: Int) {
    let columns = indent
    container = add(.fencedCode, to: container, start: nonblank)
    tree.nodes[container].number = length
    tree.nodes[container].fence = bytes[nonblank]
    tree.nodes[container].fenceOffset = columns
    var start = nonblank + length
    recordPart(.fence, of: container, nonblank..<start)
    while byte(start).isBlank { start += 1 }
    if start < lineEnd {
      tree.nodes[container].info = start..<contentEnd
      recordPart(.infoString, of: container, start..<contentEnd)
    }
    // The line of the fence isn't part of the code, so `addText` must skip it.
    isFenceLine = true
    advance(to: lineEnd)
  }

  private mutating func isThematicBreak(isParagraph: Bool) -> Bool {
    guard nonblank >= noBreakBefore else { return false }
    let mark = byte(nonblank)
    guard mark == UInt8(ascii: "*") || mark == UInt8(ascii: "-") || mark == UInt8(ascii: "_") else {
      return false
    }
    var count = 0
    var index = nonblank
    while index < lineEnd {
      if bytes[index] == mark {
        count += 1
      } else if !bytes[index].isBlank {
        noBreakBefore = index
        return false
      }
      index += 1
    }
    return count >= 3
  }

  // MARK: - Lists

  /// A list marker: its length in bytes and the properties of its list.
  private struct Marker {
    var length: Int
    var list: ListData
  }

  @inline(__always)
  private func listMarker(interruptsParagraph: Bool) -> Marker? {
    var index = nonblank
    var list = ListData()
    switch byte(index) {
    case UInt8(ascii: "-"), UInt8(ascii: "+"), UInt8(ascii: "*"):
      list.delimiter = bytes[index]
      index += 1
    case let digit where digit.isDigit:
      var number = 0
      while byte(index).isDigit, index - nonblank < 9 {
        number = number * 10 + Int(bytes[index] - 48)
        index += 1
      }
      list.delimiter = byte(index)
      guard list.delimiter == UInt8(ascii: ".") || list.delimiter == UInt8(ascii: ")") else {
        return nil
      }
      if interruptsParagraph, number != 1 { return nil }
      list.start = number
      index += 1
    default: return nil
    }
    guard index == lineEnd || bytes[index].isBlank else { return nil }
    if interruptsParagraph {
      var rest = index
      while byte(rest).isBlank { rest += 1 }
      if rest == lineEnd { return nil }
    }
    return Marker(length: index - nonblank, list: list)
  }

  private mutating func startItem(_ container: inout Int, _ marker: Marker) {
    var list = marker.list
    let start = nonblank
    list.markerOffset = indent
    list.padding = advance(pastMarker: marker.length)
    if tree.nodes[container].kind != .list || !tree.nodes[container].list.matches(list) {
      container = add(.list, to: container, start: start)
      tree.nodes[container].list = list
    }
    container = add(.item, to: container, start: start)
    tree.nodes[container].list = list
    tree.nodes[container].end = start + marker.length
    recordPart(.listMarker, of: container, start..<start + marker.length)
  }

  /// Advances past a marker and the spaces after it. Returns the number of columns from the marker
  /// to the text.
  mutating func advance(pastMarker length: Int) -> Int {
    advance(to: nonblank + length)
    let (savedOffset, savedColumn, savedTab) = (offset, column, isInsideTab)
    while column - savedColumn <= 5, byte(offset).isBlank { advance(columns: 1) }
    let spaces = column - savedColumn
    nonblank = -1
    guard spaces >= 5 || spaces < 1 || offset >= lineEnd else { return length + spaces }
    (offset, column, isInsideTab) = (savedOffset, savedColumn, savedTab)
    if spaces > 0 { advance(columns: 1) }
    return length + 1
  }

  /// Parses the checkbox at the start of an item. Returns the offset of the text after it, or of
  /// the line's text if there is no checkbox.
  mutating func taskMarker(of item: Int) -> Int {
    guard options.taskLists, tree.nodes[item].kind == .item,
      tree.nodes[item].firstChild < 0, byte(nonblank) == UInt8(ascii: "["),
      byte(nonblank + 2) == UInt8(ascii: "]"), byte(nonblank + 3).isBlank
    else { return nonblank }
    var text = nonblank + 3
    while byte(text).isBlank { text += 1 }
    switch byte(nonblank + 1) {
    case Byte.space: tree.nodes[item].task = false
    case UInt8(ascii: "x"), UInt8(ascii: "X"): tree.nodes[item].task = true
    default: return nonblank
    }
    recordPart(.taskMarker, of: item, nonblank..<nonblank + 3)
    return text
  }
}
