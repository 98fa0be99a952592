import Articles
import MarkdownParse
import Model
import TestSupport
import Testing

/// Returns a page written as XML, which the module's own reader parses, so no HTML parser is
/// needed.
func page(_ markup: String) throws -> MarkupTree {
  try XMLReader.read(Array("<html>\(markup)</html>".utf8))
}

/// Returns the Markdown of a whole page.
func markdown(_ body: String, at address: String? = "https://example.org/a/page.html") throws
  -> String
{
  let article = Article.read(
    try page("<body>\(body)</body>"), at: address.flatMap { WebAddress($0) }, isWhole: true)
  return article?.markdown ?? ""
}

@Suite struct MarkdownOfPagesTests {
  /// A text that is too long to be parsed in every dialect.
  @Test(.timeLimit(.minutes(60))) func `a long link keeps its text and its address`() throws {
    let words = String(repeating: "a(b)_*~c [x] {y} $z$ &amp; ", count: 60_000)
    let result = try markdown("<p>See <a href='/d'>\(words)</a>.</p>")
    let document = ParsedDocument(parsing: MarkdownSource(result))
    let text = document.text.string
    #expect(text.hasPrefix("See a(b)_*~c [x] {y} $z$ & a(b)_*~c"))
    #expect(text.hasSuffix("$z$ & .") && text.utf8.count > 1 << 20)
    #expect(result.contains("](https://example.org/d)"), "\(result.suffix(60))")
    #expect(!result.contains(" (b)_"), "all punctuation is escaped")
  }

  /// Parsing takes about 140 bytes of memory for each escape.
  @Test(.timeLimit(.minutes(60)))
  func `a paragraph with millions of special characters is written as text only`() throws {
    let result = try markdown(
      "<p>See <a href='/d'>\(String(repeating: "(*)", count: 800_000))</a>.</p>")
    #expect(result.hasPrefix("&#83;ee \\(\\*\\)\\(") && result.hasSuffix("\\(\\*\\)\\.\n"))
    #expect(!result.contains("example"))
  }

