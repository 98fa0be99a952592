import Model

/// A pattern of letters that a text contains in the same order, possibly with others between them.
/// It is what a user types to choose from a list.
///
/// The letters are compared without diacritics, and without case unless the pattern has an
/// upper-case letter. Words that are separated by spaces may occur in any order. A match has a
/// score as in fzf: letters at the start of a word, after a path separator or next to each other
/// count more, and gaps count less.
///
/// ```swift
/// let pattern = FuzzyPattern("nwe")
/// pattern.words[0].score(FuzzyText("notes/walden-essay.md"))  // a number; nil without a match
/// ```
package struct FuzzyPattern: Sendable {
  /// One word of a pattern.
  package struct Word: Hashable, Sendable {
    /// The letters, folded unless `hasCase`.
    fileprivate let letters: [UInt32]
    /// The letters without case and diacritics.
    fileprivate let folded: [UInt32]
    /// The set of `folded`, as in ``FuzzyText/letterSet``.
    fileprivate let letterSet: UInt64
    /// Whether upper-case and lower-case letters differ.
    fileprivate let hasCase: Bool
  }

  /// The words, at most 8.
  package let words: [Word]

  /// The maximum number of letters of a pattern; more are ignored.
  package static let mostLetters = 100
  /// The maximum number of words; more are ignored.
  private static let mostWords = 8

  /// Creates a pattern from typed text. A pattern without letters has no words.
  package init(_ text: String) {
    let scalars = Canonical.normalized(String(text.unicodeScalars.prefix(Self.mostLetters)))
      .unicodeScalars
    let hasCase = scalars.contains { $0.properties.isUppercase }
    words = scalars.split { $0.properties.isWhitespace }.prefix(Self.mostWords).compactMap { part in
      let folded = part.compactMap { FuzzyText.folded($0.value) }
      guard !folded.isEmpty else { return nil }
      return Word(
        letters: hasCase ? part.compactMap { FuzzyText.unaccented($0.value) } : folded,
        folded: folded, letterSet: FuzzyText.set(of: folded), hasCase: hasCase)
    }
  }

  /// Returns whether each match of this pattern is a match of a shorter one, so that only the
  /// matches of that one need to be searched.
  package func narrows(_ other: FuzzyPattern) -> Bool {
    words.count >= other.words.count
      && zip(words, other.words).allSatisfy { word, old in
        word.folded.starts(with: old.folded) && (word.hasCase || !old.hasCase)
      }
  }
}

/// A text that fuzzy patterns are compared with.
package struct FuzzyText: Sendable {
  /// The displayed text.
  package let string: String
  /// The letters without case and diacritics.
  fileprivate let letters: [UInt32]
  /// The score of a match that begins at each letter, because of the letter before it.
  fileprivate let bonuses: [Int8]
  /// A set that contains the bit `letter % 64` for each letter. Without the bits of a word, the
  /// text cannot match it.
  package let letterSet: UInt64

  /// The maximum number of characters that are compared. The rest of a longer text is ignored.
  package static let mostCharacters = 512

  /// Prepares a text. O(text).
  package init(_ string: String) {
    self.string = string
    let (letters, _) = Self.letters(of: string, hasCase: false)
    self.letters = letters.map(\.letter)
    bonuses = letters.map(\.bonus)
    letterSet = Self.set(of: self.letters)
  }

  fileprivate static func set(of letters: [UInt32]) -> UInt64 {
    letters.reduce(0) { $0 | 1 << UInt64($1 & 63) }
  }

  /// Returns a scalar without case and diacritics; nil for a mark on the letter before it.
  fileprivate static func folded(_ scalar: UInt32) -> UInt32? {
    let (folded, kind) = TextFolding.fold(scalar)
    return kind == .mark ? nil : folded
  }

  /// Returns a scalar without diacritics; nil for a mark on the letter before it.
  fileprivate static func unaccented(_ scalar: UInt32) -> UInt32? {
    if scalar < 0x80 { return scalar }
    return TextFolding.fold(scalar).kind == .mark ? nil : TextFolding.base(of: scalar)
  }

  private enum Kind { case white, separator, other, lower, upper, digit }

  private static func kind(_ scalar: Unicode.Scalar) -> Kind {
    switch scalar.value {
    case 0x61...0x7A: return .lower
    case 0x41...0x5A: return .upper
    case 0x30...0x39: return .digit
    case 0x2F, 0x2C, 0x3A, 0x3B, 0x7C: return .separator
    case 0x09...0x0D, 0x20: return .white
    case ..<0x80: return .other
    default:
      let properties = scalar.properties
      if properties.isWhitespace { return .white }
      if properties.isUppercase { return .upper }
      return properties.isAlphabetic ? .lower : properties.numericType != nil ? .digit : .other
    }
  }

  /// Returns the letters of a text, the bonus of each, and the index of its character.
  fileprivate static func letters(of string: String, hasCase: Bool) -> (
    [(letter: UInt32, bonus: Int8)], characters: [Int]
  ) {
    var letters: [(letter: UInt32, bonus: Int8)] = []
    var characters: [Int] = []
    letters.reserveCapacity(string.utf8.count)
    var before = Kind.white
    let normal = Canonical.normalized(String(string.prefix(mostCharacters)))
    for (index, character) in normal.enumerated() {
      for scalar in character.unicodeScalars.prefix(8) {
        let own = kind(scalar)
        guard let letter = hasCase ? unaccented(scalar.value) : folded(scalar.value) else {
          continue
        }
        letters.append((letter, bonus(own, after: before)))
        characters.append(index)
        before = own
      }
    }
    return (letters, characters)
  }

  private static func bonus(_ kind: Kind, after before: Kind) -> Int8 {
    switch (kind, before) {
    case (.white, _): 10
    case (.other, _), (.separator, _): 8
    case (_, .white): 10
    case (_, .separator): 9
    case (_, .other): 8
    case (.upper, .lower), (.digit, .lower), (.digit, .upper): 7
    default: 0
    }
  }
}

