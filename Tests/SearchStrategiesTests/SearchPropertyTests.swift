import Model
import Search
import SearchStrategies
import TestSupport
import Testing

@Suite struct SearchPropertyTests {
  private func text(_ count: Int, _ letters: [String], _ random: inout SeededGenerator) -> String {
    (0..<count).map { _ in letters.randomElement(using: &random)! }.joined()
  }

  @Test func `literal finds what comparing at each place finds`() throws {
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

  /// The distance of Levenshtein.
  private func distance(_ a: [UInt32], _ b: [UInt32]) -> Int {
    var row = Array(0...b.count)
    for x in a {
      var diagonal = row[0]
      row[0] += 1
      for (index, y) in b.enumerated() {
        let cost = min(diagonal + (x == y ? 0 : 1), row[index + 1] + 1, row[index] + 1)
        diagonal = row[index + 1]
        row[index + 1] = cost
      }
    }
    return row[b.count]
  }

  @Test func `fuzzy finds something wherever there is something, and nothing that is too far`()
    throws
  {
    let seed = SeededGenerator.runSeed
    print("seed \(seed)")
    var random = SeededGenerator(seed: seed)
    let letters = ["a", "b", "c", " ", "d"]
    for round in 0..<300 {
      // Some quotes are longer than one and two words of 64 bits.
      let length = round % 10 == 0 ? 60 + Int(random.next() % 80) : 4 + Int(random.next() % 12)
      let quote = text(length, letters, &random)
      var altered = quote.map(String.init)
      for _ in 0..<random.next() % UInt64(1 + length / 4) {
        let place = altered.indices.randomElement(using: &random)!
        switch random.next() % 3 {
        case 0: altered[place] = letters.randomElement(using: &random)!
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

  @Test func `no strategy gives overlapping, empty or unordered matches`() throws {
    let seed = SeededGenerator.runSeed
    print("seed \(seed)")
    var random = SeededGenerator(seed: seed)
    let letters = ["a", "b", "ä", "a\u{308}", " ", "\n", "-", "ab", "北", "😀"]
    let strategies: [any SearchStrategy] = [
      Literal(), Pattern(), AllWords(), AnyWord(), NearWords(), FullText(), ApproximateQuote(),
    ]
    for _ in 0..<500 {
      let text = text(Int(random.next() % 60), letters, &random)
      let wanted = self.text(1 + Int(random.next() % 5), letters, &random)
      for strategy in strategies {
        for whole in [false, true] {
          let query = try SearchQuery(wanted, ignoresDiacritics: false, wholeWords: whole)
          guard let found = try? strategy.matches(query, in: Array(text.utf16)) else { continue }
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
  }

  @Test func `what looks like a word but is a part of one is not whole`() throws {
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