  @Test(arguments: [
    ("<h2>A &amp; B</h2><p>One\n  two</p>", "## A & B\n\nOne two\n"),
    ("<p>a <em>b</em>, <strong>c</strong> <b><i>d</i></b></p>", "a *b*, **c** ***d***\n"),
    ("<p>a<strong>“b”</strong>c</p>", "a<strong>“b”</strong>c\n"),
    ("<p>x <em> y </em>z</p>", "x *y* z\n"),
    ("<p><b>a</b><b>b</b></p>", "**ab**\n"),
    ("<p>1. a</p><p>- b</p><p># c</p><p>3.14</p>", "1\\. a\n\n\\- b\n\n\\# c\n\n3.14\n"),
    (
      "<p>*a* _b_ snake_case `c` [d](e) &lt;f&gt; ~~g~~ $h$</p>",
      "\\*a\\* \\_b\\_ snake_case \\`c\\` \\[d\\](e) \\<f> \\~\\~g\\~\\~ \\$h\\$\n"
    ),
    ("<p>a<br/>b</p>", "a\\\nb\n"),
    (
      "<p>H<sub>2</sub>O, x<sup>2</sup>, <kbd>Ctrl</kbd></p>",
      "H<sub>2</sub>O, x<sup>2</sup>, <kbd>Ctrl</kbd>\n"
    ),
    ("<p><code>a | b</code> <code>`</code></p>", "`a | b` `` ` ``\n"),
    (
      "<pre><code class=\"language-swift\">let a = `b`\n\n  c\n</code></pre>",
      "```swift\nlet a = `b`\n\n  c\n```\n"
    ),
    ("<pre>```\nx\n```</pre>", "````\n```\nx\n```\n````\n"),
    ("<ul><li>a</li><li>b<ul><li>c</li></ul></li></ul>", "- a\n- b\n  - c\n"),
    ("<ol start=\"9\"><li>a</li><li><p>b</p><p>c</p></li></ol>", "9. a\n\n10. b\n\n    c\n"),
    ("<ul><li>a</li></ul><ul><li>b</li></ul>", "- a\n\n* b\n"),
    ("<blockquote><p>a</p><p>b</p></blockquote>", "> a\n>\n> b\n"),
    (
      "<ul><li>a<ul><li><p>b</p><p>c</p></li></ul></li></ul>",
      "- a\n\n  - b\n\n    c\n"
    ),
    ("<dl><dt>T</dt><dd>d</dd></dl>", "- **T**\n\n  d\n"),
    (
      "<p><a href=\"../b.html\">b</a> <a href=\"javascript:x\">c</a> <a href=\"#d\">d</a></p>",
      "[b](https://example.org/b.html) c d\n"
    ),
    (
      "<p><a href=\"mailto:a@b.c\">m</a> <a href=\"//x.org/y\">y</a> <a href=\"file:///etc/passwd\">z</a></p>",
      "[m](mailto:a@b.c) [y](https://x.org/y) z\n"
    ),
    ("<p><img src=\"p.png\" alt=\"a *b*\"/></p>", "![a \\*b\\*](https://example.org/a/p.png)\n"),
    (
      "<p><img src=\"data:image/png;base64,AA\" data-src=\"/q.jpg\" alt=\"\"/></p>",
      "![](https://example.org/q.jpg)\n"
    ),
    (
      "<figure><img src=\"p.png\" alt=\"A\"/><figcaption>The caption.</figcaption></figure>",
      "![A](https://example.org/a/p.png)\n\nThe caption.\n"
    ),
    (
      "<table><thead><tr><th>A</th><th align=\"right\">B</th></tr></thead><tbody><tr><td>1|2</td><td>3</td></tr></tbody></table>",
      "| A | B |\n| --- | --: |\n| 1\\|2 | 3 |\n"
    ),
    (
      "<table><tr><th>A</th><th>B</th></tr><tr><td colspan=\"2\">c</td></tr></table>",
      "| A | B |\n| --- | --- |\n| c |  |\n"
    ),
    (
      "<table><tr><th>A</th></tr><tr><td><ul><li>x</li></ul></td></tr></table>",
      "- A\n- - x\n"
    ),
    ("<p>E <math alttext=\"{\\displaystyle E=mc^2}\"><mi>E</mi></math></p>", "E $E=mc^2$\n"),
    ("<p>a</p><hr/><p>b</p>", "a\n\n---\n\nb\n"),
    (
      "<p>a<sup><a href=\"#f1\">1</a></sup></p><ol class=\"footnotes\"><li id=\"f1\">Note <a href=\"#r1\">↩</a></li></ol>",
      "a[^1]\n\n[^1]: Note\n"
    ),
    ("<p>shown <span style=\"display: none\">hidden</span><script>x</script></p>", "shown\n"),
    ("<p><ruby>漢<rp>(</rp><rt>かん</rt><rp>)</rp></ruby></p>", "漢(かん)\n"),
    (
      "<p>costs $100, or $20 (a_b), A&amp;E, [sic], 4~5, C++ &lt; 3, x^2; it's “so”!</p>",
      "costs $100, or $20 (a_b), A&E, [sic], 4~5, C++ < 3, x^2; it's “so”!\n"
    ),
    (
      "<p><a href=\"/a_b(c)?d=1&amp;e=*~$\">x_y</a> <img src=\"p_q.png\" alt=\"[One], two.\"/></p>",
      "[x_y](https://example.org/a_b(c)?d=1&e=*~$) ![[One], two.](https://example.org/a/p_q.png)\n"
    ),
    (
      "<p><a href=\"/a)b?c&amp;amp;copy;\">x</a></p>",
      "[x](https://example.org/a\\)b?c\\&amp;copy;)\n"
    ),
    ("<p>[x] a [^1] [!NOTE]</p><p>[!NOTE] b</p>", "\\[x] a \\[^1] [!NOTE]\n\n\\[!NOTE] b\n"),
    (
      "<p><em>On&#160;</em><a href=\"/w\"><em>W</em></a></p>",
      "*On*\u{A0}[*W*](https://example.org/w)\n"
    ),
    ("<svg><text>a<text>b</text></text><text>c</text></svg>", "ab\\\nc\n"),
    ("<p>import a from b</p>", "&#105;mport a from b\n"),
  ]) func `markup is converted to Markdown`(_ markup: String, _ wanted: String) throws {
    #expect(try markdown(markup) == wanted)
  }

  @Test func `a very deeply nested page keeps its text`() throws {
    let deep =
      String(repeating: "<div>", count: 900) + "<p>words</p>"
      + String(repeating: "</div>", count: 900)
    #expect(try markdown(deep) == "words\n")
    let quoted =
      String(repeating: "<blockquote>", count: 400) + "words"
      + String(repeating: "</blockquote>", count: 400)
    #expect(try markdown(quoted).contains("words"))
  }

  /// Random elements in any order, with markup characters of every dialect in their text.
  @Test func `the Markdown of a random page renders the page's text`() throws {
    let seed = SeededGenerator.runSeed
    var generator = PageGenerator(seed: seed)
    for _ in 0..<500 {
      let markup = generator.next()
      let tree = try page("<body>\(markup)</body>")
      let shown = generator.text
      let text = Article.read(tree, at: nil, isWhole: true)?.markdown ?? ""
      for dialect in MarkdownDialect.allCases where ![.commonmark, .mkdocs].contains(dialect) {
        let document = ParsedDocument(
          parsing: MarkdownSource(Array(text.utf8)), options: dialect.options)
        let isRight =
          MarkdownWriter.comparable(document.text.string) == MarkdownWriter.comparable(shown)
        #expect(isRight, "seed \(seed), \(dialect): \(markup)\n\(text)")
        // Stop at the first failure.
        if !isRight { return }
      }
    }
  }
}

