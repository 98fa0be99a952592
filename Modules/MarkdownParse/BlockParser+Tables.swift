import Model

extension BlockParser {
  /// The maximum number of columns in a table. A delimiter row with more columns is text. The limit
  /// protects against hostile input.
  static let mostColumns = 128

  /// Turns the last line of the open paragraph into a table header if the current line is a
  /// delimiter row with the same number of cells (GFM 4.10).
  mutating func startTable(_ container: inout Int) -> Bool {
    guard let columns = delimiterRow(), let last = tree.nodes[container].lines.last else {
      return false
    }
    let header = tree.lines[last]
    let cells = Self.cells(of: header, in: bytes)
    guard cells.count == columns.count else { return false }
    let paragraph = container
    let parent = tree.nodes[paragraph].parent
    let table: Int
    if tree.nodes[paragraph].lines.count == 1 {
      table = paragraph
      tree.nodes[table].kind = .table
      tree.nodes[table].lines = 0..<0
    } else {
      let rest = tree.nodes[paragraph].lines.dropLast()
      tree.nodes[paragraph].lines = rest
      tree.nodes[paragraph].end = tree.lines[rest.upperBound - 1].end
      close(paragraph)
      table = tree.append(.table, to: parent, start: header.start)
    }
    tree.nodes[table].columns = tree.columns.count
    tree.columns.append(columns)
    tree.nodes[table].end = lineEnd
    tip = table
    appendRow(cells, header, to: table)
    recordPart(.delimiterRow, of: table, nonblank..<contentEnd)
    isFenceLine = true
    advance(to: lineEnd)
    container = table
    return true
  }

  /// Adds the current line to a table as a row.
  mutating func addRow(to table: Int) {
    if isFenceLine || isBlank { return }
    let slice = LineSlice(start: nonblank, end: lineEnd, next: lineNext)
    appendRow(Self.cells(of: slice, in: bytes), slice, to: table)
    tree.nodes[table].end = lineEnd
  }

  /// Appends a row with its cells. Cells beyond the table's columns are dropped, and missing cells
  /// are not added.
  private mutating func appendRow(_ cells: [Range<Int>], _ line: LineSlice, to table: Int) {
    let row = tree.append(.tableRow, to: table, start: line.start)
    tree.nodes[row].end = line.end
    tree.nodes[row].isOpen = false
    for cell in cells.prefix(tree.columns[tree.nodes[table].columns].count) {
      let node = tree.append(.tableCell, to: row, start: cell.lowerBound)
      tree.nodes[node].end = cell.upperBound
      tree.nodes[node].isOpen = false
      appendLine(
        LineSlice(start: cell.lowerBound, end: cell.upperBound, next: cell.upperBound), to: node)
    }
  }

  /// Parses a delimiter row such as `|:--|--:|`; nil if the line isn't a delimiter row.
  private func delimiterRow() -> [Block.ColumnAlignment]? {
    let first = byte(nonblank)
    guard first == UInt8(ascii: "|") || first == UInt8(ascii: "-") || first == UInt8(ascii: ":")
    else { return nil }
    let slice = LineSlice(start: nonblank, end: lineEnd, next: lineNext)
    guard
      bytes[nonblank..<lineEnd].allSatisfy({
        $0.isBlank || $0 == UInt8(ascii: "|") || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: ":")
      })
    else { return nil }
    let cells = Self.cells(of: slice, in: bytes)
    guard (1...Self.mostColumns).contains(cells.count) else { return nil }
    // A single column requires a pipe. Otherwise any `---` below a line would turn it into a table.
    if cells.count == 1, !bytes[nonblank..<lineEnd].contains(UInt8(ascii: "|")) { return nil }
    var columns: [Block.ColumnAlignment] = []
    for cell in cells {
      guard let alignment = alignment(of: cell) else { return nil }
      columns.append(alignment)
    }
    return columns
  }

  private func alignment(of cell: Range<Int>) -> Block.ColumnAlignment? {
    guard !cell.isEmpty else { return nil }
    let isLeft = bytes[cell.lowerBound] == UInt8(ascii: ":")
    let isRight = cell.count > 1 && bytes[cell.upperBound - 1] == UInt8(ascii: ":")
    let dashes = cell.dropFirst(isLeft ? 1 : 0).dropLast(isRight ? 1 : 0)
    guard !dashes.isEmpty, dashes.allSatisfy({ bytes[$0] == UInt8(ascii: "-") }) else { return nil }
    return switch (isLeft, isRight) {
    case (true, true): .center
    case (true, false): .left
    case (false, true): .right
    case (false, false): Block.ColumnAlignment.none
    }
  }

  /// Returns the ranges of a row's cells, without the spaces around them.
  static func cells(of line: LineSlice, in bytes: Bytes) -> [Range<Int>] {
    var start = line.start
    var end = line.end
    while start < end, bytes[start].isBlank { start += 1 }
    while end > start, bytes[end - 1].isBlank { end -= 1 }
    if start < end, bytes[start] == UInt8(ascii: "|") { start += 1 }
    var cells: [Range<Int>] = []
    var cell = start
    var index = start
    func trimmed(_ start: Int, _ end: Int) -> Range<Int> {
      var (start, end) = (start, end)
      while start < end, bytes[start].isBlank { start += 1 }
      while end > start, bytes[end - 1].isBlank { end -= 1 }
      return start..<end
    }
    while index < end {
      switch bytes[index] {
      // A pipe after a backslash belongs to the cell, even if the backslash itself is escaped, as
      // on GitHub.
      case UInt8(ascii: "\\") where bytes.at(index + 1) == UInt8(ascii: "|"): index += 2
      case UInt8(ascii: "|"):
        cells.append(trimmed(cell, index))
        index += 1
        cell = index
      default: index += 1
      }
    }
    if cell < end { cells.append(trimmed(cell, end)) }
    return cells
  }
}
