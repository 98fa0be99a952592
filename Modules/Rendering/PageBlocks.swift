package import MarkdownParse
package import Model

/// What of a page does not depend on its width or colours: the chunks that are laid out one by one,
/// the numbers of list items, and those of links. O(blocks + spans), once for a text.
package struct PageBlocks: Sendable {
  /// A chunk of a page: a block, or a part of a very long one.
  struct Chunk: Sendable {
    /// The block; for a destination its place among the numbered links.
    var index: Int32
    /// The innermost block around it; 0 for none.
    var container: Int32
    /// What it shows of the text.
    var start: Int32
    var end: Int32
    var kind: Kind
    /// The rows of a table that it shows: the block of the first, and how many there are.
    var firstRow: Int32 = -1
    var rowCount: Int32 = 0
    /// Whether it goes on with the block of the chunk before.
    var isContinuation = false

    enum Kind: Sendable { case text, code, rule, table, emptyItem, destination, head }

    var range: Range<Int> { Int(start)..<Int(end) }
  }

  /// The document.
  package let document: ParsedDocument
  /// Its links.
  package let links: NumberedLinks
  let runs: StyleRuns
  var chunks: [Chunk] = []
  /// The headings that have words, as indices of blocks.
  package private(set) var headings: [Int] = []
  /// Whether long blocks are divided.
  let isDivided: Bool
  /// What stands above the text.
  let head: [String]
  /// The place of each item in its list, from 0.
  private(set) var ordinals: [Int: Int] = [:]
  /// How many items a list has.
  private(set) var itemCounts: [Int: Int] = [:]

  /// Plans a page.
  ///
  /// - Parameters:
  ///   - longest: the UTF-16 units beyond which a paragraph or code block is divided, between words
  ///     or lines, so that no chunk takes long. Nil for never: then all is laid out in order, and
  ///     links get their numbers on the way.
  ///   - title: a first heading of level 1 that says this is left out; nil for all headings.
  ///   - head: lines above the text that are no part of it.
  package init(
    _ document: ParsedDocument, longest: Int? = nil, hiding title: String? = nil,
    head: [String] = []
  ) {
    // Who hides the title does not want it here either.
    let shown = title == nil || head.isEmpty ? head : [""] + head.dropFirst()
    self.head = shown.allSatisfy(\.isEmpty) ? [] : shown
    self.document = document
    isDivided = longest != nil
    runs = StyleRuns(document)
    links =
      longest == nil ? NumberedLinks(for: document) : NumberedLinks(of: document, runs)
    let blocks = document.blocks
    for (index, block) in blocks.enumerated() {
      if case .heading = block.kind, !block.text.isEmpty { headings.append(index) }
      guard case .listItem = block.kind else { continue }
      if block.nextSibling >= 0 {
        ordinals[block.nextSibling] = ordinals[index, default: 0] + 1
      } else {
        itemCounts[block.parent] = ordinals[index, default: 0] + 1
      }
    }
    let hidden = title.flatMap { document.heading(saying: $0) }
    if !self.head.isEmpty {
      chunks.append(Chunk(index: 0, container: 0, start: 0, end: 0, kind: .head))
    }
    var index = 1
    while index < blocks.count {
      let block = blocks[index]
      switch block.kind {
      case .paragraph where !block.text.isEmpty: append(.text, index, longest)
      case .calloutLabel, .descriptionTerm: append(.text, index, longest)
      case .heading where index == hidden: break
      case .heading: append(.text, index, nil)
      case .codeBlock: append(.code, index, longest)
      case .thematicBreak: append(.rule, index, nil)
      case .listItem where block.firstChild < 0: append(.emptyItem, index, nil)
      case .table:
        appendTable(index, longest)
        // Rows and cells follow in the array; the table draws them.
        while index + 1 < blocks.count, blocks[index + 1].isTablePart { index += 1 }
      default: break
      }
      index += 1
    }
    let end = Int32(document.text.count)
    for number in links.entries.indices {
      chunks.append(
        Chunk(
          index: Int32(number), container: 0, start: end, end: end, kind: .destination,
          isContinuation: number > 0))
    }
  }

  /// The heading of the section that an offset of the text stands in; nil before the first one.
  /// O(log headings).
  package func heading(of offset: TextOffset) -> Block? {
    var (low, high) = (0, headings.count)
    while low < high {
      let middle = (low + high) / 2
      let isAfter = document.blocks[headings[middle]].text.lowerBound > offset
      if isAfter { high = middle } else { low = middle + 1 }
    }
    return low > 0 ? document.blocks[headings[low - 1]] : nil
  }

  private mutating func append(_ kind: Chunk.Kind, _ index: Int, _ longest: Int?) {
    let block = document.blocks[index]
    let container = kind == .emptyItem ? index : max(0, block.parent)
    let text = block.text.utf16
    var start = text.lowerBound
    repeat {
      let end = longest.map { border(after: start + $0, before: text.upperBound, kind) }
      let chunk = Chunk(
        index: Int32(index), container: Int32(container), start: Int32(start),
        end: Int32(end ?? text.upperBound), kind: kind,
        isContinuation: start > text.lowerBound)
      chunks.append(chunk)
      start = Int(chunk.end)
    } while start < text.upperBound
  }

  /// The first place after an offset at which a line can end; what has no such place for long is
  /// divided between two letters.
  private func border(after offset: Int, before end: Int, _ kind: Chunk.Kind) -> Int {
    let units = document.text.utf16
    let furthest = min(end, offset + LazyLayout.longestChunk)
    var place = offset
    while place < furthest {
      let unit = units[place]
      if unit == 10 || unit == 32 && kind == .text { return place + 1 }
      place += 1
    }
    return furthest < end ? min(end, Graphemes.border(at: furthest, orAfter: units)) : end
  }

  /// A table in chunks of whole rows.
  private mutating func appendTable(_ table: Int, _ longest: Int?) {
    let blocks = document.blocks
    var row = blocks[table].firstChild
    var isFirst = true
    // A table without rows is a chunk too.
    repeat {
      let first = row
      let start =
        first >= 0 ? blocks[first].text.utf16.lowerBound : blocks[table].text.utf16.lowerBound
      var (end, count) = (start, 0)
      while row >= 0, count == 0 || end - start < longest ?? .max {
        end = max(end, blocks[row].text.utf16.upperBound)
        count += 1
        row = blocks[row].nextSibling
      }
      var chunk = Chunk(
        index: Int32(table), container: Int32(max(0, blocks[table].parent)), start: Int32(start),
        end: Int32(end), kind: .table)
      (chunk.firstRow, chunk.rowCount, chunk.isContinuation) = (
        Int32(first), Int32(count), !isFirst
      )
      chunks.append(chunk)
      isFirst = false
    } while row >= 0
  }
}

extension ParsedDocument {
  /// The first heading of level 1 with some words, when it says these; blanks count as one.
  fileprivate func heading(saying title: String) -> Int? {
    func words(_ text: String) -> [Substring] { text.split(whereSeparator: \.isWhitespace) }
    let first = blocks.firstIndex {
      if case .heading(level: 1) = $0.kind {
        !words(text.substring($0.text)).isEmpty
      } else {
        false
      }
    }
    return first.flatMap { words(text.substring(blocks[$0].text)) == words(title) ? $0 : nil }
  }
}

extension Block {
  fileprivate var isTablePart: Bool {
    switch kind {
    case .tableRow, .tableCell: true
    default: false
    }
  }
}
