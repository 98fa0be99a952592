import MarkdownParse
import Model

/// Lays out a page as lines of styled spans, which renderers only need to write. No line is wider
/// than the page, unless a single grapheme is. O(text).
///
/// ```swift
/// let lines = PageLayout.lines(of: page)
/// print(lines.map { $0.spans.map(\.text).joined() }.joined(separator: "\n"))
/// ```
public struct PageLayout {
  let page: Page
  let plan: PageBlocks
  var writer: CellWriter
  private var rows: [Row] = []
  /// The last row, which is complete when it is known whether the next row continues it.
  private var lastRow: Row?
  /// Receives each line as soon as its row is complete; nil if the caller needs the rows. A row
  /// needs much more memory than its line.
  private var take: ((Line) -> Void)?
  /// The containers around the current chunk, outermost first.
  private var stack: [Int] = []
  private var previousStack: [Int]?
  /// Whether the previous chunk is the label of the callout that contains the current one.
  private var followsLabel = false
  /// The current containers whose markers have been drawn.
  private var marked: Set<Int> = []
  /// The columns on the left for the letters of highlights.
  private let gutter: Int
  /// The margins of the page, in columns and rows.
  private let margins: PageMargins
  /// The measured widths of the tables' columns, by the indices of the tables.
  var tableWidths: [Int: TableLayout.Widths] = [:]
  /// The parts of the code block that was drawn last.
  var code: ColoredCode?

  /// The maximum depth to which containers are indented. Deeper containers are drawn at this depth.
  private static let deepest = 8

  /// Returns the lines of a page.
  public static func lines(of page: Page) -> [Line] {
    var lines: [Line] = []
    forEachLine(of: page) { lines.append($0) }
    return lines
  }

  /// Calls a closure with each line of a page, in order. The lines of a long text need several
  /// times its memory, so a renderer should keep none.
  public static func forEachLine(of page: Page, _ body: (Line) -> Void) {
    withoutActuallyEscaping(body) { layOut(page, $0) }
  }

  private static func layOut(_ page: Page, _ take: @escaping (Line) -> Void) {
    // In a part of a page, links have the numbers that they have in the whole page.
    let links =
      page.options.range == nil
      ? NumberedLinks(for: page.document) : NumberedLinks(of: page.document)
    var layout = PageLayout(
      page,
      PageBlocks(
        page.document, hiding: page.options.hiddenTitle, head: page.options.head,
        showsSource: page.options.source != nil),
      links: links,
      hasGutter: page.options.color != .none && !page.overlays.isEmpty)
    layout.take = take
    var previous: PageBlocks.Chunk?
    for chunk in layout.plan.chunks where layout.isShown(chunk) {
      layout.add(chunk, after: previous)
      previous = chunk
    }
    layout.addDestinations()
    layout.addMargin(layout.margins.bottom)
    layout.finishRow()
  }

  /// Creates a layout of a page.
  ///
  /// - Parameter links: the link numbers that are already known.
  init(_ page: Page, _ plan: PageBlocks, links: NumberedLinks, hasGutter: Bool) {
    var page = page
    if plan.source != nil { page.removeFormat() }
    self.page = page
    self.plan = plan
    writer = CellWriter(page, plan.runs, links: links)
    gutter = hasGutter ? 3 : 0
    margins = PageMargins(of: page, gutter: hasGutter ? 3 : 0)
  }

  /// Returns the rows of one chunk, including a blank row before it if it needs one.
  mutating func rows(of index: Int) -> [Row] {
    rows = []
    add(plan.chunks[index], after: index > 0 ? plan.chunks[index - 1] : nil)
    if index == plan.chunks.count - 1 { addMargin(margins.bottom) }
    finishRow()
    return rows
  }

  /// Appends the blank rows of the margin above or below the text.
  private mutating func addMargin(_ count: Int) {
    stack = []
    for _ in 0..<count { appendLine([], isFirst: false) }
  }

  /// Returns the rows of all chunks that are shown, in order.
  mutating func allRows() -> [Row] {
    rows = []
    var previous: PageBlocks.Chunk?
    for chunk in plan.chunks where chunk.kind != .destination && isShown(chunk) {
      add(chunk, after: previous)
      previous = chunk
    }
    finishRow()
    return rows
  }

