import MarkdownParse
import Model

/// Lays a page out in lines of styled spans, which renderers only write down. No line is wider than
/// the page, unless one grapheme is. O(text).
public struct PageLayout {
  private let page: Page
  private let plan: PageBlocks
  private var writer: CellWriter
  private var rows: [Row] = []
  /// The containers around the chunk at hand, outermost first.
  private var stack: [Int] = []
  private var previousStack: [Int]?
  /// Whether the chunk before names the callout that the one at hand stands in.
  private var followsLabel = false
  /// The containers whose marker has been drawn, of those at hand.
  private var marked: Set<Int> = []
  /// Columns at the left for the letters of highlights.
  private let gutter: Int
  /// The widths that the columns of a table want, for those that were measured.
  private var tableWidths: [Int: [Int]] = [:]

  /// The units of a table in chunks that are measured.
  private static let measuredUnits = 1 << 15

  /// How deep containers are indented; what lies deeper is drawn at this depth.
  private static let deepest = 8

  /// Lays out a page.
  public static func lines(of page: Page) -> [Line] {
    var layout = PageLayout(
      page,
      PageBlocks(page.document, hiding: page.options.hiddenTitle, head: page.options.head),
      links: NumberedLinks(),
      hasGutter: page.options.color != .none && !page.overlays.isEmpty)
    var previous: PageBlocks.Chunk?
    for chunk in layout.plan.chunks where layout.isShown(chunk) {
      layout.add(chunk, after: previous)
      previous = chunk
    }
    layout.addDestinations()
    return layout.rows.map(\.line)
  }

  /// - Parameter links: the numbers of links that are known already.
  init(_ page: Page, _ plan: PageBlocks, links: NumberedLinks, hasGutter: Bool) {
    self.page = page
    self.plan = plan
    writer = CellWriter(page, plan.runs, links: links)
    gutter = hasGutter ? 3 : 0
  }

  /// The rows of one chunk, with the blank one before it where one belongs.
  mutating func rows(of index: Int) -> [Row] {
    rows = []
    add(plan.chunks[index], after: index > 0 ? plan.chunks[index - 1] : nil)
    return rows
  }

  private mutating func add(_ chunk: PageBlocks.Chunk, after previous: PageBlocks.Chunk?) {
    stack = containers(around: chunk)
    previousStack = previous.map(containers)
    // Containers are contiguous: whichever the chunk before lies in has its marker.
    marked = Set(previousStack ?? [])
    followsLabel = previous.map(isLabel) ?? false
    let block = page.document.blocks[chunk.kind == .destination ? 0 : Int(chunk.index)]
    switch chunk.kind {
    case .text: addText(block, chunk)
    case .code: addCode(chunk)
    case .table: addTable(chunk)
    case .emptyItem: add([[]])
    case .destination:
      add(destination(Int(chunk.index)), isApart: !chunk.isContinuation)
    case .head:
      for (index, line) in plan.head.enumerated() where !line.isEmpty {
        var cells: [Cell] = []
        var spanStyle = SpanStyle.faint
        if index == 0 {
          spanStyle = SpanStyle()
          spanStyle.heading = 1
        }
        writer.append(line, spanStyle, to: &cells)
        add(LineBreaker.wrap(cells, width: contentWidth), isApart: false)
      }
    case .rule:
      var cells: [Cell] = []
      writer.append(String(repeating: "─", count: contentWidth), .faint, to: &cells)
      add([cells])
    }
  }

  private func containers(around chunk: PageBlocks.Chunk) -> [Int] {
    var containers: [Int] = []
    var container = Int(chunk.container)
    while container > 0 {
      containers.append(container)
      container = page.document.blocks[container].parent
    }
    return containers.reversed()
  }

  private func isLabel(_ chunk: PageBlocks.Chunk) -> Bool {
    guard chunk.kind == .text, case .calloutLabel = page.document.blocks[Int(chunk.index)].kind
    else { return false }
    return stack.contains(page.document.blocks[Int(chunk.index)].parent)
  }

  private func isShown(_ chunk: PageBlocks.Chunk) -> Bool {
    guard let range = page.options.range else { return true }
    return chunk.kind != .rule && chunk.kind != .head
      && page.document.blocks[Int(chunk.index)].text.overlaps(range)
  }

  // MARK: - Leaves

