import MarkdownParse
import Model

extension PageLayout {
  /// The maximum number of UTF-16 units of a divided table that are measured. Later cells are
  /// wrapped.
  private static let measuredUnits = 1 << 15

  mutating func addTable(_ chunk: PageBlocks.Chunk) {
    let index = Int(chunk.index)
    guard case .table(let columns) = page.document.blocks[index].kind else { return }
    let rows = rows(from: Int(chunk.firstRow), count: Int(chunk.rowCount))
    let widths = tableWidths[index] ?? measure(table: index, columns.count, rows)
    tableWidths[index] = widths
    let width = width(of: rows, widths)
    if width == contentWidth,
      let lines = records(of: index, rows, widths, isContinuation: chunk.isContinuation)
    {
      return add(lines, isApart: !chunk.isContinuation)
    }
    let table = TableLayout(columns: columns, widths: widths, width: width)
    // If there are very many columns and little room, lines are cut at the edge.
    add(
      table.lines(rows, hasHead: !chunk.isContinuation && hasHead(index)).flatMap {
        LineBreaker.hardWrap($0, width: width)
      }, isApart: !chunk.isContinuation)
  }

  /// The number of columns of all rows together up to which a table isn't wrapped if lines are kept.
  private static let keptCells = 1 << 20
  /// The greatest ratio of a table's columns to those of its content, beyond `keptCells`. One very
  /// long cell among thousands of short ones would otherwise become as many long lines of spaces.
  private static let keptRatio = 8

  /// Returns the width for a table: that of its content if lines are kept, else that of the page.
  private func width(of rows: [[[Cell]]], _ widths: TableLayout.Widths) -> Int {
    let natural = widths.natural.reduce(3 * (widths.natural.count - 1), +)
    guard page.options.keepsLines, natural > contentWidth else { return contentWidth }
    let (all, isTooMuch) = natural.multipliedReportingOverflow(by: rows.count)
    if isTooMuch { return contentWidth }
    if all <= Self.keptCells { return natural }
    let content = rows.reduce(0) { $0 + $1.reduce(0) { $0 + LineBreaker.width(of: $1) } }
    return all <= Self.keptRatio * content ? natural : contentWidth
  }

  /// Returns the rows as records if the table is too wide for the page. Nil if it isn't too wide,
  /// or if it consists only of a head. If the table has no head, the records have no titles,
  /// because the rows may differ in length.
  private mutating func records(
    of table: Int, _ rows: [[[Cell]]], _ widths: TableLayout.Widths, isContinuation: Bool
  ) -> [[Cell]]? {
    guard TableLayout.needsRecords(widths, width: contentWidth) else { return nil }
    guard hasHead(table) else {
      return RecordLayout(titles: [], width: contentWidth).lines(rows, isFirst: !isContinuation)
    }
    let head = page.document.blocks[table].firstChild
    guard head >= 0, page.document.blocks[head].nextSibling >= 0 else { return nil }
    let titles = isContinuation ? self.rows(from: head, count: 1)[0] : rows[0]
    return RecordLayout(titles: titles, width: contentWidth).lines(
      isContinuation ? rows : Array(rows.dropFirst()), isFirst: !isContinuation)
  }

  /// Whether the first row of a table is its head. It always is in Markdown; in HTML, it depends on
  /// the cells.
  private func hasHead(_ table: Int) -> Bool {
    let document = page.document
    guard document.isHTML(table) else { return true }
    let row = document.blocks[table].firstChild
    let cell = row < 0 ? row : document.blocks[row].firstChild
    return cell >= 0 && document.isHeaderCell(cell)
  }

  /// Returns the cells of some rows of a table.
  private mutating func rows(from first: Int, count: Int) -> [[[Cell]]] {
    let blocks = page.document.blocks
    var rows: [[[Cell]]] = []
    var row = first
    while row >= 0, rows.count < count {
      let table = blocks[row].parent
      let isHead = blocks[table].firstChild == row && hasHead(table)
      var cells: [[Cell]] = []
      var cell = blocks[row].firstChild
      while cell >= 0 {
        var content = writer.cells(of: cell, adding: isHead ? .strong : [])
        if page.options.ordersText { _ = BidiOrder.resolve(&content, .byText) }
        cells.append(content)
        cell = blocks[cell].nextSibling
      }
      rows.append(cells)
      row = blocks[row].nextSibling
    }
    return rows
  }

  /// Returns the widths that the columns of a table need. For a divided table, only the beginning
  /// is measured, so that opening it is fast. Wider cells further down are wrapped.
  private mutating func measure(table: Int, _ columns: Int, _ rows: [[[Cell]]])
    -> TableLayout.Widths
  {
    let blocks = page.document.blocks
    let first = blocks[table].firstChild
    guard first >= 0, plan.isDivided else {
      return TableLayout.widths(rows, columns: columns, width: contentWidth)
    }
    let start = blocks[first].text.utf16.lowerBound
    var (count, row) = (0, first)
    while row >= 0, count == 0 || blocks[row].text.utf16.upperBound - start < Self.measuredUnits {
      count += 1
      row = blocks[row].nextSibling
    }
    return TableLayout.widths(
      self.rows(from: first, count: count), columns: columns, width: contentWidth)
  }
}

/// Lays out the rows of a table as records, with the cells below each other and their titles before
/// them. It is used for tables whose columns would be too narrow to read.
struct RecordLayout {
  /// The number of spaces before the continued lines of a cell.
  static let indent = 2

  private let titles: [[Cell]]
  private let width: Int

  /// Creates a layout of records.
  ///
  /// - Parameter titles: the cells of the table's head; empty if the table has no head.
  init(titles: [[Cell]], width: Int) { (self.titles, self.width) = (titles, width) }

  /// Returns the lines of some records, separated by blank lines. In the first record, the titles
  /// are the table's head. In all others they are copies that aren't part of the text.
  ///
  /// - Parameter isFirst: whether the first of the records is the first of the table.
  func lines(_ records: [[[Cell]]], isFirst: Bool) -> [[Cell]] {
    var lines: [[Cell]] = []
    for (index, record) in records.enumerated() {
      let isHead = isFirst && index == 0
      if !isHead { lines.append([]) }
      for column in 0..<(isHead ? max(titles.count, record.count) : record.count) {
        let title = column < titles.count ? titles[column] : []
        let cell = column < record.count ? record[column] : []
        if cell.isEmpty && (title.isEmpty || !isHead) { continue }
        lines += Self.lines(isHead ? title : Self.repeated(title), cell, width)
      }
    }
    return lines
  }

  private static func lines(_ title: [Cell], _ cell: [Cell], _ width: Int) -> [[Cell]] {
    let colon = decoration(title.isEmpty ? "" : ": ")
    return LineBreaker.wrap(title + colon + cell, width: width, indent: indent).enumerated().map {
      let line = BidiOrder.visual($1)
      return $0 == 0 ? line : decoration(String(repeating: " ", count: indent)) + line
    }
  }

  /// Returns the cells without their ranges, so that no part of the text is shown twice.
  private static func repeated(_ cells: [Cell]) -> [Cell] {
    cells.map { cell in
      var cell = cell
      cell.range = nil
      if cell.isTab { (cell.text, cell.width) = (" ", 1) }
      return cell
    }
  }

  private static func decoration(_ text: String) -> [Cell] {
    text.map { Cell(text: $0, width: 1, spanStyle: .decoration(.tableBorder), range: nil) }
  }
}
