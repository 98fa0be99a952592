import MarkdownParse
import Model

/// A group of adjacent blocks that enter or leave a block quote together.
struct QuoteGroup {
  /// The block that contains the group. If the group leaves a quote, it is that quote.
  let parent: Int
  /// The indices of the blocks in order, including blocks without text between them.
  var blocks: [Int]

  // MARK: - Finding groups

  /// Returns the groups to quote so that the touched leaves are quoted. O(blocks) at any depth.
  static func entering(_ document: ParsedDocument, _ touched: Set<Int>) -> [QuoteGroup] {
    let open = openLeaves(document, touched)
    var groups: [QuoteGroup] = []
    // Whether each block is in a quote already, or is quoted together with a block around it.
    var isDone = [Bool](repeating: false, count: document.blocks.count)
    // For each parent, the group that the next sibling may join, and the blocks without text since
    // that group.
    var current: [Int: (group: Int, between: [Int])] = [:]
    for (index, block) in document.blocks.enumerated().dropFirst() {
      isDone[index] = isDone[block.parent]
      if isDone[index] { continue }
      let isUnit: Bool
      switch block.kind {
      case .htmlBlock, .thematicBreak, .definition, .hidden:
        current[block.parent]?.between.append(index)
        continue
      case .blockQuote:
        isDone[index] = true
        isUnit = false
      case .table, .descriptionList: isUnit = open[index].touched > 0
      case .list, .admonition: isUnit = open[index].touched > 0 && open[index].others == 0
      case .paragraph, .heading, .codeBlock: isUnit = touched.contains(index)
      default: isUnit = false
      }
      guard isUnit else {
        current[block.parent] = nil
        continue
      }
      isDone[index] = true
      if let last = current[block.parent] {
        groups[last.group].blocks += last.between + [index]
        current[block.parent] = (last.group, [])
      } else {
        current[block.parent] = (groups.count, [])
        groups.append(QuoteGroup(parent: block.parent, blocks: [index]))
      }
    }
    return groups
  }

  /// Returns for each block the number of touched leaves outside quotes, and the number of all
  /// other leaves with text. Children have higher indices than their parents, so one backward pass
  /// is enough.
  private static func openLeaves(_ document: ParsedDocument, _ touched: Set<Int>)
    -> [(touched: Int, others: Int)]
  {
    var counts = [(touched: Int, others: Int)](repeating: (0, 0), count: document.blocks.count)
    for (index, block) in document.blocks.enumerated().dropFirst().reversed() {
      switch block.kind {
      case _ where block.isLeaf:
        if touched.contains(index) {
          counts[index].touched += 1
        } else if !block.text.isEmpty {
          counts[index].others += 1
        }
      case .blockQuote:
        counts[index] = (0, counts[index].touched + counts[index].others)
      default: break
      }
      counts[block.parent].touched += counts[index].touched
      counts[block.parent].others += counts[index].others
    }
    return counts
  }

  /// Returns the groups to move out of their innermost quotes so that the touched leaves are
  /// unquoted.
  static func leaving(_ document: ParsedDocument, _ touched: [Int]) -> [QuoteGroup] {
    var groups: [QuoteGroup] = []
    for leaf in touched {
      guard let quote = document.innermostQuote(around: leaf) else { continue }
      var unit = leaf
      while document.blocks[unit].parent != quote { unit = document.blocks[unit].parent }
      guard let last = groups.last, last.parent == quote, let end = last.blocks.last else {
        groups.append(QuoteGroup(parent: quote, blocks: [unit]))
        continue
      }
      guard unit != end else { continue }
      var between: [Int] = []
      var sibling = document.blocks[end].nextSibling
      while sibling != unit {
        between.append(sibling)
        sibling = document.blocks[sibling].nextSibling
      }
      if between.allSatisfy({ document.blocks[$0].text.isEmpty }) {
        groups[groups.count - 1].blocks += between + [unit]
      } else {
        groups.append(QuoteGroup(parent: quote, blocks: [unit]))
      }
    }
    return groups
  }

  // MARK: - Edits

