import RichText

/// The layout of a paragraph in the columns and rows of a terminal. A column is 6 pt wide and a row
/// 12 pt high.
struct ParagraphShape {
  /// A tab stop, in columns from the left edge of the page.
  struct Stop: Hashable {
    var column: Int
    var kind: TabStop.Kind
    var leader: TabStop.Leader
  }

  /// The number of columns between the edges of the page.
  let width: Int
  /// The columns before the first line, before the other lines, and after every line.
  private(set) var first = 0
  private(set) var head = 0
  private(set) var tail = 0
  /// The alignment; nil to follow the direction of the text.
  private(set) var alignment: TextAlignment?
  /// The blank rows before and after the paragraph.
  private(set) var rowsBefore = 0
  private(set) var rowsAfter = 0
  /// Whether there is a blank row between the lines.
  private(set) var isSpaced = false
  /// The tab stops in ascending order. If it is empty, the default stops apply.
  private(set) var stops: [Stop] = []

  private static let columnTwips = 120
  private static let rowTwips = 240
  /// The minimum line height, in twips, for which a blank row is inserted between lines: 1.75 rows.
  private static let spaced = 420
  /// The minimum number of columns for the text, unless half of the width is more.
  private static let minimumTextColumns = 20
  /// The maximum number of blank rows before or after a paragraph: 144 pt.
  private static let maximumBlankRows = 12

  /// Creates the layout of a paragraph without attributes.
  init(width: Int) { self.width = width }

  /// Creates a layout from the attributes of a paragraph.
  init(_ set: AttributeSet<ParagraphAttribute>, width: Int) {
    self.width = width
    guard !set.isEmpty else { return }
    var (first, tail, height, extra) = (0, 0, Self.rowTwips, 0)
    for attribute in set.values {
      switch attribute {
      case .alignment(let value): alignment = value
      case .firstLineIndent(let length): first = length.count
      case .headIndent(let length): head = length.count
      case .tailIndent(let length): tail = -length.count
      case .spaceBefore(let length): rowsBefore = Self.rows(length)
      case .spaceAfter(let length): rowsAfter = Self.rows(length)
      case .lineHeight(.multiple(let count)): height = count
      case .lineHeight(.atLeast(let length)), .lineHeight(.exactly(let length)):
        height = length.count
      case .lineSpacing(let length): extra = length.count
      case .tabStops(let stops):
        self.stops = stops.map {
          Stop(column: Self.columns($0.position.count), kind: $0.kind, leader: $0.leader)
        }
      case .list, .style: break
      }
    }
    isSpaced = height + extra >= Self.spaced
    let largestIndent = max(0, width - max(min(Self.minimumTextColumns, width), width / 2))
    self.first = min(largestIndent, max(0, Self.columns(head + first)))
    head = min(largestIndent, max(0, Self.columns(head)))
    self.tail = min(largestIndent - max(self.first, head), max(0, Self.columns(tail)))
  }

  private static func columns(_ twips: Int) -> Int {
    (twips + (twips < 0 ? -columnTwips : columnTwips) / 2) / columnTwips
  }

  private static func rows(_ length: Twips) -> Int {
    min(maximumBlankRows, max(0, (length.count + rowTwips / 2) / rowTwips))
  }

  /// Returns the number of columns before a line.
  func start(isFirst: Bool) -> Int { isFirst ? first : head }

