import MarkdownChecks
import Model
import Testing

@testable import MarkdownParse

/// Tests names of pictures, footnote marks, attributes of headings, and dollar signs.
@Suite struct RenderedNameTests {
  private func parsed(_ markdown: String) -> ParsedDocument {
    ParsedDocument(parsing: MarkdownSource(markdown))
  }

  @Test(arguments: [
    ("![](x.png)", "x.png"), ("![](a/b%20c.png?d#e \"f\")", "b c.png"),
    ("![](<a b.png>)", "a b.png"),
    ("![][r]\n\n[r]: /a/b.png", "b.png"), ("![](data:image/png;base64,AA/BB)", "image/png"),
    ("![](https://a.example/b/)", "b"), ("![](a%0Ab%1B.png)", "a\u{FFFD}b\u{FFFD}.png"),
    ("![]()", ""),
    ("[![](a/b.png)](c)", "b.png"), ("![ ](x.png)", " "), ("![](a\\_b&amp;c.png)", "a_b&c.png"),
  ])
  func `a picture without a description is shown with its file name`(markdown: String, text: String)
    throws
  {
    #expect(parsed(markdown).text.string == text)
    try DocumentCheck.run(Array(markdown.utf8))
  }

  @Test func `a picture's name maps to its source`() {
    let document = parsed("![](a/b.png)")
    #expect(document.map.source(of: TextRange(utf16: 0..<5)).map(\.bytes) == [6..<11])
  }

  @Test func `a picture within a link has both destinations`() throws {
    let document = parsed("[![a](b.png)](c)")
    let run = try #require(document.styleRuns(in: document.blocks[1]).first)
    #expect(run.link.map { document.links[$0].destination } == "b.png")
    #expect(run.linkAroundImage.map { document.links[$0].destination } == "c")
    #expect(run.target.map { document.links[$0].destination } == "c")
  }

  @Test func `a footnote mark and its note refer to each other`() throws {
    let document = parsed("a[^B] c[^b]\n\n[^b]: d *e*\n\n    f")
    #expect(document.text.string == "a[B] c[b]\nd e\nf")
    #expect(document.map.source(of: TextRange(utf16: 1..<4)).map(\.bytes) == [1..<2, 3..<5])
    #expect(document.text(named: "fn:b")?.lowerBound == TextOffset(utf16: 10))
    #expect(document.text(named: "fnref:b") == TextRange(utf16: 1..<4))
    #expect(document.footnote(at: TextOffset(utf16: 2))?.label == "B")
    #expect(document.footnote(at: TextOffset(utf16: 2))?.isText == false)
    #expect(document.footnote(at: TextOffset(utf16: 12))?.isText == true)
    #expect(document.footnote(at: TextOffset(utf16: 5)) == nil)
  }

  @Test(arguments: [
    ("# a {#b}", "a", "b"), ("# a {#b .c d=\"e f\"} ##", "a", "b"), ("# a ## {#b}", "a", "b"),
    ("a {#b}\n===", "a", "b"), ("a\nb {.c #d}\n---", "a b", "d"), ("# a{#b}", "a", "b"),
    ("# a {: #b}", "a", "b"), ("<h1 id='b'>a</h1>", "a", "b"), ("<a name=b></a>\n\n# a", "a", "b"),
    ("# a {-}", "a", nil), ("# a {.b}", "a", nil),
    ("# a {b}", "a {b}", nil), ("# a{.b}", "a{.b}", nil), ("# {#b}", "{#b}", nil),
    ("# `{#b}`", "{#b}", nil), ("# a \\{#b}", "a {#b}", nil), ("# a {}", "a {}", nil),
    ("# a {#b} c", "a {#b} c", nil), ("a {#b}", "a {#b}", nil),
  ])
  func `a heading's attributes are hidden, and its id is a target`(
    markdown: String, text: String, name: String?
  )
    throws
  {
    let document = parsed(markdown)
    #expect(document.text.string == text)
    #expect(document.text(named: "b")?.lowerBound == (name == "b" ? TextOffset(utf16: 0) : nil))
    try DocumentCheck.run(Array(markdown.utf8))
  }

  @Test(arguments: [
    ("$x$", ["x"]), ("a $x$, b", ["x"]), ("设$x$为", ["x"]), ("($x$)", ["x"]), ("$$a$b$$", ["a$b"]),
    ("$HOME or $b", []), ("$HOME/a:$PATH", []), ("5$x$", []), ("a$x$", []), ("$x$3", []),
    ("$x$a", []),
    ("`a`$x$", []), ("$x$`a`", []), ("$5 and $6", []), ("a$$x$$b", ["x"]), ("$a\\$b$", ["a\\$b"]),
  ])
  func `a dollar sign beside a word does not begin or end mathematics`(
    markdown: String, found: [String]
  ) {
    let document = parsed(markdown)
    let maths = document.inlines.filter { if case .math = $0.kind { true } else { false } }
    #expect(maths.map { document.text.substring($0.text) } == found)
  }
}