  private mutating func addText(_ block: Block, _ chunk: PageBlocks.Chunk) {
    var cells: [Cell] = []
    var level = 0
    switch block.kind {
    case .calloutLabel, .descriptionTerm: level = 6
    case .heading(let depth):
      level = depth
      var spanStyle = SpanStyle.faint
      spanStyle.heading = level
      if level > 2 || page.options.color == .none {
        writer.append(String(repeating: "#", count: level) + " ", spanStyle, to: &cells)
      }
    default: break
    }
    cells += writer.cells(of: Int(chunk.index), in: chunk.range, heading: level)
    add(LineBreaker.wrap(cells, width: contentWidth), isApart: !chunk.isContinuation)
  }

  private mutating func addCode(_ chunk: PageBlocks.Chunk) {
    var spanStyle = SpanStyle()
    spanStyle.style = .code
    var cells: [Cell] = []
    var range = chunk.range
    // A part of a block ends with its last line's end, which begins no further one.
    let isPart = range.upperBound < page.document.blocks[Int(chunk.index)].text.utf16.upperBound
    let endsLine = page.document.text.utf16[..<range.upperBound].last == 10
    if isPart, endsLine, !range.isEmpty { range = range.lowerBound..<range.upperBound - 1 }
    writer.append(range, spanStyle, writer.overlays(in: range), to: &cells)
    var indent: [Cell] = []
    writer.append("    ", SpanStyle(), to: &indent)
    add(
      LineBreaker.hardWrap(cells, width: max(1, contentWidth - 4)).map { indent + $0 },
      isApart: !chunk.isContinuation)
  }

  private mutating func addTable(_ chunk: PageBlocks.Chunk) {
    let index = Int(chunk.index)
    guard case .table(let columns) = page.document.blocks[index].kind else { return }
    let rows = rows(from: Int(chunk.firstRow), count: Int(chunk.rowCount))
    let widths = tableWidths[index] ?? naturalWidths(ofTable: index, columns.count, rows)
    tableWidths[index] = widths
    let table = TableLayout(columns: columns, widths: widths, width: contentWidth)
    // Very many columns in very few: cut, so that nothing runs over the edge.
    add(
      table.lines(rows, hasHead: !chunk.isContinuation).flatMap {
        LineBreaker.hardWrap($0, width: contentWidth)
      }, isApart: !chunk.isContinuation)
  }

  /// The cells of some rows of a table. The first row of a table is its head.
  private mutating func rows(from first: Int, count: Int) -> [[[Cell]]] {
    let blocks = page.document.blocks
    var rows: [[[Cell]]] = []
    var row = first
    while row >= 0, rows.count < count {
      let isHead = blocks[blocks[row].parent].firstChild == row
      var cells: [[Cell]] = []
      var cell = blocks[row].firstChild
      while cell >= 0 {
        cells.append(writer.cells(of: cell, heading: isHead ? 6 : 0))
        cell = blocks[cell].nextSibling
      }
      rows.append(cells)
      row = blocks[row].nextSibling
    }
    return rows
  }

  /// The widths that the columns of a table want. A table in chunks is as wide as its beginning: what
  /// is wider further down is wrapped, and nobody waits until all of it was measured.
  private mutating func naturalWidths(ofTable table: Int, _ columns: Int, _ rows: [[[Cell]]])
    -> [Int]
  {
    let blocks = page.document.blocks
    let first = blocks[table].firstChild
    guard first >= 0, plan.isDivided else {
      return TableLayout.naturalWidths(rows, columns: columns)
    }
    let start = blocks[first].text.utf16.lowerBound
    var (count, row) = (0, first)
    while row >= 0, count == 0 || blocks[row].text.utf16.upperBound - start < Self.measuredUnits {
      count += 1
      row = blocks[row].nextSibling
    }
    return TableLayout.naturalWidths(self.rows(from: first, count: count), columns: columns)
  }

  private mutating func addDestinations() {
    let count = writer.links.destinations.count
    guard count > 0 else { return }
    (previousStack, stack) = (stack, [])
    add((0..<count).flatMap(destination))
  }

  private func destination(_ index: Int) -> [[Cell]] {
    let destination = writer.links.destinations[index]
    var line: [Cell] = []
    var spanStyle = SpanStyle.faint
    if page.options.hyperlinks { spanStyle.destination = destination }
    writer.append("[\(index + 1)] \(destination)", spanStyle, to: &line)
    return LineBreaker.hardWrap(line, width: contentWidth)
  }

