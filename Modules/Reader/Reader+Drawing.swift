import Editing
import MarkdownParse
import Model
package import Rendering

extension Reader {
  /// The number of UTF-16 units before and after the screen for which decorations are prepared.
  static let overdraw = 2_000

  /// Returns the current contents of the screen. O(screen).
  package mutating func screen() -> Screen {
    var screen = Screen(columns: columns, rows: rows)
    drawText(on: &screen)
    if case .list(var list) = mode {
      list.scroll(rows: rows(of: list))
      mode = .list(list)
      draw(list, on: &screen)
    }
    drawStatus(on: &screen)
    return screen
  }

  // MARK: - The text

  private mutating func drawText(on screen: inout Screen) {
    let writer = ANSIWriter(flow.page.options)
    var spanStyle = SpanStyle()
    var textPaint = writer.parameters(of: spanStyle)
    var place = top
    let decorations = decorations(writer)
    let caret = selection.head.utf16
    let left = shownMargin
    var rowIndex = 0
    if flow.count == 0 {
      screen.put("This document has no text.", paint: "2", row: 0, column: left)
    }
    while rowIndex < height {
      guard let row = flow.row(at: place) else { break }
      var column = left
      for cell in row.cells {
        // Adjacent cells usually have the same style.
        if cell.spanStyle != spanStyle {
          spanStyle = cell.spanStyle
          textPaint = writer.parameters(of: spanStyle)
        }
        var paint = textPaint
        if let range = cell.range {
          if range.contains(caret), screen.cursor == nil, !isListOpen {
            screen.cursor = Screen.Position(row: rowIndex, column: column)
          }
          paint = decorations.paint(paint, range.lowerBound)
        }
        column = screen.put(
          cell.text, width: cell.width, paint: paint, row: rowIndex, column: column)
      }
      // The caret is after the last text of its row.
      if screen.cursor == nil, !isListOpen, row.range?.upperBound == caret {
        screen.cursor = Screen.Position(row: rowIndex, column: min(column, columns - 1))
      }
      let next = flow.position(place, movedBy: 1)
      if next == place { break }
      place = next
      rowIndex += 1
    }
  }

  private var isListOpen: Bool { if case .list = mode { true } else { false } }

  /// The decorations to draw over the text on and near the screen.
  private struct Decorations {
    var selection: Range<Int>
    var matches: ArraySlice<TextRange>
    var current: TextRange?
    var selectionPaint: String

    /// The codes for a match: bold, underlined and, with colours, on the theme's background.
    var matchPaint: String

    /// Adds the codes for selected text and matches. The current match is reversed.
    func paint(_ paint: String, _ offset: Int) -> String {
      var codes = paint.isEmpty ? [] : [paint]
      if isMatch(offset) { codes.append(matchPaint) }
      if selection.contains(offset) {
        codes.append(selectionPaint)
      } else if current?.utf16.contains(offset) == true {
        codes.append("7")
      }
      return codes.joined(separator: ";")
    }

    private func isMatch(_ offset: Int) -> Bool {
      var low = matches.startIndex
      var high = matches.endIndex
      while low < high {
        let middle = (low + high) / 2
        if matches[middle].utf16.upperBound <= offset { low = middle + 1 } else { high = middle }
      }
      return low < matches.endIndex && matches[low].utf16.contains(offset)
    }
  }

  private mutating func decorations(_ writer: ANSIWriter) -> Decorations {
    let start = max(0, topOffset.utf16 - Self.overdraw)
    var end = top
    end = flow.position(end, movedBy: height - 1)
    let last = end.chunk < flow.count ? flow.range(ofChunk: end.chunk).upperBound : 0
    let window = start..<max(start, last + Self.overdraw)
    let first = max(0, found.index(from: window.lowerBound) - 1)
    let endIndex = found.index(from: window.upperBound)
    return Decorations(
      selection: selection.range.utf16.clamped(to: window),
      matches: found.matches[first..<max(first, endIndex)],
      current: found.current.map { found.matches[$0] },
      selectionPaint: options.selectionPaint.parameters,
      matchPaint: ["1;4", writer.matchParameters].compactMap(\.self).joined(separator: ";"))
  }

  // MARK: - List and status line

  /// Returns the column of the line between the text and the list. The list is as wide as its
  /// titles, but a quarter of the screen is reserved for the text.
  func panelStart(_ list: ReaderList) -> Int {
    if list.isHelp { return max(0, columns - list.width - 2) }
    return max(0, columns - max(24, min(list.width + 3, ReaderList.mostColumns(of: columns))))
  }

  /// Returns the parts of a border's text that fit into a number of columns. They are separated by
  /// dots.
  private static func fitting(_ text: String, to columns: Int) -> String {
    var text = text
    while displayWidth(of: text) > columns, let end = text.ranges(of: " · ").last {
      text = String(text[..<end.lowerBound])
    }
    return shortened(text, to: columns)
  }

  private func draw(_ list: ReaderList, on screen: inout Screen) {
    let start = panelStart(list)
    for row in 0..<height {
      screen.fill(paint: "", row: row, from: start)
      screen.put("│", paint: "2", row: row, column: start)
    }
    let title = screen.put(
      Self.fitting(list.title, to: columns - start - 2), paint: "1", row: 0, column: start + 2)
    if let filter = list.filter {
      screen.put(" /" + filter.text, row: 0, column: title)
    }
    for row in 0..<min(rows(of: list), list.items.count - list.first) {
      let index = list.first + row
      let paint =
        list.isHelp
        ? list.items[index].isTitle ? "1" : "" : list.isChosen(index) ? "7" : ""
      let end = screen.put(
        Self.shortened(list.items[index].title, to: columns - start - 2), paint: paint,
        row: row + 1, column: start + 2)
      screen.fill(paint: paint, row: row + 1, from: end)
    }
    if let footer = list.footer, height > 2 {
      screen.put(
        Self.fitting(footer, to: columns - start - 2), paint: "2", row: height - 1,
        column: start + 2)
    }
    if let filter = list.filter {
      let width = displayWidth(of: filter.text)
      screen.cursor = Screen.Position(row: 0, column: min(columns - 1, title + 2 + width))
    } else if list.items.isEmpty == false {
      screen.cursor = Screen.Position(
        row: 1 + list.index - list.first, column: min(columns - 1, start + 2))
    }
  }

  /// The percentage of the text above the lower edge of the screen.
  var percent: Int {
    mutating get {
      let count = text.document.text.count
      let bottom = flow.position(top, movedBy: height)
      let last = flow.position(top, movedBy: height - 1)
      guard count > 0, bottom != last, bottom.chunk < flow.count else { return 100 }
      // The row below has no text, such as a rule, but the end of the text isn't visible yet.
      let offset =
        flow.row(at: last)?.range?.upperBound ?? flow.range(ofChunk: last.chunk).lowerBound
      return min(99, offset * 100 / count)
    }
  }
}
