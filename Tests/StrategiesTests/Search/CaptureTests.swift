import Model
import Search
import Strategies
import TestSupport
import Testing

/// Tests the groups of regular expressions.
@Suite struct CaptureTests {
  /// Returns the texts of each match and of its groups.
  private func captures(_ pattern: String, in text: String, wholeWords: Bool = false) throws
    -> [[String?]]
  {
    let units = Array(text.utf16)
    var found: [[String?]] = []
    let outcome = try Pattern().capture(
      try SearchQuery(pattern, wholeWords: wholeWords), in: Array(text.utf8)
    ) { match in
      found.append(
        ([match.range] + match.groups).map { range in
          range.map { String(decoding: units[$0.utf16], as: UTF16.self) }
        })
      return true
    }
    #expect(outcome == .complete)
    return found
  }

  @Test func `groups have UTF-16 ranges, also after characters of two code units`() throws {
    #expect(
      try captures("(\\w+) (😀+)", in: "é größer 😀😀, 日本 😀")
        == [["größer 😀😀", "größer", "😀😀"], ["日本 😀", "日本", "😀"]])
  }

  @Test func `a group without a match is nil, and one with an empty match is empty`()
    throws
  {
    #expect(
      try captures("(a)|(b)(x*)(c)?", in: "a bx b")
        == [["a", "a", nil, nil, nil], ["bx", nil, "b", "x", nil], ["b", nil, "b", "", nil]])
  }

  @Test func `groups in a lookaround may be outside the match`() throws {
    #expect(
      try captures("(?<=(\\w)é)-(?=(\\d+))", in: "😀 aé-12 bé-34")
        == [["-", "a", "12"], ["-", "b", "34"]])
  }

  @Test func `matches cross lines, and may be limited to whole words`() throws {
    #expect(
      try captures("^(\\w+)\\n(\\w+)$", in: "x y\none\ntwo\n") == [["one\ntwo", "one", "two"]])
    #expect(try captures("(f)(\\w)", in: "fo fox fa", wholeWords: true).map(\.[0]) == ["fo", "fa"])
  }

  @Test func `groups have numbers and names`() throws {
    let groups = try Pattern().groups(
      of: try SearchQuery("(?<year>\\d{4})-(\\d\\d)-(?<day>\\d\\d)"))
    #expect(groups.count == 3 && groups.names == ["year": 1, "day": 3])
    #expect(throws: PatternError.self) { try Pattern().groups(of: try SearchQuery("(")) }
  }

  /// Bars are at empty matches, other matches are in brackets.
  @Test(arguments: [
    ("^", "|a\n|\n|b\n"), ("$", "a|\n|\nb|\n"), ("$", "a|\nb|"), ("\\b", "|é|, |日本|"),
    ("\\B", "é😀|"), ("x*", "|a[xx]b| [x]c|"), ("(?=b)|b", "a|[b][b]"),
    ("(?<=é)", "é|é|"), ("a\\K", "a|a|b"), ("\\z", "a\n|"), ("\\A", "|aa"),
    ("^\\s*", "|a\n[ ]b\n|c"),
  ])
  func `an empty match occurs once at each position, and not directly after another match`(
    _ pattern: String, _ expected: String
  ) throws {
    let text = expected.filter { !"|[]".contains($0) }
    let units = Array(text.utf16)
    var (marked, last) = ("", 0)
    _ = try Pattern().capture(try SearchQuery(pattern), in: Array(text.utf8)) { match in
      let range = match.range.utf16
      func words(_ range: Range<Int>) -> String {
        String(decoding: units[range], as: UTF16.self)
      }
      marked += words(last..<range.lowerBound) + (range.isEmpty ? "|" : "[\(words(range))]")
      last = range.upperBound
      return true
    }
    marked += String(decoding: units[last...], as: UTF16.self)
    #expect(marked == expected)
  }

  @Test func `captures and searches have the same matches`() throws {
    let seed = SeededGenerator.runSeed
    print("seed \(seed)")
    var random = SeededGenerator(seed: seed)
    let letters = ["a", "b", "é", "😀", " ", "\n", "日"]
    for pattern in ["(a|é)+(b)?", "(?<=(a))[^a](?=(.))", "(\\w*)\\s", "(x*)"] {
      let query = try SearchQuery(pattern)
      for _ in 0..<60 {
        let text = (0..<Int.random(in: 0..<40, using: &random)).map { _ in
          letters.randomElement(using: &random)!
        }.joined()
        let units = Array(text.utf16)
        var captured: [TextRange] = []
        _ = try Pattern().capture(query, in: Array(text.utf8)) {
          captured.append($0.range)
          return true
        }
        #expect(
          captured.filter { !$0.isEmpty } == (try Pattern().matches(query, in: units).map(\.range)),
          "\(text)")
      }
    }
  }
}
