import MarkdownParse
import Model

/// Lays a page out in lines of styled spans, which renderers only write down. No line is wider than
/// the page, unless one grapheme is. O(text).
public struct PageLayout {
  private let page: Page
  private var writer: CellWriter
  private var lines: [Line] = []
  /// The containers around the block at hand, outermost first.
  private var stack: [Int] = []
  private var previousStack: [Int]?
  /// The items whose marker has been drawn.
  private var markedItems: Set<Int> = []
  /// Columns at the left for the letters of highlights.
  private let gutter: Int
  /// The place of each item in its list, from 0.
  private let ordinals: [Int: Int]

  /// How deep containers are indented; what lies deeper is drawn at this depth.
  private static let deepest = 8

  /// Lays out a page.
  public static func lines(of page: Page) -> [Line] {
    var layout = PageLayout(page)
    layout.layOut()
    return layout.lines
  }

  private init(_ page: Page) {
    self.page = page
    writer = CellWriter(page)
    gutter = page.options.color != .none && !page.overlays.isEmpty ? 3 : 0
    var ordinals: [Int: Int] = [:]
    for (index, block) in page.document.blocks.enumerated() where block.nextSibling >= 0 {
      if case .listItem = block.kind {
        ordinals[block.nextSibling] = ordinals[index, default: 0] + 1
      }
    }
    self.ordinals = ordinals
  }

  private mutating func layOut() {
    let blocks = page.document.blocks
    var index = 1
    while index < blocks.count {
      let block = blocks[index]
      while let last = stack.last, last != block.parent { stack.removeLast() }
      switch block.kind {
      case .blockQuote, .list, .listItem, .footnoteDefinition:
        stack.append(index)
        if block.firstChild < 0, case .listItem = block.kind, isShown(block) { add([[]]) }
      case .paragraph where !block.text.isEmpty && isShown(block):
        let cells = writer.cells(of: block)
        add(LineBreaker.wrap(cells, width: contentWidth))
      case .heading(let level) where isShown(block): addHeading(block, level)
      case .codeBlock where isShown(block): addCode(block)
      case .thematicBreak where page.options.range == nil:
        var cells: [Cell] = []
        writer.append(String(repeating: "─", count: contentWidth), .faint, to: &cells)
        add([cells])
      case .table(let columns):
        if isShown(block) { addTable(index, columns) }
        // Rows and cells follow in the array; the table has drawn them.
        while index + 1 < blocks.count, blocks[index + 1].isTablePart { index += 1 }
      default: break
      }
      index += 1
    }
    addDestinations()
  }

  private func isShown(_ block: Block) -> Bool {
    guard let range = page.options.range else { return true }
    return block.text.overlaps(range)
  }

  // MARK: - Leaves

  private mutating func addHeading(_ block: Block, _ level: Int) {
    var cells: [Cell] = []
    var look = Look.faint
    look.heading = level
    if level > 2 || page.options.color == .none {
      writer.append(String(repeating: "#", count: level) + " ", look, to: &cells)
    }
    cells += writer.cells(of: block, heading: level)
    add(LineBreaker.wrap(cells, width: contentWidth))
  }

  private mutating func addCode(_ block: Block) {
    var look = Look()
    look.style = .code
    var cells: [Cell] = []
    writer.append(block.text.utf16, look, writer.overlays(in: block.text.utf16), to: &cells)
    var indent: [Cell] = []
    writer.append("    ", Look(), to: &indent)
    add(LineBreaker.hardWrap(cells, width: max(1, contentWidth - 4)).map { indent + $0 })
  }

