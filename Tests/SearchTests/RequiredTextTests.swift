import Model
import Search
import TestSupport
import Testing

@Suite struct RequiredTextTests {
  @Test(arguments: [
    ("foobar", TextFilter.substring("foobar")),
    ("foo.*bar", .all([.substring("foo"), .substring("bar")])),
    ("foo|bar", .any([.substring("foo"), .substring("bar")])),
    ("(foo|bar)baz", .all([.any([.substring("foo"), .substring("bar")]), .substring("baz")])),
    ("colou?r", .all([.substring("colo"), .substring("r")])),
    ("ab+c", .all([.substring("ab"), .substring("bc")])),
    ("ab{2,}c", .all([.substring("ab"), .substring("bc")])),
    ("a\\.b\\bc", .substring("a.bc")),
    ("foo|", .everything), ("(foo)*", .everything), ("[abc]", .everything),
    ("(?i)foo", .everything),
    ("\\x41bc", .everything), ("(?<!a)bcd", .everything), ("\\Qa*b\\E", .everything),
    ("x{,5}abc", .everything), ("(?:foo)+", .substring("foo")), ("(foo", .everything),
    ("(foo){0}bar", .substring("bar")), ("^## ", .substring("## ")),
    ("a{2}b", .all([.substring("a"), .substring("ab")])),
  ])
  func `the filter of a pattern contains its required literals`(pattern: String, filter: TextFilter)
  {
    #expect(RegularExpression.filter(for: pattern) == filter)
  }

  /// Returns whether a filter accepts a text, tested with the folded text.
  private func passes(_ filter: TextFilter, _ text: [UInt32]) -> Bool {
    switch filter {
    case .everything: true
    case .words: false
    case .substring(let part):
      text.indices.contains { text[$0...].starts(with: folded(part)) } || folded(part).isEmpty
    case .all(let parts): parts.allSatisfy { passes($0, text) }
    case .any(let parts): parts.contains { passes($0, text) }
    }
  }

  private func folded(_ text: String) -> [UInt32] {
    text.unicodeScalars.compactMap {
      let (scalar, kind) = TextFolding.fold($0.value)
      return kind == .mark ? nil : scalar
    }
  }

  @Test func `the filter accepts every text with a match`() throws {
    let seed = SeededGenerator.runSeed
    print("seed \(seed)")
    var random = SeededGenerator(seed: seed)
    let pieces = [
      "a", "b", "c", "ab", "ä", "K", "\u{212A}", "ſ", "s", "σ", "ς", "+", "*", "?", "{2}", "{0,1}",
      "(", ")",
      "|", ".", "[ab]", "[^a]", "\\w", "\\b", "^", "$", "(?:", "(?=", "\\.", "\\", "{", "]", "\\d",
      "+?",
      "{1,", "(?i)", "\\x61", "\\n", "ab", "bc", "ca",
    ]
    let letters = [
      "a", "b", "c", "A", "ä", "Ä", "k", "\u{212A}", "S", "ſ", "Σ", "ς", "σ", ".", " ", "\n", "1",
    ]
    var compiled = 0
    var matched = 0
    for _ in 0..<30_000 {
      let pattern = (0..<1 + random.next() % 7).map { _ in pieces.randomElement(using: &random)! }
        .joined()
      guard let expression = try? RegularExpression(pattern, ignoresCase: true) else { continue }
      compiled += 1
      let filter = RegularExpression.filter(for: pattern)
      guard filter != .everything else { continue }
      for _ in 0..<3 {
        let text = (0..<random.next() % 9).map { _ in letters.randomElement(using: &random)! }
          .joined()
        var isFound = false
        Array(text.utf8).withUnsafeBufferPointer {
          _ = expression.search($0, from: 0, watch: SearchWatch()) { _ in
            isFound = true
            return false
          }
        }
        guard isFound else { continue }
        matched += 1
        #expect(passes(filter, folded(text)), "seed \(seed): '\(pattern)' in '\(text)': \(filter)")
      }
    }
    #expect(compiled > 5_000 && matched > 500, "too few cases: \(compiled), \(matched)")
  }

  @Test func `letters that match without case or diacritics fold to the same form`() throws {
    // Each letter matches its variants. Its pattern must not match characters that fold
    // differently.
    for value in (0x41...0x24F).map(UInt32.init) + Array(0x370...0x3FF) + Array(0x1E00...0x1FFF) {
      guard let scalar = Unicode.Scalar(value), scalar.properties.isAlphabetic else { continue }
      let text = String(scalar)
      let pattern = RegularExpression.pattern(for: text, ignoresDiacritics: true)
      let expression = try RegularExpression("^\(pattern)$", ignoresCase: true)
      for form in [text, text.uppercased(), text.lowercased(), text + "\u{301}"]
      where form.unicodeScalars.count <= 2 {
        var isFound = false
        Array(form.utf8).withUnsafeBufferPointer {
          _ = expression.search($0, from: 0, watch: SearchWatch()) { _ in
            isFound = true
            return false
          }
        }
        if isFound { #expect(folded(form) == folded(text), "\(text) \(form)") }
        if form == text { #expect(isFound, "the pattern of \(text) does not match it") }
      }
    }
  }
}
