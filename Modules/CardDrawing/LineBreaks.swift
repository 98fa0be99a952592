import Interchange

/// Chooses the places at which a paragraph is broken into a number of lines, so that the lines are
/// about equally long and end where a reader would pause.
///
///     LineBreaks(words, width: 800).best(lines: 3...4)  // [4, 9]
struct LineBreaks {
  /// A part of a paragraph between two places at which a line may end.
  struct Word {
    /// The width in pixels, with the blanks at the end and without them.
    var width: Double
    var shownWidth: Double
    /// The disadvantage of a line that ends after the word: 0 for none, 3 for a large one.
    var penalty: Double
  }

  private let words: [Word]
  private let width: Double
  /// The widths of all words before each word, with blanks.
  private let starts: [Double]

  init(_ words: [Word], width: Double) {
    (self.words, self.width) = (words, width)
    starts = words.reduce(into: [0]) { $0.append($0.last! + $1.width) }
  }

  /// Returns the width of a line from one word to another.
  private func width(_ first: Int, _ last: Int) -> Double {
    starts[last] - starts[first] + words[last].shownWidth
  }

  /// The cost of a penalty of 1, and that of a last line of one short word. A line that is a tenth
  /// too long costs 0.01.
  private static let weights = (penalty: 0.04, orphan: 0.08)
  /// The share of the average under which the last line is short.
  private static let shortLine = 0.4

  /// Returns the numbers of the words before which all lines but the first begin, for the best number
  /// of lines; nil if the words don't fit in the lines.
  func best(lines: ClosedRange<Int>) -> [Int]? {
    var best: (breaks: [Int], cost: Double)?
    for count in lines {
      if let found = breaks(lines: count), found.cost < best?.cost ?? .infinity { best = found }
    }
    return best?.breaks
  }

  /// O(words × words of a line × lines).
  private func breaks(lines: Int) -> (breaks: [Int], cost: Double)? {
    guard lines > 1, words.count >= lines else { return nil }
    let average = width(0, words.count - 1) / Double(lines)
    // For each word, the cost of the best lines up to the word, and the first word of the last one.
    var costs = [Double](repeating: .infinity, count: words.count)
    var firsts: [[Int]] = []
    for line in 0..<lines {
      var next = [Double](repeating: .infinity, count: words.count)
      var starts = [Int](repeating: 0, count: words.count)
      for first in line == 0 ? 0..<1 : line..<words.count {
        let before = line == 0 ? 0 : costs[first - 1]
        guard before < .infinity else { continue }
        for last in first..<words.count {
          let length = width(first, last)
          guard length <= width else { break }
          let isEnd = last == words.count - 1
          guard isEnd == (line == lines - 1) else { continue }
          let cost = before + cost(length, average, last, isEnd: isEnd)
          if cost < next[last] { (next[last], starts[last]) = (cost, first) }
        }
      }
      costs = next
      firsts.append(starts)
    }
    guard let cost = costs.last, cost < .infinity else { return nil }
    var last = words.count - 1
    var found: [Int] = []
    for starts in firsts.dropFirst().reversed() {
      found.append(starts[last])
      last = starts[last] - 1
    }
    return (found.reversed(), cost)
  }

  private func cost(_ length: Double, _ average: Double, _ last: Int, isEnd: Bool) -> Double {
    let share = length / average
    let deviation = (share - 1) * (share - 1)
    guard isEnd else { return deviation + words[last].penalty * Self.weights.penalty }
    // The last line may be shorter.
    if share < Self.shortLine { return deviation / 2 + Self.weights.orphan }
    return share < 1 ? deviation / 2 : deviation
  }

  // MARK: - Penalties

  /// Returns the disadvantage of a line that ends between two letters.
  ///
  /// Lines end well after a punctuation mark. A line of a text in Japanese ends well before a word,
  /// which often begins with a kanji or katakana after a hiragana. A word of one letter belongs to
  /// the next one.
  static func penalty(
    between before: String, and after: Character, _ script: QuoteScript
  ) -> Double {
    let isBlank = before.last?.isWhitespace == true
    var letters = before.reversed().drop { $0.isWhitespace }.makeIterator()
    guard let last = letters.next() else { return 0 }
    if last.isPunctuation { return 0 }
    switch script {
    case .japanese, .chinese:
      if after.isPunctuation { return 0 }
      if "んっゃゅょぁぃぅぇぉー".contains(after) { return 3 }
      switch (Kind(last), Kind(after)) {
      case (.hiragana, .kanji), (.hiragana, .katakana), (.hiragana, .other): return 0.1
      case (.katakana, .kanji), (.kanji, .katakana), (_, .other), (.other, _): return 0.4
      case (.hiragana, .hiragana): return "はがをにでともへや".contains(last) ? 0.8 : 2
      case (.kanji, .kanji): return 2
      case (.katakana, .katakana): return 3
      case (.kanji, .hiragana), (.katakana, .hiragana): return 2
      }
    case .plain:
      guard isBlank else { return 1 }
      let previous = letters.next()
      let isAlone = previous.map { $0.isWhitespace || $0.isPunctuation } ?? true
      return last.isLetter && isAlone ? 3 : 0.3
    case .korean, .arabic, .hebrew, .tall: return 0.3
    }
  }

  /// Returns whether no reader of Japanese or Chinese pauses between two letters.
  static func isPoor(_ before: String, _ after: Character, _ script: QuoteScript) -> Bool {
    (script == .japanese || script == .chinese) && penalty(between: before, and: after, script) >= 1
  }

  private enum Kind {
    case hiragana, katakana, kanji, other

    init(_ character: Character) {
      self =
        switch character.unicodeScalars.first!.value {
        case 0x3041...0x309F: .hiragana
        case 0x30A0...0x30FF, 0x31F0...0x31FF, 0xFF66...0xFF9F: .katakana
        case 0x3005, 0x3400...0x4DBF, 0x4E00...0x9FFF, 0xF900...0xFAFF, 0x20000...0x3FFFF: .kanji
        default: .other
        }
    }
  }

  // MARK: - Words that are not broken

  /// Returns the parts of a text in which no line ends, in bytes: Korean words, words with a hyphen
  /// such as по-своему, and a dash or a punctuation mark after a blank with the letter before it.
  /// A long word is broken, though.
  static func solidParts(of text: String) -> [Range<Int>] {
    var parts: [Range<Int>] = []
    var word: (start: Int, count: Int, isSolid: Bool)?
    var place = 0
    // The start of the last letter before blanks; nil if no letter is there.
    var letter: Int?
    func end(_ place: Int) {
      if let word, word.isSolid, word.count <= longestWord { parts.append(word.start..<place) }
      word = nil
    }
    for character in text {
      let next = place + character.utf8.count
      if character.isWhitespace {
        end(place)
        if character.isNewline { letter = nil }
      } else {
        if word == nil, let letter, keptMarks.contains(character) { parts.append(letter..<next) }
        if "—–/".contains(character) {
          end(place)
        } else {
          let isHyphen = "-‐".contains(character) && word != nil
          let isKorean = QuoteScript.script(of: character.unicodeScalars.first!.value) == .korean
          word = (
            word?.start ?? place, (word?.count ?? 0) + 1,
            word?.isSolid == true || isHyphen || isKorean
          )
        }
        letter = place
      }
      place = next
    }
    end(place)
    return parts
  }

  /// The maximum number of characters of words that are not broken.
  private static let longestWord = 18
  /// The signs that don't begin a line after a blank.
  private static let keptMarks: Set<Character> = ["—", "–", "!", "?", ":", ";", "»", "›", "…"]
}
