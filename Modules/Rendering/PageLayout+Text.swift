import MarkdownParse
import Model

extension PageLayout {
  mutating func addText(_ block: Block, _ chunk: PageBlocks.Chunk) {
    var cells: [Cell] = []
    var level = 0
    switch block.kind {
    case .calloutLabel, .descriptionTerm: level = 6
    case .heading(let depth):
      level = depth
      var spanStyle = SpanStyle.faint
      (spanStyle.heading, spanStyle.part) = (level, ThemeKey(heading: level))
      if level > 2 || page.options.color == .none {
        writer.append(String(repeating: "#", count: level) + " ", spanStyle, to: &cells)
      }
    default: break
    }
    // A paragraph that may contain right-to-left text is laid out as a whole, because its direction
    // depends on its whole text. Other paragraphs are laid out in parts.
    let isOrdered =
      page.options.ordersText
      && BidiOrder.mayRunFromRight(page.document.text.utf16[chunk.range])
    var wrapper = ParagraphWrapper(block, chunk, of: page, width: contentWidth)
    begin(isApart: !chunk.isContinuation)
    let isAlone = page.options.range != nil
    // A passage that is shown alone has no blank rows above it.
    var blanks = wrapper.isFirst && !isAlone ? wrapper.shape.rowsBefore : 0
    if chunk.isContinuation, wrapper.shape.isSpaced { blanks += 1 }
    for _ in 0..<blanks { appendLine([], isFirst: false, isBlank: !chunk.isContinuation) }
    var rows = TextRows()
    for row in chunk.isContinuation ? [] : picture(in: block) {
      let row = wrapper.shape.placed(row, isFromRight: nil, isFirst: false, isLast: true)
      appendLine(row, isFirst: rows.isEmpty)
      rows.isEmpty = false
    }
    for part in isOrdered ? [chunk.range] : writer.parts(of: chunk.range) {
      let words = writer.cells(of: Int(chunk.index), in: part, heading: level)
      if case .calloutLabel(let type) = block.kind, !chunk.isContinuation,
        part.lowerBound == chunk.range.lowerBound
      {
        cells = labelCells(block, type, words)
      } else if cells.isEmpty {
        cells = words
      } else {
        cells += words
      }
      let isFromRight = isOrdered ? BidiOrder.resolve(&cells, .byText) : nil
      var lines: [ParagraphWrapper.Line] = []
      wrapper.take(cells, &lines)
      cells = []
      if part.upperBound == chunk.range.upperBound { wrapper.finish(&lines) }
      for line in lines { append(line, isFromRight: isFromRight, level, &rows) }
    }
    if let rule = rule(below: rows.widest, level) {
      // If a heading consists of several paragraphs, the layout of the last one positions the rule.
      let shape = wrapper.shape
      let isFirst = shape.first < shape.head
      let available = shape.width - shape.tail - shape.start(isFirst: isFirst)
      let placed = shape.placed(
        Array(rule.prefix(available)), isFromRight: nil, isFirst: isFirst, isLast: true)
      appendLine(level == 1 ? rule : placed, isFirst: false)
    }
    let end = wrapper.endsParagraph && !isAlone ? wrapper.shape.rowsAfter : 0
    for _ in 0..<end { appendLine([], isFirst: false) }
    if chunk.range.upperBound == block.text.utf16.upperBound { addEmbeds(of: block) }
  }

  /// The rows of a text that were appended so far.
  private struct TextRows {
    /// The width of a heading's widest line, in columns.
    var widest = 0
    /// Whether no row has been appended yet.
    var isEmpty = true
    /// The layout of the previous line; nil for the first line.
    var before: ParagraphShape?
  }

  private mutating func append(
    _ line: ParagraphWrapper.Line, isFromRight: Bool?, _ level: Int, _ rows: inout TextRows
  ) {
    let shape = line.shape
    if let before = rows.before {
      let between = line.isFirst ? before.rowsAfter + shape.rowsBefore : 0
      for _ in 0..<between + (shape.isSpaced ? 1 : 0) { appendLine([], isFirst: false) }
    }
    if level > 0 {
      let width = isFromRight == true ? contentWidth : LineBreaker.width(of: line.cells)
      rows.widest = max(rows.widest, width)
    }
    let placed = shape.placed(
      line.cells, isFromRight: isFromRight, isFirst: line.isFirst, isLast: line.isLast)
    appendLine(placed, isFirst: rows.isEmpty, isFromRight: isFromRight == true)
    (rows.before, rows.isEmpty) = (shape, false)
  }

  /// Returns the rows of the image that is a block's only content, to be shown above its
  /// description; empty if the image cannot be shown.
  private func picture(in block: Block) -> [[Cell]] {
    guard let pictures = page.options.pictures, page.options.range == nil else { return [] }
    for inline in page.document.inlines[block.inlines] where inline.text == block.text {
      guard case .image(let link) = inline.kind, !page.document.links[link].isNote,
        let placed = pictures.place(page.document.links[link].destination, width: contentWidth)
      else { continue }
      return pictures.rows(of: placed)
    }
    return []
  }

  /// Returns the rule below a heading: as wide as the page for level 1, and as wide as the text for
  /// level 2; nil for other levels.
  private func rule(below widest: Int, _ level: Int) -> [Cell]? {
    guard page.options.isOnScreen, page.options.range == nil, 1...2 ~= level, widest > 0
    else { return nil }
    var rule: [Cell] = []
    writer.append(
      String(repeating: level == 1 ? "━" : "─", count: level == 1 ? contentWidth : widest),
      .decoration(ThemeKey(heading: level)), to: &rule)
    return rule
  }
}