/// Generates random pages with known text.
struct PageGenerator {
  private var random: SeededGenerator
  /// The text of the last page.
  private(set) var text = ""

  init(seed: UInt64) { random = SeededGenerator(seed: seed) }

  mutating func next() -> String {
    text = ""
    return (0..<Int.random(in: 1...4, using: &random)).map { _ in block(0) }.joined(
      separator: pick(["", " ", "\n"]))
  }

  private mutating func pick<T>(_ values: [T]) -> T { values.randomElement(using: &random)! }

  private static let words = [
    "a", "word", "*", "**", "_", "__", "`", "``", "#", "# ", "- ", "+ ", "1. ", "2) ", ">", "|",
    "||", "~~",
    "==", "$", "$$", ":tada:", ":", "::", ":::", "[x]", "[ ]", "[^1]", "[[a]]", "](b)", "![",
    "&amp;", "&amp;amp;",
    "&lt;b&gt;", "&lt;!-- x --&gt;", "\\", "\\*", "{a}", "{% x %}", "{{ y }}", "%%", "^id", "^[n]",
    "^", "~",
    "http://a.b/c_d", "www.a.b", "me@a.b", "---", "===", "***", "...", "“q”", "é", "漢字",
    "\u{1F600}", "ﬁ",
    "\u{A0}", "!!! note", "[TOC]", "import x", "export y", "=", "\"", "'", "(c)", "a_b_c", "++k++",
    "Term",
    ": def", "    x", "\t", "&#13;", "0", "12", "[", "]", "(", ")", "!", "?", ",", ".", ";", "@",
    "/", "H~2~O",
    "\\(x\\)", "$a$b", "5$ 6$", "&lt;sup&gt;", "&#x200b;", "|---|", "> [!NOTE]", "&amp;copy;",
    "&amp;#35;",
  ]

  private mutating func word() -> String {
    let word = pick(Self.words)
    text += word.replacing("&lt;", with: "<").replacing("&gt;", with: ">").replacing(
      "&#13;", with: "\r"
    )
    .replacing("&#x200b;", with: "\u{200B}").replacing("&amp;", with: "&")
    return word
  }

  private mutating func line(_ depth: Int) -> String {
    (0..<Int.random(in: 1...6, using: &random)).map { _ in
      let blank = pick(["", " ", "\n"])
      guard depth < 3, Int.random(in: 0..<3, using: &random) == 0 else { return blank + word() }
      let name = pick([
        "em", "strong", "b", "i", "del", "mark", "span", "a", "cite", "small", "br", "kbd", "u",
      ])
      if name == "br" { return blank + "<br/>" }
      let attributes = name == "a" ? " href=\"https://e.f/g(h)?i=j&amp;copy=_*\"" : ""
      return blank + "<\(name)\(attributes)>" + line(depth + 1) + "</\(name)>"
    }.joined()
  }

  private mutating func block(_ depth: Int) -> String {
    func many(_ make: (inout Self) -> String, _ range: ClosedRange<Int>) -> String {
      (0..<Int.random(in: range, using: &random)).map { _ in make(&self) }.joined()
    }
    switch Int.random(in: 0..<(depth < 3 ? 12 : 4), using: &random) {
    case 0, 1: return "<p>\(line(0))</p>"
    case 2: return line(0) + "<p></p>"
    case 3: return "<h\(depth % 6 + 1)>\(line(0))</h\(depth % 6 + 1)>"
    case 4: return "<blockquote>\(many({ $0.block(depth + 1) }, 1...2))</blockquote>"
    case 5, 6:
      let name = pick(["ul", "ol"])
      return "<\(name)>\(many({ "<li>\($0.block(depth + 1))</li>" }, 1...3))</\(name)>"
    case 7: return "<div>\(many({ $0.block(depth + 1) }, 1...3))</div>"
    case 8:
      let code = many({ $0.word() + $0.pick(["", "\n", " "]) }, 1...5)
      return "<pre><code class=\"language-x\">\(code)</code></pre>"
    case 9:
      let columns = Int.random(in: 1...3, using: &random)
      return
        "<table>\(many({ g in "<tr>" + (0..<columns).map { _ in "<th>\(g.line(1))</th>" }.joined() + "</tr>" }, 1...3))</table>"
    case 10: return "<dl><dt>\(line(0))</dt><dd>\(block(depth + 1))</dd></dl>"
    default: return "<a href=\"https://k.l\">\(block(depth + 1))</a>"
    }
  }
}
