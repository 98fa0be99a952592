/// Divides cells into lines of a width. O(cells).
enum LineBreaker {
  /// Lines that break at blanks and, as `LineRules` allows, beside wide characters, and inside a word
  /// only when the word is wider than a line. The blanks at which a line breaks are dropped; tabs are
  /// blanks to the next stop.
  ///
  /// - Parameter indent: the columns before each line but the first, which are not in the result;
  ///   fewer than `width`.
  static func wrap(_ cells: [Cell], width: Int, indent: Int = 0) -> [[Cell]] {
    var wrapper = LineWrapper(width: width, indent: indent)
    var lines: [[Cell]] = []
    wrapper.take(cells, &lines)
    wrapper.finish(&lines)
    return lines
  }

  /// The columns from one stop of tabs to the next.
  private static let tabStop = 4

  /// The blanks that a tab at a column stands for.
  fileprivate static func blanks(for tab: Cell, at column: Int) -> [Cell] {
    var blank = tab
    (blank.text, blank.width) = (" ", 1)
    return Array(repeating: blank, count: tabStop - column % tabStop)
  }

  /// The columns of cells on one line.
  static func width(of cells: [Cell]) -> Int {
    cells.reduce(0) { $0 + ($1.isTab ? tabStop - $0 % tabStop : $1.width) }
  }

  /// The columns of each stretch in which no line ends of itself.
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

  /// Lines as they are, cut only where they are wider than the width; tabs go to multiples of four.
  static func hardWrap(_ cells: [Cell], width: Int) -> [[Cell]] {
    var cutter = LineCutter(width: width)
    var lines: [LineCutter.Part] = []
    cutter.take(cells, &lines)
    cutter.finish(&lines)
    return lines.map(\.cells)
  }
}

/// Wraps cells as they come, so that only one line of a long text is held.
struct LineWrapper {
  private let width: Int
  private let indent: Int
  private var shape: ParagraphShape?
  private var line: [Cell] = []
  private var columns = 0
  /// Where the line can be cut: what stands from there on goes to the next one.
  private var cut = 0

  /// - Parameters: as for `LineBreaker.wrap`.
  init(width: Int, indent: Int = 0) { (self.width, self.indent) = (width, indent) }

  /// Wraps between the edges of a paragraph.
  ///
  /// - Parameter isFirst: whether the first line is that of the paragraph.
  init(_ shape: ParagraphShape, isFirst: Bool) {
    self.init(width: shape.width - shape.tail, indent: shape.head)
    columns = shape.start(isFirst: isFirst)
    if !shape.stops.isEmpty { self.shape = shape }
  }

  /// Takes further cells, and appends the lines that they complete.
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
      // What is carried over may itself be too wide, with the indentation or with the new cell.
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

  /// Appends the line up to a cell, without the blanks at its end, and begins a new one.
  private mutating func endLine(at end: Int, _ lines: inout [[Cell]]) {
    var end = end
    while end > 0, line[end - 1].isBreak { end -= 1 }
    line.removeLast(line.count - end)
    lines.append(line)
    line = []
    // The next line is likely to be about as long as this one; a line that grows is moved each time.
    line.reserveCapacity(end + end / 4 + 8)
    (columns, cut) = (indent, 0)
  }
}

/// Cuts lines that are too wide as their cells come.
struct LineCutter {
  /// A line, or a part of one.
  struct Part {
    var cells: [Cell]
    /// Whether it goes on with the one before.
    var goesOn: Bool
  }

  private let width: Int
  private let atBlanks: Bool
  private var line: [Cell] = []
  private var columns = 0
  private var goesOn = false

  /// - Parameter atBlanks: whether a line is rather cut behind a blank, if there is one in its second
  ///   half. Blanks stay where they are.
  init(width: Int, atBlanks: Bool = false) { (self.width, self.atBlanks) = (width, atBlanks) }

  /// Takes further cells, and appends the lines that they complete.
  mutating func take(_ cells: [Cell], _ lines: inout [Part]) {
    for cell in cells {
      if cell.width == 0, cell.isTab {
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
    lines.append(Part(cells: line, goesOn: goesOn))
    (line, columns, goesOn) = ([], 0, false)
  }

  private mutating func take(_ cell: Cell, _ lines: inout [Part]) {
    if columns + cell.width > width, !line.isEmpty {
      let cut = atBlanks ? blankCut : line.count
      lines.append(Part(cells: Array(line[..<cut]), goesOn: goesOn))
      (line, goesOn) = (Array(line[cut...]), true)
      columns = line.reduce(0) { $0 + $1.width }
    }
    line.append(cell)
    columns += cell.width
  }

  /// The place behind the last blank, if what follows it takes at most half of the width; else the
  /// end of the line.
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
