package import Model

/// The parts of a list's line that are coloured on a terminal.
package enum ListAccent: Hashable, Sendable {
  /// The path or title of a document.
  case path
  /// A line and column.
  case position
  /// The match of a search.
  case match
  /// A state that the user should review.
  case warning
  /// A state that indicates a problem.
  case problem
  case tag
  /// The name of a highlight's colour, on a background in that colour.
  case swatch(HighlightColor)
}

/// A line of a list: plain text in a pipe, coloured and wrapped to the width on a terminal.
///
/// Long lists spend much of their time in building lines, so the text is collected as bytes.
///
/// ```swift
/// var line = ListLine(isFitted: false)
/// line.append("essay.md", .path)
/// line.append(":")
/// line.append(12, .position)
/// line.text  // "essay.md:12"
/// ```
package struct ListLine: Sendable {
  /// The text in UTF-8, without escape sequences. `breakRow` separates rows with a line feed.
  package private(set) var bytes: [UInt8] = []
  /// Whether the line is for a terminal and therefore keeps its accents.
  package let isFitted: Bool
  /// The accents with their ranges in `bytes`, in order.
  private var accents: [(range: Range<Int>, accent: ListAccent)] = []

  package init(isFitted: Bool) {
    self.isFitted = isFitted
    bytes.reserveCapacity(192)
  }

  /// The text, without escape sequences. O(length).
  package var text: String { String(decoding: bytes, as: UTF8.self) }

  /// Appends text, which must already be safe for a terminal.
  package mutating func append(_ part: String, _ accent: ListAccent? = nil) {
    let start = bytes.count
    var part = part
    part.withUTF8 { bytes.append(contentsOf: $0) }
    if isFitted, let accent { accents.append((start..<bytes.count, accent)) }
  }

  /// Appends a number in decimal.
  package mutating func append(_ number: Int, _ accent: ListAccent? = nil) {
    append(String(number), accent)
  }

  /// Begins a new row, which is indented.
  package mutating func breakRow() { bytes.append(UInt8(ascii: "\n")) }

  /// Returns the rows to print on a terminal. Rows break between words, and inside a word only if
  /// it is wider than a row. All rows except the first are indented. O(length).
  ///
  /// - Parameter columns: the maximum width of a row; at least 1.
  package func rows(columns: Int) -> [Line] {
    let indent = Self.indent(columns: columns)
    return LineBreaker.wrap(cells, width: columns, indent: indent).enumerated().map {
      index, cells in
      let start =
        index == 0 || indent == 0
        ? [] : [Line.Span(text: String(repeating: " ", count: indent), spanStyle: .init())]
      return Line(spans: start + Line.spans(of: cells))
    }
  }

  /// Returns the indent of the rows after the first, in columns.
  package static func indent(columns: Int) -> Int { min(4, columns / 8) }

  private var cells: [Cell] {
    var cells: [Cell] = []
    var place = 0
    var rest = accents[...]
    for character in text {
      let end = place + character.utf8.count
      while let first = rest.first, first.range.upperBound <= place { rest.removeFirst() }
      var style = SpanStyle()
      if let first = rest.first, first.range.lowerBound < end { style.accent = first.accent }
      cells.append(
        Cell(
          text: character, width: character.fittedWidth, spanStyle: style, range: place..<end))
      place = end
    }
    return cells
  }
}

extension ListLine {
  /// Appends an excerpt of a text around a match.
  ///
  /// Text that doesn't fit is replaced with `…` at word boundaries, or at grapheme boundaries in a
  /// word that is too long. Whitespace is collapsed, and characters that could control the terminal
  /// are replaced. O(columns + match), regardless of the text's length.
  ///
  /// - Parameters:
  ///   - match: the range of the match in UTF-16 units.
  ///   - columns: the maximum width of the excerpt.
  package mutating func append(_ text: String, around match: TextRange, columns: Int) {
    let excerpt = Excerpt(text, around: match, reach: 4 * columns)
    excerpt.cut(to: max(1, columns)).forEach { append($0.text, $0.isMatch ? .match : nil) }
  }
}

extension Character {
  /// The number of columns to reserve for the character. Some terminals draw a joined emoji as one
  /// character, and others draw its parts side by side.
  fileprivate var fittedWidth: Int { max(displayWidth(of: self), unjoinedWidth) }
}

/// The graphemes around a match.
private struct Excerpt {
  private typealias Grapheme = (text: Character, width: Int)

  private var before: [Grapheme] = []
  private var match: [Grapheme] = []
  private var after: [Grapheme] = []
  /// Whether there is more text before and after.
  private var isCut = (start: false, end: false)

