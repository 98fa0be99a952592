import MarkdownParse
import Model

/// A code block divided into coloured parts.
struct ColoredCode {
  /// The index of the block.
  let block: Int
  /// The start of the block in the document's text, in UTF-16 units.
  let start: Int
  /// The coloured parts, in order. Their offsets are UTF-16 units from `start`.
  let parts: [CodePart]

  /// The maximum number of UTF-16 units of a block that are coloured. The rest of a longer block
  /// has no colours.
  private static let longest = 1 << 18

  /// Divides a block into parts; nil if no lexer supports its language.
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

  /// Returns the name of the language in an info string such as `js {1,3}`, `{.python}` or
  /// `rust,ignore`, in lowercase; nil if it names no language.
  private static func language(_ info: String) -> String? {
    var info = info[...]
    // In a directive, the language follows the braces: `{code-block} python`.
    if info.hasPrefix("{code"), let close = info.firstIndex(of: "}") {
      info = info[close...].dropFirst()
    }
    let name = info.drop { $0 == " " || $0 == "{" || $0 == "." }
      .prefix { !" ,{}:;\t".contains($0) }
    return name.isEmpty || name.utf8.count > 32 ? nil : name.lowercased()
  }

  /// Returns the parts that overlap a range of the document's text. O(log parts + result).
  func parts(in range: Range<Int>) -> ArraySlice<CodePart> {
    let (first, stop) = (range.lowerBound - start, range.upperBound - start)
    var low = 0
    var high = parts.count
    while low < high {
      let middle = (low + high) / 2
      if Int(parts[middle].end) <= first { low = middle + 1 } else { high = middle }
    }
    let end = parts[low...].firstIndex { Int($0.start) >= stop }
    return parts[low..<(end ?? parts.count)]
  }
}

extension PageLayout {
  /// The marker before a continued line of code. It is as wide as the indent.
  static let continuation = "↪ "
  /// The number of columns of a row if lines are kept. A longer line has several rows, so that not
  /// all of its cells are in memory at the same time.
  static let keptColumns = 1 << 14

  mutating func addCode(_ chunk: PageBlocks.Chunk) {
    var range = chunk.range
    // A chunk that is followed by another chunk of the block ends with a line feed. Omit it,
    // because it would be drawn as an empty line.
    let isPart = range.upperBound < page.document.blocks[Int(chunk.index)].text.utf16.upperBound
    let endsLine = page.document.text.utf16[..<range.upperBound].last == 10
    if isPart, endsLine, !range.isEmpty { range = range.lowerBound..<range.upperBound - 1 }
    let (indent, mark) = indentation
    let isOrdered =
      page.options.ordersText && BidiOrder.mayRunFromRight(page.document.text.utf16[range])
    let keepsLines = page.options.keepsLines
    var cutter = LineCutter(
      width: keepsLines ? Self.keptColumns : max(1, contentWidth - indent.count),
      atBlanks: !keepsLines)
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
        if keepsLines, line.continues {
          continueLine(cells)
        } else {
          appendLine((line.continues ? mark : indent) + cells, isFirst: isFirst)
        }
        isFirst = false
      }
    }
  }

  /// The cells before a line of code and before a continued line. In a file, both are the four
  /// spaces of an indented code block. On a screen, the indent is only two columns wide.
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

  /// Returns the cells of a part of a code block, with the colours of its language.
  mutating func codeCells(_ block: Int, _ range: Range<Int>) -> [Cell] {
    // Code in HTML may contain links, so it is drawn like prose, without syntax colours.
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
