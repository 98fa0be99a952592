package import MarkdownParse
package import Model

/// One row of a laid-out page.
public struct Line: Hashable, Sendable {
  /// Its pieces from left to right.
  public var spans: [Span]

  /// A piece that looks alike.
  public struct Span: Hashable, Sendable {
    /// What is drawn: without control characters.
    public var text: String
    /// How it looks.
    package var spanStyle: SpanStyle
    /// The part of the rendered text that it shows; nil for what is only decoration.
    package var range: TextRange?
  }

  /// The columns it takes.
  package var width: Int { spans.reduce(0) { $0 + displayWidth(of: $1.text) } }
}

/// How a piece of a line looks.
package struct SpanStyle: Hashable, Sendable {
  /// The author's styles.
  package var style: TextStyle = []
  /// A heading's level, 0 for none.
  package var heading = 0
  /// The colour of the topmost highlight.
  package var highlight: HighlightColor?
  /// Whether several highlights cover it.
  package var isOverlap = false
  /// Whether the topmost highlight's place is doubtful.
  package var isDoubtful = false
  /// Whether it is a match of what is looked for.
  package var decoration = Decoration.normal
  /// The destination, for a clickable link.
  package var destination: String?
  /// What it is in a line of a list.
  package var accent: ListAccent?
  /// What it is in code.
  var code: CodeKind?
  /// What a decoration is.
  var part: ThemeKey?
  /// Which picture it is a part of; 0 for none.
  var picture: UInt16 = 0
  /// What a person's format says.
  var format = CellFormat.none

  /// Plain.
  package init() {}

  /// A decoration.
  static let faint = decoration(.muted)

  /// A decoration of some kind.
  static func decoration(_ part: ThemeKey) -> SpanStyle {
    var spanStyle = SpanStyle()
    spanStyle.part = part
    return spanStyle
  }

  /// What its colour is called in a theme; nil for the colour of all text.
  var key: ThemeKey? {
    if let part { return part }
    if let code { return ThemeKey(code) }
    if style.contains(.link) { return .link }
    if style.contains(.code) { return .code }
    if style.contains(.math) { return .math }
    if style.contains(.image) { return .image }
    return heading > 0 ? ThemeKey(heading: heading) : nil
  }
}

/// One grapheme of a page.
package struct Cell: Hashable, Sendable {
  /// What is drawn; no control character.
  package var text: Character { didSet { ascii = Self.ascii(of: text) } }
  /// The columns that it takes: as `displayWidth` says.
  package var width: Int
  /// How it looks.
  package var spanStyle: SpanStyle { didSet { stretch = 0 } }
  /// Its UTF-16 units in the rendered text; nil for a decoration. The columns of a tab share one.
  package var range: Range<Int>?
  /// Its level in text of two directions: odd ones run from right to left.
  var level: UInt8 = 0
  /// Whether it is a column of a tab that leads to a stop of its paragraph.
  var isFill = false
  /// The code of `text` if it is one ASCII character, else 0. Comparing texts takes longer, and each
  /// cell is looked at several times.
  private(set) var ascii: UInt8
  /// Of cells of one text, those with the same number look alike; 0 says nothing of the others.
  private(set) var stretch: UInt32 = 0

  /// Makes a cell of its parts.
  init(text: Character, width: Int, spanStyle: SpanStyle, range: Range<Int>?) {
    (self.text, self.width, self.spanStyle, self.range) = (text, width, spanStyle, range)
    ascii = Self.ascii(of: text)
  }

  private static func ascii(of text: Character) -> UInt8 {
    let bytes = text.utf8
    guard let first = bytes.first, first < 0x80, bytes.count == 1 else { return 0 }
    return first
  }

  /// Whether a line may end before it.
  var isBreak: Bool { ascii == UInt8(ascii: " ") && range != nil }
  /// Whether it is a tab, whose columns depend on its place.
  var isTab: Bool { ascii == UInt8(ascii: "\t") }
  /// Whether it ends a line.
  var isLineFeed: Bool { ascii == UInt8(ascii: "\n") }

  /// Whether another one has the same style.
  func looksLike(_ other: Cell) -> Bool {
    stretch != 0 && stretch == other.stretch || spanStyle == other.spanStyle
  }

  /// Appends a cell for each of some ASCII characters of a text, all in one style. The cells of one
  /// text begin with different units, so that the first tells the stretches apart.
  static func append(_ units: ArraySlice<UInt16>, _ spanStyle: SpanStyle, to cells: inout [Cell]) {
    let shown = Self.shown
    var cell = Cell(text: " ", width: 1, spanStyle: spanStyle, range: nil)
    cell.stretch = UInt32(truncatingIfNeeded: units.startIndex &+ 1)
    for place in units.indices {
      let unit = Int(units[place])
      let isBlank = unit == 9 || unit == 10
      (cell.text, cell.width, cell.range) = (shown[unit], isBlank ? 0 : 1, place..<place + 1)
      cells.append(cell)
    }
  }

  /// The character that is shown for each ASCII character.
  private static let shown = (0..<128).map {
    let character = Character(Unicode.Scalar(UInt8($0)))
    return $0 == 9 || $0 == 10 ? character : character.sanitizedForTerminal
  }
}

/// One row of a laid-out page, grapheme by grapheme.
package struct Row: Hashable, Sendable {
  /// The letters of the highlights on it; empty where there is no gutter.
  var gutter: [Cell]
  var content: [Cell]

  /// What stands on it from left to right.
  package var cells: [Cell] { gutter + content }

  /// The UTF-16 units between the first and the last that it shows; nil for one without text.
  package var range: Range<Int>? {
    var bounds: Range<Int>?
    for cell in content {
      guard let range = cell.range else { continue }
      let start = min(bounds?.lowerBound ?? range.lowerBound, range.lowerBound)
      bounds = start..<max(bounds?.upperBound ?? range.upperBound, range.upperBound)
    }
    return bounds
  }

  /// The row in pieces that look alike.
  var line: Line {
    let gutter =
      gutter.isEmpty
      ? [] : [Line.Span(text: String(gutter.map(\.text)), spanStyle: .faint, range: nil)]
    return Line(spans: gutter + Line.spans(of: content))
  }
}

extension Line {
  /// Joins neighbouring cells that look alike.
  static func spans(of cells: [Cell]) -> [Span] {
    var spans: [Span] = []
    var text: [UInt8] = []
    text.reserveCapacity(cells.count)
    var start = 0
    while start < cells.count {
      var range = cells[start].range
      var end = start
      repeat {
        let ascii = cells[end].ascii
        if ascii != 0 { text.append(ascii) } else { text.append(contentsOf: cells[end].text.utf8) }
        end += 1
        guard end < cells.count else { break }
        let next = cells[end].range
        guard (next == nil) == (range == nil), cells[end].looksLike(cells[start]) else { break }
        if let before = range, let next {
          // Text that runs from right to left has its later letters first.
          range =
            min(before.lowerBound, next.lowerBound)..<max(before.upperBound, next.upperBound)
        }
      } while true
      spans.append(
        Span(
          text: String(decoding: text, as: UTF8.self), spanStyle: cells[start].spanStyle,
          range: range.map { TextRange(utf16: $0) }))
      text.removeAll(keepingCapacity: true)
      start = end
    }
    return spans
  }
}
