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
  package var text: Character
  /// The columns that it takes: as `displayWidth` says.
  package var width: Int
  /// How it looks.
  package var spanStyle: SpanStyle
  /// Its UTF-16 units in the rendered text; nil for a decoration. The columns of a tab share one.
  package var range: Range<Int>?
  /// Its level in text of two directions: odd ones run from right to left.
  var level: UInt8 = 0
  /// Whether it is a column of a tab that leads to a stop of its paragraph.
  var isFill = false
  /// Whether a line may end before it.
  var isBreak: Bool { text == " " && range != nil }
  /// Whether it is a tab, whose columns depend on its place.
  var isTab: Bool { text == "\t" }
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
    var start = 0
    while start < cells.count {
      let spanStyle = cells[start].spanStyle
      var range = cells[start].range
      var text = String(cells[start].text)
      var end = start + 1
      while end < cells.count, cells[end].spanStyle == spanStyle {
        let next = cells[end].range
        guard (next == nil) == (range == nil) else { break }
        text.append(cells[end].text)
        if let before = range, let next {
          // Text that runs from right to left has its later letters first.
          range =
            min(before.lowerBound, next.lowerBound)..<max(before.upperBound, next.upperBound)
        }
        end += 1
      }
      spans.append(
        Span(text: text, spanStyle: spanStyle, range: range.map { TextRange(utf16: $0) }))
      start = end
    }
    return spans
  }
}
