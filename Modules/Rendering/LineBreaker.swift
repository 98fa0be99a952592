/// Divides cells into lines of a width. O(cells).
enum LineBreaker {
  /// Lines that break at blanks and beside wide characters, and inside a word only when the word is
  /// wider than a line. The blanks at which a line breaks are dropped.
  static func wrap(_ cells: [Cell], width: Int) -> [[Cell]] {
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
    for cell in cells {
      if cell.text == "\n" {
        finish(line)
        (line, columns, cut) = ([], 0, 0)
        continue
      }
      if columns + cell.width > width, !line.isEmpty, !cell.isBreak {
        let place = cut > 0 ? cut : line.count
        finish(line[..<place])
        line = Array(line[place...].drop { $0.isBreak })
        columns = line.reduce(0) { $0 + $1.width }
        cut = 0
        // What is carried over may itself be too wide with the new cell.
        if columns + cell.width > width, !line.isEmpty {
          finish(line)
          (line, columns) = ([], 0)
        }
      }
      if cell.isBreak, columns + cell.width > width {
        cut = line.count
        continue
      }
      if cell.width == 2, !line.isEmpty { cut = line.count }
      line.append(cell)
      columns += cell.width
      if cell.isBreak || cell.width == 2 { cut = line.count }
    }
    finish(line)
    return lines
  }

  /// Lines as they are, cut only where they are wider than the width; tabs go to multiples of four.
  static func hardWrap(_ cells: [Cell], width: Int) -> [[Cell]] {
    var lines: [[Cell]] = []
    var line: [Cell] = []
    var columns = 0
    for cell in cells {
      if cell.text == "\n" {
        lines.append(line)
        (line, columns) = ([], 0)
        continue
      }
      var blank = cell
      blank.text = " "
      blank.width = 1
      let pieces = cell.text == "\t" ? Array(repeating: blank, count: 4 - columns % 4) : [cell]
      for piece in pieces {
        if columns + piece.width > width, !line.isEmpty {
          lines.append(line)
          (line, columns) = ([], 0)
        }
        line.append(piece)
        columns += piece.width
      }
    }
    lines.append(line)
    return lines
  }
}
