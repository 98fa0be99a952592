import Interchange

/// The part below the quote: the title in one or two lines, and a line with author and source. It
/// begins at the same side as the quote.
struct Footer {
  private let title: TextLayout?
  private let titleSize: Double
  private let details: TextLayout?
  private let number: TextLayout?
  private let isRightToLeft: Bool

  /// The font sizes of the title in pixels, the largest first.
  private static let titleSizes = [36.0, 33, 30]
  private static let detailSize = 31.0
  private static let pitch = 1.3
  /// The least height of the small letters of a font of 100 pixels.
  private static let letterHeight = 47.0
  /// The distance from the quote to the title, in pixels.
  private static let gap = 66.0
  /// The maximum number of lines of the title, and of author and source.
  private static let mostLines = (title: 2, details: 1)

  /// - Parameters:
  ///   - isRightToLeft: whether the quote runs from right to left.
  ///   - number: the number of the card and of all cards, such as `2/3`; empty for none.
  init(
    _ order: CardOrder, on canvas: Canvas, width: Double, isRightToLeft: Bool,
    number text: String = ""
  ) {
    self.isRightToLeft = isRightToLeft
    let available = width - 2 * CardDrawing.margin
    func layout(_ text: String, size: Double, weight: CardTheme.Weight = .regular, width: Double)
      -> TextLayout
    {
      let script = QuoteScript(of: text)
      let family = FontChoice(order.theme, on: canvas).families(order.theme.labelFamily, for: text)
      var style = TextLayout.Style(
        family: family, size: size * (script == .plain ? scale(family) : script.footerScale),
        weight: weight, script: script)
      style.latinFamily = script.isRightToLeft ? order.theme.labelFamily : nil
      return TextLayout(text, on: canvas, style, width: width)
    }
    /// Returns the factor for a font whose small letters are low.
    func scale(_ family: String) -> Double {
      let height = TextLayout("x", on: canvas, .init(family: family, size: 100), width: width).ink
        .height
      return height > 0 ? min(1.16, max(1, Self.letterHeight / height)) : 1
    }
    var size = Self.titleSizes[0]
    var heading: TextLayout?
    if !order.title.isEmpty {
      for candidate in Self.titleSizes {
        size = candidate
        heading = layout(order.title, size: candidate, weight: .bold, width: available)
        if heading!.lines.count <= Self.mostLines.title { break }
      }
      if heading!.lines.count > Self.mostLines.title {
        heading = Self.cut(order.title, to: Self.mostLines.title) {
          layout($0, size: size, weight: .bold, width: available)
        }
      }
      heading?.balance(more: 0)
    }
    (title, titleSize) = (heading, size)
    // The number is at the end of the line of author and source.
    number = text.isEmpty ? nil : layout(text, size: Self.detailSize, width: available)
    let rest = available - (number == nil ? 0 : 120)
    let words = [order.author, order.source].filter { !$0.isEmpty }.joined(separator: " · ")
    details =
      words.isEmpty
      ? nil
      : Self.cut(words, to: Self.mostLines.details) {
        // The thin strokes of Han letters with serifs are hard to see in small letters.
        let isThin =
          order.theme.hasSerifs
          && [.japanese, .chinese, .korean].contains(QuoteScript(of: words))
        return layout(
          $0, size: Self.detailSize, weight: isThin ? .medium : .regular, width: rest)
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
      // Not within a word, if that is near.
      if let blank = kept.suffix(20).lastIndex(where: \.isWhitespace) { kept = kept[..<blank] }
      while kept.last.map({ $0.isWhitespace || ",;:–—-".contains($0) }) == true {
        kept.removeLast()
      }
      let shorter = layout(kept + "…")
      if shorter.lines.count <= lines { return shorter }
    }
    return layout("…")
  }

  /// The height in pixels.
  var height: Double {
    let titleHeight = Double(title?.lines.count ?? 0) * titleSize * Self.pitch
    let hasDetails = details != nil || number != nil
    return Self.gap + titleHeight + (hasDetails ? Self.detailSize * Self.pitch + 6 : 0)
  }

  /// The number of characters that no font has.
  var unknownGlyphs: Int { (title?.unknownGlyphs ?? 0) + (details?.unknownGlyphs ?? 0) }

  /// Draws the footer above `bottom`, in pixels from the top of the card.
  func draw(on canvas: Canvas, bottom: Double, _ colors: Colors) {
    let width = Double(canvas.size.width) - 2 * CardDrawing.margin
    func draw(_ layout: TextLayout, _ line: Int, atRight: Bool, baseline: Double) {
      layout.draw(
        line, on: canvas,
        x: CardDrawing.margin + layout.shift(line, toRight: atRight, within: width), y: baseline)
    }
    var y = bottom - height + Self.gap
    canvas.use(colors.text)
    if let title {
      for index in title.lines.indices {
        draw(title, index, atRight: isRightToLeft, baseline: y + titleSize * 0.95)
        y += titleSize * Self.pitch
      }
      y += 6
    }
    canvas.use(colors.faint)
    let baseline = y + Self.detailSize * 0.95
    if let details { draw(details, 0, atRight: isRightToLeft, baseline: baseline) }
    if let number { draw(number, 0, atRight: !isRightToLeft, baseline: baseline) }
  }
}

extension QuoteScript {
  /// The font size in relation to that of Latin letters, which appear larger than those of some
  /// scripts.
  fileprivate var footerScale: Double {
    switch self {
    case .plain, .chinese, .japanese, .korean: 1
    case .hebrew: 1.08
    case .tall: 1.12
    case .arabic: 1.18
    }
  }
}
