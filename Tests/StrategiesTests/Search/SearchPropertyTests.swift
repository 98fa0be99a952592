import Model
import Search
import Strategies
import TestSupport
import Testing

@Suite struct SearchPropertyTests {
  private func text(_ count: Int, _ letters: [String], _ random: inout SeededGenerator) -> String {
    (0..<count).map { _ in letters.randomElement(using: &random)! }.joined()
  }

  @Test func `a literal search finds the same as comparing at each position`() throws {
    let seed = SeededGenerator.runSeed
    print("seed \(seed)")
    var random = SeededGenerator(seed: seed)
    let letters = ["a", "b", "A", "é", "e", "😀", "\n", " "]
    for _ in 0..<2_000 {
      let text = text(Int(random.next() % 40), letters, &random)
      let wanted = self.text(1 + Int(random.next() % 3), letters, &random)
      let query = try SearchQuery(wanted, ignoresCase: random.next() % 2 == 0)
      let fold = { (text: String) in query.ignoresCase ? text.lowercased() : text }
      let (units, needle) = (Array(fold(text).utf16), Array(fold(wanted).utf16))
      var expected: [Range<Int>] = []
      var index = 0
      while index + needle.count <= units.count {
        if units[index..<index + needle.count].elementsEqual(needle) {
          expected.append(index..<index + needle.count)
          index += needle.count
        } else {
          index += 1
        }
      }
      let found = try Literal().matches(query, in: Array(text.utf16)).map(\.range.utf16)
      #expect(found == expected, "seed \(seed): '\(wanted)' in '\(text)'")
    }
  }

  @Test func `words that a text must contain may precede the start of the search`() throws {
    let searcher = try FullText().searcher(for: SearchQuery("alpha omega"))
    let text = Array("alpha one omega two omega three".utf8)
    var found: [Range<Int>] = []
    let outcome = text.withUnsafeBufferPointer { bytes in
      searcher.search(bytes, from: 10, watch: SearchWatch()) {
        found.append($0)
        return true
      }
    }
    #expect(outcome == .complete && found == [10..<15, 20..<25])
  }

  @Test func `Unicode variants of s and k are found, and only whole words if requested`()
    throws
  {
    let text = Array("Kisſ kiss \u{212A}ISS kissed".utf16)
    let found = try Literal().matches(SearchQuery("kiss"), in: text).map(\.range.utf16)
    #expect(found == [0..<4, 5..<9, 10..<14, 15..<19])
    let whole = try Literal().matches(SearchQuery("kiss", wholeWords: true), in: text)
    #expect(whole.count == 3)
    #expect(try Literal().matches(SearchQuery("is"), in: text).count == 4)
    #expect(try Literal().matches(SearchQuery("ed"), in: text).count == 1)
  }

