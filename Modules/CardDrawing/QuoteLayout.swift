import Interchange

/// A passage in lines, with the positions of their baselines. Paragraphs are one block. Each line of
/// code is its own block, so that its letters can be smaller and its rest is indented.
final class QuoteLayout {
  /// The measures of lines in relation to the font size.
  struct Measures {
    /// The distance of two baselines.
    var pitch: Double
    /// The height of most letters above the baseline.
    var ascent: Double
    /// The depth of most letters below the baseline.
    var descent: Double

    /// The measures of code.
    static let code = Measures(pitch: 1.5, ascent: 0.73, descent: 0.24)
  }

  struct Line {
    /// The block that contains the line, and its number there.
    let block: Int
    let number: Int
    /// The bytes of the passage, without blanks at the end.
    let bytes: Range<Int>
    /// The left and right edge of the letters, in pixels from the left edge of the quote.
    let extent: Range<Double>
    let isCode: Bool
    /// The font size in pixels, and the measures in relation to it.
    let size: Double
    let measures: Measures
    /// The distance of the baseline from the upper edge of the quote, in pixels.
    var baseline = 0.0
    /// Whether the line begins within a line of code.
    var continuesCode: Bool { isCode && number > 0 }
  }

  private let blocks: [(layout: TextLayout, start: Int, isCode: Bool)]
  private let style: TextLayout.Style
  private let codeLineSize: Double
  private let hasBoxes: Bool
  /// The space above and below lines of code within their panel, in pixels; 0 without a panel.
  private let panelPadding: Double
  private let measures: Measures
  private let width: Double
  private let isRightToLeft: Bool
  private(set) var lines: [Line] = []

  /// - Parameters:
  ///   - style: the font of the quote and that of code.
  ///   - measures: the measures of the lines that are not code.
  ///   - codeLineSize: the font size of lines of code.
  ///   - hidden: a part that is not shown, in bytes; nil for none.
  ///   - width: the maximum width of a line in pixels.
  ///   - isRightToLeft: whether lines that are not code are aligned at the right edge.
  ///   - hasBoxes: whether the lines need space for boxes.
  ///   - panelPadding: the space above and below lines of code, in pixels.
  ///   - isVerse: whether each paragraph is a line of verse.
  ///   - breaksLongCode: whether code without blanks is broken where it is wider than a line. In a
  ///     line of code it always is.
  init(
    _ passage: Passage, on canvas: Canvas, _ style: TextLayout.Style, _ measures: Measures,
    codeLineSize: Double, hidden: Range<Int>?, width: Double, isRightToLeft: Bool, hasBoxes: Bool,
    panelPadding: Double, isVerse: Bool, breaksLongCode: Bool
  ) {
    (self.codeLineSize, self.hasBoxes) = (codeLineSize, hasBoxes)
    self.panelPadding = panelPadding
    (self.style, self.measures, self.width) = (style, measures, width)
    self.isRightToLeft = isRightToLeft
    let text = Array(passage.text.utf8)
    blocks = passage.blocks.map { block in
      let words = String(decoding: text[block.bytes], as: UTF8.self)
      let start = block.bytes.lowerBound
      if block.isCode {
        var style = style
        (style.size, style.codeSize) = (codeLineSize, codeLineSize)
        style.family = style.codeFamily
        let column = Self.column * style.size
        let (line, columns) = (CodeLine(words), Int(width / column))
        let layout = TextLayout(
          words, on: canvas, style,
          .codeLine(
            indent: Double(line.indent(in: columns)) * column,
            breaks: line.layout(in: columns).breaks),
          code: [0..<words.utf8.count], width: width, breaksLongCode: true)
        return (layout, start, true)
      }
      let code = passage.code.filter { $0.overlaps(block.bytes) }.map {
        let part = $0.clamped(to: block.bytes)
        return part.lowerBound - start..<part.upperBound - start
      }
      let isHidden = hidden.map(block.bytes.overlaps) ?? false
      let layout = TextLayout(
        words, on: canvas, style, isVerse ? .verse(indent: style.size * 1.2) : .prose, code: code,
        hidden: isHidden ? hidden : nil, width: width,
        breaksLongCode: breaksLongCode)
      return (layout, start, false)
    }
    readLines()
  }

  /// The width of a letter of code in relation to its font size, a bit more than in most monospaced
  /// fonts.
  static let column = 0.605

