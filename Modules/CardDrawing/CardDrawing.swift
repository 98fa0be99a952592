import CPango
package import Interchange
import Model

/// Draws the cards of a quote with Pango and cairo.
///
/// Lines have a fixed pitch, whichever scripts they contain. The letters have the largest
/// size with which the whole quote fits on one card. If they would be too small, the quote is
/// divided at the ends of sentences into numbered cards. The quote is never shortened.
///
///     let (files, unknownGlyphs) = try CardDrawing(order).cards()
package struct CardDrawing {
  private let order: CardOrder
  private let width: Double
  private let height: Double

  /// The margin on all four sides, in pixels.
  static let margin = 96.0
  /// The font sizes of the quote in pixels, the largest first.
  static let sizes = [84.0, 76, 68, 62, 56, 51, 46, 42]
  /// The distance of two baselines, relative to the font size.
  static let pitch = 1.5
  /// The maximum number of cards for one quote.
  static let mostCards = 40
  /// The height of the quotation mark above the quote, in pixels.
  static let ornamentHeight = 84.0
  private static let ornamentSize = 150.0

  package init(_ order: CardOrder) {
    var order = order
    order.quote = Self.drawable(order.quote)
    order.title = Self.drawable(order.title, isOneLine: true)
    order.author = Self.drawable(order.author, isOneLine: true)
    order.source = Self.drawable(order.source, isOneLine: true)
    self.order = order
    (width, height) = (Double(order.size.width), Double(order.size.height))
  }

  /// Draws the cards. Returns their files and the number of characters that no font has.
  ///
  /// - Throws: `CardError` for an invalid colour in the theme, a quote that needs too many cards,
  ///   or a failure of cairo.
  package func cards() throws(CardError) -> (files: [[UInt8]], unknownGlyphs: Int) {
    let colors = try Colors(order)
    let (parts, size, availableHeight) = try division()
    var files: [[UInt8]] = []
    var unknown = 0
    for (index, part) in parts.enumerated() {
      let canvas = Canvas(order.size, order.format)
      canvas.use(colors.background)
      canvas.fill([Rectangle(x: 0, y: 0, width: width, height: height)])
      let words = layout(part, on: canvas, size: size)
      draw(words, size: size, availableHeight: availableHeight, colors, on: canvas)
      let number = parts.count > 1 ? "\(index + 1)/\(parts.count)" : ""
      let footer = Footer(order, on: canvas, width: width, number: number)
      footer.draw(on: canvas, bottom: height - Self.margin, colors)
      unknown += words.unknownGlyphs + (index == 0 ? footer.unknownGlyphs : 0)
      files.append(try canvas.finished())
    }
    return (files, unknown)
  }

  private func layout(_ text: String, on canvas: Canvas, size: Double) -> TextLayout {
    TextLayout(
      text, on: canvas, family: order.theme.family, size: size, width: width - 2 * Self.margin)
  }

  /// Divides the quote. Returns the text of each card, the font size of all cards, and the height
  /// available for the text in pixels.
  ///
  /// - Throws: `CardError` if the quote needs too many cards.
  package func division() throws(CardError) -> (
    parts: [String], size: Double, availableHeight: Double
  ) {
    let measure = Canvas(order.size, .png)
    // Space for a number is reserved on single cards too.
    let foot = Footer(order, on: measure, width: width, number: "1/2").height
    let availableHeight = height - 2 * Self.margin - Self.ornamentHeight - foot
    let (parts, size) = try parts(on: measure, availableHeight: availableHeight)
    return (parts, size, availableHeight)
  }

  /// The height of the text in pixels, with half a line between two paragraphs.
  private static func height(of words: TextLayout, size: Double) -> Double {
    (Double(words.lines.count) + 0.5 * Double(max(0, words.paragraphs - 1))) * size * pitch
  }

  // MARK: - Dividing

  /// Returns the text of each card, and the font size of all cards.
  private func parts(on canvas: Canvas, availableHeight: Double) throws(CardError) -> (
    [String], Double
  ) {
    let size = Self.sizes.last!
    // An upper limit of the characters that fit on a card in the narrowest letters; more are not
    // laid out.
    let most = Int(width * availableHeight / (size * size) * 8) + 64
    if order.quote.prefix(most).endIndex == order.quote.endIndex {
      for size in Self.sizes {
        let words = layout(order.quote, on: canvas, size: size)
        if Self.height(of: words, size: size) <= availableHeight { return ([order.quote], size) }
      }
    }
    var parts = try divided(on: canvas, size: size, availableHeight: availableHeight, most)
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
  private func divided(on canvas: Canvas, size: Double, availableHeight: Double, _ most: Int)
    throws(CardError) -> [String]
  {
    var parts: [String] = []
    var rest = order.quote[...]
    while !rest.isEmpty {
      guard parts.count < Self.mostCards else {
        throw CardError("the quote needs more than \(Self.mostCards) cards")
      }
      let beginning = rest.prefix(most)
      let count = firstCard(
        of: String(beginning), on: canvas, size: size, availableHeight: availableHeight)
      let end = rest.utf8.index(rest.startIndex, offsetBy: count)
      parts.append(rest[..<end].trimmed)
      rest = rest[end...].drop(while: \.isWhitespace)
    }
    return parts
  }

  /// Returns the number of bytes of a text on its first card: all, or up to the end of a sentence
  /// in the last third of the card, or else up to the end of a line.
  private func firstCard(of text: String, on canvas: Canvas, size: Double, availableHeight: Double)
    -> Int
  {
    let words = layout(text, on: canvas, size: size)
    var used = 0.0
    var fitting = 0
    for (index, line) in words.lines.enumerated() {
      used += (index > 0 && line.isParagraphStart ? 1.5 : 1) * size * Self.pitch
      if used > availableHeight { break }
      fitting = index + 1
    }
    if fitting == words.lines.count { return text.utf8.count }
    let end = words.lines[max(0, fitting - 1)].bytes.upperBound
    return words.sentenceStarts.last { $0 <= end && $0 > end * 2 / 3 } ?? end
  }

  // MARK: - Drawing

  private func draw(
    _ words: TextLayout, size: Double, availableHeight: Double, _ colors: Colors, on canvas: Canvas
  ) {
    let pitch = size * Self.pitch
    let top =
      Self.margin + Self.ornamentHeight
      + max(0, (availableHeight - Self.height(of: words, size: size)) / 2)
    var baselines: [Double] = []
    var y = top
    for (index, line) in words.lines.enumerated() {
      if index > 0, line.isParagraphStart { y += pitch / 2 }
      // Centre the capitals vertically between the top of the line and the top of the next.
      baselines.append(y + (pitch + size * 0.66) / 2)
      y += pitch
    }
    let inset = size / 6
    canvas.use(colors.mark)
    canvas.fill(
      zip(words.lines, baselines).filter { !$0.0.extent.isEmpty }.map { line, baseline in
        Rectangle(
          x: Self.margin + line.extent.lowerBound - inset, y: baseline - size * 0.98,
          width: line.extent.upperBound - line.extent.lowerBound + 2 * inset, height: size * 1.32)
      })
    canvas.use(colors.ornament)
    let isRightToLeft = words.isRightToLeft
    let sign = TextLayout(
      isRightToLeft ? "\u{201D}" : "\u{201C}", on: canvas, family: order.theme.family,
      size: Self.ornamentSize, width: width)
    let end = sign.lines.first?.extent.upperBound ?? 0
    let x = isRightToLeft ? width - Self.margin + 8 - end : Self.margin - 8
    sign.draw(0..<sign.lines.count, on: canvas, x: x) { _ in
      top - Self.ornamentHeight + Self.ornamentSize * 0.72
    }
    canvas.use(colors.text)
    words.draw(0..<words.lines.count, on: canvas, x: Self.margin) { baselines[$0] }
  }

  // MARK: - Text

  /// Removes control characters except tabs, and joins consecutive line breaks.
  private static func drawable(_ text: String, isOneLine: Bool = false) -> String {
    var result = ""
    for character in text {
      if character.isNewline {
        if isOneLine { result += " " } else if result.last != "\n" { result += "\n" }
        continue
      }
      result.unicodeScalars += character.unicodeScalars.filter {
        $0 == "\t" || $0.properties.generalCategory != .control
      }
    }
    return result.trimmed
  }
}
