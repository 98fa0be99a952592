import Model
import Search
import TestSupport
import Testing

@Suite struct FuzzyPatternTests {
  private func score(_ query: String, _ text: String) -> Int? {
    FuzzyPattern(query).words.first?.score(FuzzyText(text))
  }

  /// Returns the characters that a query matches, with the others replaced with dots.
  private func lit(_ query: String, _ text: String) -> String {
    let found = Set(FuzzyPattern(query).words.flatMap { $0.matchedCharacters(of: text) })
    return String(text.enumerated().map { found.contains($0.offset) ? $0.element : "." })
  }

  /// Expects that a query fits the first text better than the second, and both of them.
  private func expect(
    _ query: String, prefers first: String, to second: String,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let (high, low) = (score(query, first) ?? 0, score(query, second) ?? 0)
    #expect(
      low > 0 && high > low, "'\(query)': \(first) \(high), \(second) \(low)",
      sourceLocation: sourceLocation)
  }

  @Test func `letters at the start of words, in a row and after separators score higher`() {
    expect("we", prefers: "walden essay", to: "sweater")
    expect("essay", prefers: "my essay", to: "e s s a y")
    expect("essay", prefers: "essay", to: "assessay")
    expect("not", prefers: "a/notes", to: "annotates")
    expect("fb", prefers: "fooBar", to: "foobar")
    expect("ab", prefers: "x ab", to: "x a long gap b")
  }

  @Test func `case counts only if the query has an upper-case letter, and diacritics never`() {
    #expect(score("essay", "ESSAY") != nil && score("Essay", "essay") == nil)
    #expect(score("Essay", "My Essay") != nil)
    #expect(score("eclair", "Éclair") != nil && score("éclair", "eclair") != nil)
    // Syllables that are written in letters, as in names of files on a Mac.
    let letters = "\u{1112}\u{1161}\u{11AB}\u{1100}\u{1173}\u{11AF}.md"
    #expect(lit("한글", letters) == "\u{1112}\u{1161}\u{11AB}\u{1100}\u{1173}\u{11AF}...")
    #expect(score(String(letters.prefix(2)), "한글.md") != nil)
    #expect(score("eclair", "e\u{301}clair") == score("eclair", "éclair"))
    #expect(score("Éclair", "éclair") == nil && score("Éclair", "Eclair") != nil)
    #expect(score("ελλας", "ΕΛΛΆΣ") != nil, "final and medial sigma are the same letter")
  }

  @Test func `the matched characters are those of the best match`() {
    #expect(lit("we", "a walden essay") == "..w......e....")
    #expect(lit("foo", "f-o-o foo") == "......foo")
    #expect(lit("notes md", "old/notes.md") == "....notes.md")
    #expect(lit("e", "cafe\u{301}") == "...e\u{301}")
    #expect(lit("xyz", "abc") == "...")
  }

  @Test func `a query without letters has no words`() {
    #expect(FuzzyPattern("").words.isEmpty && FuzzyPattern(" \t ").words.isEmpty)
    #expect(FuzzyPattern("a b").words.count == 2)
    #expect(FuzzyPattern(String(repeating: "x ", count: 5_000)).words.count == 8)
  }

  private static let letters: [Character] = [
    "a", "b", "A", "B", "é", "e", "E", "/", " ", "-", "1", "日", "é", "👩‍👩‍👧", "ß",
  ]

  @Test func `random queries match exactly the texts that contain their letters in order`() {
    let seed = SeededGenerator.runSeed
    var random = SeededGenerator(seed: seed)
    for _ in 0..<3_000 {
      let text = String(
        (0..<Int.random(in: 0...14, using: &random)).map { _ in
          Self.letters.randomElement(using: &random) ?? "a"
        })
      let query = String(
        (0..<Int.random(in: 1...4, using: &random)).map { _ in
          Self.letters.randomElement(using: &random) ?? "a"
        })
      for word in FuzzyPattern(query).words {
        let part = query.split(separator: " ").first { FuzzyPattern(String($0)).words == [word] }
        let hasCase = query.contains { $0.isUppercase }
        let wanted = Self.plain(String(part ?? ""), hasCase)
        let expected = Self.contains(Self.plain(text, hasCase), wanted)
        // A query has case as a whole; a part of it alone may have none.
        guard part != nil else { continue }
        #expect(
          (word.score(FuzzyText(text)) != nil) == expected, "\(query) in \(text), seed \(seed)")
        let matched = word.matchedCharacters(of: text)
        #expect(matched == matched.sorted() && Set(matched).count == matched.count, "seed \(seed)")
        #expect(matched.isEmpty != expected, "\(query) in \(text), seed \(seed)")
        let all = Array(text)
        let own = Self.plain(String(matched.map { all[$0] }), hasCase)
        #expect(Self.contains(own, wanted) || !expected, "\(query) in \(text), seed \(seed)")
      }
    }
  }

  @Test func `a longer query finds only what a shorter one found`() {
    let seed = SeededGenerator.runSeed
    var random = SeededGenerator(seed: seed)
    func word(_ most: Int) -> String {
      String(
        (0..<Int.random(in: 0...most, using: &random)).map { _ in
          Self.letters.randomElement(using: &random) ?? "a"
        })
    }
    for _ in 0..<2_000 {
      let (text, short) = (FuzzyText(word(12)), word(3))
      let (old, new) = (FuzzyPattern(short), FuzzyPattern(short + word(2)))
      guard new.narrows(old) else { continue }
      let fits = { (pattern: FuzzyPattern) in
        pattern.words.allSatisfy { $0.score(text) != nil }
      }
      #expect(!fits(new) || fits(old), "'\(short)' in '\(text.string)', seed \(seed)")
    }
    #expect(FuzzyPattern("ab").narrows(FuzzyPattern("a")))
    #expect(!FuzzyPattern("a").narrows(FuzzyPattern("ab")))
    #expect(FuzzyPattern("aB").narrows(FuzzyPattern("a")))
    #expect(!FuzzyPattern("ab").narrows(FuzzyPattern("A")))
  }

  @Test func `a text is compared up to a limit`() {
    let long = String(repeating: "x", count: 200_000) + "needle"
    #expect(score("needle", long) == nil && score("xxx", long) != nil)
    let marks = "a" + String(repeating: "\u{301}", count: 100_000)
    #expect(score("a", marks) != nil)
  }

  /// Returns the scalars of a text without diacritics, and without case unless `hasCase`.
  private static func plain(_ text: String, _ hasCase: Bool) -> [UInt32] {
    text.unicodeScalars.compactMap { scalar in
      let (folded, kind) = TextFolding.fold(scalar.value)
      if kind == .mark { return nil }
      return hasCase && scalar.value >= 0x80
        ? TextFolding.base(of: scalar.value) : hasCase ? scalar.value : folded
    }
  }

  private static func contains(_ text: [UInt32], _ word: [UInt32]) -> Bool {
    var rest = word[...]
    for letter in text where letter == rest.first { rest = rest.dropFirst() }
    return rest.isEmpty
  }
}
