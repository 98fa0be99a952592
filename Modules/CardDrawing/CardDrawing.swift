package import Interchange
import Model

/// Draws the cards of a quote with Pango and cairo.
///
/// Lines have a fixed pitch and are about equally long. The letters have the largest size with
/// which the whole quote fits on one card. If they would be too small, the quote is divided into
/// numbered cards, at the ends of sentences or clauses if possible, and the letters become as large
/// as that number of cards allows. The quote is never shortened, and nothing is inserted into it.
/// Code without blanks is broken only if it is too wide for a card in the smallest letters.
///
///     let (files, unknownGlyphs) = try CardDrawing(order).cards()
package struct CardDrawing {
  private let order: CardOrder
  private let quote: Passage
  private let width: Double
  private let height: Double
  private let script: QuoteScript
  private let isRightToLeft: Bool

  /// The margin on all four sides, in pixels.
  static let margin = 96.0
  /// The font sizes of the quote in pixels, the largest first.
  package static let sizes = [144.0, 124, 108, 98, 89, 81, 74, 68, 62, 57, 52, 48, 44, 41]
  /// The maximum number of cards for one quote.
  static let mostCards = 40
  /// The font sizes from which a text of more than a number of lines would be too loud.
  private static let loud = [(size: 110.0, lines: 3), (size: 75, lines: 6)]
  /// The bar beside the quote, in pixels.
  private static let bar = (width: 10.0, gap: 38.0)
  /// The height of the quotation mark above the quote, and its distance to the quote, in pixels.
  private static let sign = (height: 54.0, gap: 52.0)

  package init(_ order: CardOrder) {
    quote = Passage(order.quote, code: order.code)
    var order = order
    order.title = Self.oneLine(order.title)
    order.author = Self.oneLine(order.author)
    order.source = Self.oneLine(order.source)
    self.order = order
    script = QuoteScript(of: quote.text)
    isRightToLeft = QuoteScript.isRightToLeft(quote.text)
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
      words.balance(from: textWidth)
      draw(words, size: size, availableHeight: availableHeight, colors, on: canvas)
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
      let (parts, size, _) = try divided()
      let canvas = Canvas(order.size, .png)
      return parts.map { part in
        let words = layout(part, on: canvas, size: size)
        words.balance(from: textWidth)
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
  private var textWidth: Double {
    width - 2 * Self.margin - (order.mark == .bar ? Self.bar.width + Self.bar.gap : 0)
  }

  /// The height of the quotation mark with its distance to the quote; 0 if there is none.
  private var signHeight: Double {
    order.mark == .sign || order.mark == .box ? Self.sign.height + Self.sign.gap : 0
  }

  /// The distance of two baselines, relative to the font size. Small letters need more.
  private func pitch(_ size: Double) -> Double {
    let plain = 1.2 + 0.24 * (Self.sizes[0] - size) / (Self.sizes[0] - Self.sizes.last!)
    let pitch =
      switch script {
      case .plain: quote.code.isEmpty ? plain : plain + 0.06
      case .hebrew: plain + 0.06
      case .japanese, .chinese, .korean: plain + 0.2
      case .arabic, .tall: plain + 0.28
      }
    // Between boxes there is a gap.
    return order.mark == .box ? max(1.5, pitch) : pitch
  }

  /// The height of most letters above the baseline, relative to the font size.
  private var ascent: Double {
    switch script {
    case .plain, .hebrew: 0.66
    case .japanese, .chinese, .korean: 0.82
    case .arabic, .tall: 0.86
    }
  }

  /// The depth of most letters below the baseline, relative to the font size.
  private var descent: Double {
    switch script {
    case .plain, .hebrew: 0.3
    case .japanese, .chinese, .korean: 0.2
    case .arabic, .tall: 0.45
    }
  }

  private func layout(_ part: Passage, on canvas: Canvas, size: Double) -> TextLayout {
    let style = TextLayout.Style(
      family: Self.family(order.theme.family, script, of: order.theme),
      codeFamily: order.theme.codeFamily, size: size, language: script.language)
    return TextLayout(
      part.text, on: canvas, style, code: part.code, width: textWidth,
      breaksLongCode: size <= Self.sizes.last!)
  }

  /// Returns font families with those for a script first.
  static func family(_ families: String, _ script: QuoteScript, of theme: CardTheme) -> String {
    let kind = theme.hasSerifs ? "Noto Serif" : "Noto Sans"
    return switch script {
    case .japanese: "\(kind) CJK JP, \(families)"
    case .chinese: "\(kind) CJK SC, \(families)"
    case .korean: "\(kind) CJK KR, \(families)"
    case .arabic:
      theme.hasSerifs
        ? "Amiri, Scheherazade New, Noto Naskh Arabic, \(families)" : "\(kind) Arabic, \(families)"
    case .hebrew: "\(kind) Hebrew, \(families)"
    case .tall, .plain: "\(families), \(kind) CJK SC"
    }
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
    let availableHeight = height - 2 * Self.margin - signHeight - foot
    let (parts, size) = try parts(on: measure, availableHeight: availableHeight)
    return (parts, size, availableHeight)
  }

  /// The height of lines in pixels, from the top of the capitals to the descenders, with half a
  /// line between two paragraphs.
  private func height(lines: Int, paragraphs: Int, size: Double) -> Double {
    let pitches = Double(lines - 1) + 0.5 * Double(max(0, paragraphs - 1))
    return (pitches * pitch(size) + ascent + descent + (order.mark == .box ? 0.32 : 0)) * size
  }

  private func height(of words: TextLayout, size: Double) -> Double {
    height(lines: words.lines.count, paragraphs: words.paragraphs, size: size)
  }

  // MARK: - Dividing

  /// Returns the text of each card, and the font size of all cards.
  private func parts(on canvas: Canvas, availableHeight: Double) throws(CardError) -> (
    [Passage], Double
  ) {
    let smallest = Self.sizes.last!
    // An upper limit of the characters that fit on a card in the narrowest letters; more are not
    // laid out.
    let most = Int(width * availableHeight / (smallest * smallest) * 8) + 64
    if quote.text.prefix(most).endIndex == quote.text.endIndex {
      // A size that breaks no word is better than a larger one.
      var broken: Double?
      for size in Self.sizes {
        let words = layout(quote, on: canvas, size: size)
        let isLoud = Self.loud.contains { size >= $0.size && words.lines.count > $0.lines }
        guard !isLoud, !words.isTooWide, height(of: words, size: size) <= availableHeight else {
          continue
        }
        if words.brokenWords == 0 { return ([quote], size) }
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

  /// Divides the quote into cards with a fixed font size.
  ///
  /// - Throws: `CardError` if the quote needs too many cards, or is too wide in that size.
  private func divided(on canvas: Canvas, size: Double, availableHeight: Double, _ most: Int)
    throws(CardError) -> [Passage]
  {
    var parts: [Passage] = []
    var start = 0
    var rest = quote.text[...]
    while !rest.isEmpty {
      guard parts.count < Self.mostCards else {
        throw CardError("the quote needs more than \(Self.mostCards) cards")
      }
      let beginning = quote.part(start..<start + rest.prefix(most).utf8.count)
      let count = try firstCard(
        of: beginning, on: canvas, size: size, availableHeight: availableHeight)
      parts.append(beginning.part(0..<count))
      let after = rest[rest.utf8.index(rest.startIndex, offsetBy: count)...]
      rest = after.drop(while: \.isWhitespace)
      start = quote.text.utf8.distance(from: quote.text.startIndex, to: rest.startIndex)
    }
    return parts
  }

  /// Returns the number of bytes of a passage on its first card: all, or up to the end of a
  /// sentence, of a part of it, or of a clause, or else up to the end of a line.
  ///
  /// - Throws: `CardError` if the passage is too wide in that size.
  private func firstCard(
    of passage: Passage, on canvas: Canvas, size: Double, availableHeight: Double
  ) throws(CardError) -> Int {
    let words = layout(passage, on: canvas, size: size)
    guard !words.isTooWide else { throw CardError("the letters are too large for the code") }
    var fitting = 0
    var paragraphs = 0
    for (index, line) in words.lines.enumerated() {
      if line.isParagraphStart { paragraphs += 1 }
      if height(lines: index + 1, paragraphs: paragraphs, size: size) > availableHeight { break }
      fitting = index + 1
    }
    if fitting == words.lines.count { return passage.text.utf8.count }
    let end = words.lines[max(0, fitting - 1)].bytes.upperBound
    if let sentence = words.sentenceStarts.last(where: { $0 <= end && $0 > end * 2 / 3 }) {
      return sentence
    }
    return Self.clauseEnd(in: passage.text, before: end) ?? end
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
    _ words: TextLayout, size: Double, availableHeight: Double, _ colors: Colors, on canvas: Canvas
  ) {
    let pitch = size * pitch(size)
    let top =
      Self.margin + signHeight + max(0, (availableHeight - height(of: words, size: size)) / 2)
    var baselines: [Double] = []
    var y = top + size * ascent + (order.mark == .box ? size * 0.32 : 0)
    for (index, line) in words.lines.enumerated() {
      if index > 0 { y += line.isParagraphStart ? pitch * 1.5 : pitch }
      baselines.append(y)
    }
    // Lines are aligned in a narrower layout after balancing.
    var x = Self.margin
    if isRightToLeft {
      x += textWidth - words.width
    } else if order.mark == .bar {
      x += Self.bar.width + Self.bar.gap
    }
    switch order.mark {
    case .bar:
      canvas.use(colors.accent)
      let (first, last) = (baselines.first ?? top, baselines.last ?? top)
      canvas.fillRound(
        Rectangle(
          x: isRightToLeft ? width - Self.margin - Self.bar.width : Self.margin,
          y: first - size * (ascent + 0.08), width: Self.bar.width,
          height: last - first + size * (ascent + 0.28)))
    case .underline:
      canvas.use(colors.underline)
      let descent = ascent < 0.7 ? 0.0 : 0.08
      let (top, height) = colors.isDark ? (0.12 + descent, 0.06) : (0.02 + descent, 0.16)
      canvas.fill(
        rectangles(words, baselines, x: x, inset: 0) { ($0 + size * top, size * height) })
    case .box:
      drawSign(on: canvas, bottom: top - Self.sign.gap, colors)
      canvas.use(colors.box)
      canvas.fill(
        rectangles(words, baselines, x: x, inset: size / 6) { ($0 - size * 0.98, size * 1.32) })
    case .sign: drawSign(on: canvas, bottom: top - Self.sign.gap, colors)
    }
    canvas.use(order.mark == .box ? colors.boxText : colors.text)
    for (index, baseline) in baselines.enumerated() {
      words.draw(index, on: canvas, x: x, y: baseline)
    }
  }

  /// Returns a rectangle for each line that has letters.
  ///
  /// - Parameter place: returns the top and the height of a rectangle for a baseline.
  private func rectangles(
    _ words: TextLayout, _ baselines: [Double], x: Double, inset: Double,
    _ place: (Double) -> (top: Double, height: Double)
  ) -> [Rectangle] {
    zip(words.lines, baselines).filter { !$0.0.extent.isEmpty }.map { line, baseline in
      let (top, height) = place(baseline)
      return Rectangle(
        x: x + line.extent.lowerBound - inset, y: top,
        width: line.extent.upperBound - line.extent.lowerBound + 2 * inset, height: height)
    }
  }

  /// Draws the opening quotation mark of the quote's script at the side at which lines begin.
  private func drawSign(on canvas: Canvas, bottom: Double, _ colors: Colors) {
    let text = script.quotationMarks.opening
    func layout(_ size: Double) -> TextLayout {
      // The corners of 「 are faint in fonts with serifs, and “ is a plain wedge in many fonts.
      let family =
        switch script {
        case .japanese: "Noto Sans CJK JP, "
        case .plain, .tall, .hebrew: order.theme.hasSerifs ? "EB Garamond 12, Noto Serif, " : ""
        case .chinese, .korean, .arabic: ""
        }
      let style = TextLayout.Style(
        family: family + Self.family(order.theme.family, script, of: order.theme), size: size,
        isBold: true, language: script.language)
      return TextLayout(text, on: canvas, style, width: width)
    }
    // The signs of different scripts are of very different heights in the same font size.
    let sample = layout(100).ink.height
    let height = Self.sign.height * (script == .japanese ? 1.5 : 1)
    let sign = layout(sample > 0 ? min(300, 100 * height / sample) : 100)
    let ink = sign.ink
    canvas.use(colors.accent)
    let left = isRightToLeft ? width - Self.margin - ink.width : Self.margin
    // The ink includes the distance at which the line of the layout begins.
    sign.draw(0, on: canvas, x: left - ink.x, y: bottom - ink.y - ink.height)
  }

  // MARK: - Text

  private static func oneLine(_ text: String) -> String {
    Passage(text, code: []).text.split(separator: "\n").joined(separator: " ")
  }
}
