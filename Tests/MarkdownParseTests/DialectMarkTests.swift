import MarkdownChecks
import Model
import TestSupport
import Testing

@testable import MarkdownParse

/// Tests marks, the markup that only some dialects have: inline notes, attributes, keys, labels of
/// tags.
@Suite struct DialectMarkTests {
  private static func parsed(_ markdown: String, _ dialect: MarkdownDialect) throws
    -> ParsedDocument
  {
    try DocumentCheck.run(Array(markdown.utf8), dialect.options)
    return ParsedDocument(parsing: MarkdownSource(markdown), options: dialect.options)
  }

  private static func text(_ markdown: String, _ dialect: MarkdownDialect) throws -> String {
    try parsed(markdown, dialect).text.string
  }

  /// Returns the source of each range between « and » in `marked`, the expected text.
  private func sources(_ markdown: String, _ marked: String, _ dialect: MarkdownDialect) throws
    -> [String]
  {
    let document = try Self.parsed(markdown, dialect)
    let text = MarkedText(marked)
    #expect(document.text.string == text.text)
    return text.ranges.map { range in
      document.map.source(of: range).map { document.source.text(in: $0) }.joined(separator: "|")
    }
  }

  @Test(arguments: [
    ("a^[b *c*] d", "a[b c] d"), ("a^[b [c](d) e]f", "a[b c e]f"), ("a ^[b", "a ^[b"),
    ("^[a^[b]]", "[a[b]]"), ("a^[b][c]\n\n[c]: d", "a[b]c"), ("`^[a]` \\^[b]", "^[a] ^[b]"),
    ("*a^[b* c]", "*a[b* c]"),
  ])
  func `inline notes are shown in brackets`(markdown: String, text: String) throws {
    #expect(try Self.text(markdown, .pandoc) == text)
    #expect(try Self.text(markdown, .obsidian) == text)
  }

  @Test(arguments: [
    ("[a](b){.c} d", "a d"), ("![a](b.png){width=50%}", "a"),
    ("![](b.png){#fig-b width=\"50%\"}", "b.png"),
    ("`a`{.python}b", "ab"), ("**a**{.b}", "a"), ("[small words]{.smallcaps} b", "small words b"),
    ("[*a* `b`]{#c .d e=f}", "a b"), ("[a] {.b}", "[a] {.b}"), ("a{.b}", "a{.b}"),
    ("[a](b){c}", "a{c}"), ("`a`{b c}", "a{b c}"), ("x \\*{.a}", "x *{.a}"), ("[a]{.b", "[a]{.b"),
    ("::: {.callout-note title=\"A *b*\"}\nc\n:::", "A b\nc"),
    ("::: {#x .callout-tip collapse=true title='T'}\nc\n:::", "T\nc"),
    ("::: {.callout-tip}\n## T `x` {#y}\n\n## U\n:::", "T x\nU"),
    ("> ::: {.callout-tip}\n> # T #\n> a\n> :::", "T\na"),
    ("::: {.callout-tip}\na\n\n## T\n:::", "Tip\na\nT"), ("::: {.note}\n## T\n:::", "Note\nT"),
    ("\\(x\\) :material-a: ++a++", "(x) :material-a: ++a++"), ("*[A]: b", "*[A]: b"),
  ])
  func `attributes and marks of Pandoc are hidden`(markdown: String, text: String) throws {
    #expect(try Self.text(markdown, .pandoc) == text)
  }

