import MarkdownParse

/// Lays a table out: columns as wide as their widest cell, narrowed and wrapped where the page is
/// narrower.
struct TableLayout {
  private let columns: [Block.ColumnAlignment]
  private let rows: [[[Cell]]]
  private let width: Int
  private static let narrowest = 3

  init(columns: [Block.ColumnAlignment], rows: [[[Cell]]], width: Int) {
    self.columns = columns
    self.rows = rows
    self.width = width
  }

  /// The lines: rows with `│` between cells, and a rule below the first row.
  func lines() -> [[Cell]] {
    let widths = columnWidths()
    var result: [[Cell]] = []
    for (index, row) in rows.enumerated() {
      let wrapped = widths.indices.map { column in
        column < row.count ? LineBreaker.wrap(row[column], width: widths[column]) : [[]]
      }
      for line in 0..<(wrapped.map(\.count).max() ?? 1) {
        var cells: [Cell] = []
        for column in widths.indices {
          if column > 0 { cells += decoration(" │ ") }
          let content = line < wrapped[column].count ? wrapped[column][line] : []
          cells += aligned(content, widths[column], columns[column])
        }
        while let last = cells.last, last.text == " ", last.range == nil { cells.removeLast() }
        result.append(cells)
      }
      if index == 0 {
        let rule = widths.map { String(repeating: "─", count: $0) }.joined(separator: "─┼─")
        result.append(decoration(rule))
      }
    }
    return result
  }

  /// Natural widths, the widest made narrower until all fit.
  private func columnWidths() -> [Int] {
    var widths = columns.indices.map { column in
      rows.map { row in
        column < row.count ? row[column].reduce(0) { $0 + $1.width } : 0
      }.max() ?? 0
    }
    widths = widths.map { max(1, $0) }
    let room = max(width - 3 * (columns.count - 1), columns.count)
    while widths.reduce(0, +) > room,
      let widest = widths.indices.max(by: { widths[$0] < widths[$1] }),
      widths[widest] > 1
    {
      // In one step to the second widest, or to what is needed.
      let others = widths.enumerated().filter { $0.offset != widest }.map(\.element).max() ?? 1
      let excess = widths.reduce(0, +) - room
      widths[widest] -= max(1, min(excess, widths[widest] - max(others, Self.narrowest)))
    }
    return widths
  }

  private func aligned(_ cells: [Cell], _ width: Int, _ alignment: Block.ColumnAlignment) -> [Cell]
  {
    let rest = max(0, width - cells.reduce(0) { $0 + $1.width })
    let before: Int =
      switch alignment {
      case .none, .left: 0
      case .center: rest / 2
      case .right: rest
      }
    return decoration(String(repeating: " ", count: before)) + cells
      + decoration(String(repeating: " ", count: rest - before))
  }

  private func decoration(_ text: String) -> [Cell] {
    text.map { Cell(text: $0, width: 1, look: .faint, range: nil) }
  }
}