  /// Returns the bytes of the group's blocks, including blank lines at the end of an unclosed code
  /// fence.
  private func source(_ document: ParsedDocument) -> Range<Int> {
    let start = document.blocks[blocks[0]].source.bytes.lowerBound
    return blocks.reduce(start..<start) { range, index in
      let block = document.blocks[index]
      let text = document.map.sourceOffset(of: block.text.upperBound, bias: .leading)
      // If the text ends with a line feed, the line after it is empty and belongs to the block: add
      // a byte.
      let end = block.text.isEmpty ? start : text + 1
      return start..<max(range.upperBound, block.source.bytes.upperBound, end)
    }
  }

  /// Returns the edits that add or remove a marker on each line. When leaving a quote, the markers
  /// of adjacent blank lines are removed as well.
  func edits(in document: ParsedDocument, isOn: Bool) -> [SourceEdit] {
    let outer = isOn ? parent : document.blocks[parent].parent
    let markers = ContainerMarkers(document, around: outer)
    var lines = document.sourceLines(touching: source(document))
    if !isOn { lines = withBlankLines(lines, document, markers) }
    return lines.compactMap { line in
      let place = markers.end(in: line)
      func isBlank(_ range: Range<Int>) -> Bool {
        document.source.bytes[range].allSatisfy(\.isBlankByte)
      }
      if isOn {
        let isBlank = isBlank(place.byte..<line.upperBound)
        // A lazy continuation line continues the paragraph in the quote too.
        guard place.isComplete || isBlank else { return nil }
        let at = place.isComplete ? place.byte : line.upperBound
        let mark = place.missing + Array((isBlank ? ">" : "> ").utf8)
        return SourceEdit(at..<at, bytes: mark)
      }
      guard place.isComplete, let mark = document.quoteMarker(from: place.byte, in: line) else {
        return nil
      }
      // A blank line in a list item needs no indentation.
      let isEmpty =
        isBlank(line.lowerBound..<mark.lowerBound) && isBlank(mark.upperBound..<line.upperBound)
      return SourceEdit(isEmpty ? line : mark, bytes: [])
    }
  }

  /// Returns the lines extended by the quoted blank lines before and after them. Outside the quote,
  /// these blank lines separate the text from the rest of the quote.
  private func withBlankLines(
    _ lines: [Range<Int>], _ document: ParsedDocument, _ markers: ContainerMarkers
  ) -> [Range<Int>] {
    let quote = document.sourceLines(touching: document.blocks[parent].source.bytes)
    func isBlank(_ line: Range<Int>) -> Bool {
      let place = markers.end(in: line)
      guard place.isComplete, let mark = document.quoteMarker(from: place.byte, in: line) else {
        return false
      }
      return document.source.bytes[mark.upperBound..<line.upperBound].allSatisfy(\.isBlankByte)
    }
    guard var first = quote.firstIndex(where: { $0.lowerBound == lines.first?.lowerBound }),
      var last = quote.firstIndex(where: { $0.lowerBound == lines.last?.lowerBound })
    else { return lines }
    while first > 0, isBlank(quote[first - 1]) { first -= 1 }
    while last + 1 < quote.count, isBlank(quote[last + 1]) { last += 1 }
    return Array(quote[first...last])
  }

  /// Returns the combinations of blank lines to try: none, one after the group, one before it,
  /// both.
  func blanks(in document: ParsedDocument) -> [[SourceEdit]] {
    let isLeaving = document.blocks[parent].kind == .blockQuote
    let outer = isLeaving ? document.blocks[parent].parent : parent
    let lines = document.sourceLines(touching: source(document))
    guard let first = lines.first, let last = lines.last else { return [[]] }
    let place = ContainerMarkers(document, around: outer).end(in: first).byte
    let prefix = document.linePrefix(before: place)
    let ending = document.lineEnding
    let before = SourceEdit(
      first.lowerBound..<first.lowerBound, bytes: prefix.withoutTrailingBlanks + ending)
    let after = SourceEdit(
      last.upperBound..<last.upperBound, bytes: ending + prefix.withoutTrailingBlanks)
    return [[], [after], [before], [before, after]]
  }
}

/// Finds the end of the markers of some nested containers on a line.
struct ContainerMarkers {
  /// The end of the container markers on a line.
  struct End {
    var byte: Int
    /// Whether the line has the markers of all containers.
    var isComplete: Bool
    /// The indentation that the line of a list item lacks, as spaces.
    var missing: [UInt8]
  }