  @Test(arguments: [
    ("[a](b){ .md-button } c", "a c"), ("[a](b){: .c }", "a"),
    ("![a](b){ loading=lazy align=left }", "a"),
    (":material-home: Home", "Home"), ("a :fontawesome-brands-github:{ .x .y } b", "a b"),
    (":material-home", ":material-home"), (":nope-a:", ":nope-a:"),
    ("Press ++ctrl+alt+page-up++.", "Press Ctrl+Alt+Page Up."), ("i++ + j++", "i++ + j++"),
    ("C++ ++ a++b++ ++++", "C++ ++ a++b++ ++++"),
    ("\\(a_b\\) c\n\n\\[d\\]\n\n\\[e\\] f", "a_b c\nd\n[e] f"),
    ("\\\\(a\\\\)", "\\(a\\)"), ("\\(a", "(a"), ("\\(\\)", "()"),
    ("The HTML.\n\n*[HTML]: Hyper\n*[CSS]: Style\n\nb", "The HTML.\nb"), ("a\n*[A]: b\nc", "a\nc"),
    ("*[a] b*", "[a] b"), ("# A\n{: .b #c }\n\nd", "A\nd"), ("a\n{ .annotate }\n\nb", "a\nb"),
    ("{placeholder}", "{placeholder}"), ("{ a: b }", "{ a: b }"),
    ("<div class=\"grid\" markdown>\n\n- *a*\n\n</div>\n\nb", "a\nb"),
    (
      "<figure markdown=\"span\">\n  ![a](b){ width=\"3\" }\n  <figcaption>c</figcaption>\n</figure>",
      "a\nc"
    ),
    ("<div markdown=\"0\">\n*a*\n</div>", "*a*"), ("<div>\n*a*\n</div>", "*a*"),
    ("^[a] [a]{.b}", "^[a] [a]{.b}"),
  ])
  func `marks of MkDocs are rendered`(markdown: String, text: String) throws {
    #expect(try Self.text(markdown, .mkdocs) == text)
  }

  @Test(arguments: [
    ("[a](b){:target=\"_blank\"} c", "a c"), ("*a*{: .b}", "a"), ("[a](b){.c}", "a{.c}"),
    ("a\n{: .b}\n\nc", "a\nc"), ("* TOC\n{:toc}\n\n# A", "A"), ("1. TOC\n{:toc .x}\n\na", "a"),
    ("* a\n\n{:toc}", "a"), ("{:.no_toc}\n## A", "A"), ("{::comment}\na\n\nb\n{:/comment}\nc", "c"),
    ("{::options x=\"y\" /}\na", "a"), ("*[A]: b\n\nc", "c"),
    ("<div markdown=\"1\">\n*a*\n</div>", "a"), ("{ .a }", "{ .a }"),
    ("++a++ H~2~O 2^1^", "++a++ H2O 2^1^"),
  ])
  func `attributes of Jekyll are hidden`(markdown: String, text: String) throws {
    #expect(try Self.text(markdown, .jekyll) == text)
  }

  @Test(arguments: [
    (
      "```{figure} /a/fig%201.png\n:name: x\n:width: 50%\n\nA *caption*.\n```\nb",
      "fig 1.png\nA caption.\nb"
    ),
    (":::{figure} a.png\n:alt: b\nCaption\n:::", "a.png\nCaption"),
    ("```{image} a/b.svg\n```", "b.svg"),
    ("```{code-block} python\n:linenos:\n:name: x\n\nx: int\n:y:\n```", "\nx: int\n:y:"),
    ("```{code-cell}\n:tags: [a]\n```", ""), ("```python\n:a: b\n```", ":a: b"),
    ("(part)=\n# A", "A"), ("a\n\n% a comment\nb", "a\nb"),
    ("+++\n\na\n\n+++ {\"x\": 1}\n\nb", "a\nb"),
    ("(a)\n(b c)=", "(a) (b c)="), ("{ref}`a` {math}`x^2`", "a x^2"),
    ("H{sub}`2`O m{sup}`q`", "H₂O m^q"), ("R{sub}`max` m{sup}`word`s", "R max m word s"),
    ("{a}b `{c}`", "{a}b {c}"),
  ])
  func `marks of MyST are rendered`(markdown: String, text: String) throws {
    #expect(try Self.text(markdown, .myst) == text)
  }

