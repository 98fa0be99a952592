import TestSupport

/// Makes documents that are unlikely, but possible: markup of every kind in any order, every line
/// ending, and bytes that are no UTF-8.
public struct DocumentGenerator {
  private var random: SeededGenerator

  /// Starts from a seed; the same seed makes the same documents.
  public init(seed: UInt64) { random = SeededGenerator(seed: seed) }

  /// The next document, of up to about 400 bytes.
  public mutating func next() -> [UInt8] {
    Bool.random(using: &random) ? lines() : pieces()
  }

  /// The next document of lines as dialects other than CommonMark and GFM have them.
  public mutating func nextInDialect() -> [UInt8] {
    var bytes: [UInt8] = []
    let ending = pick(["\n", "\n", "\n", "\r\n", "\r"])
    for _ in 0..<Int.random(in: 1...9, using: &random) {
      for _ in 0..<Int.random(in: 0...2, using: &random) {
        bytes += Array(
          pick(Bool.random(using: &random) ? Self.dialectPrefixes : Self.prefixes).utf8)
      }
      for _ in 0..<Int.random(in: 0...5, using: &random) {
        bytes += Bool.random(using: &random) ? Array(pick(Self.dialect).utf8) : pick(Self.inline)
      }
      bytes += Array(ending.utf8)
    }
    return bytes
  }

  private static let dialectPrefixes = [
    "> [!NOTE]", "> [!tip]- ", "> [!a|b] c", ":::note ", ":::{tip} T", "::: {.callout-note}", ":::",
    "::::", ":::", "!!! note \"T\"", "??? note", "??? a b", "=== \"T\"", "    ", "    ", ": ",
    ":   ", "%%",
    "import a from 'b'", "export const a = {", "}", "<A b={c}>", "</A>", "<A", "{/* a */}", "{/*",
    "*/}", "{% a %}", "{% highlight a %}", "{% endhighlight %}", "{% comment %}",
    "{% endcomment %}",
    "{% a", "%}", "[TOC]", "[[_TOC_]]", "```{note}", "```", ":class: a", "a\n",
  ]

  private static let dialect = [
    "[[", "]]", "[[a]]", "[[a|b]]", "[[a#b]]", "![[a.png|3]]", "%%", "%% a %%", " ^a-1", ":tada:",
    ":a:",
    "<A b={c}>", "<A.B {...c}/>", "<>", "</>", "{/*", "*/}", "{/* a */}", "{%", "%}", "{% a %}",
    "{{ a }}",
    "|", "#", "[!NOTE]", ":", "{", "}", "a", " ",
  ]

  /// The next document of valid UTF-8 without NUL, line by line, with line feeds only; for parsers
  /// that report no places.
  public mutating func nextPlain() -> String {
    (0..<Int.random(in: 1...6, using: &random)).map { _ in
      (0..<Int.random(in: 0...2, using: &random)).map { _ in pick(Self.prefixes) }.joined()
        + (0..<Int.random(in: 0...6, using: &random)).map { _ in pick(Self.plain) }.joined()
        + "\n"
    }.joined()
  }

  private mutating func pick<T>(_ list: [T]) -> T {
    list[Int.random(in: list.indices, using: &random)]
  }

  private mutating func pieces() -> [UInt8] {
    (0..<Int.random(in: 1...24, using: &random)).flatMap { _ in pick(Self.all) }
  }

  private mutating func lines() -> [UInt8] {
    var bytes: [UInt8] = []
    if Int.random(in: 0..<20, using: &random) == 0 { bytes += Array("\u{FEFF}".utf8) }
    if Int.random(in: 0..<20, using: &random) == 0 { bytes += Array("---\na: b\n---\n".utf8) }
    let ending = pick(["\n", "\n", "\r\n", "\r"])
    for _ in 0..<Int.random(in: 1...8, using: &random) {
      for _ in 0..<Int.random(in: 0...3, using: &random) {
        bytes += Array(pick(Self.prefixes).utf8)
      }
      for _ in 0..<Int.random(in: 0...6, using: &random) { bytes += pick(Self.inline) }
      bytes += Array(ending.utf8)
    }
    return bytes
  }

  private static let prefixes = [
    "> ", ">", "- ", "* ", "1. ", "2) ", "+\t", "  ", "    ", "\t", " ", "# ", "## ", "```",
    "~~~ x",
    "---", "===", "|", "- [ ] ", "- [x] ", "[a]: /b", "| a | b |\n|:-|-:|\n| ", "***", "",
  ]

  /// Pieces of lines that CommonMark and GFM know, in ASCII and letters.
  private static let plain = [
    "a", "word", " ", " ", "  ", "*", "**", "_", "__", "`", "``", "[", "](", ")", "]", "![", "(/u)",
    "[a]", "](/u \"t\")", "\\", "\\*", "&amp;", "&copy;", "&#35;", "&x;", "é", "日本", "~~", "~", "|",
    "\\|", "<b>", "</b>", "<a href=\"x\">", "<http://x.y>", "www.a.bc", "http://x.yz/p", "a@b.cd",
    "#", "-", "1.", "!", "\"", "'", ":", ".", "\t",
  ]

  private static let inline: [[UInt8]] =
    (plain + [
      "==", "==", "$", "$$", "[^1]", "[^1]: ", "&nGt;", "&#x1F44B;", "👋🏽", "\u{A0}", "“", "<!--",
      "-->", "<?", "<![CDATA[", "](<", ">", "<div>", "\n", "\\\n", "  \n", "\r", "\u{FEFF}",
      "\u{0B}", "\u{0C}", "\u{1}", "\u{2028}",
    ]).map { Array($0.utf8) } + [
      [0], [0xFF], [0xE2, 0x82], [0xC3], [0xF0, 0x9F], [0xED, 0xA0, 0x80],
    ]

  private static let all: [[UInt8]] =
    inline + prefixes.map { Array($0.utf8) }
    + ["\n\n", "\r\n", "```\n", "|-|-|\n", "[a]: /b\n", "[a]: </b>\n'c\nd'\n"].map {
      Array($0.utf8)
    }
}
