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
  private static let weights = (penalty: 0.05, orphan: 0.08)
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
    Self.cost(length, average, penalty: words[last].penalty, isEnd: isEnd)
  }

  private static func cost(_ length: Double, _ average: Double, penalty: Double, isEnd: Bool)
    -> Double
  {
    let share = length / average
    let deviation = (share - 1) * (share - 1)
    guard isEnd else { return deviation + penalty * weights.penalty }
    // The last line may be shorter.
    if share < shortLine { return deviation / 2 + weights.orphan }
    return share < 1 ? deviation / 2 : deviation
  }

  /// Returns the disadvantage of a paragraph in lines of given widths and penalties.
  static func cost(_ lines: [(width: Double, penalty: Double)]) -> Double {
    let average = lines.reduce(0) { $0 + $1.width } / Double(max(1, lines.count))
    guard average > 0 else { return 0 }
    return lines.indices.reduce(0) {
      $0
        + cost(
          lines[$1].width, average, penalty: lines[$1].penalty, isEnd: $1 == lines.count - 1)
    }
  }

  // MARK: - Penalties

  /// Returns the disadvantage of a line that ends before a character of a paragraph.
  ///
  /// Lines end well after a punctuation mark. A line of a text in Japanese ends well before a word,
  /// which often begins with a kanji or katakana after a hiragana. A short word belongs to the next
  /// one. A single word of a clause, at its start or end, isn't on another line than the rest.
  ///
  /// - Parameter isShortWorded: whether most words of the language are short, as in Vietnamese.
  static func penalty(
    _ text: [Character], before place: Int, _ script: QuoteScript, isShortWorded: Bool
  ) -> Double {
    guard text.indices.contains(place), place > 0 else { return 0 }
    let after = text[place]
    let isBlank = text[place - 1].isWhitespace
    guard let end = text[..<place].lastIndex(where: { !$0.isWhitespace }) else { return 0 }
    let last = text[end]
    if script == .japanese || script == .chinese {
      if last.isPunctuation { return 0 }
      if after.isPunctuation { return isStart(text, to: end) ? 1.5 : 0 }
      return dense(last, after) + (isRest(text, from: place, script) ? 2 : 0)
        + (isStart(text, to: end) ? 1.2 : 0)
    }
    if last.isPunctuation {
      return (isRest(text, from: place, script) ? 0.4 : 0) + (isStart(text, to: end) ? 0.7 : 0)
    }
    guard isBlank else { return 1 }
    var start = end
    while start > 0, !text[start - 1].isWhitespace { start -= 1 }
    let letters = text[start...end].count(where: \.isLetter)
    let short =
      switch letters {
      case 0: 0.0
      case 1 where script == .korean: 2.0
      case _ where script == .korean || isShortWorded: 0.0
      case 1: script == .plain ? 3.0 : 0.7
      case 2: 0.7
      case 3: script == .plain ? 0.3 : 0.0
      default: 0.0
      }
    return 0.3 + short + (isStart(text, to: end) ? 1 : 0)
      + (isRest(text, from: place, script) ? 1.2 : 0)
  }

  /// Returns whether a clause begins with the last word before a place, or in Japanese and Chinese
  /// with one of the last three characters.
  private static func isStart(_ text: [Character], to end: Int) -> Bool {
    var place = end
    var count = 0
    while place > 0, count < (isDense(text[end]) ? 3 : 24) {
      let before = text[place - 1]
      if before.isWhitespace {
        guard let last = text[..<place].last(where: { !$0.isWhitespace }) else { return false }
        return isClauseEnd(last)
      }
      if isDense(text[end]), isClauseEnd(before) || "」』”".contains(before) { return true }
      place -= 1
      count += 1
    }
    return false
  }

  /// Returns whether a clause ends with the first word from a place on, or in Japanese and Chinese
  /// with one of the first three characters, and another follows.
  private static func isRest(_ text: [Character], from place: Int, _ script: QuoteScript) -> Bool {
    let isDense = script == .japanese || script == .chinese
    let word = text[place...].prefix(isDense ? 4 : 24).prefix { !$0.isWhitespace }
    if isDense { return word.contains(where: isClauseEnd) }
    guard word.count < 24, let last = word.last(where: { !"”\"'’»)".contains($0) }) else {
      return false
    }
    return isClauseEnd(last) && place + word.count < text.count
  }

  /// Returns whether most words of a text's language are short: it has letters of Vietnamese.
  static func isShortWorded(_ text: [Character]) -> Bool {
    text.contains { (0x1EA0...0x1EF9).contains($0.unicodeScalars.first!.value) }
  }

  private static func isDense(_ character: Character) -> Bool {
    [.japanese, .chinese].contains(
      QuoteScript.script(of: character.unicodeScalars.first!.value))
  }

  private static func isClauseEnd(_ character: Character) -> Bool {
    clauseEnds.contains(character)
  }

  private static let clauseEnds: Set<Character> = [
    ".", ",", ";", ":", "!", "?", "…", "·", "،", "؛", "؟", "。", "、", "，", "；", "：", "！", "？", "।",
    "॥",
  ]

  /// Returns the disadvantage of a line of Japanese or Chinese that ends between two letters.
  private static func dense(_ last: Character, _ after: Character) -> Double {
    if "んっゃゅょぁぃぅぇぉー".contains(after) { return 3 }
    return switch (Kind(last), Kind(after)) {
    case (.hiragana, .kanji), (.hiragana, .katakana), (.hiragana, .other): 0.1
    case (.katakana, .kanji), (.kanji, .katakana), (_, .other), (.other, _): 0.4
    case (.hiragana, .hiragana): "はがをにでともへや".contains(last) ? 0.8 : 2.5
    case (.kanji, .kanji): 2
    case (.katakana, .katakana): 3
    case (.kanji, .hiragana), (.katakana, .hiragana): 3
    }
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