  /// Collects the graphemes around a match.
  ///
  /// - Parameter reach: the maximum number of UTF-16 units to inspect before, in and after the
  ///   match.
  init(_ text: String, around range: TextRange, reach: Int) {
    let units = text.utf16
    func index(_ start: String.Index, _ offset: Int, _ limit: String.Index) -> String.Index {
      units.index(start, offsetBy: offset, limitedBy: limit) ?? limit
    }
    let start = index(text.startIndex, range.utf16.lowerBound, text.endIndex)
    let end = index(start, min(range.utf16.count, reach), text.endIndex)
    let first = index(start, -reach, text.startIndex)
    let last = index(end, reach, text.endIndex)
    isCut = (first > text.startIndex, last < text.endIndex)
    before = Self.graphemes(text[first..<start])
    match = Self.graphemes(text[start..<end], after: before.last?.text)
    after = Self.graphemes(text[end..<last], after: (match.last ?? before.last)?.text)
    if isCut.start, !before.isEmpty { before.removeFirst() }
    if isCut.end, !after.isEmpty { after.removeLast() }
    if !isCut.start { before = Array(before.drop { $0.text == " " }) }
    if before.isEmpty, !isCut.start, match.first?.text == " " { match.removeFirst() }
    while !isCut.end, after.last?.text == " " { after.removeLast() }
  }

  private static func graphemes(_ text: Substring, after previous: Character? = nil) -> [Grapheme] {
    var result: [Grapheme] = []
    for character in text {
      if !character.isWhitespace {
        let shown = character.sanitizedForTerminal
        result.append((shown, shown.fittedWidth))
      } else if (result.last?.text ?? previous) != " " {
        result.append((" ", 1))
      }
    }
    return result
  }

  /// Returns the parts from left to right, with an ellipsis where text was cut.
  func cut(to columns: Int) -> [(text: String, isMatch: Bool)] {
    func width(_ graphemes: some Sequence<Grapheme>) -> Int {
      graphemes.reduce(0) { $0 + $1.width }
    }
    func string(_ graphemes: some Sequence<Grapheme>) -> String { String(graphemes.map(\.text)) }
    var (before, match, after) = (before[...], match[...], after[...])
    var (cutsStart, cutsEnd) = (isCut.start, isCut.end)
    let marks = (cutsStart ? 1 : 0) + (cutsEnd ? 1 : 0)
    if width(before) + width(match) + width(after) + marks > columns {
      if width(match) + 2 > columns {
        // The match itself is too wide, so only its beginning is shown.
        cutsStart = cutsStart || !before.isEmpty
        (before, after, cutsEnd) = ([], [], true)
        let available = columns - (cutsStart ? 2 : 1)
        while width(match) > max(available, 0) { match.removeLast() }
      } else {
        let available = columns - width(match)
        // The text after the match gets more room, because it is usually more informative.
        let most = max(available / 3, available - width(after) - (cutsEnd ? 1 : 0))
        if width(before) + (cutsStart ? 1 : 0) > most {
          before = Self.end(of: before, columns: most - 1)
          cutsStart = true
        }
        let rest = available - width(before) - (cutsStart ? 1 : 0)
        if width(after) + (cutsEnd ? 1 : 0) > rest {
          after = Self.start(of: after, columns: rest - 1)
          cutsEnd = true
        }
      }
    }
    return [
      ((cutsStart ? "…" : "") + string(before), false), (string(match), true),
      (string(after) + (cutsEnd ? "…" : ""), false),
    ]
  }

  /// Returns the end of some graphemes that fits the width, starting with a whole word.
  private static func end(of all: ArraySlice<Grapheme>, columns: Int) -> ArraySlice<Grapheme> {
    var (start, available) = (all.endIndex, columns)
    while start > all.startIndex, all[start - 1].width <= available {
      start -= 1
      available -= all[start].width
    }
    let isBorder =
      start == all.startIndex || all[start - 1].text == " " || all[start - 1].text.standsAlone
    if !isBorder, start < all.endIndex, !all[start].text.standsAlone,
      let blank = all[start...].firstIndex(where: { $0.text == " " })
    {
      start = blank
    }
    while start < all.endIndex, all[start].text == " " { start += 1 }
    return all[start...]
  }

  /// Returns the beginning of some graphemes that fits the width, ending with a whole word.
  private static func start(of all: ArraySlice<Grapheme>, columns: Int) -> ArraySlice<Grapheme> {
    var (end, available) = (all.startIndex, columns)
    while end < all.endIndex, all[end].width <= available {
      available -= all[end].width
      end += 1
    }
    let isBorder = end == all.endIndex || all[end].text == " " || all[end].text.standsAlone
    if !isBorder, end > all.startIndex, !all[end - 1].text.standsAlone,
      let blank = all[..<end].lastIndex(where: { $0.text == " " })
    {
      end = blank
    }
    while end > all.startIndex, all[end - 1].text == " " { end -= 1 }
    return all[..<end]
  }
}
