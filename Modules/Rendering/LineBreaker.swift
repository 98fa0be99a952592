/// Divides cells into lines with a maximum width. O(cells).
enum LineBreaker {
  /// Divides cells into lines that break at spaces. Where `LineRules` allows it, lines also break
  /// beside wide characters. A word is divided only if it is wider than a line. The spaces at a
  /// line break are dropped, and a tab becomes spaces up to the next tab stop.
  ///
  /// - Parameter indent: the number of columns before each line except the first, less than
  ///   `width`. The result doesn't contain them.
  static func wrap(_ cells: [Cell], width: Int, indent: Int = 0) -> [[Cell]] {
    var wrapper = LineWrapper(width: width, indent: indent)
    var lines: [[Cell]] = []
    wrapper.take(cells, &lines)
    wrapper.finish(&lines)
    return lines
  }

  /// The distance between tab stops, in columns.
  private static let tabStop = 4

  /// Returns the spaces that represent a tab at a column.
  fileprivate static func blanks(for tab: Cell, at column: Int) -> [Cell] {
    var blank = tab
    (blank.text, blank.width) = (" ", 1)
    return Array(repeating: blank, count: tabStop - column % tabStop)
  }

  /// Returns the number of columns that cells occupy on one line.
  static func width(of cells: [Cell]) -> Int {
    cells.reduce(0) { $0 + ($1.isTab ? tabStop - $0 % tabStop : $1.width) }
  }

  /// Returns the width of each stretch in which lines don't break.
  static func words(of cells: [Cell]) -> [Int] {
    var words: [Int] = []
    var columns = 0
    var last: Cell?
    for cell in cells {
      let isGap = cell.isBreak || cell.isTab || cell.isLineFeed
      if isGap || last.map({ LineRules.mayBreak(between: $0, and: cell) }) == true {
        if columns > 0 { words.append(columns) }
        columns = 0
      }
      if !isGap { columns += cell.width }
      last = cell
    }
    return columns > 0 ? words + [columns] : words
  }

  /// Divides cells only at line feeds and at the maximum width. Tab stops are at multiples of four
  /// columns.
  static func hardWrap(_ cells: [Cell], width: Int) -> [[Cell]] {
    var cutter = LineCutter(width: width)
    var lines: [LineCutter.Part] = []
    cutter.take(cells, &lines)
    cutter.finish(&lines)
    return lines.map(\.cells)
  }
}

/// Wraps cells incrementally, so that only one line of a long text is in memory.
struct LineWrapper {
  private let width: Int
  private let indent: Int
  private var shape: ParagraphShape?
  private var line: [Cell] = []
  private var columns = 0
  /// The index at which the line may break. The cells from there on move to the next line.
  private var cut = 0

  /// Creates a wrapper; the parameters are those of `LineBreaker.wrap`.
  init(width: Int, indent: Int = 0) { (self.width, self.indent) = (width, indent) }

  /// Wraps cells between the edges of a paragraph.
  ///
  /// - Parameter isFirst: whether the first line is the first of the paragraph.
  init(_ shape: ParagraphShape, isFirst: Bool) {
    self.init(width: shape.width - shape.tail, indent: shape.head)
    columns = shape.start(isFirst: isFirst)
    if !shape.stops.isEmpty { self.shape = shape }
  }

  /// Adds cells, and appends the lines that they complete.
  mutating func take(_ cells: [Cell], _ lines: inout [[Cell]]) {
    for index in cells.indices {
      guard cells[index].isTab else {
        take(cells[index], &lines)
        continue
      }
      let cell = cells[index]
      if let shape {
        let rest = cells[(index + 1)...]
        let end = rest.firstIndex { $0.isTab || $0.isLineFeed } ?? rest.endIndex
        if let fill = shape.fill(for: cell, at: columns, before: rest[..<end]) {
          for cell in fill { take(cell, &lines) }
          cut = line.count
          continue
        }
      }
      for blank in LineBreaker.blanks(for: cell, at: columns) { take(blank, &lines) }
    }
  }

