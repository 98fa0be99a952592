/// What a full screen shows: a grid of cells, and where the cursor stands. A value, so that two can be
/// compared, and only what differs is written.
package struct Screen: Hashable, Sendable {
  /// One column of one row.
  package struct Cell: Hashable, Sendable {
    /// What is drawn; for the further columns of a wide character nothing.
    package var text: Character
    /// The columns that it takes, from 1; 0 for the further columns of a wide one.
    package var width: UInt8
    /// The parameters of the escape sequence (SGR) that paints it.
    package var paint: String

    /// Nothing, on the terminal's own background.
    package static let blank = Cell(text: " ", width: 1, paint: "")
    static let further = Cell(text: " ", width: 0, paint: "")
  }

  /// A place on the screen, from 0 at the top left.
  package struct Position: Hashable, Sendable {
    /// The row.
    package var row: Int
    /// The column.
    package var column: Int

    /// Makes a position of its parts.
    package init(row: Int, column: Int) { (self.row, self.column) = (row, column) }
  }

  /// The columns.
  package let columns: Int
  /// The rows.
  package let rows: Int
  /// Where the cursor is shown; nil for nowhere.
  package var cursor: Position?
  private var cells: [Cell]

  /// Makes an empty screen.
  package init(columns: Int, rows: Int) {
    self.columns = max(1, columns)
    self.rows = max(1, rows)
    cells = Array(repeating: .blank, count: self.columns * self.rows)
  }

  /// The cell at a position, which must lie on the screen.
  package subscript(row: Int, column: Int) -> Cell { cells[row * columns + column] }

  /// Writes a grapheme and gives the column after it. What does not fit is left out; one without a
  /// width joins the grapheme before it.
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
    // A part of what stood here may stay behind.
    clear(at: place, in: row)
    if column + width < columns { clear(at: place + width, in: row) }
    cells[place] = Cell(text: text, width: UInt8(clamping: width), paint: paint)
    for further in 1..<max(1, width) { cells[place + further] = .further }
    return column + width
  }

  /// Makes blanks of a wide character that a border would divide.
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

  /// Writes a text, at most up to a column, and gives the column after it. Control characters become
  /// signs.
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

  /// Fills the rest of a row up to a column.
  package mutating func fill(paint: String, row: Int, from column: Int, to end: Int? = nil) {
    var column = column
    while column < min(end ?? columns, columns) {
      column = put(" ", width: 1, paint: paint, row: row, column: column)
    }
  }

  /// The text of a row without blanks at its end.
  public func text(ofRow row: Int) -> String {
    var text = ""
    for column in 0..<columns where self[row, column].width > 0 {
      text.append(self[row, column].text)
    }
    while text.last == " " { text.removeLast() }
    return text
  }

  // MARK: - Writing

  /// The escape sequences that turn what a terminal shows into this screen; all of it when nobody
  /// knows what the terminal shows, or when its size was another.
  ///
  /// Terminals do not agree upon the width of every character. One of several columns is drawn upon
  /// blanks, as it may fill fewer; after each the cursor is placed again, and what a terminal may have
  /// drawn beyond it is drawn over. So a mistake never moves what follows nor leaves anything behind,
  /// and as lines do not wrap meanwhile, it never reaches the next row. O(cells).
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
    /// Where the terminal's cursor is; nil when that is not sure.
    var place: Int?
    /// Up to where the terminal may have drawn what is not meant.
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
