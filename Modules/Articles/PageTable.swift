/// The rows and cells of an HTML table.
struct PageTable {
  struct Cell {
    var node: Int
    var columns: Int
    var rows: Int
    var isHead: Bool
  }

  private(set) var captions: [Int] = []
  private(set) var rows: [[Cell]] = []
  /// Whether the table only arranges content on the page.
  private(set) var isLayout = false

  /// The maximum numbers of columns and of cells of a table that is written as a Markdown table.
  private static let mostColumns = 64
  private static let mostCells = 20_000

  init(_ node: Int, in tree: MarkupTree) {
    func readRows(_ node: Int, isHead: Bool) {
      for child in tree.children(of: node) {
        switch tree.name(of: child) {
        case "caption": captions.append(child)
        case "thead": readRows(child, isHead: true)
        case "tbody", "tfoot": readRows(child, isHead: false)
        case "tr":
          let cells = tree.children(of: child).filter { ["td", "th"].contains(tree.name(of: $0)) }
          let row = cells.filter { !BlockReader.isHidden($0, in: tree) }.map { cell in
            Cell(
              node: cell, columns: Self.span("colspan", of: cell, in: tree),
              rows: Self.span("rowspan", of: cell, in: tree),
              isHead: isHead || tree.name(of: cell) == "th")
          }
          if !row.isEmpty { rows.append(row) }
        default: continue
        }
      }
    }
    readRows(node, isHead: false)
    let role = tree.attribute("role", of: node)
    let hasHead = rows.joined().contains(where: \.isHead)
    isLayout =
      role == "presentation" || role == "none"
      || !hasHead && captions.isEmpty && (rows.count == 1 || rows.allSatisfy { $0.count == 1 })
  }

  private static func span(_ name: String, of cell: Int, in tree: MarkupTree) -> Int {
    min(max(tree.attribute(name, of: cell).flatMap { Int($0) } ?? 1, 1), mostColumns)
  }

  /// Returns the cells in rows of equal length, the first of which is the header; nil if the table
  /// cannot be a Markdown table, because a cell contains other blocks than text or there are too
  /// many cells. A cell that spans several places has its text in the first of them.
  func lines(of blocks: [[[ArticleBlock]]]) -> [[[ArticleInline]]]? {
    var result: [[[ArticleInline]]] = []
    /// For each column, the number of following rows that a cell above extends into.
    var rowsBelow: [Int] = []
    for (row, contents) in zip(rows, blocks) {
      var line: [[ArticleInline]] = []
      func skipTaken() {
        while line.count < rowsBelow.count, rowsBelow[line.count] > 0 {
          rowsBelow[line.count] -= 1
          line.append([])
        }
      }
      for (cell, content) in zip(row, contents) {
        skipTaken()
        guard let text = Self.line(of: content), line.count + cell.columns <= Self.mostColumns
        else { return nil }
        for column in 0..<cell.columns {
          if line.count >= rowsBelow.count { rowsBelow.append(0) }
          rowsBelow[line.count] = cell.rows - 1
          line.append(column == 0 ? text : [])
        }
      }
      skipTaken()
      result.append(line)
    }
    let width = result.map(\.count).max() ?? 0
    guard width > 0, width * result.count <= Self.mostCells else { return nil }
    result = result.map { $0 + Array(repeating: [], count: width - $0.count) }
    let isHeadFirst = rows[0].allSatisfy(\.isHead)
    return isHeadFirst ? result : [Array(repeating: [], count: width)] + result
  }

  private static func line(of blocks: [ArticleBlock]) -> [ArticleInline]? {
    var line: [ArticleInline] = []
    for block in blocks {
      switch block {
      case .paragraph(let text), .heading(_, let text):
        if !line.isEmpty { line.append(.lineBreak) }
        line += text
      case .math(let tex):
        if !line.isEmpty { line.append(.lineBreak) }
        line.append(.math(tex))
      default: return nil
      }
    }
    return line
  }

  /// Returns the alignments of the columns, read from the first three rows; an empty array if none
  /// is set.
  func alignments(in tree: MarkupTree) -> [ArticleBlock.Alignment] {
    for row in rows.prefix(3).reversed() {
      let found = row.flatMap { cell -> [ArticleBlock.Alignment] in
        let style = (tree.attribute("style", of: cell.node) ?? "").filter { !$0.isWhitespace }
        let word =
          ["left", "center", "right"].first { style.lowercased().contains("text-align:\($0)") }
          ?? tree.attribute("align", of: cell.node)?.lowercased()
        let alignment: ArticleBlock.Alignment =
          switch word {
          case "left": .left
          case "center": .center
          case "right": .right
          default: .none
          }
        return Array(repeating: alignment, count: cell.columns)
      }
      if found.contains(where: { $0 != .none }) { return found }
    }
    return []
  }
}
