package import Interchange
import Model

/// Draws the cards of a quote with Pango and cairo.
///
/// Lines have a fixed pitch and are about equally long. The letters have the largest size with
/// which the whole quote fits on one card. If they would be too small, the quote is divided into
/// numbered cards, at the ends of sentences or clauses if possible, and the letters become as large
/// as that number of cards allows. The quote is never shortened, and nothing is inserted into it.
/// Code without blanks is broken only if it is too wide for a card in the smallest letters. Lines of
/// code are kept; the letters become smaller so that they fit. They are on a panel.
///
///     let (files, unknownGlyphs) = try CardDrawing(order).cards()
package struct CardDrawing {
  private let order: CardOrder
  private let quote: Passage
  private let width: Double
  private let height: Double
  private let script: QuoteScript
  private let isRightToLeft: Bool
  /// The mark of the card. Code has no quotation mark; a bar shows the colour instead.
  private let mark: CardForm.Mark
  /// The first lines of code, from which their font size is chosen.
  private let codeLines: [CodeLine]
  /// The number of columns of the longest line of code; 0 without code.
  private let widestCode: Int
  /// Whether all of the quote is lines of code.
  private let isCode: Bool
  private let isVerse: Bool

  /// The margin on all four sides, in pixels.
  static let margin = 96.0
  /// The font sizes of the quote in pixels, the largest first.
  package static let sizes = [144.0, 124, 108, 98, 89, 81, 74, 68, 62, 57, 52, 48, 44, 41]
  /// The maximum number of cards for one quote.
  static let mostCards = 40
  /// The font sizes from which a text of more than a number of lines would be too loud.
  private static let loud = [(size: 110.0, lines: 3), (size: 75, lines: 6)]
  /// The largest font size that is not too loud in any text.
  private static let quiet = 52.0
  /// The font sizes of a quote that is only code, in pixels, the largest first. Code is read more
  /// slowly than prose, and smaller letters are better than broken lines.
  private static let codeSizes = [81.0, 74, 68, 62, 57, 52, 48, 44, 41, 38, 35, 32, 29]
  /// The font sizes of verse that are smaller than those of other quotes, so that fewer lines are
  /// broken.
  private static let verseSizes = [38.0, 35]
  /// The smallest font size to which lines of code shrink so that they fit, and the font sizes of
  /// code of which lines must be broken, in pixels.
  private static let codeLine = (smallest: 25.0, broken: [34.0, 32, 30, 28, 26])
  /// The number of columns of the lines of code from which the font size is chosen.
  private static let mostCode = 6_000
  /// Returns the width of the bar beside the quote, which is not heavier than the letters, and its
  /// distance to the quote, in pixels. Opening marks are in that distance.
  private func bar(_ size: Double) -> (width: Double, gap: Double) {
    (min(10, max(6, size * 0.085)), min(56, 26 + size * 0.3))
  }

  /// Whether a bar is beside the quote. Code has a panel with a bar instead.
  private var hasBar: Bool { mark == .bar && !isCode && !order.theme.hasBand }

  /// The width of the band at the edge of a card, in pixels.
  private static let bandWidth = 30.0

  /// The distance of lines of code to the edges of their panel, in pixels. The panel is wider than the
  /// lines of the quote, so that letters of code begin at the same edge as others.
  private var panelPadding: Double { mark == .box ? 0 : isCode ? 36 : 24 }

  /// Returns the height of the quotation mark above the quote, and its distance to the quote, in
  /// pixels.
  private static func sign(_ size: Double) -> (height: Double, gap: Double) {
    (36 + size * 0.24, 24 + size * 0.24)
  }

  package init(_ order: CardOrder) {
    quote = Passage(order.quote, code: order.code)
    var order = order
    order.title = Self.oneLine(order.title)
    order.author = Self.oneLine(order.author)
    order.source = Self.oneLine(order.source)
    self.order = order
    script = QuoteScript(of: quote.text)
    let blocks = quote.blocks
    let isCode = blocks.allSatisfy(\.isCode)
    self.isCode = isCode
    isVerse = quote.isVerse
    isRightToLeft = !isCode && QuoteScript.isRightToLeft(quote.text)
    mark = order.mark == .sign && blocks[0].isCode ? .bar : order.mark
    let text = Array(quote.text.utf8)
    var (codeLines, columns, widest): ([CodeLine], Int, Int) = ([], 0, 0)
    for block in blocks where block.isCode {
      let line = CodeLine(String(decoding: text[block.bytes], as: UTF8.self))
      widest = max(widest, line.columns)
      columns += line.columns
      if columns < Self.mostCode || codeLines.isEmpty { codeLines.append(line) }
    }
    (self.codeLines, widestCode) = (codeLines, widest)
    (width, height) = (Double(order.size.width), Double(order.size.height))
  }

  /// Draws the cards. Returns their files and the number of characters that no font has.
  ///
  /// - Throws: `CardError` for an invalid colour in the theme, a quote that needs too many cards,
  ///   or a failure of cairo.
  package func cards() throws(CardError) -> (files: [[UInt8]], unknownGlyphs: Int) {
    try FontLock.use(drawnCards)
  }

  private func drawnCards() throws(CardError) -> (files: [[UInt8]], unknownGlyphs: Int) {
    let colors = try Colors(order)
    let (parts, size, availableHeight) = try divided()
    var files: [[UInt8]] = []
    var unknown = 0
    for (index, part) in parts.enumerated() {
      let canvas = Canvas(order.size, order.format)
      canvas.use(colors.background)
      canvas.fill([Rectangle(x: 0, y: 0, width: width, height: height)])
      let words = layout(part, on: canvas, size: size)
      words.balance(height: availableHeight - signHeight(size))
      draw(part, words, size: size, availableHeight: availableHeight, colors, on: canvas)
      let number = parts.count > 1 ? "\(index + 1)/\(parts.count)" : ""
      let footer = footer(on: canvas, number: number)
      footer.draw(on: canvas, bottom: height - Self.margin, colors)
      unknown += words.unknownGlyphs + (index == 0 ? footer.unknownGlyphs : 0)
      files.append(try canvas.finished())
    }
    return (files, unknown)
  }

  /// The lines of each card, without blanks at their ends.
  ///
  /// - Throws: `CardError` if the quote needs too many cards.
  package func lines() throws(CardError) -> [[String]] {
    try FontLock.use { () throws(CardError) in
      let (parts, size, availableHeight) = try divided()
      let canvas = Canvas(order.size, .png)
      return parts.map { part in
        let words = layout(part, on: canvas, size: size)
        words.balance(height: availableHeight - signHeight(size))
        return words.lines.map {
          String(decoding: Array(part.text.utf8)[$0.bytes], as: UTF8.self)
        }
      }
    }
  }

  private func footer(on canvas: Canvas, number: String) -> Footer {
    Footer(order, on: canvas, width: width, isRightToLeft: isRightToLeft, number: number)
  }

  /// The width available for the quote in pixels.
  private func textWidth(_ size: Double) -> Double {
    let bar = self.bar(size)
    return width - 2 * Self.margin - (hasBar ? bar.width + bar.gap : 0)
  }

  /// The height of the quotation mark with its distance to the quote; 0 if there is none.
  private func signHeight(_ size: Double) -> Double {
    let sign = Self.sign(size)
    return hasSign ? sign.height + sign.gap : 0
  }

  /// Whether a quotation mark is above the quote: a large one instead of its own, except with boxes,
  /// which would leave a hole in place of the quote's own.
  private var hasSign: Bool {
    switch mark {
    case .bar, .underline: false
    case .box: quote.openingMark == nil && !quote.blocks[0].isCode
    case .sign: true
    }
  }

  /// The measures of lines with a font size. Small letters need a larger distance.
  private func measures(_ size: Double) -> QuoteLayout.Measures {
    let plain = max(
      1.2, 1.2 + 0.24 * (Self.sizes[0] - size) / (Self.sizes[0] - Self.sizes.last!))
    let (pitch, ascent, descent) =
      switch script {
      case .plain: (quote.code.isEmpty ? plain : plain + 0.06, 0.66, 0.3)
      case .hebrew: (plain + 0.06, 0.66, 0.3)
      case .japanese, .chinese, .korean: (plain + 0.2, 0.82, 0.2)
      case .arabic: (plain + 0.28, 0.86, 0.45)
      case .tall: (plain + 0.24, 0.86, 0.45)
      }
    // Between boxes there is a gap.
    return QuoteLayout.Measures(
      pitch: mark == .box ? max(1.5, pitch) : pitch, ascent: ascent, descent: descent)
  }

  private func layout(_ part: Passage, on canvas: Canvas, size: Double) -> QuoteLayout {
    var style = TextLayout.Style(
      family: FontChoice(order.theme, on: canvas).families(order.theme.family, for: quote.text),
      codeFamily: order.theme.codeFamily, size: size, weight: order.theme.weight, script: script)
    style.codeSize = size * codeShare(style, on: canvas)
    style.latinFamily = script.isRightToLeft ? order.theme.family : nil
    // Boxes begin at the same edge.
    style.hangsMarks = mark != .box
    if hasBar { style.mostHang = min(size / 2, bar(size).gap - 18) }
    if order.theme.hasBand { style.mostHang = size / 2 }
    // Large letters without serifs look loose.
    if !order.theme.hasSerifs, script == .plain { style.tracking = -0.014 * max(0, size - 30) }
    let width = textWidth(size)
    return QuoteLayout(
      part, on: canvas, style, measures(size), codeLineSize: codeLineSize(style.codeSize, width),
      hidden: mark == .sign ? part.opening : nil, width: width,
      isRightToLeft: isRightToLeft, hasBoxes: mark == .box, panelPadding: panelPadding,
      isVerse: isVerse, breaksLongCode: size <= Self.sizes.last!)
  }

  /// Returns the font size of code in relation to that of the text, so that small letters of both
  /// are about equally high.
  private func codeShare(_ style: TextLayout.Style, on canvas: Canvas) -> Double {
    func height(_ family: String) -> Double {
      TextLayout("x", on: canvas, .init(family: family, size: 100), width: width).ink.height
    }
    let (text, code) = (height(style.family), height(style.codeFamily))
    return text > 0 && code > 0 ? min(0.84, max(0.72, text / code)) : 0.84
  }

  /// Returns the font size of the lines of code: the largest up to a limit in which they fit. If
  /// they don't fit in the smallest one, it is that in which the fewest lines are broken.
  private func codeLineSize(_ largest: Double, _ width: Double) -> Double {
    guard widestCode > 0 else { return largest }
    let fitting = width / (Double(widestCode) * QuoteLayout.column)
    if fitting >= Self.codeLine.smallest { return min(largest, fitting) }
    let costs = Self.codeLine.broken.enumerated().map { step, size in
      let columns = Int(width / (size * QuoteLayout.column))
      let cost = codeLines.reduce(0) {
        $0 + $1.layout(in: columns).cost
      }
      return (size: size, cost: cost + Double(step) * 2.5)
    }
    return min(largest, costs.min { $0.cost < $1.cost }?.size ?? Self.codeLine.smallest)
  }

  /// Divides the quote. Returns the text of each card, the font size of all cards, and the height
  /// available for the text in pixels.
  ///
  /// - Throws: `CardError` if the quote needs too many cards.
  package func division() throws(CardError) -> (
    parts: [Passage], size: Double, availableHeight: Double
  ) { try FontLock.use(divided) }

  private func divided() throws(CardError) -> (
    parts: [Passage], size: Double, availableHeight: Double
  ) {
    let measure = Canvas(order.size, .png)
    // Space for a number is reserved on single cards too.
    let foot = footer(on: measure, number: "1/2").height
    let availableHeight = height - 2 * Self.margin - foot
    let (parts, size) = try parts(on: measure, availableHeight: availableHeight)
    return (parts, size, availableHeight)
  }

  // MARK: - Dividing

  /// Returns the text of each card, and the font size of all cards.
  private func parts(on canvas: Canvas, availableHeight: Double) throws(CardError) -> (
    [Passage], Double
  ) {
    let sizes =
      isCode ? Self.codeSizes : isVerse ? Self.sizes + Self.verseSizes : Self.sizes
    let smallest = Self.sizes.last!
    // An upper limit of the characters that fit on a card in the narrowest letters; more are not
    // laid out.
    let most = Int(width * availableHeight / (sizes.last! * sizes.last!) * 8) + 64
    if quote.text.prefix(most).endIndex == quote.text.endIndex {
      // A size that breaks no word is better than a larger one.
      var broken: Double?
      for size in sizes {
        let words = layout(quote, on: canvas, size: size)
        let isLoud =
          Self.loud.contains { size >= $0.size && words.lines.count > $0.lines }
          // Beside small code, large text would be loud.
          || size > Self.quiet && words.codeLineShare < 0.6
        guard !isLoud || isCode, !words.isTooWide,
          words.height + signHeight(size) <= availableHeight
        else { continue }
        if words.brokenWords == 0 {
          return ([quote], tidier(words, size, sizes, on: canvas, availableHeight))
        }
        broken = broken ?? size
      }
      if let broken { return ([quote], broken) }
    }
    var parts = try divided(on: canvas, size: smallest, availableHeight: availableHeight, most)
    var size = smallest
    for larger in Self.sizes.dropLast().reversed() {
      guard larger < Self.loud.last!.size,
        let same = try? divided(on: canvas, size: larger, availableHeight: availableHeight, most),
        same.count == parts.count
      else { break }
      (parts, size) = (same, larger)
    }
    // Try to distribute the text evenly on the same number of cards, so that the last card isn't
    // nearly empty.
    for share in stride(from: 0.95, through: 0.5, by: -0.05) {
      guard
        let even = try? divided(
          on: canvas, size: size, availableHeight: availableHeight * share, most),
        even.count == parts.count
      else { break }
      parts = even
    }
    return (parts, size)
  }

  /// Returns a smaller font size with which the lines are better: those of verse are not broken, one
  /// line instead of two, or lines that end where a reader pauses.
  private func tidier(
    _ words: QuoteLayout, _ size: Double, _ sizes: [Double], on canvas: Canvas,
    _ availableHeight: Double
  ) -> Double {
    guard words.lines.count > 1, !isCode else { return size }
    if isVerse {
      // The largest with which no line is broken, or else with which fewer are.
      if words.turnovers == 0 { return size }
      let all = sizes.filter { $0 <= size && $0 >= size / 2 }.map {
        (size: $0, turnovers: layout(quote, on: canvas, size: $0).turnovers)
      }
      if let whole = all.first(where: { $0.turnovers == 0 }) { return whole.size }
      func cost(_ one: (size: Double, turnovers: Int)) -> Double {
        Double(one.turnovers) / Double(words.lines.count - words.turnovers)
          + (1 - one.size / size) * 2
      }
      return all.min { cost($0) < cost($1) }?.size ?? size
    }
    words.balance(height: availableHeight - signHeight(size))
    var best = (size: size, cost: words.flaw, lines: words.lines.count)
    for smaller in sizes where smaller < size && smaller > size * Self.tidySize {
      let other = layout(quote, on: canvas, size: smaller)
      other.balance(height: availableHeight - signHeight(smaller))
      let cost = other.flaw + (1 - smaller / size) * Self.sizeCost
      if cost < best.cost || best.lines == 2 && other.lines.count == 1 {
        best = (smaller, cost, other.lines.count)
      }
    }
    return best.size
  }

  /// The least font size in relation to the largest one that fits, if lines are better in it, and
  /// the cost of a font size of 0 in relation to it.
  private static let tidySize = 0.66
  private static let sizeCost = 0.5

  /// Divides the quote into cards with a fixed font size.
  ///
  /// - Throws: `CardError` if the quote needs too many cards, or is too wide in that size.
  private func divided(on canvas: Canvas, size: Double, availableHeight: Double, _ most: Int)
    throws(CardError) -> [Passage]
  {
    var parts: [Passage] = []
    var start = 0
    let count = quote.text.utf8.count
    while start < count {
      guard parts.count < Self.mostCards else {
        throw CardError("the quote needs more than \(Self.mostCards) cards")
      }
      let index = quote.text.utf8.index(quote.text.startIndex, offsetBy: start)
      let beginning = quote.part(start..<start + quote.text[index...].prefix(most).utf8.count)
      let length = try firstCard(
        of: beginning, on: canvas, size: size, availableHeight: availableHeight)
      parts.append(beginning.part(0..<length))
      start = quote.start(from: start + length)
    }
    return parts
  }

  /// Returns the number of bytes of a passage on its first card: all, or up to the end of a
  /// sentence, of a part of it, or of a clause, or else up to the end of a line. Code is divided
  /// between its lines.
  ///
  /// - Throws: `CardError` if the passage is too wide in that size.
  private func firstCard(
    of passage: Passage, on canvas: Canvas, size: Double, availableHeight: Double
  ) throws(CardError) -> Int {
    let words = layout(passage, on: canvas, size: size)
    guard !words.isTooWide else { throw CardError("the letters are too large for the code") }
    let above = signHeight(size)
    let fitting = words.lines.indices.last {
      words.height(lines: $0 + 1) + above <= availableHeight
    }
    if fitting == words.lines.count - 1 { return passage.text.utf8.count }
    let last = fitting ?? 0
    let end = words.lines[last].bytes.upperBound
    if words.lines[last].isCode {
      return Self.codeEnd(in: passage, words.lines, last: last) ?? end
    }
    if let sentence = words.sentenceStarts.last(where: { $0 <= end && $0 > end * 2 / 3 }) {
      return sentence
    }
    return Self.clauseEnd(in: passage.text, before: end) ?? end
  }

  /// Returns the place in bytes at which a card that ends with a line of code is best divided: at an
  /// empty line, or else after a line that opens no block; nil if no line ends before.
  ///
  /// - Parameter last: the last line that fits on the card.
  private static func codeEnd(in passage: Passage, _ lines: [QuoteLayout.Line], last: Int) -> Int? {
    let text = Array(passage.text.utf8)
    func words(_ line: Int) -> String {
      String(decoding: text[lines[line].bytes], as: UTF8.self)
    }
    var best: (end: Int, cost: Double)?
    for next in stride(from: last + 1, to: 0, by: -1) where !lines[next].continuesCode {
      guard lines[next - 1].isCode, lines[next].isCode else { continue }
      let isAtGap = words(next).isEmpty && next + 1 < lines.count
      // An empty card is worse than any line.
      let missing = 1 - Double(next) / Double(last + 1)
      let emptiness = missing * missing * 60 + (missing > 0.7 ? 60 : 0)
      let cost =
        CodeLine.endCost(
          isAtGap ? "" : words(next - 1), words(isAtGap ? next + 1 : next)) + emptiness
      if cost < best?.cost ?? .infinity { best = (lines[next - 1].bytes.upperBound, cost) }
    }
    return best?.end
  }

  /// The characters after which a quote is divided if no sentence ends, the preferred first.
  private static let clauseEnds: [Set<Character>] = [
    [";", ":", "—", "–", "؛", "；", "："], [",", "،", "、", "，"],
  ]

  /// Returns the place in bytes after the last sign that ends a clause in the last third of a
  /// text's beginning; nil if there is none.
  private static func clauseEnd(in text: String, before end: Int) -> Int? {
    var places: [Int?] = clauseEnds.map { _ in nil }
    var place = 0
    var characters = text.makeIterator()
    var next = characters.next()
    while let character = next {
      next = characters.next()
      place += character.utf8.count
      if place > end { break }
      guard place > end * 2 / 3, let kind = clauseEnds.firstIndex(where: { $0.contains(character) })
      else { continue }
      // In a number such as 1,000 or in an address, the sign ends nothing.
      if character.isASCII, next?.isWhitespace == false { continue }
      places[kind] = place
    }
    return places.compactMap { $0 }.first
  }

  // MARK: - Drawing

  private func draw(
    _ part: Passage, _ words: QuoteLayout, size: Double, availableHeight: Double, _ colors: Colors,
    on canvas: Canvas
  ) {
    let above = signHeight(size)
    let top = Self.margin + above + max(0, (availableHeight - above - words.height) / 2)
    let bar = self.bar(size)
    let x = Self.margin + (hasBar && !isRightToLeft ? bar.width + bar.gap : 0)
    drawPanels(words, x: x, y: top, colors, on: canvas)
    switch mark {
    case .bar where order.theme.hasBand:
      canvas.use(colors.accent)
      canvas.fill([
        Rectangle(
          x: isRightToLeft ? width - Self.bandWidth : 0, y: 0, width: Self.bandWidth,
          height: height)
      ])
    case .bar where isCode: break
    case .bar:
      canvas.use(colors.accent)
      canvas.fillRound(
        Rectangle(
          x: isRightToLeft ? width - Self.margin - bar.width : Self.margin, y: top - size * 0.06,
          width: bar.width, height: words.height + size * 0.04))
    case .underline:
      canvas.use(colors.underline)
      let (below, height) = colors.isDark ? (0.12, 0.06) : (0.02, 0.16)
      canvas.fill(
        rectangles(words, x: x, y: top, inset: 0) { line in
          let descent = line.measures.ascent < 0.75 ? 0.0 : 0.08
          return ((below + descent) * line.size, height * line.size)
        })
    case .box:
      canvas.use(colors.box)
      canvas.fill(
        rectangles(words, x: x, y: top, inset: 1 / 6) { (-$0.size * 0.98, $0.size * 1.32) })
    case .sign: break
    }
    if hasSign, !part.blocks[0].isCode {
      drawSign(part, on: canvas, bottom: top, Self.sign(size), colors)
    }
    canvas.use(mark == .box ? colors.boxText : colors.text)
    for line in words.lines { words.draw(line, on: canvas, x: x, y: top + line.baseline) }
  }

  /// Draws the panels behind lines of code, and the signs of their rests.
  private func drawPanels(
    _ words: QuoteLayout, x: Double, y: Double, _ colors: Colors, on canvas: Canvas
  ) {
    let padding = panelPadding
    let edge =
      isCode && mark == .bar && !order.theme.hasBand ? (colors.accent, Self.edgeWidth) : nil
    canvas.use(colors.panel)
    for panel in padding > 0 ? words.panels : [] {
      canvas.fillPanel(
        Rectangle(
          x: x - padding, y: y + panel.lowerBound, width: textWidth(words.size) + 2 * padding,
          height: panel.upperBound - panel.lowerBound), radius: 16, edge: edge)
    }
    for line in padding > 0 ? words.lines : [] {
      let (size, space) = (words.codeSize, words.codeSize * 0.16)
      for part in words.codeExtents(line) {
        canvas.fillPanel(
          Rectangle(
            x: x + part.lowerBound - space, y: y + line.baseline - size * 0.86,
            width: part.upperBound - part.lowerBound + 2 * space, height: size * 1.16),
          radius: size * 0.16, edge: nil)
      }
    }
    canvas.use(colors.faint)
    for line in words.lines where line.continuesCode {
      let column = line.size * QuoteLayout.column
      canvas.drawArrow(
        Rectangle(
          x: x + line.extent.lowerBound - 2.5 * column, y: y + line.baseline - line.size * 0.52,
          width: 1.4 * column, height: line.size * 0.3))
    }
  }

  /// The width of the bar at the left edge of a panel, in pixels.
  private static let edgeWidth = 8.0

  /// Returns a rectangle for each line that has letters.
  ///
  /// - Parameters:
  ///   - inset: the width that is added at both ends, in relation to the font size.
  ///   - place: returns the top of a rectangle below the baseline, and its height.
  private func rectangles(
    _ words: QuoteLayout, x: Double, y: Double, inset: Double,
    _ place: (QuoteLayout.Line) -> (top: Double, height: Double)
  ) -> [Rectangle] {
    words.lines.filter { !$0.extent.isEmpty }.map { line in
      let (top, height) = place(line)
      let inset = inset * line.size
      return Rectangle(
        x: x + line.extent.lowerBound - inset, y: y + line.baseline + top,
        width: line.extent.upperBound - line.extent.lowerBound + 2 * inset, height: height)
    }
  }

  /// Draws an opening quotation mark at the side at which lines begin: that of the quote, which is
  /// hidden there, or else that of its language.
  ///
  /// - Parameters:
  ///   - bottom: the top of the quote in pixels.
  ///   - space: the height of the mark, and its usual distance to the quote.
  private func drawSign(
    _ part: Passage, on canvas: Canvas, bottom: Double, _ space: (height: Double, gap: Double),
    _ colors: Colors
  ) {
    let own = part.openingMark.map { String(decoding: Array(part.text.utf8)[$0], as: UTF8.self) }
    let usual = QuotationMarks(for: quote.text).opening
    // The blank after a French mark is not drawn.
    let mark = own == nil || own == "\"" ? String(usual.prefix(1)) : own!
    // „ is at the foot of a line. Above the quote it would look like the closing ”, so the mark of
    // books is drawn, as in »Ja«.
    let shown = mark == "„" ? "»" : mark
    // In a text from right to left, « is drawn as its mirror image. A mark alone has no direction.
    let text = (isRightToLeft ? "\u{200F}" : "") + shown
    func layout(_ size: Double) -> TextLayout {
      // The corners of 「 are faint in fonts with serifs, and “ is a plain wedge in many fonts.
      let preferred =
        switch script {
        case .japanese: "Noto Sans CJK JP, "
        case .plain, .tall, .hebrew:
          (order.theme.hasSerifs ? "EB Garamond 12, Noto Serif, " : "") + order.theme.family + ", "
        case .chinese, .korean, .arabic: ""
        }
      let family = FontChoice(order.theme, on: canvas).families(order.theme.family, for: part.text)
      let style = TextLayout.Style(
        family: preferred + family, size: size, weight: script == .japanese ? .regular : .bold,
        script: script)
      return TextLayout(text, on: canvas, style, width: width)
    }
    // The signs of different scripts are of very different heights in the same font size.
    let sample = layout(100).ink.height
    let wanted = space.height * (script == .japanese ? 1.15 : 1)
    let sign = layout(sample > 0 ? min(300, 100 * wanted / sample) : 100)
    let ink = sign.ink
    canvas.use(colors.accent)
    let left = isRightToLeft ? width - Self.margin - ink.width : Self.margin
    // The ink includes the distance at which the line of the layout begins.
    sign.draw(0, on: canvas, x: left - ink.x, y: bottom - space.gap - ink.y - ink.height)
  }

  // MARK: - Text

  private static func oneLine(_ text: String) -> String {
    Passage(text, code: []).text.split(separator: "\n").joined(separator: " ")
  }
}