  @Test(arguments: [
    (
      "<Tabs>\n<TabItem value=\"a\" label=\"A &amp; *b*\" default>\n\nc\n\n</TabItem>\n</Tabs>",
      "A & *b*\nc"
    ),
    ("<Admonition type=\"tip\" title=\"T\">\n\na\n\n</Admonition>", "T\na"),
    ("<Admonition type=\"tip\">\n\na\n\n</Admonition>", "Tip\na"),
    ("<Warning>\n\na\n\n</Warning>", "Warning\na"),
    ("<Card\n  title=\"T u\"\n  href=\"/a\"\n>\n\nb\n\n</Card>", "T u\nb"),
    ("<Card title={x}>\n\nb\n\n</Card>", "b"),
    ("<Tabs><TabItem label=\"A\">\n\nb\n\n</TabItem></Tabs>", "A\nb"),
    ("<Layout title=\"T\">\n\na\n\n</Layout>", "a"),
    ("> <Card\n>   title=\"T\"\n> >\n> a", "T\na"), ("- <Step title='S'>\n  a\n  </Step>", "S\na"),
    ("<TabItem label=\"\">\n\na", "a"),
  ])
  func `labels of MDX tags are shown`(markdown: String, text: String) throws {
    #expect(try Self.text(markdown, .docusaurus) == text)
    #expect(try Self.text(markdown, .mdx) == text)
  }

  @Test func `marks of other dialects are text`() throws {
    let marks = [
      "a^[b] c", "`a`{.b}", "[a b]{.c}", ":material-home: a", "++ctrl+c++", "{: .a}", "{:toc}",
      "(a)=", "% a",
      "{ref}`a`", "[A]{.b}",
    ]
    for mark in marks {
      let document = try Self.parsed(mark, .github)
      #expect(document.text.string == mark.replacing("`", with: ""), "\(mark)")
      #expect(try Self.text(mark, .commonmark) == mark.replacing("`", with: ""), "\(mark)")
    }
    #expect(try Self.text("<TabItem label=\"A\">\n\nb", .github) == "b")
    #expect(try Self.text("+++\na = 1\n+++\nb", .commonmark) == "+++ a = 1 +++ b")
    #expect(try Self.text("$`x`$", .pandoc) == "`x`")
  }

  @Test func `mathematics in both dollar signs and backticks is shown without them`() throws {
    #expect(try Self.text("$`x^2`$ $`$ $``$", .github) == "x^2 ` ``")
  }

  @Test(arguments: [
    // Code spans are not divided. A formula in single dollar signs contains no code span, unless
    // the code span is its entire content.
    ("the $PROMPT: `$ rails -v` prints", "the $PROMPT: $ rails -v prints"),
    ("$a `b$ c` d$", "$a b$ c d$"), ("$a `b` c$ d", "$a b c$ d"), ("$`a` b$", "$a b$"),
    ("$$a `$$` b", "$$a $$ b"), ("$$a `b` c$$", "a `b` c"), ("$$a `$$` b$$", "a `$$` b"),
    ("$a`b$ c", "a`b c"), ("$a \\` b$ `c`", "a \\` b c"), ("$`a`$ b", "`a` b"),
    // The text of a link ends at its bracket.
    ("[Bash $\\* and $@](https://a.b) or $", "Bash $* and $@ or $"),
    ("[costs $5](a), ![$x](b.png)$", "costs $5, $x$"), ("[a $$b](c) d$$", "a $$b d$$"),
    ("[a $f[x](y)$](b)", "a f[x](y)"), ("[0, 1) $f[x](y)$", "[0, 1) f[x](y)"),
    ("[a [b](c) $x](d) y$", "[a b x](d) y"), ("[$x$](a) $y$", "x y"),
    ("[a $x][b] c$\n\n[b]: d", "[a x][b] c"),
  ])
  func `mathematics divides neither code nor links`(markdown: String, text: String) throws {
    for dialect in MarkdownDialect.allCases where dialect.options.math {
      let shown = dialect.options.codeMath ? text.replacing("`a` b", with: "a b") : text
      #expect(try Self.text(markdown, dialect) == (markdown == "$`a`$ b" ? shown : text))
    }
    #expect(try Self.text("$a$ `$b$`", .commonmark) == "$a$ $b$")
  }

