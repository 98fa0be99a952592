import Model

/// A line of code as columns of a monospaced font.
///
///     CodeLine("let a = f(one, two)").layout(in: 15).breaks  // [15], before "two"
struct CodeLine {
  /// The number of columns.
  private(set) var columns = 0
  /// The number of blanks at the start.
  private let indentation: Int
  private let scalars: [Unicode.Scalar]

  init(_ text: String) {
    scalars = Array(text.unicodeScalars)
    columns = scalars.reduce(0) { $0 + Self.width($1) }
    indentation = scalars.prefix { $0 == " " }.count
  }

  /// Returns the number of columns of a character. East Asian letters are twice as wide.
  private static func width(_ scalar: Unicode.Scalar) -> Int { scalar.value < 0x1100 ? 1 : 2 }

  /// The number of columns by which the rest of the line is indented. The sign of a continued line
  /// is there.
  func indent(in width: Int) -> Int { min(indentation + Self.hang, width / 2) }

  /// The number of columns by which the rest is indented more than the line itself.
  static let hang = 4

  /// How a line of code is broken.
  struct Layout {
    /// The bytes before which its rests begin, in order.
    var breaks: [Int] = []
    /// The disadvantage of the breaks: 0 for a whole line, and much for a broken name.
    var cost = 0.0
  }

  /// Returns the best places at which the line is broken in a number of columns: rather after a
  /// comma or an opening bracket than between two words, and within a name only if it is wider than
  /// a line. Breaks of a line of thousands of columns are left to Pango. O(columns × width).
  func layout(in width: Int) -> Layout {
    guard columns > width, !scalars.isEmpty else { return Layout() }
    let available = max(2, width - indent(in: width))
    if scalars.count > Self.longest { return Layout(cost: Self.nameCost * 10) }
    let costs = breakCosts()
    // For each place at which a rest may begin, the least cost up to it, and the place before.
    var best = [Double](repeating: .infinity, count: scalars.count + 1)
    var before = [Int](repeating: 0, count: scalars.count + 1)
    best[0] = 0
    for start in scalars.indices where best[start] < .infinity {
      let room = start == 0 ? max(2, width) : available
      var (shown, all) = (0, 0)
      for end in start + 1...scalars.count {
        let scalar = scalars[end - 1]
        all += Self.width(scalar)
        if scalar != " " { shown = all }
        if shown > room { break }
        let isEnd = end == scalars.count
        guard isEnd || costs[end] < .infinity else { continue }
        let isShort = isEnd && start > 0 && shown < 4
        // Of equal breaks, the later one is better.
        let rest = Double(room - shown) / Double(room) * 0.3
        let cost = best[start] + (isEnd ? isShort ? 2 : 0 : costs[end] + Self.lineCost + rest)
        if cost < best[end] { (best[end], before[end]) = (cost, start) }
      }
    }
    var places: [Int] = []
    var place = before[scalars.count]
    while place > 0 {
      places.append(place)
      place = before[place]
    }
    var bytes = [0]
    for scalar in scalars { bytes.append(bytes.last! + UTF8.width(scalar)) }
    return Layout(breaks: places.reversed().map { bytes[$0] }, cost: best[scalars.count])
  }

  /// The maximum number of characters of a line for which the best breaks are searched.
  private static let longest = 4_000
  /// The cost of one line more, of a break in a literal, and of one within a name.
  private static let lineCost = 4.0
  private static let literalCost = 6.0
  private static let nameCost = 60.0

  /// Returns the cost of a break before each character; infinite where none is possible.
  private func breakCosts() -> [Double] {
    var costs = [Double](repeating: Self.nameCost, count: scalars.count)
    var isInLiteral = false
    var depth = 0
    var last: Unicode.Scalar?
    for place in scalars.indices {
      let next = scalars[place]
      defer {
        if next == "\"" { isInLiteral.toggle() }
        if !isInLiteral, Self.opening.contains(next) { depth += 1 }
        if !isInLiteral, Self.closing.contains(next) { depth = max(0, depth - 1) }
        if next != " " { last = next }
      }
      // A blank is at the end of a line, and the indentation is not a line.
      guard next != " ", let last else {
        costs[place] = .infinity
        continue
      }
      let isAfterBlank = scalars[place - 1] == " "
      let nested = Double(min(depth, 6)) * 0.7
      if Self.closing.contains(next) || ",;".unicodeScalars.contains(next) {
        costs[place] = isAfterBlank ? 5 : Self.nameCost
      } else if isInLiteral {
        costs[place] = isAfterBlank ? Self.literalCost : Self.nameCost
      } else if isAfterBlank {
        costs[place] =
          switch last {
          case ",", ";", "{": nested
          case "(", "[": 0.5 + nested
          default:
            Self.operators.contains(next)
              ? 1 + nested : Self.operators.contains(last) ? 2 + nested : 3 + nested
          }
      } else if ",;".unicodeScalars.contains(last) {
        costs[place] = 0.5 + nested
      } else if Self.opening.contains(last) {
        costs[place] = 1.5 + nested
      } else if next == ".", last.properties.isAlphabetic || Self.closing.contains(last) {
        costs[place] = 2 + nested
      } else if "=/&|?:\\".unicodeScalars.contains(last), !Self.operators.contains(next) {
        costs[place] = 5 + nested
      }
    }
    if !costs.isEmpty { costs[0] = .infinity }
    return costs
  }

  private static let opening = Set("([{".unicodeScalars)
  private static let closing = Set(")]}".unicodeScalars)
  private static let operators = Set("+-*/%=<>&|?:!.~^".unicodeScalars)

  // MARK: - Blocks

  /// Returns the disadvantage of a card that ends between two lines of code: the least at an empty
  /// line, and the most after a line that opens a block or continues in the next one.
  ///
  /// - Parameters:
  ///   - before: the last line of a card; empty for an empty line between two cards.
  ///   - after: the first line of the next one that isn't empty.
  static func endCost(_ before: String, _ after: String) -> Double {
    let line = before.trimmed
    let next = after.trimmed
    let indentation = Double(min(16, after.prefix { $0 == " " }.count))
    if line.isEmpty { return indentation / 2 }
    let opensBlock =
      line.last.map { "{([:,=\\|&+".contains($0) } == true
      || openingWords.contains { line.hasSuffix($0) }
    if opensBlock { return 100 }
    // The end of a block belongs to it, and a comment or an attribute to the next line.
    let isEnd =
      next.first.map { "})]".contains($0) } == true || closingWords.contains { next.hasPrefix($0) }
    if isEnd { return 40 }
    if ["//", "#", "--", "@", "/*", "*"].contains(where: { line.hasPrefix($0) }) { return 30 }
    return 8 + indentation * 2.5
  }

  private static let openingWords = [" then", " do", "=>", "->", " else"]
  private static let closingWords = [
    "else", "elif", "except", "finally", "catch", "end", "fi", "done",
  ]
}
