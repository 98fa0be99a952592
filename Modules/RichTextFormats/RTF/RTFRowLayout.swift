import Model
import RichText

/// The look of a table row in other programs: the widths of its cells and its place in the table.
struct RTFRowLayout {
  /// The right edges of the cells, as shares of the table's width.
  private(set) var edges: [Double] = []
  private(set) var isFirst = false
  private(set) var isLast = false
  /// The alignment of each column; nil for the usual one. Numbers are at the end of their cells.
  private(set) var alignments: [TextAlignment?] = []

  /// The widths of the narrowest and the widest cell, in characters.
  private static let widths = 6.0...48.0

  /// Returns the layouts of the rows of a text, by their start. Neighbouring rows with equally many
  /// cells are a table. O(text of the rows)
  static func all(of document: RichDocument) -> [Int: RTFRowLayout] {
    var layouts: [Int: RTFRowLayout] = [:]
    let units = document.text.units
    func cells(_ row: Range<Int>) -> [ArraySlice<UInt16>] {
      units[row.clamped(to: units.indices)].split(separator: 0x09, omittingEmptySubsequences: false)
    }
    var table: [(start: Int, cells: [ArraySlice<UInt16>])] = []
    func close() {
      guard let count = table.first?.cells.count else { return }
      var layout = RTFRowLayout()
      let lengths = (0..<count).map { column in
        Double(table.map { $0.cells[column].count }.max() ?? 0)
          .clamped(to: widths)
      }
      let sum = lengths.reduce(0, +)
      var edge = 0.0
      layout.edges = lengths.map { length in
        edge += length / sum
        return edge
      }
      let body = table.dropFirst()
      let set = document.columns[table[0].start] ?? []
      layout.alignments = (0..<count).map { column in
        if let alignment = set.dropFirst(column).first ?? nil { return alignment }
        guard !body.isEmpty, body.allSatisfy({ isNumber($0.cells[column]) }) else { return nil }
        let isRightToLeft = TextDirection.isRightToLeft(
          String(units: Array(table[0].cells.joined())).unicodeScalars)
        return isRightToLeft ? .left : .right
      }
      for (index, row) in table.enumerated() {
        (layout.isFirst, layout.isLast) = (index == 0, index == table.count - 1)
        layouts[row.start] = layout
      }
      table = []
    }
    var end = -1
    for row in document.tableRows {
      let cells = cells(row)
      if row.lowerBound != end || cells.count != table.first?.cells.count
        || document.columns[row.lowerBound] != nil
      {
        close()
      }
      table.append((row.lowerBound, cells))
      end = row.upperBound
    }
    close()
    return layouts
  }

  /// Whether a cell is a short number, which may have a sign and a unit.
  private static func isNumber(_ cell: ArraySlice<UInt16>) -> Bool {
    let text = String(units: cell)
    let letters = text.count { $0.isLetter }
    return text.contains(where: \.isNumber) && letters <= 3 && text.count <= 16
      && text.first { !$0.isWhitespace && !"+-−±~<>$€£".contains($0) }?.isNumber == true
  }
}

extension Double {
  fileprivate func clamped(to range: ClosedRange<Double>) -> Double {
    Swift.min(Swift.max(self, range.lowerBound), range.upperBound)
  }
}

extension RTFWriter {
  /// The width of the text in other programs, if the document has no margins: that of a letter with
  /// the margins of LibreOffice, or of RTF.
  private var textWidth: Int {
    guard let margins = document.margins else { return options.isForOffice ? 9_360 : 8_640 }
    return max(2_880, 12_240 - margins.left.count - margins.right.count)
  }

  /// Writes the definition of a row, which has rules above and below it.
  mutating func writeRowStart(_ layout: RTFRowLayout?, cells: Int, isRightToLeft: Bool) {
    // LibreOffice moves tables by the space in their cells.
    let left = options.isForOffice ? 108 : 0
    write("\\trowd\\trgaph108\\trleft\(left)\\trkeep")
    // LibreOffice loses the space around paragraphs of a cell with a comment, but not that of cells.
    for (side, space) in [("l", 108), ("r", 108), ("t", 50), ("b", 50)] {
      write("\\trpadd\(side)\(space)\\trpaddf\(side)3")
    }
    if layout?.isFirst == true, layout?.isLast == false { write("\\trhdr") }
    if isRightToLeft { write("\\rtlrow") }
    for cell in 0..<cells {
      if layout?.isFirst != false { write("\\clbrdrt\\brdrs\\brdrw15") }
      let isHeavy = layout.map { $0.isFirst || $0.isLast } ?? true
      write("\\clbrdrb\\brdrs\\brdrw\(isHeavy ? 15 : 5)")
      let share =
        layout.flatMap { $0.edges.indices.contains(cell) ? $0.edges[cell] : nil }
        ?? Double(cell + 1) / Double(cells)
      write("\\cellx\(max(cell + 1, left + Int(Double(textWidth) * share)))")
    }
    write("\n")
  }
}
