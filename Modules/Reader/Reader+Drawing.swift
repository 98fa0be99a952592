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
    let decorations = decorations()
    let caret = selection.head.utf16
    var rowIndex = 0
    while rowIndex < height {
      guard let row = flow.row(at: place) else { break }
      var column = margin
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

    /// Adds the codes for selected text and matches. Matches are bold and underlined, the current
    /// match is reversed; neither depends on colours.
    func paint(_ paint: String, _ offset: Int) -> String {
      var codes = paint.isEmpty ? [] : [paint]
      if isMatch(offset) { codes.append("1;4") }
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

  private mutating func decorations() -> Decorations {
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
      selectionPaint: options.selectionPaint.parameters)
  }

  // MARK: - List and status line

  /// Returns the column of the line between the text and the list. The list is as wide as its
  /// titles, but a quarter of the screen is reserved for the text.
  func panelStart(_ list: ReaderList) -> Int {
    if list.isHelp { return max(0, columns - list.width - 2) }
    return max(0, columns - max(24, min(list.width + 3, ReaderList.mostColumns(of: columns))))
  }

  private func draw(_ list: ReaderList, on screen: inout Screen) {
    let start = panelStart(list)
    for row in 0..<height {
      screen.fill(paint: "", row: row, from: start)
      screen.put("│", paint: "2", row: row, column: start)
    }
    let title = screen.put(list.title, paint: "1", row: 0, column: start + 2)
    if let filter = list.filter {
      screen.put(" /" + filter.text, row: 0, column: title)
    }
    for row in 0..<min(rows(of: list), list.items.count - list.first) {
      let index = list.first + row
      let paint = index == list.index && !list.isHelp ? "7" : ""
      let end = screen.put(
        list.items[index].title, paint: paint, row: row + 1, column: start + 2)
      screen.fill(paint: paint, row: row + 1, from: end)
    }
    if let footer = list.footer, height > 2 {
      screen.put(footer, paint: "2", row: height - 1, column: start + 2)
    }
    if let filter = list.filter {
      let width = displayWidth(of: filter.text)
      screen.cursor = Screen.Position(row: 0, column: min(columns - 1, title + 2 + width))
    } else if list.items.isEmpty == false {
      screen.cursor = Screen.Position(
        row: 1 + list.index - list.first, column: min(columns - 1, start + 2))
    }
  }

  private mutating func drawStatus(on screen: inout Screen) {
    let row = rows - 1
    guard rows > 1 else { return }
    if case .prompt(let prompt, let field) = mode { return draw(prompt, field, row, &screen) }
    if case .question(let question) = mode {
      let keys = "y yes, n no, a all, q quit"
      let available = columns - keys.count - 3
      let end = screen.put(
        " " + question, paint: "7", row: row, column: 0, limit: max(8, available))
      screen.fill(paint: "7", row: row, from: end)
      if available > 8 { screen.put(keys, paint: "7", row: row, column: columns - keys.count - 1) }
      return
    }
    let left = message.isEmpty ? status : message
    let right =
      message.isEmpty
      ? "\(findCount)  \(percent)% " : isNotice ? selected.map { "\($0) " } ?? "" : ""
    let end = screen.put(
      " " + left, paint: "7", row: row, column: 0, limit: columns - right.count - 1)
    screen.fill(paint: "7", row: row, from: end)
    if right.count < columns {
      screen.put(right, paint: "7", row: row, column: columns - right.count)
    }
  }

  /// A short description of the selection, or nil for a caret.
  private var selected: String? {
    if let highlight = currentHighlight {
      return "highlight \(highlight.shortID), \(highlight.color)"
    }
    if selection.isCaret { return nil }
    return "\(text.document.text.substring(selection.range).count) selected"
  }

  /// The maximum length of a heading in the status line, in characters.
  private static let longestSection = 32

  /// The status line: the title, the selection and the available actions.
  private var status: String {
    var parts = [text.title]
    let unsure = text.highlights.count { $0.state == .doubtful || $0.state == .orphaned }
    if let selected { parts.append(selected) }
    if let highlight = currentHighlight {
      if !highlight.note.isEmpty { parts.append("“\(highlight.note.replacing("\n", with: " "))”") }
      parts += highlight.tags.map { "#\($0)" }
    }
    if isExtending { parts.append("selecting") }
    if unsure > 0 { parts.append("\(unsure) to review: i") }
    if showsSource { parts.append("source") }
    if !hasMouse { parts.append("mouse off") }
    if let heading = plan.heading(of: selection.head) {
      let title = text.document.text.substring(heading.text)
      let isLong = title.count > Self.longestSection
      let shown = isLong ? title.prefix(Self.longestSection - 1) + "…" : title[...]
      if title != text.title { parts.append("§ " + shown.replacing("\n", with: " ")) }
    }
    if !text.highlights.isEmpty { parts.append(text.highlights.count.counted("highlight")) }
    return parts.joined(separator: " · ")
  }

  /// The percentage of the text above the lower edge of the screen.
  private var percent: Int {
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

  private func draw(_ prompt: Prompt, _ field: LineField, _ row: Int, _ screen: inout Screen) {
    let sign =
      switch prompt {
      case .find: "/"
      case .command: ":"
      case .follow: "follow link: "
      case .tag: "tags, with commas: "
      }
    let right: String =
      if case .find = prompt { field.text.isEmpty ? "" : "\(findCount) " } else { "" }
    let available = max(4, columns - displayWidth(of: sign) - right.count - 1)
    // Show the end of a line that is too long, where text is being typed.
    var before = field.characters.prefix(field.cursor)
    while displayWidth(of: String(before)) > available { before.removeFirst() }
    let start = screen.put(sign, paint: "1", row: row, column: 0)
    let cursor = screen.put(
      String(before), paint: field.isSuggestion ? "7" : "", row: row, column: start,
      limit: start + available)
    screen.put(
      String(field.characters[field.cursor...]), row: row, column: cursor, limit: start + available)
    if right.count < columns { screen.put(right, row: row, column: columns - right.count) }
    screen.cursor = Screen.Position(row: row, column: min(cursor, columns - 1))
  }
}
