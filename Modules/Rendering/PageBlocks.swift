package import MarkdownParse
package import Model

/// The parts of a page's layout that don't depend on its width and colours: the chunks to lay out,
/// the numbers of list items, and the link numbers. It is computed once for each text. O(blocks +
/// spans).
package struct PageBlocks: Sendable {
  /// A part of a page that is laid out separately: a block, or a part of a very long block.
  struct Chunk: Sendable {
    /// The index of the block; for a destination, its index in the numbered links.
    var index: Int32
    /// The index of the innermost enclosing block; 0 if no other block encloses it.
    var container: Int32
    /// The range of the rendered text.
    var start: Int32
    var end: Int32
    var kind: Kind
    /// The rows of a table in the chunk: the index of the first row's block, and their number.
    var firstRow: Int32 = -1
    var rowCount: Int32 = 0
    /// Whether the chunk continues the block of the chunk before it.
    var isContinuation = false

    enum Kind: Sendable {
      case text, code, rule, table, emptyItem, destination, head
      /// A piece of the Markdown source. `index` is its index in `PageBlocks.source`.
      case source
    }

    var range: Range<Int> { Int(start)..<Int(end) }
  }

  /// The document of the page.
  package let document: ParsedDocument
  /// The numbers that are displayed after links, such as `[3]`.
  package let links: NumberedLinks
  let runs: StyleRuns
  var chunks: [Chunk] = []
  /// The indices of the headings that have text.
  package private(set) var headings: [Int] = []
  /// Whether long blocks are divided.
  let isDivided: Bool
  /// The lines above the text.
  let head: [String]
  /// The pieces of the Markdown source, if it is shown instead of the text.
  let source: SourcePieces?
  /// Whether the Markdown source is shown instead of the text.
  package var showsSource: Bool { source != nil }
  /// The index of each item in its list, from 0.
  private(set) var ordinals: [Int: Int] = [:]
  /// The number of items of each list.
  private(set) var itemCounts: [Int: Int] = [:]

  /// Divides a page into chunks.
  ///
  /// - Parameters:
  ///   - longest: the length in UTF-16 units from which a paragraph or code block is divided,
  ///     between words or lines, so that each chunk can be laid out quickly. If it is nil, nothing
  ///     is divided, the page is laid out in order, and links are numbered on the way.
  ///   - title: the text of a first heading of level 1 to omit; nil to keep all headings.
  ///   - head: lines above the text that aren't part of it.
  ///   - showsSource: whether to divide the Markdown source instead of the text. It has no title to
  ///     hide and no lines above it.
  package init(
    _ document: ParsedDocument, longest: Int? = nil, hiding title: String? = nil,
    head: [String] = [], showsSource: Bool = false
  ) {
    source =
      showsSource
      ? SourcePieces(
        document, length: longest ?? LazyLayout.longestChunk, dividesLines: longest != nil) : nil
    // A caller that hides the title doesn't want it above the text either.
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
    if let source {
      chunks = source.pieces.enumerated().map { index, piece in
        Chunk(
          index: Int32(index), container: 0, start: Int32(piece.text.lowerBound),
          end: Int32(piece.text.upperBound), kind: .source, isContinuation: true)
      }
      return
    }
    let hidden = title.flatMap { document.heading(titled: $0) }
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
        // The rows and cells follow in the array, and are drawn by the table.
        while index + 1 < blocks.count, blocks[index + 1].isTablePart { index += 1 }
      default: break
      }
      index += 1
    }
    let end = Int32(document.text.count)
    for number in 0..<links.displayedCount {
      chunks.append(
        Chunk(
          index: Int32(number), container: 0, start: end, end: end, kind: .destination,
          isContinuation: number > 0))
    }
  }

  /// Returns the heading of the section that contains an offset of the text; nil before the first
  /// heading. O(log headings).
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

  /// Returns the first offset after `offset` at which a line can end. If no such offset is nearby,
  /// returns a grapheme boundary.
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

  /// Appends a table as chunks of whole rows.
  private mutating func appendTable(_ table: Int, _ longest: Int?) {
    let blocks = document.blocks
    var row = blocks[table].firstChild
    var isFirst = true
    // A table without rows is also a chunk.
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
  /// Returns the first heading of level 1 that has text, if it equals a title; nil otherwise.
  /// Whitespace is collapsed.
  fileprivate func heading(titled title: String) -> Int? {
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