  /// Returns a line with the spaces before and after it that the alignment and the indents require,
  /// in display order.
  ///
  /// - Parameters:
  ///   - isFromRight: whether the paragraph is right to left, so that its sides are swapped; nil if
  ///     it contains only left-to-right text.
  ///   - isFirst: whether the line is the first of its paragraph.
  ///   - isLast: whether the line is the last of its paragraph, which isn't justified.
  func placed(_ line: [Cell], isFromRight: Bool?, isFirst: Bool, isLast: Bool) -> [Cell] {
    let start = start(isFirst: isFirst)
    let gap = max(0, width - tail - start - LineBreaker.width(of: line))
    var line = line
    var before: Int
    switch alignment {
    case .left: before = isFromRight == true ? tail : start
    case .right: before = isFromRight == true ? tail + gap : start + gap
    case .center: before = (isFromRight == true ? tail : start) + gap / 2
    case .justified where !isLast && Self.justify(&line, by: gap):
      before = isFromRight == true ? tail : start
    case nil, .justified: before = isFromRight == true ? tail + gap : start
    }
    if isFromRight != nil { line = BidiOrder.visual(line) }
    if before > 0 { line.insert(contentsOf: Self.blanks(before), at: 0) }
    // A right-to-left line is padded up to the right edge if it is indented or aligned.
    if isFromRight == true, start > 0 || alignment != nil {
      line += Self.blanks(max(0, width - LineBreaker.width(of: line)))
    }
    return line
  }

  private static func blanks(_ count: Int) -> [Cell] {
    Array(repeating: Cell(text: " ", width: 1, spanStyle: SpanStyle(), range: nil), count: count)
  }

  /// Widens the spaces between words after the last tab. Each added column has the text range of
  /// its space.
  ///
  /// - Returns: whether there was a space.
  private static func justify(_ line: inout [Cell], by gap: Int) -> Bool {
    let start = line.lastIndex(where: \.isFill).map { $0 + 1 } ?? 0
    let words = line[start...].drop(while: \.isBreak)
    let count = words.count(where: \.isBreak)
    guard count > 0 else { return false }
    var wide = Array(line[..<words.startIndex])
    wide.reserveCapacity(line.count + gap)
    var seen = 0
    for cell in words {
      wide.append(cell)
      guard cell.isBreak else { continue }
      seen += 1
      // The columns are distributed evenly over the line.
      let more = gap * seen / count - gap * (seen - 1) / count
      wide += Array(repeating: cell, count: more)
    }
    line = wide
    return true
  }

  /// Returns the cells that represent a tab at a column, given the text after it.
  ///
  /// - Parameters:
  ///   - text: the cells up to the next tab or the end of the line.
  /// - Returns: the cells; nil if there is no tab stop after the column.
  func fill(for tab: Cell, at column: Int, before text: ArraySlice<Cell>) -> [Cell]? {
    guard let stop = stops.first(where: { $0.column > column }) else { return nil }
    // A tab stop beyond the right edge is moved to the edge.
    let edge = min(stop.column, width - tail)
    var widthBeforeStop = 0
    switch stop.kind {
    case .left: break
    case .center: widthBeforeStop = Self.width(of: text) / 2
    case .right: widthBeforeStop = Self.width(of: text)
    case .decimal:
      widthBeforeStop = Self.width(of: text[..<Self.decimalSign(in: text)])
    }
    var cell = tab
    (cell.text, cell.width, cell.isFill) = (stop.leader.fillCharacter, 1, true)
    return Array(repeating: cell, count: max(1, edge - column - widthBeforeStop))
  }

  /// Returns the index of the last separator in the first number. If the number has none, returns
  /// the index of the cell after the number.
  private static func decimalSign(in text: ArraySlice<Cell>) -> Int {
    guard var place = text.firstIndex(where: \.text.isNumber) else { return text.endIndex }
    var sign: Int?
    while place < text.endIndex {
      if text[place].text.isNumber {
        place += 1
      } else if ".,".contains(text[place].text), place + 1 < text.endIndex,
        text[place + 1].text.isNumber
      {
        sign = place
        place += 1
      } else {
        break
      }
    }
    return sign ?? place
  }

  private static func width(of cells: ArraySlice<Cell>) -> Int {
    cells.reduce(0) { $0 + $1.width }
  }
}

extension TabStop.Leader {
  /// The character with which the tab is filled.
  fileprivate var fillCharacter: Character {
    switch self {
    case .none: " "
    case .dots: "."
    case .middleDots: "·"
    case .hyphens: "-"
    case .underline: "_"
    case .thickLine: "━"
    case .equals: "="
    }
  }
}
