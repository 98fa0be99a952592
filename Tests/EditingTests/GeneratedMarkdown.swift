import TestSupport

/// Writes random documents with blocks of every kind, nested spans, scripts with and without
/// blanks, characters beyond the basic plane, and marks without meaning.
struct GeneratedMarkdown {
  private var random: SeededGenerator

  init(seed: UInt64) { random = SeededGenerator(seed: seed) }

  private static let words =
    "the quick brown fox jumps over a lazy dog while nobody sees it. And then, (as before) it sleeps; \"well\" enough, isn’t it? — “Yes!” café naïve 3.14 2*3 snake_case x < y & z well-known 日本語の文章です。 中文，很好。 한국어 👋🏽 👩‍👩‍👧 e\u{301}lan a~b c=d $5 [sic] end\\* &amp; &copy; C# #1 state-of-the-art *) (* _x y_ a** **b ~~"
    .split(separator: " ").map(String.init)

  private static let prose =
    "the quick brown fox jumps over a lazy dog while nobody sees it. And then, (as before) it sleeps; \"well\" enough, isn’t it? — “Yes!” café naïve 3.14 a well-known tale, e.g. this one: state-of-the-art… It’s 5% of 日本語の文章です。 中文，很好。 한국어 👋🏽 done."
    .split(separator: " ").map(String.init)

  /// Returns a paragraph without any markup.
  mutating func plainProse() -> String {
    (0..<Int.random(in: 6...40, using: &random)).map { _ in pick(Self.prose) }
      .joined(separator: " ")
  }

  /// Returns a document of a few blocks.
  mutating func document() -> String {
    let ending = chance(8) ? "\r\n" : "\n"
    var text = chance(8) ? "---\ntitle: x\n---\n\n" : ""
    for _ in 0..<Int.random(in: 1...5, using: &random) { text += block() + "\n\n" }
    if chance(3) { text += "[fox]: /fox \"t\"\n\n[^1]: \(line(4))\n" }
    return text.split(separator: "\n", omittingEmptySubsequences: false).joined(separator: ending)
  }

  private mutating func chance(_ n: Int) -> Bool { Int.random(in: 0..<n, using: &random) == 0 }
  private mutating func pick<T>(_ items: [T]) -> T { items.randomElement(using: &random)! }

  private mutating func block() -> String {
    switch Int.random(in: 0..<12, using: &random) {
    case 0: String(repeating: "#", count: Int.random(in: 1...4, using: &random)) + " " + line(5)
    case 1: "> " + lines(14, prefix: "> ")
    case 2: "- " + lines(8, prefix: "  ") + "\n- " + line(5) + "\n\n  > " + line(3)
    case 3: "1. [ ] " + line(4) + "\n2. " + line(4)
    case 4: "| " + cell() + " | " + cell() + " |\n|---|---|\n| " + cell() + " | " + cell() + " |"
    case 5: "```\n" + line(3) + "\n```"
    case 6: lines(8, prefix: "") + "\n---"
    case 7: "> - " + lines(8, prefix: ">   ")
    default: lines(24, prefix: "")
    }
  }

  private mutating func cell() -> String {
    line(3).split(separator: "|", omittingEmptySubsequences: false).joined(separator: "\\|")
  }

  /// Returns words on several lines, which begin with a prefix.
  private mutating func lines(_ count: Int, prefix: String) -> String {
    var text = line(count / 2)
    while chance(2) { text += pick(["\n", "\n", "  \n", "\\\n"]) + prefix + line(count / 3 + 1) }
    return text
  }

  private mutating func line(_ count: Int) -> String {
    var text = ""
    for index in 0..<max(1, Int.random(in: 1...max(1, count), using: &random)) {
      if index > 0, !chance(10) { text += " " }
      text += inline(0)
    }
    return text
  }

  private mutating func inline(_ depth: Int) -> String {
    guard depth < 3, chance(3) else { return pick(Self.words) }
    let inner = (0..<Int.random(in: 1...3, using: &random)).map { _ in inline(depth + 1) }
      .joined(separator: " ")
    switch Int.random(in: 0..<14, using: &random) {
    case 0, 1: return "**\(inner)**"
    case 2, 3: return "*\(inner)*"
    case 4: return "__\(inner)__"
    case 5: return "_\(inner)_"
    case 6: return "~~\(inner)~~"
    case 7: return "==\(inner)=="
    case 8: return "`\(pick(Self.words))`"
    case 9: return "[\(inner)](/u \"t\")"
    case 10: return "[fox]"
    case 11: return "[\(inner)][fox]"
    case 12: return "![\(inner)](i)"
    default: return pick(["<b>", "[^1]", "http://a.bc/d", "<x@y.zz>", "$x^2$", "`` a`b ``"])
    }
  }
}