  private func readLines() {
    lines = []
    for (index, (layout, start, isCode)) in blocks.enumerated() {
      let x = x(of: index)
      for (number, line) in layout.lines.enumerated() {
        lines.append(
          Line(
            block: index, number: number,
            bytes: line.bytes.lowerBound + start..<line.bytes.upperBound + start,
            extent: line.extent.lowerBound + x..<line.extent.upperBound + x, isCode: isCode,
            size: isCode ? codeLineSize : style.size,
            measures: isCode ? .code : measures))
        let line = lines[lines.count - 1]
        guard lines.count > 1 else {
          lines[0].baseline =
            line.size * (line.measures.ascent + (hasBoxes ? 0.32 : 0))
            + (isCode ? panelPadding : 0)
          continue
        }
        let before = lines[lines.count - 2]
        let isWithin = number > 0 && layout.isVerse || before.isCode && line.isCode
        let hasGap = layout.lines[number].isParagraphStart && !isWithin
        let isSame = before.isCode == line.isCode
        lines[lines.count - 1].baseline =
          before.baseline + (isSame ? line.pitch : (before.pitch + line.pitch) / 2)
          + (hasGap ? style.size * measures.pitch / 2 : 0) + (isSame ? 0 : panelPadding)
      }
    }
  }

  /// The distance of a block from the left edge of the quote. Lines are aligned in a narrower layout
  /// after balancing.
  private func x(of block: Int) -> Double {
    let (layout, _, isCode) = blocks[block]
    return isRightToLeft && !isCode ? width - layout.width : 0
  }

  /// The height in pixels of the lines up to a number, from the top of the capitals to the
  /// descenders.
  func height(lines count: Int) -> Double {
    guard count > 0 else { return 0 }
    let last = lines[count - 1]
    return last.baseline + last.size * last.measures.descent + (last.isCode ? panelPadding : 0)
  }

  var height: Double { height(lines: lines.count) }

  /// The font size of the quote in pixels.
  var size: Double { style.size }

  /// The parts of the height in which lines of code are, with the space above and below them.
  var panels: [Range<Double>] {
    var panels: [Range<Double>] = []
    for (index, line) in lines.enumerated() where line.isCode {
      let top = line.baseline - line.size * line.measures.ascent - panelPadding
      let bottom = line.baseline + line.size * line.measures.descent + panelPadding
      if index > 0, lines[index - 1].isCode {
        panels[panels.count - 1] = panels.last!.lowerBound..<bottom
      } else {
        panels.append(top..<bottom)
      }
    }
    return panels
  }

  /// The parts of a line that are code within other text, in pixels from the left edge of the quote.
  func codeExtents(_ line: Line) -> [Range<Double>] {
    guard !line.isCode else { return [] }
    let x = x(of: line.block)
    return blocks[line.block].layout.codeExtents(line.number).map {
      $0.lowerBound + x..<$0.upperBound + x
    }
  }

  /// The font size of code within other text, in pixels.
  var codeSize: Double { style.codeSize }

  /// The number of lines of verse that continue another one.
  var turnovers: Int { lines.count - blocks.reduce(0) { $0 + $1.layout.paragraphs } }

  /// Makes the lines of paragraphs about equally long. A single paragraph may have one line more
  /// than needed, and in Japanese and Chinese, in which a line can end at many places but few of them
  /// are good, up to three.
  ///
  /// - Parameter height: the height available in pixels.
  func balance(height: Double) {
    let isDense = style.script == .japanese || style.script == .chinese
    let more = min(
      isDense ? 3 : lines.count > 2 ? 1 : 0,
      Int(max(0, height - self.height) / (style.size * measures.pitch)))
    for (layout, _, _) in blocks { layout.balance(more: blocks.count == 1 ? more : 0) }
    readLines()
  }

  /// The number of lines that begin within a word.
  var brokenWords: Int { blocks.reduce(0) { $0 + ($1.isCode ? 0 : $1.layout.brokenWords) } }

  /// The disadvantage of the lines; see `TextLayout.flaw`.
  var flaw: Double { blocks.reduce(0) { $0 + $1.layout.flaw } }

  /// Whether a line is wider than the width, because nothing in it may be broken.
  var isTooWide: Bool { blocks.contains(where: \.layout.isTooWide) }

  /// The font size of the lines of code in relation to that of the text; 1 if there are none.
  var codeLineShare: Double { lines.contains(where: \.isCode) ? codeLineSize / style.size : 1 }

  /// The number of characters that no font has.
  var unknownGlyphs: Int { blocks.reduce(0) { $0 + $1.layout.unknownGlyphs } }

  /// The first byte of each sentence except the first, in order. Code has no sentences.
  var sentenceStarts: [Int] {
    blocks.flatMap { layout, start, isCode in
      isCode ? [] : (start > 0 ? [start] : []) + layout.sentenceStarts.map { $0 + start }
    }
  }

  /// Draws a line, with its baseline at `y`.
  func draw(_ line: Line, on canvas: Canvas, x: Double, y: Double) {
    blocks[line.block].layout.draw(line.number, on: canvas, x: x + self.x(of: line.block), y: y)
  }
}

extension QuoteLayout.Line {
  /// The distance to the baseline above in pixels.
  var pitch: Double { size * measures.pitch }
}