  @Test func `a link with a dollar sign in its text keeps its destination`() throws {
    let document = try Self.parsed("[Bash $\\* and $@](https://a.b) and $x", .github)
    #expect(document.links.map(\.destination) == ["https://a.b"])
  }

  @Test(arguments: [
    ("+++\ntitle = \"a\"\n+++\nb", "b"), ("\u{FEFF}+++\n+++\nb", "b"), ("+++\na", "+++ a"),
    ("---\na: b\n+++\n---\nc", "c"), ("+++ x\na\n+++", "+++ x a +++"),
  ])
  func `front matter in TOML is hidden`(markdown: String, text: String) throws {
    #expect(try Self.text(markdown, .github) == text)
  }

  @Test(arguments: [
    ("<div hidden>a</div>b", "b"),
    ("<p>a <span style=\"color:red; display: none\">b</span> c</p>", "a c"),
    ("a <span hidden>b <span>c</span> d</span> e", "a e"),
    ("a <span hidden=\"until-found\">b</span>", "a"),
    ("<div hidden><div>a</div>b</div>c", "c"), ("<div hidden>a\n\nb", "a\nb"),
    ("a <b hidden>c", "a c"),
    ("<img hidden src=a.png>b", "b"), ("a <img src=b.png style='DISPLAY:NONE'> c", "a c"),
    ("<div style=\"display:block\" data-hidden>a</div>", "a"), ("<p hidden>a<p>b", "a\nb"),
    ("*a <i hidden>b* c</i>", "a b c"),
  ])
  func `hidden HTML elements are omitted`(markdown: String, text: String) throws {
    #expect(try Self.text(markdown, .github) == text)
  }

  @Test func `rendered marks map to their source`() throws {
    #expect(
      try sources("a ++ctrl+c++ b", "a «Ctrl»«+»«C» b", .mkdocs) == ["ctrl", "+", "c"])
    #expect(try sources("a^[b]c", "a«[»«b»«]»c", .pandoc) == ["[", "b", "]"])
    #expect(try sources("\\(x\\) [a](b){.c} d", "«x» «a d»", .mkdocs) == ["x", "a| d"])
    #expect(
      try sources("<Card title=\"A &lt; b\">\n\nc", "«A »«<»« b»\n«c»", .mdx) == [
        "A ", "&lt;", " b", "c",
      ])
    #expect(try sources("::: {.callout-tip}\n## T\n:::", "«T»", .pandoc) == ["T"])
    #expect(
      try sources("```{figure} a/b%20c.png\nd\n```", "«b c.png»\n«d»", .myst) == ["b%20c.png", "d"])
  }

  @Test func `links can lead to a hidden target`() throws {
    let document = try Self.parsed("(part-a)=\n# A\n", .myst)
    #expect(
      document.anchors.map { document.source.text(in: SourceRange(bytes: $0.name.range)) } == [
        "part-a"
      ])
  }

  @Test func `the picture of a figure directive is an image`() throws {
    let document = try Self.parsed("```{figure} a/b.png\n```", .myst)
    #expect(document.links.map(\.destination) == ["a/b.png"])
    #expect(document.inlines.map(\.kind) == [.image(0)])
  }

  @Test func `code titles are read from attributes`() throws {
    func titles(_ markdown: String, _ dialect: MarkdownDialect) throws -> [String?] {
      let document = try Self.parsed(markdown, dialect)
      return document.blocks.compactMap { block -> String?? in
        if case .codeBlock(let info?) = block.kind { document.codeTitle(in: info) } else { nil }
      }
    }
    #expect(try titles("```js {1} title=\"a b.js\" x\n```", .docusaurus) == ["a b.js"])
    #expect(try titles("```{.python filename='a.py'}\n```", .pandoc) == ["a.py"])
    #expect(try titles("```js title=\"\"\n```\n\n```js\n```", .mkdocs) == [nil, nil])
    #expect(try titles("```js title=\"a\"\n```", .github) == [nil])
  }
}
