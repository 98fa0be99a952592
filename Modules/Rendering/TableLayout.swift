import MarkdownParse

/// Lays rows of a table out: columns as wide as they want, narrowed and wrapped where the page is
/// narrower.
struct TableLayout {
  private let columns: [Block.ColumnAlignment]
  private let widths: [Int]
  /// Whether a column is narrower than it wants.
  private let isNarrowed: Bool
  private static let narrowest = 3
  /// The columns without which the words of a cell are torn apart.
  private static let legible = 8

  /// - Parameters:
  ///   - widths: what the columns want.
  ///   - width: what the page has.
  init(columns: [Block.ColumnAlignment], widths: [Int], width: Int) {
    self.columns = columns
    self.widths = Self.fitted(widths, in: width)
    isNarrowed = self.widths != widths
  }

  /// Whether some column would be too narrow to be read.
  ///
  /// - Parameters: as for a layout.
  static func needsRecords(_ widths: [Int], width: Int) -> Bool {
    let least = widths.reduce(3 * (widths.count - 1)) { $0 + min($1, legible) }
    return least > width
  }

  /// The widths of the widest cells.
  static func naturalWidths(_ rows: [[[Cell]]], columns: Int) -> [Int] {
    (0..<columns).map { column in
      let widest = rows.map { row in
        column < row.count ? LineBreaker.width(of: row[column]) : 0
      }.max()
      return max(1, widest ?? 0)
    }
  }

  /// The lines of some rows, with `│` between cells; below a head there is a rule, and between rows
  /// where some have several lines.
  func lines(_ rows: [[[Cell]]], hasHead: Bool) -> [[Cell]] {
    let rule = decoration(
      widths.map { String(repeating: "─", count: $0) }.joined(separator: "─┼─"))
    var result: [[Cell]] = isNarrowed && !hasHead ? [rule] : []
    var wasWrapped = false
    for (index, row) in rows.enumerated() {
      let wrapped = widths.indices.map { column in
        column < row.count ? LineBreaker.wrap(row[column], width: widths[column]) : [[]]
      }
      let height = wrapped.map(\.count).max() ?? 1
      // Below the head there is one already.
      if index > (hasHead ? 1 : 0), isNarrowed || wasWrapped || height > 1 { result.append(rule) }
      wasWrapped = height > 1
      for line in 0..<height {
        var cells: [Cell] = []
        for column in widths.indices {
          if column > 0 { cells += decoration(" │ ") }
          let content = line < wrapped[column].count ? wrapped[column][line] : []
          cells += aligned(BidiOrder.visual(content), widths[column], columns[column])
        }
        while let last = cells.last, last.text == " ", last.range == nil { cells.removeLast() }
        result.append(cells)
      }
      if index == 0, hasHead { result.append(rule) }
    }
    return result
  }

  /// The widest made narrower until all fit.
  private static func fitted(_ natural: [Int], in width: Int) -> [Int] {
    var widths = natural
    let room = max(width - 3 * (widths.count - 1), widths.count)
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
    text.map { Cell(text: $0, width: 1, spanStyle: .decoration(.tableBorder), range: nil) }
  }
}
