import MarkdownParse
import Model

/// The parts of one block of code.
struct ColoredCode {
  /// Which block.
  let block: Int
  /// Where its text begins, in units of the document's.
  let start: Int
  /// In units of the block.
  let parts: [CodePart]

  /// The most units of a block that are read; what follows them has no colours.
  private static let longest = 1 << 18

  /// Nil where no lexer knows the language.
  init?(_ index: Int, of page: Page) {
    let document = page.document
    let block = document.blocks[index]
    guard case .codeBlock(let info?) = block.kind,
      let language = Self.language(document.source.text(in: info)),
      let lexer = page.lexers.first(where: { $0.knows(language) })
    else { return nil }
    let range = block.text.utf16
    self.block = index
    start = range.lowerBound
    let end = min(range.upperBound, range.lowerBound + Self.longest)
    parts = lexer.parts(of: Array(document.text.utf16[range.lowerBound..<end]), in: language)
  }

  /// The name at the beginning of what stands after a fence: `js {1,3}`, `{.python}`, `rust,ignore`.
  private static func language(_ info: String) -> String? {
    var info = info[...]
    // A directive, `{code-block} python`.
    if info.hasPrefix("{code"), let close = info.firstIndex(of: "}") {
      info = info[close...].dropFirst()
    }
    let name = info.drop { $0 == " " || $0 == "{" || $0 == "." }
      .prefix { !" ,{}:;\t".contains($0) }
    return name.isEmpty || name.utf8.count > 32 ? nil : name.lowercased()
  }

  /// The parts that touch a range of the document's units. O(log parts + those there).
  func parts(in range: Range<Int>) -> ArraySlice<CodePart> {
    let (first, behind) = (range.lowerBound - start, range.upperBound - start)
    var low = 0
    var high = parts.count
    while low < high {
      let middle = (low + high) / 2
      if Int(parts[middle].end) <= first { low = middle + 1 } else { high = middle }
    }
    let end = parts[low...].firstIndex { Int($0.start) >= behind }
    return parts[low..<(end ?? parts.count)]
  }
}

extension PageLayout {
  /// What stands before a line of code that goes on, in the columns of the indentation.
  private static let continuation = "↪ "

  mutating func addCode(_ chunk: PageBlocks.Chunk) {
    var range = chunk.range
    // A part of a block ends with its last line's end, which begins no further one.
    let isPart = range.upperBound < page.document.blocks[Int(chunk.index)].text.utf16.upperBound
    let endsLine = page.document.text.utf16[..<range.upperBound].last == 10
    if isPart, endsLine, !range.isEmpty { range = range.lowerBound..<range.upperBound - 1 }
    let (indent, mark) = indentation
    let isOrdered =
      page.options.ordersText && BidiOrder.mayRunFromRight(page.document.text.utf16[range])
    var cutter = LineCutter(width: max(1, contentWidth - indent.count), atBlanks: true)
    begin(isApart: !chunk.isContinuation)
    let hasTitle = !chunk.isContinuation && page.options.range == nil
    var isFirst = true
    for row in hasTitle ? codeTitle(Int(chunk.index)) : [] {
      appendLine(indent + row, isFirst: isFirst)
      isFirst = false
    }
    for part in isOrdered ? [range] : writer.parts(of: range) {
      var cells = codeCells(Int(chunk.index), part)
      if isOrdered { _ = BidiOrder.resolve(&cells, .leftToRight) }
      var lines: [LineCutter.Part] = []
      cutter.take(cells, &lines)
      if part.upperBound == range.upperBound { cutter.finish(&lines) }
      for line in lines {
        let cells = isOrdered ? BidiOrder.visual(line.cells) : line.cells
        appendLine((line.goesOn ? mark : indent) + cells, isFirst: isFirst)
        isFirst = false
      }
    }
  }

  /// What stands before a line of code, and before one that goes on. In a file both are the four
  /// blanks of an indented block; a screen has no columns to spare.
  private var indentation: (line: [Cell], further: [Cell]) {
    var (line, further): ([Cell], [Cell]) = ([], [])
    guard page.options.isOnScreen else {
      writer.append("    ", SpanStyle(), to: &line)
      return (line, line)
    }
    writer.append("  ", SpanStyle(), to: &line)
    writer.append(Self.continuation, .faint, to: &further)
    return (line, further)
  }

  /// The cells of a part of a block of code, with the colours of its language.
  private mutating func codeCells(_ block: Int, _ range: Range<Int>) -> [Cell] {
    // Code between HTML tags may hold links.
    if !page.document.blocks[block].inlines.isEmpty { return writer.cells(of: block, in: range) }
    var cells: [Cell] = []
    cells.reserveCapacity(range.count)
    let covering = writer.overlays(in: range)
    if page.options.color != .none, code?.block != block {
      code = ColoredCode(block, of: page)
    }
    var spanStyle = SpanStyle()
    guard let code, code.block == block else {
      writer.append(range, spanStyle, covering, to: &cells)
      return cells
    }
    func append(_ stretch: Range<Int>) {
      guard !stretch.isEmpty else { return }
      writer.append(
        stretch, spanStyle, covering.isEmpty ? [] : writer.overlays(in: stretch), to: &cells)
    }
    var place = range.lowerBound
    for part in code.parts(in: range) {
      let inside = (Int(part.start) + code.start..<Int(part.end) + code.start).clamped(to: range)
      spanStyle.code = nil
      append(place..<inside.lowerBound)
      spanStyle.code = part.kind
      append(inside)
      place = inside.upperBound
    }
    spanStyle.code = nil
    append(place..<range.upperBound)
    return cells
  }
}
