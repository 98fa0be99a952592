/// Divides cells into lines of a width. O(cells).
enum LineBreaker {
  /// Lines that break at blanks and, as `LineRules` allows, beside wide characters, and inside a word only when the word is
  /// wider than a line. The blanks at which a line breaks are dropped; tabs are blanks to the next
  /// stop.
  ///
  /// - Parameter indent: the columns before each line but the first, which are not in the result;
  ///   fewer than `width`.
  static func wrap(_ cells: [Cell], width: Int, indent: Int = 0) -> [[Cell]] {
    var lines: [[Cell]] = []
    var line: [Cell] = []
    var columns = 0
    /// Where the line can be cut: what stands from there on goes to the next one.
    var cut = 0
    func finish(_ cells: some Sequence<Cell>) {
      var cells = Array(cells)
      while let last = cells.last, last.isBreak { cells.removeLast() }
      lines.append(cells)
    }
    func take(_ cell: Cell) {
      if cell.text == "\n" {
        finish(line)
        (line, columns, cut) = ([], indent, 0)
        return
      }
      if let last = line.last, LineRules.mayBreak(between: last, and: cell) { cut = line.count }
      if columns + cell.width > width, !line.isEmpty, !cell.isBreak {
        let place = cut > 0 ? cut : line.count
        finish(line[..<place])
        let rest = line[place...].drop { $0.isBreak }
        (line, columns, cut) = ([], indent, 0)
        // What is carried over may itself be too wide, with the indentation or with the new cell.
        rest.forEach(take)
        if columns + cell.width > width, !line.isEmpty {
          finish(line)
          (line, columns, cut) = ([], indent, 0)
        }
      }
      if cell.isBreak, columns + cell.width > width {
        cut = line.count
        return
      }
      line.append(cell)
      columns += cell.width
      if cell.isBreak { cut = line.count }
    }
    for cell in cells {
      if cell.isTab { blanks(for: cell, at: columns).forEach(take) } else { take(cell) }
    }
    finish(line)
    return lines
  }

  /// The columns from one stop of tabs to the next.
  private static let tabStop = 4

  /// The blanks that a tab at a column stands for.
  private static func blanks(for tab: Cell, at column: Int) -> [Cell] {
    var blank = tab
    (blank.text, blank.width) = (" ", 1)
    return Array(repeating: blank, count: tabStop - column % tabStop)
  }

  /// The columns of cells on one line.
  static func width(of cells: [Cell]) -> Int {
    cells.reduce(0) { $0 + ($1.isTab ? tabStop - $0 % tabStop : $1.width) }
  }

  /// Lines as they are, cut only where they are wider than the width; tabs go to multiples of four.
  static func hardWrap(_ cells: [Cell], width: Int) -> [[Cell]] {
    hardLines(cells, width: width).map(\.cells)
  }

  /// The same, with whether a line goes on with the one before.
  ///
  /// - Parameter atBlanks: whether a line is rather cut behind a blank, if there is one in its second
  ///   half. Blanks stay where they are.
  static func hardLines(_ cells: [Cell], width: Int, atBlanks: Bool = false)
    -> [(cells: [Cell], goesOn: Bool)]
  {
    var lines: [(cells: [Cell], goesOn: Bool)] = []
    var line: [Cell] = []
    var columns = 0
    var goesOn = false
    func take(_ cell: Cell) {
      if columns + cell.width > width, !line.isEmpty {
        let cut = atBlanks ? blankCut(line, width) : line.count
        lines.append((Array(line[..<cut]), goesOn))
        (line, goesOn) = (Array(line[cut...]), true)
        columns = line.reduce(0) { $0 + $1.width }
      }
      line.append(cell)
      columns += cell.width
    }
    for cell in cells {
      if cell.width == 0, cell.isTab {
        blanks(for: cell, at: columns).forEach(take)
      } else if cell.width == 0, cell.text == "\n" {
        lines.append((line, goesOn))
        (line, columns, goesOn) = ([], 0, false)
      } else {
        take(cell)
      }
    }
    lines.append((line, goesOn))
    return lines
  }

  /// The place behind the last blank, if what follows it takes at most half of the width; else the
  /// end of the line.
  private static func blankCut(_ line: [Cell], _ width: Int) -> Int {
    var columns = 0
    for index in line.indices.reversed() where width >= 8 {
      if line[index].text == " " { return index + 1 }
      columns += line[index].width
      if columns > width / 2 { break }
    }
    return line.count
  }
}