  // MARK: - Lines

  private var shownStack: [Int] {
    Array(stack.lazy.filter { !page.document.blocks[$0].isList }.prefix(Self.deepest))
  }

  private var contentWidth: Int {
    let prefix = shownStack.reduce(0) { $0 + prefixWidth($1) }
    return max(4, page.options.width - gutter - prefix)
  }

  private func prefixWidth(_ container: Int) -> Int {
    displayWidth(of: prefix(container, isFirst: true))
  }

  /// What stands before the lines of a container.
  private func prefix(_ container: Int, isFirst: Bool) -> String {
    let block = page.document.blocks[container]
    let marker: String
    switch block.kind {
    case .blockQuote, .admonition: return "│ "
    case .description: return "    "
    case .listItem(let task): marker = itemMarker(container, task)
    case .footnoteDefinition(let label):
      marker = "[^\(page.document.source.text(in: label))] "
    default: return ""
    }
    return isFirst ? marker : String(repeating: " ", count: displayWidth(of: marker))
  }

  private func itemMarker(_ item: Int, _ task: Bool?) -> String {
    let blocks = page.document.blocks
    let box = task.map { $0 ? "[x] " : "[ ] " } ?? ""
    guard case .list(let style) = blocks[blocks[item].parent].kind, let start = style.start else {
      return "• " + box
    }
    return "\(start + (plan.ordinals[item] ?? 0)). \(box)"
  }

  /// Appends the lines of a block, with a blank line before it where one belongs.
  private mutating func add(_ block: [[Cell]], isApart: Bool = true) {
    if previousStack != nil, isApart, !followsLabel, needsBlankLine {
      appendLine([], isFirst: false, isBlank: true)
    }
    for (index, cells) in block.enumerated() {
      appendLine(cells, isFirst: index == 0, isBlank: false)
    }
  }

  /// Whether a blank line separates this block from the last one: not inside a tight list.
  private var needsBlankLine: Bool {
    guard let common = commonContainer else { return true }
    let blocks = page.document.blocks
    switch blocks[common].kind {
    case .list(let style): return !style.isTight
    case .descriptionList: return false
    case .listItem:
      if case .list(let style) = blocks[blocks[common].parent].kind { return !style.isTight }
      return true
    default: return true
    }
  }

  private var commonContainer: Int? {
    zip(stack, previousStack ?? []).prefix { $0 == $1 }.last?.0
  }

  private mutating func appendLine(_ cells: [Cell], isFirst: Bool, isBlank: Bool) {
    var all: [Cell] = []
    let containers = shownStack
    let common = isBlank ? zip(stack, previousStack ?? []).prefix { $0 == $1 }.count : stack.count
    let shared = Set(stack.prefix(common))
    for container in containers where shared.contains(container) {
      let marks = isFirst && !marked.contains(container)
      writer.append(prefix(container, isFirst: marks), .faint, to: &all)
    }
    all += cells
    while let last = all.last, last.text == " ", last.range == nil, last.spanStyle.highlight == nil
    {
      all.removeLast()
    }
    // An empty line stays empty, without the gutter's blanks.
    rows.append(Row(gutter: all.isEmpty ? [] : gutterCells(for: cells), content: all))
  }

  /// The letters of the highlights on a line, for those who see no colours, and an asterisk where
  /// one has a note.
  private func gutterCells(for cells: [Cell]) -> [Cell] {
    guard gutter > 0 else { return [] }
    let places = cells.compactMap(\.range)
    var letters = ""
    var hasNote = false
    if let first = places.map(\.lowerBound).min(), let last = places.map(\.upperBound).max() {
      for overlay in writer.overlays(in: first..<last).map(\.overlay) {
        let sign = String(overlay.color.letter) + (overlay.state == .doubtful ? "?" : "")
        if !letters.contains(overlay.color.letter) { letters += sign }
        hasNote = hasNote || overlay.hasNote
      }
    }
    if letters.count > gutter - 1 { letters = letters.prefix(gutter - 2) + "+" }
    if hasNote { letters += "*" }
    var padded: [Cell] = []
    let blanks = String(repeating: " ", count: gutter - letters.count)
    writer.append(letters + blanks, .faint, to: &padded)
    return padded
  }
}

extension Block {
  fileprivate var isList: Bool { if case .list = kind { true } else { false } }
}
