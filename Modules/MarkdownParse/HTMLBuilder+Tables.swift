import Model

extension HTMLBuilder {
  /// Handles the opening tag of a table, or of a part of one. Returns false for any other element.
  mutating func openTablePart(_ element: HTMLElement, _ tag: Range<Int>) -> Bool {
    switch element {
    case .table, .tableSection, .row, .cell, .headerCell: break
    default: return false
    }
    if cell >= 0, innerTables > 0 || element == .table {
      if element == .table { innerTables += 1 }
      breakLine(tag)
      return true
    }
    guard heading == nil, !isPreformatted || cell >= 0 else {
      breakLine(tag)
      return true
    }
    endCell(at: tag.lowerBound)
    endLeaf(at: tag)
    switch element {
    case .table:
      endTable()
      hasTable = true
    case .cell, .headerCell: if hasTable { openCell(element, tag) }
    default:
      hasTable = hasTable || element == .row
      endRow()
    }
    return true
  }

  mutating func openCell(_ element: HTMLElement, _ tag: Range<Int>) {
    if table < 0 { table = add(.table, to: parent(), tag) }
    if row < 0 { row = add(.tableRow, to: table, tag) }
    // The content of surplus cells is appended to the last one.
    cells += 1
    if cells > Self.mostColumns { return }
    columns = max(columns, cells)
    cell = add(.tableCell, to: row, tag)
    tree.nodes[cell].end = leaf.source(tag).bytes.upperBound
    earliestLeafStart = tag.upperBound
    isHeaderCell = element == .headerCell && !opens.contains { $0.span == .strong }
    if isHeaderCell { opens.append(Open(span: .strong, link: -1, tag: tag, isWritten: true)) }
  }

  mutating func closeTablePart(_ element: HTMLElement, _ tag: Range<Int>) {
    if cell >= 0, innerTables > 0 {
      if element == .table { innerTables -= 1 }
      return breakLine(tag)
    }
    guard hasTable || cell >= 0 else {
      if isFlat { breakLine(tag) } else { endLeaf(at: tag) }
      return
    }
    if cell < 0, isFlat { return breakLine(tag) }
    endCell(at: tag.lowerBound)
    endLeaf(at: tag)
    switch element {
    case .table: endTable()
    case .row, .tableSection: endRow()
    default: break
    }
  }

  mutating func endCell(at offset: Int) {
    guard cell >= 0 else { return }
    endLeaf()
    if isHeaderCell, let index = opens.firstIndex(where: { $0.span == .strong }) {
      opens.remove(at: index)
    }
    (cell, innerTables, isPreformatted, isHeaderCell) = (-1, 0, false, false)
    earliestLeafStart = max(earliestLeafStart, offset)
  }

  mutating func endRow() { (row, cells) = (-1, 0) }

  mutating func endTableNode() {
    endRow()
    guard table >= 0 else { return }
    tree.nodes[table].columns = tree.columns.count
    tree.columns.append(Array(repeating: .none, count: columns))
    (table, columns) = (-1, 0)
  }

  mutating func endTable() {
    endTableNode()
    hasTable = false
  }
}
