import TestSupport

/// Generates unlikely but possible documents: markup of every kind in any order, every line ending,
/// and bytes that aren't valid UTF-8.
///
/// ```swift
/// var generator = DocumentGenerator(seed: SeededGenerator.runSeed)
/// try DocumentCheck.run(generator.next())
/// ```
public struct DocumentGenerator {
  private var random: SeededGenerator

  /// Creates a generator. Equal seeds generate equal documents.
  public init(seed: UInt64) { random = SeededGenerator(seed: seed) }

  /// Returns the next document, with up to about 400 bytes.
  public mutating func next() -> [UInt8] {
    switch Int.random(in: 0..<5, using: &random) {
    case 0: blockOfHTML()
    case 1, 2: lines()
    default: pieces()
    }
  }

  /// Returns the next document with syntax of dialects other than CommonMark and GFM.
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
    "(a)=", "% a", "+++", "*[A]: b", "{: .a}", "{:toc}", "{::comment}", "{:/comment}", "{ .a }",
    "<div markdown>", "</div>", "```{figure} a/b.png", ":::{figure} a.png", "```{code-block} c",
    "::: {.callout-tip title=\"x\"}", "## T", "<TabItem label=\"a &amp; b\">",
    "<Admonition type=\"tip\">", "<Card\n  title='x y'\n>", "+++\na = 1\n+++",
    "*/}", "{% a %}", "{% highlight a %}", "{% endhighlight %}", "{% comment %}",
    "{% endcomment %}", "{{< highlight a >}}", "{{< /highlight >}}", "{{% notice tip \"T\" %}}",
    "{{% /notice %}}", "{{< note >}}", "{{< /note >}}",
    "{{< figure src=\"a/b.png\" caption='c' >}}",
    "{{< figure\n  src='a.png'\n>}}", "{{< tab \"T\" >}}", "{{< /tab >}}", "{{< a",
    "{% a", "%}", "[TOC]", "[[_TOC_]]", "```{note}", "```", ":class: a", "a\n",
  ]

  private static let dialect = [
    "[[", "]]", "[[a]]", "[[a|b]]", "[[a#b]]", "![[a.png|3]]", "%%", "%% a %%", " ^a-1", ":tada:",
    ":a:",
    "<A b={c}>", "<A.B {...c}/>", "<>", "</>", "{/*", "*/}", "{/* a */}", "{%", "%}", "{% a %}",
    "{{ a }}", "{{< a >}}", "{{%", "%}}", "{{</* a */>}}", "[a]({{< ref \"b\" >}})", "~2~", "^n^",
    "^q r^", "~", "^", "x^(^", "^[", "^[a]", "]", "[a]{.b}",
    "{.a}", "{: .a}", "`a`", "**", "++ctrl+page-up++", "++", "\\(", "\\)", "\\(a\\)", "\\[b\\]",
    ":material-a:", "{ref}`a`", "{sup}`2`", "$`a`$", "![](a/b.png)",
    "|", "#", "[!NOTE]", ":", "{", "}", "a", " ",
  ]

  /// Returns the next document in valid UTF-8, without NUL and with line feeds only. It is for
  /// comparisons with parsers that don't report source positions.
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

  /// Returns an HTML block with tags and text, possibly inside a container, and a paragraph after
  /// it.
  private mutating func blockOfHTML() -> [UInt8] {
    let prefix = pick(["", "", "> ", "- ", "\t"])
    let pieces = (0..<Int.random(in: 1...24, using: &random)).flatMap { _ in
      pick(Int.random(in: 0..<4, using: &random) == 0 ? Self.inline : Self.html)
    }
    let inner = String(decoding: Array("<div>".utf8) + pieces, as: UTF8.self)
    let block = inner.replacing("\n", with: "\n" + (prefix == "- " ? "  " : prefix))
    return Array((prefix + block + "\n\n*after*\n").utf8)
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

  /// Fragments of lines with syntax of CommonMark and GFM, in ASCII and letters.
  private static let plain = [
    "a", "word", " ", " ", "  ", "*", "**", "_", "__", "`", "``", "[", "](", ")", "]", "![", "(/u)",
    "[a]", "](/u \"t\")", "\\", "\\*", "&amp;", "&copy;", "&#35;", "&x;", "é", "日本", "~~", "~", "|",
    "\\|", "<b>", "</b>", "<a href=\"x\">", "<http://x.y>", "www.a.bc", "http://x.yz/p", "a@b.cd",
    "#", "-", "1.", "!", "\"", "'", ":", ".", "\t",
  ]

  private static let inline: [[UInt8]] =
    (plain + [
      "==", "==", "$", "$$", "[^1]", "[^1]: ", "&nGt;", "&#x1F44B;", "👋🏽", "\u{A0}", "“", "<!--",
      "-->", "<?", "<![CDATA[", "![](/a/b.png)", "![](a%20b\\_%0A.png 't')", "![][a]", "{#x}",
      " {#x .y z=1}", "]: /u/v%21\n", "](<", ">", "<div>", "\n", "\\\n", "<br>", "<br/>", "</br>",
      "<br\n>",
      "<i>", "</i>", "<a href=\"&amp;\">", "</a>", "<img src=\"/a/b.png?c\">",
      "<img alt=\"a  b\n&lt;\" src=x>",
      "<img src=\"a%20&amp;%0A%FF\">", "<code>", "</code>", "<script>", "</script>", "</div>",
      "<p>", "</p>", "<sup>", "</sup>", "<sub>", "</sub>", "2", "<sup>12</sup>", "<sub>qq</sub>",
      "<hr>", "<h2 id=x>", "</h2>", "<span class='x'>", "</span>", "<del>", "</del>", "  \n", "\r",
      "\u{FEFF}",
      "\u{0B}", "\u{0C}", "\u{1}", "\u{2028}",
    ]).map { Array($0.utf8) } + [
      [0], [0xFF], [0xE2, 0x82], [0xC3], [0xF0, 0x9F], [0xED, 0xA0, 0x80],
    ]

  /// Fragments of HTML blocks.
  private static let html: [[UInt8]] = [
    "<ul>", "</ul>", "<ol start=3>", "</ol>", "<li>", "</li>", "<table>", "</table>", "<tr>",
    "</tr>",
    "<td>", "</td>", "<th>", "</th>", "<tbody>", "<pre>", "</pre>", "<textarea>", "</textarea>",
    "<blockquote>", "</blockquote>", "<details>", "<summary>", "</summary>", "<dl>", "<dt>", "<dd>",
    "<h1>", "</h1>", "<h6\n>", "<hr/>", "<mark>", "</mark>", "<kbd>", "</kbd>", "<style>",
    "</style>",
    "<sup>", "</sup>", "<sub>", "</sub>", "1", "<title>", "</title>", "<foo-bar>",
    "<Card title=\"x\">", "<a\nhref='x\ny'>", "<a name=b>",
    "  ",
    "\n", "\n\n", "<!-- x -->", "&lt;", "&#10;", "<b>", "</b>", "<br>", "a", "word",
  ].map { Array($0.utf8) }

  private static let all: [[UInt8]] =
    inline + prefixes.map { Array($0.utf8) } + html
    + ["\n\n", "\r\n", "```\n", "|-|-|\n", "[a]: /b\n", "[a]: </b>\n'c\nd'\n"].map {
      Array($0.utf8)
    }
}
