import Model

/// What the lines of a text say: each line without the marks of its item, quotation or heading, and
/// each cell of a table by itself.
///
/// A line keeps its content when it moves into a list, out of one, or gets another number there.
struct LineContents {
  /// The content of a line or of a cell.
  struct Line {
    /// Its tokens, marks and bars left out.
    var tokens: Range<Int>
    /// A hash of its tokens.
    var hash: UInt64
    /// A hash of its words that is the same for lines that differ in signs, case and diacritics alone.
    var hashOfWords: UInt64
    /// How many letters it holds.
    var weight: Int
  }

  /// All contents that hold a letter, in the order of the text.
  private(set) var all: [Line] = []

  private let tokens: [Token]
  private let text: [UInt16]

  /// Divides a text. O(units).
  ///
  /// - Parameter text: the text of the tokens, in UTF-16 units.
  init(_ tokens: [Token], of text: [UInt16]) {
    (self.tokens, self.text) = (tokens, text)
    var start = 0
    while start < tokens.count {
      let end =
        (start + 1..<tokens.count).first {
          tokens[$0].boundary >= .line || Self.isAfterTab($0, tokens, text)
        } ?? tokens.count
      var first = endOfMarks(start..<end)
      for index in first..<end where isSign(index, Self.bar) {
        add(first..<index)
        first = index + 1
      }
      add(first..<end)
      start = end
    }
  }

  /// A hash of a word that is the same in upper and lower case and without diacritics.
  func hashOfWord(_ index: Int) -> UInt64 { Self.hashOfWord(tokens[index], of: text) }

  /// A hash of a word that is the same in upper and lower case and without diacritics. Scripts without
  /// either keep the hash of the token.
  static func hashOfWord(_ token: Token, of text: [UInt16]) -> UInt64 {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for unit in text[token.range] {
      guard unit < firstWithoutCase else { return token.hash }
      let (folded, kind) = TextFolding.fold(UInt32(unit))
      if kind != .mark { hash = combined(hash, UInt64(folded)) }
    }
    return hash
  }

  /// From this unit on there are Han, kana, Hangul and halves of characters.
  private static let firstWithoutCase: UInt16 = 0x2E80

  /// Whether a tab stands before a token, as between the cells of a table's rendered text.
  private static func isAfterTab(_ index: Int, _ tokens: [Token], _ text: [UInt16]) -> Bool {
    text[Int(tokens[index - 1].end)..<Int(tokens[index].start)].contains(9)
  }

  private mutating func add(_ range: Range<Int>) {
    // A hard break ends with a stroke that is not part of what the line says.
    let end = range.last.map { isSign($0, Self.stroke) ? $0 : range.upperBound } ?? range.upperBound
    var line = Line(
      tokens: range.lowerBound..<end, hash: 0xCBF2_9CE4_8422_2325, hashOfWords: 1, weight: 0)
    for index in line.tokens {
      line.hash = Self.combined(line.hash, tokens[index].hash)
      guard tokens[index].weight > 0 else { continue }
      line.hashOfWords = Self.combined(line.hashOfWords, hashOfWord(index))
      line.weight += Int(tokens[index].weight)
    }
    if line.weight > 0 { all.append(line) }
  }

  private static func combined(_ hash: UInt64, _ next: UInt64) -> UInt64 {
    let hash = (hash ^ next) &* 0x9E37_79B9_7F4A_7C15
    return hash ^ hash >> 29
  }

  // MARK: - Marks

  private static let bar = UInt16(ascii: "|")
  private static let stroke = UInt16(ascii: "\\")

  private func isSign(_ index: Int, _ sign: UInt16) -> Bool {
    tokens[index].weight == 0 && text[Int(tokens[index].start)] == sign
  }

  /// Whether a blank or the end of the line follows a token.
  private func isBeforeBlank(_ index: Int, in line: Range<Int>) -> Bool {
    index + 1 >= line.upperBound || tokens[index + 1].start > tokens[index].end
  }

  /// The token after all marks at the start of a line.
  private func endOfMarks(_ line: Range<Int>) -> Int {
    var index = line.lowerBound
    while index < line.upperBound, let end = endOfMark(index, in: line) { index = end }
    return index
  }

  /// The token after one mark; nil where none begins.
  private func endOfMark(_ index: Int, in line: Range<Int>) -> Int? {
    let token = tokens[index]
    let unit = text[Int(token.start)]
    guard token.weight == 0 else {
      // A number of at most nine digits.
      guard token.range.count <= 9, index + 1 < line.upperBound,
        tokens[index + 1].start == token.end,
        isSign(index + 1, UInt16(ascii: ".")) || isSign(index + 1, UInt16(ascii: ")")),
        isBeforeBlank(index + 1, in: line),
        text[token.range].allSatisfy({ (48...57).contains($0) })
      else { return nil }
      return index + 2
    }
    switch unit < 0x80 ? UInt8(unit) : 0 {
    case UInt8(ascii: ">"), UInt8(ascii: "|"): return index + 1
    case UInt8(ascii: "#"):
      let end = line[index...].first { !isSign($0, unit) } ?? line.upperBound
      return isBeforeBlank(end - 1, in: line) ? end : nil
    case UInt8(ascii: "-"), UInt8(ascii: "*"), UInt8(ascii: "+"), UInt8(ascii: ":"):
      return isBeforeBlank(index, in: line) ? index + 1 : nil
    case UInt8(ascii: "["):
      let close = [index + 1, index + 2].first {
        $0 < line.upperBound && isSign($0, UInt16(ascii: "]"))
      }
      guard let close, isBeforeBlank(close, in: line),
        close == index + 1 || tokens[index + 1].range.count == 1
      else { return nil }
      return close + 1
    default: return unit == 0x2022 && isBeforeBlank(index, in: line) ? index + 1 : nil
    }
  }
}

extension UInt16 {
  fileprivate init(ascii scalar: Unicode.Scalar) { self = UInt16(UInt8(ascii: scalar)) }
}
