import Model
import Search
import TestSupport
import Testing

@Suite struct ByteFinderTests {
  private func matches(_ needle: String, _ text: String, ignoresCase: Bool) -> [Int] {
    let finder = ByteFinder(needle.utf8, ignoresCase: ignoresCase)
    return Array(text.utf8).withUnsafeBufferPointer { bytes in
      var found: [Int] = []
      while let place = finder.first(
        in: bytes, from: found.last.map { $0 + 1 } ?? 0, before: bytes.count)
      {
        found.append(place)
      }
      return found
    }
  }

  @Test func `bytes are found at every position, with or without regard to case`() {
    let seed = SeededGenerator.runSeed
    print("seed \(seed)")
    var random = SeededGenerator(seed: seed)
    let letters = ["a", "b", "A", "B", "@", "`", "é", "\u{1}", "!", "z", "Z", "[", "{"]
    func text(_ count: Int) -> String {
      (0..<count).map { _ in letters.randomElement(using: &random)! }.joined()
    }
    func lower(_ bytes: some Sequence<UInt8>) -> [UInt8] {
      bytes.map { (0x41...0x5A).contains($0) ? $0 + 32 : $0 }
    }
    for _ in 0..<2_000 {
      let (long, short) = (text(Int(random.next() % 150)), text(1 + Int(random.next() % 3)))
      for ignoresCase in [false, true] {
        let hay = ignoresCase ? lower(long.utf8) : Array(long.utf8)
        let needle = ignoresCase ? lower(short.utf8) : Array(short.utf8)
        let expected = hay.indices.filter { hay[$0...].starts(with: needle) }
        let found = matches(short, long, ignoresCase: ignoresCase)
        #expect(found == expected, "seed \(seed): '\(short)' in '\(long)'")
      }
    }
  }

  @Test func `a match must begin before the limit, but may extend beyond it`() {
    let finder = ByteFinder("ab".utf8)
    Array("xxabab".utf8).withUnsafeBufferPointer { text in
      #expect(finder.first(in: text, from: 0, before: 2) == nil)
      #expect(finder.first(in: text, from: 0, before: 3) == 2)
      #expect(finder.first(in: text, from: 3, before: 99) == 4)
      #expect(finder.first(in: text, from: 5, before: 99) == nil)
      #expect(
        finder.first(in: UnsafeBufferPointer(rebasing: text[..<0]), from: 0, before: 9) == nil)
    }
  }
}

@Suite struct LineSearchTests {
  private func matches(_ pattern: String, _ text: String, ignoresCase: Bool) throws -> [Range<Int>]
  {
    let expression = try RegularExpression(pattern, ignoresCase: ignoresCase)
    var found: [Range<Int>] = []
    let outcome = Array(text.utf8).withUnsafeBufferPointer { bytes in
      expression.search(bytes, from: 0, watch: SearchWatch()) {
        found.append($0.range)
        return true
      }
    }
    #expect(outcome == .complete)
    return found
  }

  @Test(arguments: [
    "\\w+ing\\.", "[a-z]*ab", ".*ab.", "\\bw*ab$", "^.ab", "(?:a|b)+ing", "\\S+ab\\n?", "[^x]+ab",
    "\\s*ab", "\\d?ing\\z", "x?ab{2,}", "[\\w-]+ask", "\\N+K\\.", "[^\\n]*ing\\.", "[!-z]+ab\\Z",
  ])
  func `skipping lines skips no match`(pattern: String) throws {
    let seed = SeededGenerator.runSeed
    print("seed \(seed)")
    var random = SeededGenerator(seed: seed)
    let pieces = [
      "a", "b", "ab", "ing.", "\n", " ", "w", "x", "Ab", "\r\n", "é", "k.", "\u{212A}.", "ſ",
    ]
    for _ in 0..<150 {
      let count = Int(random.next() % 60)
      let text = (0..<count).map { _ in pieces.randomElement(using: &random)! }.joined()
      for ignoresCase in [false, true] {
        // A pattern with a lookaround is not analysed, so each byte is tried.
        let plain = try matches("(?=)" + pattern, text, ignoresCase: ignoresCase)
        #expect(
          try matches(pattern, text, ignoresCase: ignoresCase) == plain,
          "seed \(seed): \(pattern) in '\(text)'")
      }
    }
    // The texts are long enough for the trial phase to end, with many or few lines that may
    // match.
    for share in [2, 50] {
      let lines = (0..<4_000).map { $0 % share == 0 ? "wx ab ing. a" : "nothing to be found here" }
      let text = lines.joined(separator: "\n")
      let plain = try matches("(?=)" + pattern, text, ignoresCase: false)
      #expect(try matches(pattern, text, ignoresCase: false) == plain)
    }
  }
}

@Suite struct UnmarkedTextTests {
  @Test func `ranges of a text without diacritics map to the original text`() {
    let marked = Array("aé\u{301}ñ北e\u{308}\u{323}z".utf8)
    marked.withUnsafeBufferPointer { bytes in
      let unmarked = UnmarkedText(bytes)
      #expect(String(decoding: unmarked.utf8, as: UTF8.self) == "aen北ez")
      func text(_ range: Range<Int>) -> String {
        String(decoding: bytes[unmarked.range(range)], as: UTF8.self)
      }
      #expect(text(0..<1) == "a" && text(1..<2) == "é\u{301}" && text(2..<3) == "ñ")
      #expect(text(3..<6) == "北" && text(6..<7) == "e\u{308}\u{323}" && text(7..<8) == "z")
      #expect(text(0..<8) == String(decoding: marked, as: UTF8.self))
      for place in 0..<8 where bytes.count > place {
        #expect(unmarked.offset(ofPlace: unmarked.range(place..<place).lowerBound) == place)
      }
      #expect(unmarked.offset(ofPlace: bytes.count) == 8)
    }
    Array("\u{301}e".utf8).withUnsafeBufferPointer { bytes in
      let unmarked = UnmarkedText(bytes)
      #expect(unmarked.offset(ofPlace: 0) == 0 && unmarked.range(0..<1) == 2..<3)
    }
    #expect(UnmarkedText.string("\u{301}e\u{301}") == "e")
  }
}