// MARK: - Scores

extension FuzzyPattern.Word {
  private static let matchScore = 16
  private static let gapStart = 3
  private static let gapRest = 1
  private static let consecutiveBonus = 4
  private static let boundaryBonus = 8
  /// The factor of the bonus of the first letter.
  private static let firstFactor = 2

  /// Returns whether a text with this ``FuzzyText/letterSet`` may match. O(1).
  package func mayMatch(_ letterSet: UInt64) -> Bool { self.letterSet & ~letterSet == 0 }

  /// Returns the score of the best match in a text; nil if there is none. O(letters of the word ×
  /// length of the text) if there is a match, and otherwise O(length of the text).
  package func score(_ text: FuzzyText) -> Int? {
    guard mayMatch(text.letterSet) else { return nil }
    guard let range = Self.range(of: folded, in: text.letters) else { return nil }
    guard hasCase else {
      return Self.best(letters, in: text.letters, text.bonuses, range).map(\.score)
    }
    let (own, _) = FuzzyText.letters(of: text.string, hasCase: true)
    let exact = own.map(\.letter)
    return Self.range(of: letters, in: exact).flatMap {
      Self.best(letters, in: exact, text.bonuses, $0).map(\.score)
    }
  }

  /// Returns the characters of the best match, as indices of the text's characters in ascending
  /// order; empty if there is no match.
  package func matchedCharacters(of string: String) -> [Int] {
    let (own, characters) = FuzzyText.letters(of: string, hasCase: hasCase)
    let exact = own.map(\.letter)
    guard let range = Self.range(of: letters, in: exact),
      let best = Self.best(letters, in: exact, own.map(\.bonus), range, isTraced: true)
    else { return [] }
    return best.letters.map { characters[$0] }.reduce(into: []) {
      if $0.last != $1 { $0.append($1) }
    }
  }

  /// Returns the range from the first letter of the first match to the last occurrence of the last
  /// letter; nil if there is no match.
  private static func range(of word: [UInt32], in text: [UInt32]) -> Range<Int>? {
    var (found, start) = (0, 0)
    for (index, letter) in text.enumerated() where letter == word[found] {
      if found == 0 { start = index }
      found += 1
      if found == word.count {
        let last = text.lastIndex(of: word[found - 1]) ?? index
        return start..<last + 1
      }
    }
    return nil
  }

  /// Returns the best match in a range of the text, by the second algorithm of fzf: the best score
  /// for each number of letters that are matched up to each position of the text.
  private static func best(
    _ word: [UInt32], in text: [UInt32], _ bonuses: [Int8], _ range: Range<Int>,
    isTraced: Bool = false
  ) -> (score: Int, letters: [Int])? {
    let width = range.count
    var scores = [Int](repeating: 0, count: width)
    var runs = [Int](repeating: 0, count: width)
    var table: [[Int]] = []
    var runTable: [[Int]] = []
    for (row, letter) in word.enumerated() {
      // The values of the row above at the column to the left, which this row has replaced already.
      var (diagonal, diagonalRun) = (0, 0)
      var left = 0
      var isInGap = false
      for column in 0..<width {
        let above = (score: scores[column], run: runs[column])
        defer { (diagonal, diagonalRun) = above }
        guard column >= row else {
          (scores[column], runs[column]) = (0, 0)
          continue
        }
        var (matched, run) = (0, 0)
        // A match needs one of the letters before it, which has a positive score.
        if text[range.lowerBound + column] == letter, row == 0 || diagonal > 0 {
          var bonus = Int(bonuses[range.lowerBound + column])
          run = row == 0 ? 1 : diagonalRun + 1
          if run > 1 {
            let first = Int(bonuses[range.lowerBound + column - run + 1])
            if bonus >= boundaryBonus, bonus > first {
              run = 1
            } else {
              bonus = max(bonus, consecutiveBonus, first)
            }
          }
          matched = matchScore + (row == 0 ? bonus * firstFactor : diagonal + bonus)
        }
        let gap = left > 0 ? max(1, left - (isInGap ? gapRest : gapStart)) : 0
        isInGap = matched < gap || matched == 0
        left = max(matched, gap)
        (scores[column], runs[column]) = (left, isInGap ? 0 : run)
      }
      if isTraced {
        table.append(scores)
        runTable.append(runs)
      }
    }
    var (score, end) = (0, 0)
    for (column, value) in scores.enumerated() where value > score {
      (score, end) = (value, column)
    }
    guard score > 0 else { return nil }
    guard isTraced else { return (score, []) }
    return (score, trace(table, runTable, word, text, range, from: end))
  }

  /// Returns the letters of the match that ends at a column of the last row.
  private static func trace(
    _ table: [[Int]], _ runs: [[Int]], _ word: [UInt32], _ text: [UInt32], _ range: Range<Int>,
    from end: Int
  ) -> [Int] {
    var found: [Int] = []
    var (row, column) = (word.count - 1, end)
    while row >= 0, column >= 0 {
      if runs[row][column] > 0 {
        found.append(range.lowerBound + column)
        row -= 1
      }
      column -= 1
    }
    return found.reversed()
  }
}
