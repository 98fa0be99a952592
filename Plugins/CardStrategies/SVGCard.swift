import Interchange
import Model

/// Draws a quote as an SVG: its words on marks of its colour, and below a rule where they are from.
///
/// Lines are broken here, at a fixed pitch, and each says how long it is, so that it fills its mark
/// in whatever font a viewer has. The letters get smaller for longer quotes, and when they are as
/// small as they may be the card gets higher: nothing is ever cut off. Sizes are in units of the
/// drawing, which is 1080 wide.
struct SVGCard {
  /// The colours, as CSS.
  struct Colors {
    var background: String
    var text: String
    var faint: String
    var marks: [HighlightColor: String]
  }

  let colors: Colors

  private static let width = 1080
  private static let margin = 96
  private static let least = 1080
  private static let sizes = [68, 60, 52, 46, 40, 36]
  private static let fonts =
    "'Liberation Serif', Tinos, 'Times New Roman', Times, 'Noto Serif', 'Noto Serif CJK SC', serif"

  /// One line of text.
  private struct Line {
    var text: String
    var width: Int
    var top: Int
    var isRightToLeft: Bool
  }

  /// The drawing.
  func card(of quote: AnnotationRecord) -> Card {
    let room = Self.width - 2 * Self.margin
    let title = Self.lines(quote.title, size: 34, room: room, pitch: 44, most: 2)
    let source =
      quote.source == quote.title
      ? [] : Self.lines(quote.source, size: 26, room: room, pitch: 34, most: 1)
    let footer = 56 + (title.count * 44) + (source.isEmpty ? 0 : 44)
    let height = Self.least - 2 * Self.margin - footer
    var size = 0
    var words: [Line] = []
    for candidate in Self.sizes {
      size = candidate
      words = Self.lines(quote.quote, size: size, room: room, pitch: size * 3 / 2)
      if (words.last?.top ?? 0) + size * 3 / 2 <= height { break }
    }
    let wordsHeight = (words.last?.top ?? 0) + size * 3 / 2
    let total = max(Self.least, wordsHeight + 2 * Self.margin + footer)
    let top = Self.margin + (total - 2 * Self.margin - footer - wordsHeight) / 2
    let foot = total - Self.margin - footer

    var svg = Self.head(width: Self.width, height: total, title: quote)
    svg += "<rect width=\"\(Self.width)\" height=\"\(total)\" fill=\"\(colors.background)\"/>\n"
    svg += marks(words, size: size, top: top, room: room, colors.marks[quote.color] ?? "none")
    svg += group(words, size: size, top: top, pitch: size * 3 / 2, fill: colors.text)
    svg +=
      "<rect x=\"\(Self.margin)\" y=\"\(foot + 20)\" width=\"72\" height=\"4\" "
      + "fill=\"\(colors.text)\"/>\n"
    svg += group(title, size: 34, top: foot + 56, pitch: 44, fill: colors.text)
    svg += group(
      source, size: 26, top: foot + 56 + title.count * 44 + 6, pitch: 34, fill: colors.faint)
    svg += "</svg>\n"
    return Card(mediaType: "image/svg+xml", bytes: Array(svg.utf8))
  }

  /// The lines of a text; half a line lies between two paragraphs. Beyond `most`, the last one ends
  /// in an ellipsis: only of titles and paths, never of the words.
  private static func lines(
    _ text: String, size: Int, room: Int, pitch: Int, most: Int? = nil
  ) -> [Line] {
    // Some viewers take no notice of a line's length: in a wider font than Times it still fits.
    let limit = room * 1000 / size * 5 / 6
    var lines: [Line] = []
    var top = 0
    for paragraph in text.split(whereSeparator: \.isNewline) {
      let isRightToLeft = paragraph.isRightToLeft
      if !lines.isEmpty { top += pitch / 2 }
      for line in TimesMetrics.wrap(paragraph, limit: limit) {
        lines.append(
          Line(
            text: line, width: TimesMetrics.advance(of: line) * size / 1000, top: top,
            isRightToLeft: isRightToLeft))
        top += pitch
      }
    }
    guard let most, lines.count > most else { return lines }
    var last = lines[most - 1]
    while TimesMetrics.advance(of: last.text + "…") > limit, !last.text.isEmpty {
      last.text.removeLast()
    }
    last.text += "…"
    last.width = TimesMetrics.advance(of: last.text) * size / 1000
    return lines[..<(most - 1)] + [last]
  }

  /// One path for all marks, so that nothing shows where two meet.
  private func marks(_ lines: [Line], size: Int, top: Int, room: Int, _ color: String) -> String {
    let inset = size / 5
    let path = lines.map { line in
      // How long joined letters are is known to the viewer alone.
      let length = line.isRightToLeft ? room : min(line.width, room)
      return "M\(Self.margin - inset) \(top + line.top + size / 8)h\(length + 2 * inset)"
        + "v\(size * 5 / 4)h-\(length + 2 * inset)z"
    }
    return path.isEmpty ? "" : "<path d=\"\(path.joined())\" fill=\"\(color)\"/>\n"
  }

  private func group(_ lines: [Line], size: Int, top: Int, pitch: Int, fill: String) -> String {
    guard !lines.isEmpty else { return "" }
    var svg = "<g font-size=\"\(size)\" fill=\"\(fill)\">\n"
    for line in lines {
      // The base line stands so that capitals are in the middle of the pitch.
      let y = top + line.top + (pitch + size * 2 / 3) / 2
      let place =
        line.isRightToLeft
        ? "x=\"\(Self.width - Self.margin)\" y=\"\(y)\" direction=\"rtl\""
        : "x=\"\(Self.margin)\" y=\"\(y)\" textLength=\"\(line.width)\" "
          + "lengthAdjust=\"spacingAndGlyphs\""
      svg += "<text \(place)>\(line.text.xml)</text>\n"
    }
    return svg + "</g>\n"
  }

  private static func head(width: Int, height: Int, title quote: AnnotationRecord) -> String {
    """
    <?xml version="1.0" encoding="UTF-8"?>
    <svg xmlns="http://www.w3.org/2000/svg" width="\(width)" height="\(height)" \
    viewBox="0 0 \(width) \(height)" font-family="\(fonts)">
    <title>\(quote.title.xml)</title>

    """
  }
}

extension StringProtocol {
  /// Whether its first letter is one of Hebrew, Arabic or another script from right to left.
  fileprivate var isRightToLeft: Bool {
    guard let letter = unicodeScalars.first(where: \.properties.isAlphabetic) else { return false }
    return [0x590...0x8FF, 0xFB1D...0xFDFF, 0xFE70...0xFEFF, 0x10800...0x10FFF, 0x1E800...0x1EFFF]
      .contains { $0.contains(Int(letter.value)) }
  }

  /// The text in XML: what has a meaning there is escaped, and what may not be there left out.
  fileprivate var xml: String {
    var result = ""
    for scalar in unicodeScalars {
      switch scalar {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\"": result += "&quot;"
      case "\u{0}"..."\u{1F}", "\u{7F}"..."\u{9F}", "\u{FFFE}", "\u{FFFF}": continue
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }
}