  private mutating func add(_ chunk: PageBlocks.Chunk, after previous: PageBlocks.Chunk?) {
    if previous == nil { addMargin(margins.top) }
    stack = containers(around: chunk)
    previousStack = previous.map(containers)
    // Containers are contiguous, so the markers of all containers of the previous chunk have been
    // drawn.
    marked = Set(previousStack ?? [])
    followsLabel = previous.map(isLabel) ?? false
    if chunk.kind == .source { return addSource(Int(chunk.index)) }
    let block = page.document.blocks[chunk.kind == .destination ? 0 : Int(chunk.index)]
    switch chunk.kind {
    case .source: break
    case .text: addText(block, chunk)
    case .code: addCode(chunk)
    case .table: addTable(chunk)
    case .emptyItem: add([[]])
    case .destination:
      add(destination(writer.links.entries[Int(chunk.index)]), isApart: !chunk.isContinuation)
    case .head:
      for (index, line) in plan.head.enumerated() where !line.isEmpty {
        var cells: [Cell] = []
        var spanStyle = SpanStyle.faint
        if index == 0 {
          spanStyle = SpanStyle()
          (spanStyle.heading, spanStyle.part) = (1, ThemeKey(heading: 1))
        }
        writer.append(line, spanStyle, to: &cells)
        add(LineBreaker.wrap(cells, width: contentWidth), isApart: false)
      }
    case .rule:
      var cells: [Cell] = []
      writer.append(
        String(repeating: "─", count: contentWidth), .decoration(.rule), to: &cells)
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
    if chunk.kind == .source { return TextRange(utf16: chunk.range).overlaps(range) }
    return chunk.kind != .rule && chunk.kind != .head
      && page.document.blocks[Int(chunk.index)].text.overlaps(range)
  }

  // MARK: - Leaves

  private mutating func addDestinations() {
    let entries = writer.links.entries.filter { writer.shownLinks.contains($0.number) }
    guard !entries.isEmpty else { return }
    (previousStack, stack) = (stack, [])
    add(entries.flatMap(destination))
  }

  private func destination(_ entry: NumberedLinks.Entry) -> [[Cell]] {
    var line: [Cell] = []
    var spanStyle = SpanStyle.faint
    // The name of a note isn't an address.
    let isNote = entry.destination.hasPrefix("[[")
    if page.options.hyperlinks, !isNote { spanStyle.destination = entry.destination }
    writer.append("[\(entry.number)] \(entry.destination)", spanStyle, to: &line)
    return LineBreaker.hardWrap(line, width: contentWidth)
  }

  // MARK: - Lines

  private var shownStack: [Int] {
    if stack.isEmpty { return [] }
    let blocks = page.document.blocks
    return Array(stack.lazy.filter { !blocks[$0].isUnmarked }.prefix(Self.deepest))
  }

  var contentWidth: Int {
    let prefix = shownStack.reduce(0) { $0 + prefixWidth($1) }
    return max(4, page.options.width - gutter - margins.left - margins.right - prefix)
  }

  private func prefixWidth(_ container: Int) -> Int {
    displayWidth(of: prefix(container, isFirst: !marked.contains(container)))
  }

  /// Returns the text before the lines of a container.
  private func prefix(_ container: Int, isFirst: Bool) -> String {
    let block = page.document.blocks[container]
    let marker: String
    switch block.kind {
    case .blockQuote, .admonition: return "│ "
    case .description: return "    "
    case .listItem(let task):
      marker = itemMarker(container)
      // The text of an item follows its checkbox. The other blocks of the item are aligned with the
      // end of the bullet.
      let box = task.map { $0 ? "[x] " : "[ ] " } ?? ""
      if isFirst { return marker + box }
      let hasBox = stack.last == container
      return String(repeating: " ", count: displayWidth(of: marker) + (hasBox ? box.count : 0))
    case .footnoteDefinition(let label):
      marker = "[\(page.document.source.text(in: label))] "
    default: return ""
    }
    return isFirst ? marker : String(repeating: " ", count: displayWidth(of: marker))
  }

  private func itemMarker(_ item: Int) -> String {
    let list = page.document.blocks[item].parent
    guard case .list(let style) = page.document.blocks[list].kind, let start = style.start else {
      return "• "
    }
    let number = "\(start + (plan.ordinals[item] ?? 0))"
    let widest = "\(start + (plan.itemCounts[list] ?? 1) - 1)".count
    return String(repeating: " ", count: max(0, widest - number.count)) + number + ". "
  }

  private func isItem(_ container: Int) -> Bool {
    if case .listItem = page.document.blocks[container].kind { true } else { false }
  }

  /// Returns the marker of an item in the form for the right side: ` •`, ` .12`, ` [x] •`.
  private static func mirrored(_ marker: String) -> String {
    var words: [String] = []
    for word in marker.split(separator: " ", omittingEmptySubsequences: false).reversed() {
      words.append(word.hasSuffix(".") ? "." + word.dropLast() : String(word))
    }
    return words.joined(separator: " ")
  }

  /// Returns the style of the text before the lines of a container.
  private func prefixStyle(_ container: Int) -> SpanStyle {
    if let key = calloutKey(container) { return .decoration(key) }
    return switch page.document.blocks[container].kind {
    case .blockQuote: .decoration(.quote)
    case .listItem: .decoration(.listMarker)
    default: .faint
    }
  }

  /// Appends the lines of a block, with a blank line before it if it needs one.
  mutating func add(_ block: [[Cell]], isApart: Bool = true) {
    begin(isApart: isApart)
    for (index, cells) in block.enumerated() {
      appendLine(cells, isFirst: index == 0)
    }
  }

  /// Appends the blank line before a block if it needs one.
  mutating func begin(isApart: Bool) {
    guard previousStack != nil, isApart, !followsLabel, needsBlankLine else { return }
    appendLine([], isFirst: false, isBlank: true)
  }

  /// Whether a blank line separates this block from the previous one, as it does outside tight
  /// lists.
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

  /// Appends a line, with the markers of its containers before it.
  ///
  /// - Parameters:
  ///   - isFromRight: whether the paragraph is right to left. If it is, the markers of lists are
  ///     after the line, on the right.
  ///   - keepsBlanks: whether blanks at the end that aren't text are part of the line.
  mutating func appendLine(
    _ cells: [Cell], isFirst: Bool, isBlank: Bool = false, isFromRight: Bool = false,
    keepsBlanks: Bool = false
  ) {
    var all: [Cell] = []
    var right: [Cell] = []
    if !stack.isEmpty {
      let common =
        isBlank ? zip(stack, previousStack ?? []).prefix { $0 == $1 }.count : stack.count
      let shared = Set(stack.prefix(common))
      for container in shownStack where shared.contains(container) {
        let marks = isFirst && !marked.contains(container)
        let prefix = prefix(container, isFirst: marks)
        guard isFromRight, isItem(container) else {
          writer.append(prefix, prefixStyle(container), to: &all)
          continue
        }
        var marker: [Cell] = []
        writer.append(Self.mirrored(prefix), prefixStyle(container), to: &marker)
        right = marker + right
      }
    }
    if all.isEmpty { all = cells } else { all += cells }
    all += right
    while !keepsBlanks, let last = all.last, last.text == " ", last.range == nil,
      last.spanStyle.highlight == nil,
      last.spanStyle.picture == 0
    {
      all.removeLast()
    }
    // An empty line remains empty, without the spaces of the gutter.
    var letters = gutter == 0 || all.isEmpty ? [] : gutterCells(for: cells)
    if margins.left > 0, !all.isEmpty {
      writer.append(String(repeating: " ", count: margins.left), .faint, to: &letters)
    }
    finishRow()
    lastRow = Row(gutter: letters, content: all)
  }

  /// Appends a row that continues the line of the last one.
  mutating func continueLine(_ cells: [Cell]) {
    lastRow?.isContinued = true
    finishRow()
    lastRow = Row(gutter: [], content: cells)
  }

  private mutating func finishRow() {
    guard let row = lastRow else { return }
    lastRow = nil
    if let take { take(row.line) } else { rows.append(row) }
  }

  /// Returns the letters of the highlights on a line, for readers who don't see colours, and an
  /// asterisk if any of them has a note.
  private func gutterCells(for cells: [Cell]) -> [Cell] {
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
  /// Whether the block is a container without a marker.
  fileprivate var isUnmarked: Bool {
    switch kind {
    case .list, .htmlBlock: true
    default: false
    }
  }
}
