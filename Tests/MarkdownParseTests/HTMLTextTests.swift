import MarkdownChecks
import Model
import Testing

@testable import MarkdownParse

/// Tests how HTML contributes to the rendered text.
@Suite struct HTMLTextTests {
  private func parsed(_ markdown: String) -> ParsedDocument {
    ParsedDocument(parsing: MarkdownSource(markdown))
  }

  @Test(arguments: [
    // Tags around text.
    ("<p align=\"center\">one\n  two</p>", "one two"), ("<div>a</div><div>b</div>", "a\nb"),
    ("<p>a <b>b</b>, <i>c</i>.</p>", "a b, c."), ("<p>\n\n*a*\n\n</p>", "a"),
    ("<Card title=\"x\">text</Card>", "text"), ("<foo-bar>\ntext\n</foo-bar>", "text"),
    ("<p>a &lt; &amp; &copy; &nope; b</p>", "a < & © &nope; b"),
    ("<p>a < b > c <3</p>", "a < b > c <3"),
    ("<p>*a* `b` [c](d)</p>", "*a* `b` [c](d)"), ("<p>a\n> b</p>", "a > b"),
    ("> <p>a\n> b</p>", "a b"),
    // Breaks.
    ("a<br>b", "a\nb"), ("a <br/> b", "a\nb"), ("a<br>\nb", "a\nb"), ("a  \n<br>b", "a\n\nb"),
    ("a\n<br>\nb", "a\nb"), ("<br>a<br>", "a"), ("a<br><br>b", "a\n\nb"), ("a <hr> b", "a\nb"),
    ("<p>a<br>\nb<br></p>", "a\nb"), ("| a<br>b |\n|-|\n", "a\nb"), ("**a<br>b**", "a\nb"),
    ("a <p>b</p> c", "a\nb\nc"), ("| <ul><li>x</li><li>y</li></ul> |\n|-|\n", "x\ny"),
    // Lists, tables, headings.
    ("<ul><li>a<li>b<ul><li>c</ul></ul>", "a\nb\nc"), ("<dl><dt>a<dd>b</dl>", "a\nb"),
    ("<table><tr><th>a<th>b<tr><td>c</td><td><p>d</p><p>e</p></td></table>", "a\tb\nc\td\ne"),
    ("<table><caption>x</caption><tr><td></td><td>y</td></tr></table>", "x\n\ty"),
    ("<h1>a<br>b</h1>", "a\nb"), ("<details><summary>a</summary>b</details>", "a\nb"),
    (
      "<table><tr><td><table><tr><td>a</td><td>b</td></tr></table></td><td>c</td></tr></table>",
      "a\nb\tc"
    ),
    // Preserved white space.
    ("<pre>\n a\n\n  b &lt;\n</pre>", " a\n\n  b <"),
    ("<div><pre>a\n b</pre> c  d</div>", "a\n b\nc d"),
    ("<textarea>\n a\n  b</textarea>", " a\n  b"),
    // Hidden elements.
    ("<script>\nvar a\n</script>\nb", "b"), ("<style>a</style>b", "b"), ("<!-- a\n\nb -->\nc", "c"),
    ("<!DOCTYPE html>\n<html><head><title>a</title></head><body>b</body></html>", "b"),
    ("<?php a ?>", ""), ("<![CDATA[ a ]]>", ""), ("a <script>b *c*</script> d", "a d"),
    ("<div><script>a</div>\n\nb", "b"),
    // Pictures.
    ("<img src=\"a.png\" alt=\"b  c\">", "b c"), ("<img alt='a &amp; b' src=x>", "a & b"),
    ("<img src=\"/a/b%20c.png?x#y\">", "b c.png"), ("a <img src=x alt=b> c", "a b c"),
    ("<img src=\"data:image/png;base64,AAAA\">", "image/png"), ("<img>", ""),
    ("<p><a href=x><img src=y></a> z</p>", "y z"),
    // Unclosed and crossing tags.
    ("<b>a", "a"), ("<div><ul><li>a</div>\n\nb", "a\nb"), ("a </b> c", "a c"),
    ("<p><b>a<i>b</b>c</i>d</p>", "abcd"), ("<h1>a\n\nb", "a\nb"), ("<pre>a\n\n*b*", "a\n\n*b*"),
    ("<div><pre>a\n\n*b*", "a\nb"), ("<div <b>a</div>", "a"),
    ("<div title=\"a>b</div>\n\nc", "b\nc"),
  ])
  func `tags are hidden, and their content is text`(markdown: String, text: String)
    throws
  {
    #expect(parsed(markdown).text.string == text)
    try DocumentCheck.run(Array(markdown.utf8))
  }

  @Test func `HTML elements become blocks`() throws {
    let document = parsed(
      "<h2 id=\"x\">a</h2>\n<ol start=\"3\"><li>b</li><li>c</li></ol>\n<blockquote>d</blockquote>\n<pre>e</pre>\n<hr>"
    )
    let kinds = document.blocks.map(\.kind)
    #expect(
      kinds == [
        .document, .htmlBlock, .heading(level: 2),
        .list(Block.ListStyle(start: 3, delimiter: 46, isTight: true)), .listItem(task: nil),
        .paragraph, .listItem(task: nil), .paragraph, .blockQuote, .paragraph,
        .codeBlock(info: nil),
        .thematicBreak,
      ])
    #expect((0..<12).map(document.isHTML) == [false, false] + Array(repeating: true, count: 10))
  }

  @Test func `inline HTML elements become spans`() throws {
    for markdown in [
      "<p><b>a</b> <em>b</em> <del>c</del> <mark>d</mark> <kbd>e</kbd> <a href=\"f?g&amp;h\">i</a></p>",
      "x <b>a</b> <em>b</em> <del>c</del> <mark>d</mark> <kbd>e</kbd> <a href=\"f?g&amp;h\">i</a>",
    ] {
      let document = parsed(markdown)
      let kinds = document.inlines.map(\.kind).filter { $0 != .rawHTML }
      #expect(kinds == [.strong, .emphasis, .strikethrough, .mark, .code, .link(0)])
      #expect(document.links[0].destination == "f?g&h")
    }
    // An element that crosses a span of Markdown has no effect.
    #expect(parsed("*a <b>b* c</b>").inlines.map(\.kind) == [.emphasis, .rawHTML, .rawHTML])
    // An open style continues in the next block, and ends with the HTML.
    let open = parsed("<p><b>a<p>b\n\nc")
    #expect(open.inlines.map { open.text.substring($0.text) } == ["a", "b"])
  }

  @Test func `a bare address within a link is not another link`() {
    let document = parsed("<a href=\"u\">www.a.bc</a> www.d.ef")
    #expect(document.links.map(\.destination).contains("u"))
    #expect(document.inlines.count { if case .link = $0.kind { true } else { false } } == 2)
  }
}
