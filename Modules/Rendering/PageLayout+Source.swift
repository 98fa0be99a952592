import MarkdownParse
import Model

extension PageLayout {
  /// Appends a piece of the Markdown source.
  mutating func addSource(_ index: Int) {
    guard let source = plan.source, let drawing = page.options.source else { return }
    let piece = source.pieces[index]
    let isOrdered =
      page.options.ordersText && BidiOrder.mayRunFromRight(page.document.text.utf16[piece.text])
    var cells = sourceCells(of: piece, in: source)
    // The next piece begins on a new row without it.
    if cells.last?.isLineFeed == true { cells.removeLast() }
    if isOrdered { _ = BidiOrder.resolve(&cells, .leftToRight) }
    let digits = drawing.hasNumbers ? "\(source.lineCount)".count : 0
    let indent = drawing.hasNumbers ? digits + 2 : 0
    let keepsLines = page.options.keepsLines
    var cutter = LineCutter(
      width: keepsLines ? Self.keptColumns : max(1, contentWidth - indent),
      atBlanks: !keepsLines, keepsTabs: keepsLines)
    var lines: [LineCutter.Part] = []
    cutter.take(cells, &lines)
    cutter.finish(&lines)
    var number = piece.line
    for (position, line) in lines.enumerated() {
      let content = isOrdered ? BidiOrder.visual(line.cells) : line.cells
      let continues = line.continues || position == 0 && !piece.startsLine
      if keepsLines, continues {
        continueLine(content)
        continue
      }
      var before: [Cell] = []
      if drawing.hasNumbers {
        let sign = continues ? Self.continuation : "\(number)  "
        let blanks = String(repeating: " ", count: max(0, indent - displayWidth(of: sign)))
        writer.append(blanks + sign, .faint, to: &before)
      }
      appendLine(before + content, isFirst: false, keepsBlanks: !content.isEmpty)
      if position + 1 < lines.count, !lines[position + 1].continues { number += 1 }
    }
  }

  /// Returns the cells of a piece of the source. Text has its position in the rendered text, and
  /// markup has none.
  private mutating func sourceCells(of piece: SourcePieces.Piece, in source: SourcePieces) -> [Cell]
  {
    var cells: [Cell] = []
    cells.reserveCapacity(piece.bytes.count + 8)
    var known: (leaf: Int, runs: ArraySlice<StyleRun>, heading: Int)?
    /// Returns the runs of a leaf from an offset on. The offsets of all calls are ascending.
    func runs(of leaf: Int, from offset: Int) -> (runs: ArraySlice<StyleRun>, heading: Int) {
      if known?.leaf != leaf {
        var heading = 0
        if case .heading(let level) = page.document.blocks[leaf].kind { heading = level }
        known = (leaf, plan.runs.of(leaf, in: piece.text), heading)
      }
      while let first = known?.runs.first, first.text.utf16.upperBound <= offset {
        known?.runs.removeFirst()
      }
      return (known?.runs ?? [], known?.heading ?? 0)
    }
    source.eachStretch(of: piece) { stretch in
      switch stretch {
      case .markup(let bytes, let before, let after):
        writer.append(markup: source.shown(bytes), before: before, after: after, to: &cells)
      case .replaced(let range, let bytes, let leaf):
        let (runs, heading) = runs(of: leaf, from: range.lowerBound)
        let run = runs.first.flatMap { $0.text.utf16.contains(range.lowerBound) ? $0 : nil }
        writer.append(
          replaced: source.shown(bytes), range,
          run.map { writer.style(of: $0, heading: heading) } ?? SpanStyle(), to: &cells)
      case .text(let range, let leaf):
        let block = page.document.blocks[leaf]
        if case .codeBlock = block.kind, block.inlines.isEmpty {
          cells += codeCells(leaf, range)
          return
        }
        let (runs, heading) = runs(of: leaf, from: range.lowerBound)
        var place = range.lowerBound
        func append(_ part: Range<Int>, _ spanStyle: SpanStyle) {
          guard !part.isEmpty else { return }
          writer.append(part, spanStyle, writer.overlays(in: part), to: &cells)
          place = part.upperBound
        }
        for run in runs {
          guard run.text.utf16.lowerBound < range.upperBound else { break }
          let part = run.text.utf16.clamped(to: range)
          guard !part.isEmpty, part.lowerBound >= place else { continue }
          append(place..<part.lowerBound, SpanStyle())
          // The source of a formula is its TeX.
          var spanStyle = writer.style(of: run, heading: heading)
          spanStyle.style.remove(.math)
          append(part, spanStyle)
        }
        append(place..<range.upperBound, SpanStyle())
      }
    }
    return cells
  }
}