  private let document: ParsedDocument
  /// The containers, outermost first. For a list item, `indent` is the indentation of its text in
  /// columns.
  private var containers: [(block: Int, indent: Int)] = []

  init(_ document: ParsedDocument, around block: Int) {
    self.document = document
    var chain: [Int] = []
    var index = block
    while index > 0 {
      chain.append(index)
      index = document.blocks[index].parent
    }
    for block in chain.reversed() {
      switch document.blocks[block].kind {
      case .blockQuote: containers.append((block, 0))
      case .footnoteDefinition, .admonition(_, isIndented: true): containers.append((block, 4))
      case .listItem, .description: containers.append((block, indent(ofItem: block)))
      default: continue
      }
    }
  }

  /// Returns the columns from the end of the outer container's marker to the item's text, including
  /// spaces before the item's marker.
  private func indent(ofItem block: Int) -> Int {
    let bytes = document.source.bytes
    let start = document.blocks[block].source.bytes.lowerBound
    let outer = end(in: document.lineStart(before: start)..<start).byte
    let child = document.blocks[block].firstChild
    var text = child >= 0 ? document.blocks[child].source.bytes.lowerBound : start
    if child < 0 || bytes[start..<text].contains(where: \.isLineEnd) {
      text = start
      while text < bytes.count, !bytes[text].isBlankByte, !bytes[text].isLineEnd { text += 1 }
      return text - outer + 1
    }
    return text - outer
  }

  /// Returns the end of the markers of all containers on a line.
  func end(in line: Range<Int>) -> End {
    let bytes = document.source.bytes
    var byte = line.lowerBound
    for (position, container) in containers.enumerated() {
      let start = document.blocks[container.block].source.bytes.lowerBound
      if document.blocks[container.block].kind == .blockQuote {
        guard let mark = document.quoteMarker(from: byte, in: line) else {
          return lacking(position, byte)
        }
        byte = mark.upperBound
      } else if line.contains(start) {
        // The item itself begins on this line.
        let child = document.blocks[container.block].firstChild
        let text = child >= 0 ? document.blocks[child].source.bytes.lowerBound : line.upperBound
        byte = min(text, line.upperBound)
      } else {
        var columns = 0
        while columns < container.indent, byte < line.upperBound, bytes[byte].isBlankByte {
          columns += bytes[byte] == UInt8(ascii: "\t") ? 4 - columns % 4 : 1
          byte += 1
        }
        guard columns >= container.indent else { return lacking(position, byte - columns) }
      }
    }
    return End(byte: byte, isComplete: true, missing: [])
  }

  /// Returns the end for a line that lacks the markers from one container on.
  private func lacking(_ position: Int, _ byte: Int) -> End {
    let columns = containers[position...].reduce(0) { $0 + $1.indent }
    return End(
      byte: byte, isComplete: false, missing: [UInt8](repeating: UInt8(ascii: " "), count: columns))
  }
}

extension ParsedDocument {
  /// Returns the block quote's marker at a byte of a line, including the space that belongs to it;
  /// nil if no marker is there.
  func quoteMarker(from byte: Int, in line: Range<Int>) -> Range<Int>? {
    var start = byte
    while start < line.upperBound, start - byte < 3, source.bytes[start] == UInt8(ascii: " ") {
      start += 1
    }
    guard start < line.upperBound, source.bytes[start] == UInt8(ascii: ">") else { return nil }
    let hasBlank = start + 1 < line.upperBound && source.bytes[start + 1] == UInt8(ascii: " ")
    return start..<start + (hasBlank ? 2 : 1)
  }

  /// Returns the lines that contain a range of the source, each without its line ending.
  func sourceLines(touching range: Range<Int>) -> [Range<Int>] {
    let bytes = source.bytes
    var start = lineStart(before: range.lowerBound)
    var lines: [Range<Int>] = []
    repeat {
      var end = start
      while end < bytes.count, !bytes[end].isLineEnd { end += 1 }
      lines.append(start..<end)
      start = end + 1
      if end + 1 < bytes.count, bytes[end] == 13, bytes[end + 1] == 10 { start += 1 }
    } while start < range.upperBound
    return lines
  }
}

extension UInt8 {
  /// Whether the byte is a space or a tab.
  fileprivate var isBlankByte: Bool { self == 32 || self == 9 }
}
