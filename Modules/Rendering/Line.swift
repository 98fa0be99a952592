package import MarkdownParse
package import Model

/// A row of a laid-out page.
public struct Line: Hashable, Sendable {
  /// The spans from left to right.
  public var spans: [Span]
  /// Whether the next row continues this one, so that no line feed separates them. Only very long
  /// lines of code that aren't wrapped consist of several rows.
  public var isContinued = false

  /// A piece of a line with one style.
  public struct Span: Hashable, Sendable {
    /// The text to draw, without control characters.
    public var text: String
    package var spanStyle: SpanStyle
    /// The range of the rendered text; nil if the span isn't part of it.
    package var range: TextRange?
  }

  /// Whether the line is a rule between the rows of a table.
  package var isTableRule: Bool {
    spans.contains { $0.spanStyle.part == .tableBorder && $0.text.contains("─") }
      && spans.allSatisfy { $0.range == nil }
  }

  /// The number of columns.
  package var width: Int { spans.reduce(0) { $0 + displayWidth(of: $1.text) } }
}

/// The style of a piece of a line.
package struct SpanStyle: Hashable, Sendable {
  /// The styles in the Markdown.
  package var style = TextStyle()
  /// The level of a heading; 0 for other text.
  package var heading = 0
  /// The colour of the topmost highlight; nil if the text isn't highlighted.
  package var highlight: HighlightColor?
  /// Whether several highlights overlap in this span.
  package var isOverlap = false
  /// Whether the position of the topmost highlight is doubtful.
  package var isDoubtful = false
  /// The emphasis, if the text is a match of a search.
  package var decoration = Decoration.normal
  /// The destination of a clickable link; nil for other text.
  package var destination: String?
  /// The part of a list's line; nil on a page.
  package var accent: ListAccent?
  /// The kind of code; nil for other text.
  var code: CodeKind?
  /// The kind of text that isn't part of the document; nil for the document's text.
  var part: ThemeKey?
  /// The number of the image to which the cell belongs; 0 if it belongs to no image.
  var picture: UInt16 = 0
  /// The part of the style that the user's format determines.
  var format = CellFormat.none

  package init() {}

  /// The style of text that isn't part of the document.
  static let faint = decoration(.muted)

  /// Returns the style of a kind of text that isn't part of the document.
  static func decoration(_ part: ThemeKey) -> SpanStyle {
    var spanStyle = SpanStyle()
    spanStyle.part = part
    return spanStyle
  }

  /// The name of the colour in a theme; nil for the default colour.
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

/// A grapheme of a page.
package struct Cell: Hashable, Sendable {
  /// The character to draw, which isn't a control character.
  package var text: Character { didSet { ascii = Self.ascii(of: text) } }
  /// The number of columns, as returned by `displayWidth`.
  package var width: Int
  /// The style of the grapheme.
  package var spanStyle: SpanStyle { didSet { stretch = 0 } }
  /// The range in the rendered text, in UTF-16 units; nil if the cell isn't part of the text. All
  /// columns of a tab have the same range.
  package var range: Range<Int>?
  /// The embedding level in bidirectional text. Odd levels are right to left.
  var level: UInt8 = 0
  /// Whether the cell is a column of a tab that leads to a tab stop of its paragraph.
  var isFill = false
  /// The code of `text` if it is a single ASCII character, otherwise 0. It is stored because each
  /// cell is inspected several times, and comparing characters is slower.
  private(set) var ascii: UInt8
  /// A number that identifies cells of one text with the same style. Cells with equal numbers have
  /// equal styles, unless the number is 0, which allows no conclusion.
  private(set) var stretch: UInt32 = 0

  init(text: Character, width: Int, spanStyle: SpanStyle, range: Range<Int>?) {
    (self.text, self.width, self.spanStyle, self.range) = (text, width, spanStyle, range)
    ascii = Self.ascii(of: text)
  }

  private static func ascii(of text: Character) -> UInt8 {
    let bytes = text.utf8
    guard let first = bytes.first, first < 0x80, bytes.count == 1 else { return 0 }
    return first
  }

  /// Whether the cell is a space at which a line may break.
  var isBreak: Bool { ascii == UInt8(ascii: " ") && range != nil }
  /// Whether the cell is a tab, whose width depends on its column.
  var isTab: Bool { ascii == UInt8(ascii: "\t") }
  /// Whether the cell ends a line.
  var isLineFeed: Bool { ascii == UInt8(ascii: "\n") }

  /// Whether another cell has the same style.
  func hasSameStyle(as other: Cell) -> Bool {
    stretch != 0 && stretch == other.stretch || spanStyle == other.spanStyle
  }

  /// Appends cells for ASCII characters with the same style. All of these cells get the same
  /// `stretch`: the offset of the first one, which no other call for the same text has.
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

  /// The character that is drawn for each ASCII character.
  private static let shown = (0..<128).map {
    let character = Character(Unicode.Scalar(UInt8($0)))
    return $0 == 9 || $0 == 10 ? character : character.sanitizedForTerminal
  }
}

/// A row of a laid-out page as graphemes.
package struct Row: Hashable, Sendable {
  /// The letters of the highlights in the row; empty if the page has no gutter.
  var gutter: [Cell]
  var content: [Cell]
  /// Whether the next row continues this one, as in ``Line``.
  var isContinued = false

  /// The cells from left to right.
  package var cells: [Cell] { gutter + content }

  /// The range from the first to the last UTF-16 unit that the row shows; nil if it has no text.
  package var range: Range<Int>? {
    var bounds: Range<Int>?
    for cell in content {
      guard let range = cell.range else { continue }
      let start = min(bounds?.lowerBound ?? range.lowerBound, range.lowerBound)
      bounds = start..<max(bounds?.upperBound ?? range.upperBound, range.upperBound)
    }
    return bounds
  }

  /// The row as spans.
  var line: Line {
    let gutter =
      gutter.isEmpty
      ? [] : [Line.Span(text: String(gutter.map(\.text)), spanStyle: .faint, range: nil)]
    return Line(spans: gutter + Line.spans(of: content), isContinued: isContinued)
  }
}

extension Line {
  /// Joins adjacent cells with the same style into spans.
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
        guard (next == nil) == (range == nil), cells[end].hasSameStyle(as: cells[start]) else {
          break
        }
        if let before = range, let next {
          // In right-to-left text, later letters precede earlier ones.
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