  @Test func `without diacritics a pattern finds the same as in the text without them`() throws {
    let seed = SeededGenerator.runSeed
    print("seed \(seed)")
    var random = SeededGenerator(seed: seed)
    let letters = ["a", "e", "é", "e\u{301}", "ñ", "n", " ", "北", "\u{308}", "😀", "Å"]
    let patterns = ["e", "é+", "n.", "\\be", "[eå]+", "(a)(?<x>é)", "e$", "北|ñ", "\\w+"]
    for _ in 0..<500 {
      let text = text(Int(random.next() % 30), letters, &random)
      let plain = UnmarkedText.string(text)
      let pattern = patterns.randomElement(using: &random)!
      let query = try SearchQuery(pattern, ignoresDiacritics: true)
      let found = try Pattern().matches(query, in: Array(text.utf16)).map { match in
        UnmarkedText.string(
          String(decoding: Array(text.utf16)[match.range.utf16], as: UTF16.self))
      }
      let expected = try Pattern().matches(
        SearchQuery(UnmarkedText.string(pattern)), in: Array(plain.utf16)
      ).map { String(decoding: Array(plain.utf16)[$0.range.utf16], as: UTF16.self) }
      #expect(found == expected, "seed \(seed): \(pattern) in '\(text)'")
    }
    #expect(throws: PatternError.self) {
      try Pattern().searcher(for: SearchQuery("\u{301}", ignoresDiacritics: true))
    }
  }

  @Test func `superscripts and subscripts match plain digits if folded`() throws {
    let text = MarkedText("a «10⁶» b «106» c 10^6 «1₀6»")
    for strategy in [Literal(), Pattern(), AllWords()] as [any SearchStrategy] {
      let query = try SearchQuery("106", ignoresDiacritics: true)
      let found = try strategy.matches(query, in: Array(text.text.utf16)).map(\.range)
      #expect(found == text.ranges, "\(type(of: strategy).id)")
      var plain = try SearchQuery("106")
      let isPattern = type(of: strategy).id == Pattern.id
      #expect(
        try strategy.matches(plain, in: Array(text.text.utf16)).map(\.range)
          == (isPattern ? [text.ranges[1]] : text.ranges))
      plain.foldsLevels = false
      #expect(
        try strategy.matches(plain, in: Array(text.text.utf16)).map(\.range) == [text.ranges[1]])
    }
  }

  @Test func `without diacritics the groups of a pattern have ranges in the original text`() throws
  {
    let text = Array("x cafe\u{301} olé".utf8)
    let query = try SearchQuery("(caf.) (?<last>ole)", ignoresDiacritics: true)
    var groups: [[Range<Int>?]] = []
    _ = try Pattern().capture(query, in: text) {
      groups.append($0.groups.map { $0?.utf16 })
      return true
    }
    #expect(groups == [[2..<7, 8..<11]])
  }

  /// Returns the edit distance, in which an exchange of neighbours is one edit.
  private func distance(_ a: [UInt32], _ b: [UInt32]) -> Int {
    var rows = [Array(0...b.count)]
    for (i, x) in a.enumerated() {
      var row = [i + 1]
      for (j, y) in b.enumerated() {
        var cost = min(rows[i][j] + (x == y ? 0 : 1), rows[i][j + 1] + 1, row[j] + 1)
        if i > 0, j > 0, x == b[j - 1], y == a[i - 1] { cost = min(cost, rows[i - 1][j - 1] + 1) }
        row.append(cost)
      }
      rows.append(row)
    }
    return rows[a.count][b.count]
  }

  @Test func `a fuzzy search finds all matches within its distance, and none beyond it`()
    throws
  {
    let seed = SeededGenerator.runSeed
    print("seed \(seed)")
    var random = SeededGenerator(seed: seed)
    let letters = ["a", "b", "c", " ", "d"]
    for round in 0..<300 {
      // Some quotes are longer than one or two 64-bit words.
      let length = round % 10 == 0 ? 60 + Int(random.next() % 80) : 4 + Int(random.next() % 12)
      let quote = text(length, letters, &random)
      var altered = quote.map(String.init)
      for _ in 0..<random.next() % UInt64(1 + length / 4) {
        let place = altered.indices.randomElement(using: &random)!
        switch random.next() % 4 {
        case 0: altered[place] = letters.randomElement(using: &random)!
        case 2 where place > 0: altered.swapAt(place - 1, place)
        case 1 where altered.count > 2: altered.remove(at: place)
        default: altered.insert("x", at: place)
        }
      }
      let text =
        self.text(Int(random.next() % 30), letters, &random) + altered.joined()
        + self.text(Int(random.next() % 30), letters, &random)
      let limit = max(1, length / 5)
      let found = try ApproximateQuote().matches(SearchQuery(quote), in: Array(text.utf16))
      let (units, wanted) = (text.unicodeScalars.map(\.value), quote.unicodeScalars.map(\.value))
      for match in found {
        let words = Array(units[match.range.utf16])
        #expect(
          distance(wanted, words) <= limit, "seed \(seed): '\(quote)' in '\(text)': \(match)")
      }
      if distance(wanted, altered.joined().unicodeScalars.map(\.value)) <= limit {
        #expect(!found.isEmpty, "seed \(seed): '\(quote)' in '\(text)'")
      }
    }
  }

  @Test func `matches of all strategies are ordered, not empty, and do not overlap`() throws {
    let seed = SeededGenerator.runSeed
    print("seed \(seed)")
    var random = SeededGenerator(seed: seed)
    let letters = ["a", "b", "ä", "a\u{308}", " ", "\n", "-", "ab", "北", "😀"]
    let strategies: [any SearchStrategy] = [
      Literal(), Pattern(), AllWords(), AnyWord(), NearWords(), FullText(), ApproximateQuote(),
    ]
    var matched: [String: Int] = [:]
    for _ in 0..<500 {
      let text = text(Int(random.next() % 60), letters, &random)
      let wanted = self.text(1 + Int(random.next() % 5), letters, &random)
      for strategy in strategies {
        for whole in [false, true] {
          let query = try SearchQuery(wanted, ignoresDiacritics: false, wholeWords: whole)
          guard let found = try? strategy.matches(query, in: Array(text.utf16)) else { continue }
          if !found.isEmpty { matched[type(of: strategy).id, default: 0] += 1 }
          let ranges = found.map(\.range.utf16)
          let isOrdered = zip(ranges, ranges.dropFirst()).allSatisfy {
            $0.upperBound <= $1.lowerBound
          }
          #expect(
            isOrdered && ranges.allSatisfy { !$0.isEmpty && $0.upperBound <= text.utf16.count },
            "seed \(seed): \(type(of: strategy).id) '\(wanted)' in '\(text)': \(ranges)")
        }
      }
    }
    #expect(matched.count == strategies.count, "seed \(seed): some never match: \(matched)")
    #expect(matched.values.allSatisfy { $0 > 20 }, "seed \(seed): too few matches: \(matched)")
  }

  @Test func `a part of a word is not a whole word`() throws {
    for (query, text) in [
      ("don", "don't «don» 'don"), ("3", "3.14 «3» 1,300 «3»."), ("e", "e\u{301} «e»"),
      ("a", "a_b «a»-b"), ("京", "北«京»大学"), ("t", "don’t «t»"),
    ] {
      let marked = MarkedText(text.replacing("'don", with: "'«don»"))
      let found = try Literal().matches(
        SearchQuery(query, wholeWords: true), in: Array(marked.text.utf16))
      #expect(found.map(\.range) == marked.ranges, "\(query) in \(text)")
    }
  }
}
