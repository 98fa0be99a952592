/// A line of code as columns of a monospaced font.
struct CodeLine {
  /// The number of columns.
  private(set) var columns = 0
  /// The number of blanks at the start.
  private var indentation = 0
  /// The number of columns of the widest part that is not broken; see `parts`.
  private var widestPart = 0
  /// The columns of the words, and of the blanks before them.
  private var words: [(blanks: Int, columns: Int)] = []

  init(_ text: String) {
    var blanks = 0
    for scalar in text.unicodeScalars {
      // East Asian letters are twice as wide.
      let width = scalar.value < 0x1100 ? 1 : 2
      columns += width
      if scalar == " " {
        blanks += 1
        continue
      }
      if blanks > 0 || words.isEmpty { words.append((blanks, 0)) }
      words[words.count - 1].columns += width
      blanks = 0
    }
    indentation = words.first?.blanks ?? 0
    let bytes = Array(text.utf8)
    let parts = bytes.split(separator: 0x20).flatMap { Self.parts(of: bytes, in: $0.indices) }
    widestPart = parts.map(\.count).max() ?? 0
  }

  /// The number of columns by which the rest of the line is indented, more than the line itself.
  func indent(in width: Int) -> Int { min(indentation + 4, width / 2) }

  /// Whether a name must be broken in a number of columns.
  func isBroken(in width: Int) -> Bool {
    columns > width && indent(in: width) + widestPart > width
  }

  /// Returns the number of lines that continue the line in a number of columns.
  func rests(in width: Int) -> Int {
    guard columns > width else { return 0 }
    let (indent, width) = (indent(in: width), max(2, width))
    var (place, rests) = (0, 0)
    for word in words {
      place += word.blanks + word.columns
      guard place > width else { continue }
      if word.columns < place - word.blanks { rests += 1 }
      // A word that is wider than a line is broken.
      let available = max(1, width - indent)
      rests += (word.columns - 1) / available
      place = indent + (word.columns - 1) % available + 1
    }
    return rests
  }

  /// Returns the parts of code without blanks within it after which a line may end if it must: they end with
  /// signs such as ( or , or /.
  static func parts(of text: [UInt8], in run: Range<Int>) -> [Range<Int>] {
    var parts: [Range<Int>] = []
    var start = run.lowerBound
    for place in run.dropFirst() where signs.contains(text[place - 1]) {
      guard text[place] != 0x20, !signs.contains(text[place]) else { continue }
      parts.append(start..<place)
      start = place
    }
    return parts + [start..<run.upperBound]
  }

  private static let signs = Set("([{,;:=&|+*/\\?>.".utf8)
}