  private mutating func addTable(_ index: Int, _ columns: [Block.ColumnAlignment]) {
    let blocks = page.document.blocks
    var rows: [[[Cell]]] = []
    var row = blocks[index].firstChild
    while row >= 0 {
      var cells: [[Cell]] = []
      var cell = blocks[row].firstChild
      while cell >= 0 {
        cells.append(writer.cells(of: blocks[cell], heading: rows.isEmpty ? 6 : 0))
        cell = blocks[cell].nextSibling
      }
      rows.append(cells)
      row = blocks[row].nextSibling
    }
    let table = TableLayout(columns: columns, rows: rows, width: contentWidth).lines()
    // Very many columns in very few: cut, so that nothing runs over the edge.
    add(table.flatMap { LineBreaker.hardWrap($0, width: contentWidth) })
  }

  private mutating func addDestinations() {
    guard !writer.destinations.isEmpty else { return }
    stack = []
    var cells: [[Cell]] = []
    for (index, destination) in writer.destinations.enumerated() {
      var line: [Cell] = []
      var look = Look.faint
      if page.options.hyperlinks { look.destination = destination }
      writer.append("[\(index + 1)] \(destination)", look, to: &line)
      cells += LineBreaker.hardWrap(line, width: contentWidth)
    }
    add(cells)
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
    case .blockQuote: return "│ "
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
    return "\(start + (ordinals[item] ?? 0)). \(box)"
  }

  /// Appends the lines of a block, with a blank line before it where one belongs.
  private mutating func add(_ block: [[Cell]]) {
    if previousStack != nil, needsBlankLine { appendLine([], isFirst: false, isBlank: true) }
    for (index, cells) in block.enumerated() {
      appendLine(cells, isFirst: index == 0, isBlank: false)
    }
    for container in stack { markedItems.insert(container) }
    previousStack = stack
  }

  /// Whether a blank line separates this block from the last one: not inside a tight list.
  private var needsBlankLine: Bool {
    guard let common = commonContainer else { return true }
    let blocks = page.document.blocks
    switch blocks[common].kind {
    case .list(let style): return !style.isTight
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
      let marks = isFirst && !markedItems.contains(container)
      writer.append(prefix(container, isFirst: marks), .faint, to: &all)
    }
    all += cells
    while let last = all.last, last.text == " ", last.range == nil, last.look.highlight == nil {
      all.removeLast()
    }
    // An empty line stays empty, without the gutter's blanks.
    let gutter = all.isEmpty ? [] : gutterSpans(for: cells)
    lines.append(Line(spans: gutter + Self.spans(of: all)))
  }

  /// The letters of the highlights on a line, for those who see no colours.
  private func gutterSpans(for cells: [Cell]) -> [Line.Span] {
    guard gutter > 0 else { return [] }
    let places = cells.compactMap(\.range)
    var letters = ""
    if let first = places.map(\.lowerBound).min(), let last = places.map(\.upperBound).max() {
      for overlay in writer.overlays(in: first..<last).map(\.overlay) {
        let sign = String(overlay.color.letter) + (overlay.state == .doubtful ? "?" : "")
        if !letters.contains(overlay.color.letter) { letters += sign }
      }
    }
    if letters.count > gutter - 1 { letters = letters.prefix(gutter - 2) + "+" }
    let padded = letters + String(repeating: " ", count: gutter - letters.count)
    return [Line.Span(text: padded, look: .faint, range: nil)]
  }

  /// Joins neighbouring cells that look alike.
  private static func spans(of cells: [Cell]) -> [Line.Span] {
    var spans: [Line.Span] = []
    for cell in cells {
      let range = cell.range.map { TextRange(utf16: $0) }
      if let last = spans.last, last.look == cell.look, (last.range == nil) == (range == nil) {
        spans[spans.count - 1].text.append(cell.text)
        if let start = last.range?.lowerBound, let range {
          spans[spans.count - 1].range = TextRange(start, max(start, range.upperBound))
        }
      } else {
        spans.append(Line.Span(text: String(cell.text), look: cell.look, range: range))
      }
    }
    return spans
  }
}

extension Block {
  fileprivate var isTablePart: Bool {
    switch kind {
    case .tableRow, .tableCell: true
    default: false
    }
  }

  fileprivate var isList: Bool { if case .list = kind { true } else { false } }
}
