import Model
import Rendering

/// How wide text is in Times: what Liberation Serif, Tinos and Times New Roman keep to as well.
///
/// The advances of ASCII are those of Adobe's font metrics for Times-Roman, in thousandths of the
/// font's size. A letter with a mark is as wide as without it; scripts that Times has not are taken
/// to be as wide as an average letter, or a whole em where a terminal shows them in two columns.
enum TimesMetrics {
  /// From the blank to the tilde.
  private static let ascii: [Int] = [
    250, 333, 408, 500, 500, 833, 778, 180, 333, 333, 500, 564, 250, 333, 250, 278,
    500, 500, 500, 500, 500, 500, 500, 500, 500, 500, 278, 278, 564, 564, 564, 444,
    921, 722, 667, 667, 722, 611, 556, 722, 722, 333, 389, 722, 611, 889, 722, 722,
    556, 722, 667, 556, 611, 722, 722, 944, 722, 722, 611, 333, 278, 333, 469, 500,
    333, 444, 500, 444, 500, 444, 333, 500, 500, 278, 278, 500, 278, 778, 500, 500,
    500, 500, 333, 389, 278, 500, 500, 722, 500, 500, 444, 480, 200, 480, 541,
  ]

  private static let others: [Unicode.Scalar: Int] = [
    "\u{A0}": 250, "–": 500, "—": 1000, "‘": 333, "’": 333, "“": 444, "”": 444, "„": 444,
    "…": 1000, "•": 350, "«": 500, "»": 500, "§": 500, "©": 760, "®": 760, "°": 400, "·": 250,
    "×": 564, "÷": 564, "±": 564, "ß": 500, "æ": 667, "Æ": 889, "ø": 500, "Ø": 722, "œ": 722,
    "Œ": 889, "ð": 500, "Ð": 722, "þ": 500, "Þ": 556, "ł": 278, "Ł": 611, "ı": 278, "€": 500,
    "£": 500, "¥": 500, "¿": 444, "¡": 333, "†": 500, "‡": 500, "′": 250, "″": 400,
  ]

  /// The advance of a grapheme, in thousandths of the font's size.
  static func advance(of character: Character) -> Int {
    guard let first = character.unicodeScalars.first else { return 0 }
    if let width = known(first) { return width }
    if let base = Unicode.Scalar(TextFolding.base(of: first.value)), let width = known(base) {
      return width
    }
    switch displayWidth(of: character) {
    case 0: return 0
    case 2: return 1000
    default: return first.properties.isUppercase ? 690 : 500
    }
  }

  /// The advance of a text.
  static func advance(of text: some StringProtocol) -> Int {
    text.reduce(0) { $0 + advance(of: $1) }
  }

  private static func known(_ scalar: Unicode.Scalar) -> Int? {
    (0x20...0x7E).contains(scalar.value) ? ascii[Int(scalar.value) - 0x20] : others[scalar]
  }

  /// Divides text into lines that are no wider than `limit`, at blanks and beside wide characters,
  /// and inside a word only when the word is wider than a line.
  static func wrap(_ text: some StringProtocol, limit: Int) -> [String] {
    var lines: [String] = []
    var line = ""
    var width = 0
    /// What follows the last place at which the line can end.
    var (word, wordWidth) = ("", 0)
    func finish() {
      while line.last?.isWhitespace == true { line.removeLast() }
      if !line.isEmpty { lines.append(line) }
      (line, width) = ("", 0)
    }
    func takeWord() {
      line += word
      width += wordWidth
      (word, wordWidth) = ("", 0)
    }
    for character in text {
      let advance = advance(of: character)
      if character.isWhitespace, character != "\u{A0}" {
        takeWord()
        // A blank may hang over the edge; at a line's start there is none.
        if !line.isEmpty {
          line.append(" ")
          width += advance
        }
        continue
      }
      let isWide = displayWidth(of: character) == 2
      if isWide, !character.isClosing { takeWord() }
      if width + wordWidth + advance > limit {
        finish()
        if wordWidth + advance > limit {
          takeWord()
          finish()
        }
      }
      word.append(character)
      wordWidth += advance
    }
    takeWord()
    finish()
    return lines
  }
}

extension Character {
  /// Whether no line begins with it.
  fileprivate var isClosing: Bool { "。、，．！？：；）」』】》〉”’・ー".contains(self) }
}
