/// The content of a full screen: a grid of cells and the position of the cursor. Two screens can be
/// compared, so that only the differences are written.
///
/// ```swift
/// var screen = Screen(columns: 80, rows: 24)
/// screen.put("Walden", paint: "1", row: 0, column: 0)
/// let sequences = screen.update(from: nil)
/// ```
package struct Screen: Hashable, Sendable {
  /// A column of a row.
  package struct Cell: Hashable, Sendable {
    /// The character; a space for the further columns of a wide character.
    package var text: Character
    /// The number of columns, at least 1; 0 for the further columns of a wide character.
    package var width: UInt8
    /// The parameters of the escape sequence (SGR) for the cell's style.
    package var paint: String

    /// An empty cell with the terminal's default background.
    package static let blank = Cell(text: " ", width: 1, paint: "")
    static let further = Cell(text: " ", width: 0, paint: "")
  }

  /// A position on the screen, counted from 0 at the top left.
  package struct Position: Hashable, Sendable {
    /// The row, from 0.
    package var row: Int
    /// The column, from 0.
    package var column: Int

    package init(row: Int, column: Int) { (self.row, self.column) = (row, column) }
  }

  /// The number of columns; at least 1.
  package let columns: Int
  /// The number of rows; at least 1.
  package let rows: Int
  /// The position of the cursor; nil to hide it.
  package var cursor: Position?
  private var cells: [Cell]

  /// Creates an empty screen. Sizes below 1 are raised to 1.
  package init(columns: Int, rows: Int) {
    self.columns = max(1, columns)
    self.rows = max(1, rows)
    cells = Array(repeating: .blank, count: self.columns * self.rows)
  }

  /// The cell at a position, which must be on the screen.
  package subscript(row: Int, column: Int) -> Cell { cells[row * columns + column] }

  /// Writes a grapheme and returns the column after it. A grapheme that doesn't fit is dropped. A
  /// grapheme without a width is combined with the grapheme before it.
  @discardableResult
  package mutating func put(
    _ text: Character, width: Int, paint: String, row: Int, column: Int
  ) -> Int {
    guard row >= 0, row < rows, column >= 0 else { return column + width }
    let place = row * columns + column
    if width == 0 {
      var before = place - 1
      while before > row * columns, cells[before].width == 0 { before -= 1 }
      if column > 0, column <= columns, let joined = joined(cells[before].text, text) {
        cells[before].text = joined
      }
      return column
    }
    guard column + width <= columns else { return column + width }
    // Part of the previous character may remain.
    clear(at: place, in: row)
    if column + width < columns { clear(at: place + width, in: row) }
    cells[place] = Cell(text: text, width: UInt8(clamping: width), paint: paint)
    for further in 1..<max(1, width) { cells[place + further] = .further }
    return column + width
  }

  /// Blanks a wide character that a boundary would divide.
  private mutating func clear(at border: Int, in row: Int) {
    guard cells[border].width == 0 else { return }
    var start = border
    while start > row * columns, cells[start].width == 0 { start -= 1 }
    var end = border
    while end < (row + 1) * columns, cells[end].width == 0 { end += 1 }
    for place in start..<end { cells[place] = .blank }
  }

  private func joined(_ before: Character, _ mark: Character) -> Character? {
    let text = String(before) + String(mark)
    return text.count == 1 ? text.first : nil
  }

  /// Writes a text, up to a column limit, and returns the column after it. Control characters are
  /// replaced with visible ones.
  @discardableResult
  package mutating func put(
    _ text: String, paint: String = "", row: Int, column: Int, limit: Int? = nil
  ) -> Int {
    let end = min(limit ?? columns, columns)
    var column = column
    for character in text {
      let shown = character.sanitizedForTerminal
      let width = displayWidth(of: shown)
      guard column + width <= end else { break }
      column = put(shown, width: width, paint: paint, row: row, column: column)
    }
    return column
  }

  /// Fills a row with spaces up to a column, or to its end.
  package mutating func fill(paint: String, row: Int, from column: Int, to end: Int? = nil) {
    var column = column
    while column < min(end ?? columns, columns) {
      column = put(" ", width: 1, paint: paint, row: row, column: column)
    }
  }

  /// Returns the text of a row without trailing spaces.
  public func text(ofRow row: Int) -> String {
    var text = ""
    for column in 0..<columns where self[row, column].width > 0 {
      text.append(self[row, column].text)
    }
    while text.last == " " { text.removeLast() }
    return text
  }

  // MARK: - Writing

  /// Returns the escape sequences that change the terminal's content to this screen. Everything is
  /// redrawn if `shown` is nil or has another size.
  ///
  /// Terminals differ in the widths of some characters. A wide character is therefore drawn on
  /// spaces, because it may fill fewer columns. The cursor is positioned after it, and the columns
  /// that it may have covered are redrawn. So a wrong width never shifts other characters or leaves
  /// remains. Line wrapping is off, so it never affects the next row. O(cells).
  package func update(from shown: Screen?) -> String {
    var output = "\u{1B}[?2026h\u{1B}[?25l\u{1B}[?7l"
    let isSame = shown?.columns == columns && shown?.rows == rows
    if !isSame { output += "\u{1B}[0m\u{1B}[2J" }
    for row in 0..<rows { updateRow(row, from: isSame ? shown : nil, &output) }
    output += "\u{1B}[?7h"
    if let cursor, cursor.row < rows, cursor.column < columns {
      output += "\u{1B}[\(cursor.row + 1);\(cursor.column + 1)H\u{1B}[?25h"
    }
    return output + "\u{1B}[?2026l"
  }

  private func updateRow(_ row: Int, from shown: Screen?, _ output: inout String) {
    let start = row * columns
    var column = 0
    /// The column of the terminal's cursor; nil if it isn't certain.
    var place: Int?
    /// The column up to which a character may have been drawn too wide.
    var spoiled = 0
    var paint = ""
    while column < columns {
      let cell = cells[start + column]
      let before = shown?.cells[start + column] ?? .blank
      guard cell != before || column < spoiled, cell.width > 0 else {
        column += 1
        continue
      }
      if place != column { output += "\u{1B}[\(row + 1);\(column + 1)H" }
      if cell == .blank, isBlank(from: column, row) {
        if !paint.isEmpty { output += "\u{1B}[0m" }
        output += "\u{1B}[K"
        return
      }
      if cell.paint != paint {
        output += cell.paint.isEmpty ? "\u{1B}[0m" : "\u{1B}[0;\(cell.paint)m"
        paint = cell.paint
      }
      let width = Int(cell.width)
      let scalars = cell.text.unicodeScalars
      let isSure = cell.text.isASCII || scalars.count == 1 && width == 1
      if !isSure, width > 1, scalars.count > 1 || scalars.first!.value >= 0x1F000 {
        output += String(repeating: " ", count: width) + "\u{1B}[\(row + 1);\(column + 1)H"
      }
      output.append(cell.text)
      if !isSure {
        let reach = max(cell.text.unjoinedWidth, width)
        if reach > width { spoiled = max(spoiled, min(columns, column + reach)) }
      }
      column += width
      place = isSure ? column : nil
    }
    if !paint.isEmpty { output += "\u{1B}[0m" }
  }

  private func isBlank(from column: Int, _ row: Int) -> Bool {
    cells[(row * columns + column)..<((row + 1) * columns)].allSatisfy { $0 == .blank }
  }
}