  /// Appends the last line.
  mutating func finish(_ lines: inout [[Cell]]) { endLine(at: line.count, &lines) }

  private mutating func take(_ cell: Cell, _ lines: inout [[Cell]]) {
    if cell.isLineFeed { return endLine(at: line.count, &lines) }
    if !line.isEmpty, cell.width == 2 || line[line.count - 1].width == 2,
      LineRules.mayBreak(between: line[line.count - 1], and: cell)
    {
      cut = line.count
    }
    if columns + cell.width > width, !line.isEmpty, !cell.isBreak {
      let place = cut > 0 ? cut : line.count
      let rest = Array(line[place...].drop { $0.isBreak })
      endLine(at: place, &lines)
      // The cells that move to the next line may be too wide for it, because of its indent or
      // together with the new cell.
      for cell in rest { take(cell, &lines) }
      if columns + cell.width > width, !line.isEmpty { endLine(at: line.count, &lines) }
    }
    if cell.isBreak, columns + cell.width > width {
      cut = line.count
      return
    }
    line.append(cell)
    columns += cell.width
    if cell.isBreak { cut = line.count }
  }

  /// Appends the line up to an index, without trailing spaces, and begins a new one.
  private mutating func endLine(at end: Int, _ lines: inout [[Cell]]) {
    var end = end
    while end > 0, line[end - 1].isBreak { end -= 1 }
    line.removeLast(line.count - end)
    lines.append(line)
    line = []
    // The next line is likely to have a similar length. Without reserved capacity, it would be
    // reallocated as it grows.
    line.reserveCapacity(end + end / 4 + 8)
    (columns, cut) = (indent, 0)
  }
}

/// Cuts lines at the maximum width incrementally.
struct LineCutter {
  /// A line or a part of one.
  struct Part {
    var cells: [Cell]
    /// Whether the part continues the line of the part before it.
    var continues: Bool
  }

  private let width: Int
  private let atBlanks: Bool
  private let keepsTabs: Bool
  private var line: [Cell] = []
  private var columns = 0
  private var continues = false

  /// Creates a cutter.
  ///
  /// - Parameter atBlanks: whether to cut after a space if the second half of the line has one.
  ///   Spaces are not dropped.
  /// - Parameter keepsTabs: whether a tab stays a tab instead of becoming spaces.
  init(width: Int, atBlanks: Bool = false, keepsTabs: Bool = false) {
    (self.width, self.atBlanks, self.keepsTabs) = (width, atBlanks, keepsTabs)
  }

  /// Adds cells, and appends the lines that they complete.
  mutating func take(_ cells: [Cell], _ lines: inout [Part]) {
    for cell in cells {
      if cell.width == 0, cell.isTab, !keepsTabs {
        for blank in LineBreaker.blanks(for: cell, at: columns) { take(blank, &lines) }
      } else if cell.width == 0, cell.isLineFeed {
        finish(&lines)
      } else {
        take(cell, &lines)
      }
    }
  }

  /// Appends the last line.
  mutating func finish(_ lines: inout [Part]) {
    lines.append(Part(cells: line, continues: continues))
    (line, columns, continues) = ([], 0, false)
  }

  private mutating func take(_ cell: Cell, _ lines: inout [Part]) {
    if columns + cell.width > width, !line.isEmpty {
      let cut = atBlanks ? blankCut : line.count
      lines.append(Part(cells: Array(line[..<cut]), continues: continues))
      (line, continues) = (Array(line[cut...]), true)
      columns = line.reduce(0) { $0 + $1.width }
    }
    line.append(cell)
    columns += cell.width
  }

  /// The index after the last space, if the cells after that space occupy at most half of the
  /// width; otherwise the end of the line.
  private var blankCut: Int {
    var columns = 0
    for index in line.indices.reversed() where width >= 8 {
      if line[index].text == " " { return index + 1 }
      columns += line[index].width
      if columns > width / 2 { break }
    }
    return line.count
  }
}
