import Interchange

/// The part below the quote: a rule, the title in one or two lines, and a line with author and
/// source.
struct Footer {
  private let title: TextLayout?
  private let titleSize: Double
  private let details: TextLayout?
  private let number: TextLayout?

  /// The font sizes of the title in pixels, the largest first.
  private static let titleSizes = [38.0, 34, 30]
  private static let detailSize = 28.0
  private static let pitch = 1.3
  /// The distances from the quote to the rule and from the rule to the title, in pixels.
  private static let gap = (above: 44.0, below: 24.0)
  private static let ruleHeight = 4.0
  /// The maximum number of lines of the title, and of author and source.
  private static let mostLines = (title: 2, details: 1)

  /// - Parameter number: the number of the card and of all cards, such as `2/3`; empty for none.
  init(_ order: CardOrder, on canvas: Canvas, width: Double, number text: String = "") {
    let available = width - 2 * CardDrawing.margin
    let family = order.theme.labelFamily
    var size = Self.titleSizes[0]
    var layout: TextLayout?
    if !order.title.isEmpty {
      for candidate in Self.titleSizes {
        size = candidate
        layout = TextLayout(
          order.title, on: canvas, family: family, size: candidate, width: available, isBold: true)
        if layout!.lines.count <= Self.mostLines.title { break }
      }
      if layout!.lines.count > Self.mostLines.title {
        layout = Self.cut(order.title, to: Self.mostLines.title) {
          TextLayout($0, on: canvas, family: family, size: size, width: available, isBold: true)
        }
      }
    }
    (title, titleSize) = (layout, size)
    // The number is at the end of the line of author and source.
    number =
      text.isEmpty
      ? nil
      : TextLayout(text, on: canvas, family: family, size: Self.detailSize, width: available)
    let rest = available - (number == nil ? 0 : 120)
    let words = [order.author, order.source].filter { !$0.isEmpty }.joined(separator: " · ")
    details =
      words.isEmpty
      ? nil
      : Self.cut(words, to: Self.mostLines.details) {
        TextLayout($0, on: canvas, family: family, size: Self.detailSize, width: rest)
      }
  }

  /// Shortens a text with an ellipsis if it needs too many lines. Quotes are never shortened.
  private static func cut(_ text: String, to lines: Int, _ layout: (String) -> TextLayout)
    -> TextLayout
  {
    let whole = layout(text)
    guard whole.lines.count > lines else { return whole }
    let end = text.utf8.index(text.startIndex, offsetBy: whole.lines[lines - 1].bytes.upperBound)
    var kept = text[..<end]
    while !kept.isEmpty {
      kept.removeLast()
      while kept.last?.isWhitespace == true { kept.removeLast() }
      let shorter = layout(kept + "…")
      if shorter.lines.count <= lines { return shorter }
    }
    return layout("…")
  }

  /// The height in pixels.
  var height: Double {
    let titleHeight = Double(title?.lines.count ?? 0) * titleSize * Self.pitch
    let hasDetails = details != nil || number != nil
    return Self.gap.above + Self.ruleHeight + Self.gap.below + titleHeight
      + (hasDetails ? Self.detailSize * Self.pitch + 6 : 0)
  }

  /// The number of characters that no font has.
  var unknownGlyphs: Int { (title?.unknownGlyphs ?? 0) + (details?.unknownGlyphs ?? 0) }

  /// Draws the footer above `bottom`, in pixels from the top of the card.
  func draw(on canvas: Canvas, bottom: Double, _ colors: Colors) {
    let x = CardDrawing.margin
    var y = bottom - height + Self.gap.above
    canvas.use(colors.text)
    let isRightToLeft = (title ?? details)?.isRightToLeft ?? false
    let rule = 72.0
    canvas.fill([
      Rectangle(
        x: isRightToLeft ? Double(canvas.size.width) - x - rule : x, y: y, width: rule,
        height: Self.ruleHeight)
    ])
    y += Self.ruleHeight + Self.gap.below
    if let title {
      let pitch = titleSize * Self.pitch
      let top = y
      title.draw(0..<title.lines.count, on: canvas, x: x) { index in
        top + Double(index) * pitch + titleSize * 0.95
      }
      y += Double(title.lines.count) * pitch + 6
    }
    canvas.use(colors.faint)
    let baseline = y + Self.detailSize * 0.95
    details?.draw(0..<1, on: canvas, x: x) { _ in baseline }
    if let number, let line = number.lines.first {
      // Draw the number at the end of the line that is opposite to author and source.
      let isLeft = details?.isRightToLeft ?? isRightToLeft
      let right = Double(canvas.size.width) - x - line.extent.upperBound
      number.draw(0..<1, on: canvas, x: isLeft ? x : right) { _ in baseline }
    }
  }
}
