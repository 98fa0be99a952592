import MarkdownParse

/// Lays out the rows of a table. Columns are as wide as their content, and are narrowed and wrapped
/// if the page is too narrow.
struct TableLayout {
  private let columns: [Block.ColumnAlignment]
  private let widths: [Int]
  /// Whether any column is narrower than its content.
  private let isNarrowed: Bool
  private static let narrowest = 3

  /// The widths that the columns of a table need.
  struct Widths {
    /// The width of the widest cell of each column.
    var natural: [Int]
    /// The width of the longest word of each column. In a narrower column, words are divided.
    var least: [Int]
  }

  /// Determines the widths of the columns.
  ///
  /// - Parameters:
  ///   - widths: the widths that the columns need.
  ///   - width: the width of the page.
  init(columns: [Block.ColumnAlignment], widths: Widths, width: Int) {
    self.columns = columns
    self.widths = Self.fitted(widths, in: width)
    isNarrowed = self.widths != widths.natural
  }

  /// Whether words would be divided in some column.
  ///
  /// - Parameters:
  ///   - widths: the widths that the columns need.
  ///   - width: the width of the page.
  static func needsRecords(_ widths: Widths, width: Int) -> Bool {
    widths.least.reduce(3 * (widths.least.count - 1), +) > width
  }

  /// Returns the widths that the columns need.
  ///
  /// - Parameter width: the width of the page. A word that doesn't fit even in a record needs only
  ///   a few columns.
  static func widths(_ rows: [[[Cell]]], columns: Int, width: Int) -> Widths {
    var widths = Widths(
      natural: Array(repeating: 1, count: columns), least: Array(repeating: 1, count: columns))
    for row in rows {
      for (column, cell) in row.prefix(columns).enumerated() {
        let natural = LineBreaker.width(of: cell)
        widths.natural[column] = max(widths.natural[column], natural)
        guard natural > widths.least[column] else { continue }
        let recordWidth = width - RecordLayout.indent
        for word in LineBreaker.words(of: cell) {
          let least = word <= recordWidth ? word : min(word, legible)
          widths.least[column] = max(widths.least[column], least)
        }
      }
    }
    return widths
  }

  /// The width in columns that is reserved for a word that fits on no line.
  private static let legible = 8

  /// Returns the lines of some rows, with `│` between cells. There is a rule below a head. If a
  /// column is narrower than its content, there are also rules between all rows, and above the
  /// first row if it isn't a head. Otherwise, there are rules only beside rows of several lines.
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
      // Below the head, there is already a rule.
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

  /// Narrows the widest columns until all columns fit. A column becomes narrower than its longest
  /// word only if no other column can be narrowed.
  private static func fitted(_ wanted: Widths, in width: Int) -> [Int] {
    var widths = wanted.natural
    let available = max(width - 3 * (widths.count - 1), widths.count)
    for least in [wanted.least, Array(repeating: 1, count: widths.count)] {
      while widths.reduce(0, +) > available {
        let wide = widths.indices.filter { widths[$0] > least[$0] }
        guard let widest = wide.max(by: { widths[$0] < widths[$1] }) else { break }
        // The column is narrowed in one step to the width of the second widest column, or less if
        // that is enough.
        let others = wide.filter { $0 != widest }.map { widths[$0] }.max() ?? 1
        let excess = widths.reduce(0, +) - available
        let end = max(others, narrowest, least[widest])
        widths[widest] -= max(1, min(excess, widths[widest] - end))
      }
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
