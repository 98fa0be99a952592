import Model

/// The lines of a text without the markup of their list item, quotation or heading. Each cell of a
/// table is a separate line.
///
/// If a line moves into a list or out of it, or gets another number in it, its content is
/// unchanged.
struct LineContents {
  /// The content of a line or of a cell.
  struct Line {
    /// Its tokens, without markup and bars.
    var tokens: Range<Int>
    /// A hash of its tokens.
    var hash: UInt64
    /// The number of its letters.
    var weight: Int
  }

  /// All lines with at least one letter, in the order of the text.
  private(set) var all: [Line] = []

  private let tokens: [Token]
  private let text: [UInt16]

  /// Divides a text into lines. O(units).
  ///
  /// - Parameter text: the UTF-16 units of the text to which the tokens belong.
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

  /// Returns a hash of a line's words that is equal for lines that differ only in punctuation, case
  /// and diacritics. O(units of the line).
  func hashOfWords(_ line: Line) -> UInt64 {
    line.tokens.reduce(1) {
      tokens[$1].weight > 0 ? Self.combined($0, hashOfWord($1)) : $0
    }
  }

  /// Returns a hash of a word that ignores case and diacritics. O(units).
  func hashOfWord(_ index: Int) -> UInt64 { Self.hashOfWord(tokens[index], of: text) }

  /// Returns a hash of a word that ignores case and diacritics; the hash of the token in scripts
  /// without case and diacritics.
  ///
  /// Hashes four characters at a time, because comparing texts spends much of its time hashing.
  static func hashOfWord(_ token: Token, of text: [UInt16]) -> UInt64 {
    text.withUnsafeBufferPointer { text in
      let bytes = UnsafeRawPointer(text.baseAddress!)
      var hash: UInt64 = 0xCBF2_9CE4_8422_2325
      var index = Int(token.start)
      let end = Int(token.end)
      while index + 4 <= end {
        let four = bytes.loadUnaligned(fromByteOffset: 2 * index, as: UInt64.self)
        guard four & notASCII == 0 else { return hashOfFolded(token, text) }
        // A word in ASCII consists of letters and digits. The bit that distinguishes the cases of a
        // letter is set in every digit.
        hash = combined(hash, four | lowerCase)
        index += 4
      }
      var rest: UInt64 = 0
      while index < end {
        guard text[index] < 0x80 else { return hashOfFolded(token, text) }
        rest = rest << 16 | UInt64(text[index] | 0x20)
        index += 1
      }
      return combined(hash, rest)
    }
  }

  private static let notASCII: UInt64 = 0xFF80_FF80_FF80_FF80
  private static let lowerCase: UInt64 = 0x0020_0020_0020_0020

  /// Returns the hash of a word that isn't in ASCII. If it folds to ASCII, as “café” does, the hash
  /// is that of the folded word.
  private static func hashOfFolded(_ token: Token, _ text: UnsafeBufferPointer<UInt16>) -> UInt64 {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    var (block, rest, count): (UInt64, UInt64, UInt64) = (0, 0, 0)
    for unit in text[token.range] {
      guard unit < firstWithoutCase else { return token.hash }
      let (folded, kind) = TextFolding.fold(UInt32(unit))
      guard kind != .mark else { continue }
      // As in `hashOfWord`, the first character of a block is in its lowest bits.
      block |= UInt64(folded) << (16 * count)
      rest = rest << 16 | UInt64(folded)
      count += 1
      guard count == 4 else { continue }
      hash = combined(hash, block)
      (block, rest, count) = (0, 0, 0)
    }
    return combined(hash, rest)
  }

  /// The first unit of Han, kana, Hangul and surrogates.
  private static let firstWithoutCase: UInt16 = 0x2E80

  /// Returns whether a tab precedes a token, as it does between the cells of a table in the
  /// rendered text.
  private static func isAfterTab(_ index: Int, _ tokens: [Token], _ text: [UInt16]) -> Bool {
    var unit = Int(tokens[index - 1].end)
    while unit < Int(tokens[index].start) {
      if text[unit] == 9 { return true }
      unit += 1
    }
    return false
  }

  private mutating func add(_ range: Range<Int>) {
    // A hard break ends with a backslash, which isn't part of the content.
    let end = range.last.map { isSign($0, Self.backslash) ? $0 : range.upperBound }
    var line = Line(
      tokens: range.lowerBound..<(end ?? range.upperBound), hash: 0xCBF2_9CE4_8422_2325, weight: 0)
    for index in line.tokens {
      line.hash = Self.combined(line.hash, tokens[index].hash)
      line.weight += Int(tokens[index].weight)
    }
    if line.weight > 0 { all.append(line) }
  }

  @inline(__always)
  private static func combined(_ hash: UInt64, _ next: UInt64) -> UInt64 {
    let hash = (hash ^ next) &* 0x9E37_79B9_7F4A_7C15
    return hash ^ hash >> 29
  }

  // MARK: - Marks

  private static let bar = UInt16(ascii: "|")
  private static let backslash = UInt16(ascii: "\\")

  private func isSign(_ index: Int, _ sign: UInt16) -> Bool {
    tokens[index].weight == 0 && text[Int(tokens[index].start)] == sign
  }

  /// Returns whether white space or the end of the line follows a token.
  private func isBeforeBlank(_ index: Int, in line: Range<Int>) -> Bool {
    index + 1 >= line.upperBound || tokens[index + 1].start > tokens[index].end
  }

  /// Returns the index of the first token after the marks at the start of a line.
  private func endOfMarks(_ line: Range<Int>) -> Int {
    var index = line.lowerBound
    while index < line.upperBound, let end = endOfMark(index, in: line) { index = end }
    return index
  }

  /// Returns the index of the first token after a mark; nil if there is no mark at `index`.
  private func endOfMark(_ index: Int, in line: Range<Int>) -> Int? {
    let token = tokens[index]
    let unit = text[Int(token.start)]
    guard token.weight == 0 else {
      // The number of a list item has at most nine digits.
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
