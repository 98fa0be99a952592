import Editing
import MarkdownParse
import Model
import TestSupport
import Testing

/// Tests changing text in HTML.
@Suite struct HTMLEditTests {
  @Test(arguments: [
    ("<p>a «quick» fox</p>", InlineStyle.strong, "<p>a <strong>quick</strong> fox</p>"),
    ("<p>a «quick» fox</p>", .emphasis, "<p>a <em>quick</em> fox</p>"),
    ("<p>a «quick» fox</p>", .code, "<p>a <code>quick</code> fox</p>"),
    ("<p>a «quick» fox</p>", .strikethrough, "<p>a <del>quick</del> fox</p>"),
    ("<ul><li>a «quick» fox</ul>", .mark, "<ul><li>a <mark>quick</mark> fox</ul>"),
    ("a <b>c «d» e</b>", .emphasis, "a <b>c *d* e</b>"),
    ("a «c <i>d</i>» e", .strong, "a **c <i>d</i>** e"),
    ("«a»[^1]\n\n[^1]: b", .strong, "**a**[^1]\n\n[^1]: b"),
    ("«a[^1] b»\n\n[^1]: b", .strong, "**a[^1] b**\n\n[^1]: b"),
  ])
  func `a style in HTML is written as a tag`(
    _ marked: String, _ style: InlineStyle, _ expected: String
  ) throws {
    let source = MarkedSource(marked)
    let change = try source.builder.wrap(style, source.range)
    #expect(change.markdown == expected)
    #expect(change.document.text == source.document.text)
    #expect(try EditBuilder(change.document).state(of: style, in: source.range) == .all)
    #expect(
      try EditBuilder(change.document).unwrap(style, source.range).markdown
        == marked
        .replacing("«", with: "").replacing("»", with: ""))
  }

  @Test func `a style of an HTML tag can be removed`() throws {
    for marked in ["<p>a <b>«quick»</b> fox</p>", "a <b>«quick»</b> fox"] {
      let source = MarkedSource(marked)
      #expect(try source.builder.wrap(.strong, source.range).isEmpty)
      let change = try source.builder.unwrap(.strong, source.range)
      #expect(change.markdown == marked.replacing(/<b>«|»<.b>/, with: ""))
    }
  }

  @Test(arguments: [
    ("<details>\n<summary>«Sum»</summary>\n</details>", InlineStyle.strong),
    ("<details>\n<summary><b>A</b> «steps»</summary>\n</details>", .strong),
    ("<details>\n<summary>«<strong>Sum</strong>»</summary>\n</details>", .strong),
    ("<details>\n<summary>\n  «Two» words\n</summary>\n</details>", .strong),
    ("<dl><dt>«Term» x</dt><dd>D</dd></dl>", .strong), ("<p>a <cite>«b» c</cite></p>", .emphasis),
    ("<p>a <kbd>«b»</kbd></p>", .code), ("Press <kbd>«b»</kbd> now", .code),
    ("<p>a <strong style='x'>«b»</strong></p>", .strong),
  ])
  func `a tag that is more than a style is never removed`(
    _ marked: String, _ style: InlineStyle
  ) throws {
    let source = MarkedSource(marked)
    #expect(throws: FormattingError.self) {
      let change = try source.builder.unwrap(style, source.range)
      Issue.record("\(change.markdown)")
    }
  }

  @Test(arguments: [
    ("<summary>«Two words»</summary>", "<summary><em>Two words</em></summary>"),
    ("<summary>Two «words»</summary>", "<summary>Two <em>words</em></summary>"),
    ("<summary>\n  «Two words»\n</summary>", "<summary>\n  <em>Two words\n</em></summary>"),
    ("<dl><dt>«T»</dt><dd>D</dd></dl>", "<dl><dt><em>T</em></dt><dd>D</dd></dl>"),
  ])
  func `a style is written inside the tags of summaries and terms`(
    _ marked: String, _ expected: String
  )
    throws
  {
    let source = MarkedSource(marked)
    #expect(try source.builder.wrap(.emphasis, source.range).markdown == expected)
  }

  @Test func `links, headings and quotes are rejected in HTML`() throws {
    let source = MarkedSource("<div>\na «quick» fox\n</div>")
    func obstacle(_ body: () throws -> SourceChange) -> FormattingError.Obstacle? {
      do { _ = try body() } catch {
        if case .inexpressible(_, let obstacle, _)? = error as? FormattingError { return obstacle }
      }
      return nil
    }
    #expect(obstacle { try source.builder.link(source.range, to: "u") } == .html)
    #expect(obstacle { try source.builder.setHeading(2, source.range) } == .html)
    #expect(obstacle { try source.builder.wrapQuote(source.range) } == .html)
    let code = MarkedSource("<pre>a «quick» fox</pre>")
    #expect(obstacle { try code.builder.wrap(.strong, code.range) } == .codeBlock)
  }

  @Test(arguments: [
    ("<p>a fox</p>", "dog", "<p>a dog</p>"), ("<p>a fox</p>", "*dog*", "<p>a *dog*</p>"),
    ("<p>a fox</p>", "<b>", "<p>a &lt;b></p>"), ("<p>a fox</p>", "&lt;", "<p>a &amp;lt;</p>"),
    ("<p>a fox</p>", "1 < 2 & 3", "<p>a 1 < 2 & 3</p>"),
    ("<img src=x alt=\"a fox\">", "\"dog\"", "<img src=x alt=\"a &quot;dog&quot;\">"),
    ("<p><b>fox</b>es</p>", "dog", "<p><b>dog</b>es</p>"),
    ("<pre>fox</pre>", "<i>", "<pre>&lt;i></pre>"),
    // Links keep their names.
    ("![](fox.png)", "dog", "![](fox.png)"), ("<img src=fox.png>", "dog", "<img src=fox.png>"),
    ("a[^fox]\n\n[^fox]: b\n[^dog]: c", "dog", "a[^fox]\n\n[^fox]: b\n[^dog]: c"),
    ("# fox {#fox}", "dog", "# dog {#fox}"), ("a <b>fox</b>", "*", "a <b>*</b>"),
  ])
  func `a replacement in HTML is escaped`(
    _ markdown: String, _ new: String, _ expected: String
  ) throws {
    let document = ParsedDocument(parsing: MarkdownSource(markdown))
    let place = try #require(document.text.string.firstRange(of: "fox"))
    let start = document.text.string.utf16.distance(
      from: document.text.string.startIndex, to: place.lowerBound)
    let edit = TextEdit(range: TextRange(utf16: start..<start + 3), replacement: new)
    #expect(Replacer(document).replace([edit]).document.markdown == expected)
  }

  @Test func `changing the level of a heading keeps its attributes`() throws {
    let source = MarkedSource("# «a» {#b}\n\nc")
    #expect(try source.builder.setHeading(2, source.range).markdown == "## a {#b}\n\nc")
    let closed = MarkedSource("# «a» # {#b}")
    #expect(try closed.builder.setHeading(2, closed.range).markdown == "## a ## {#b}")
  }

  @Test func `a passage of HTML is copied as Markdown and as HTML`() {
    let document = ParsedDocument(
      parsing: MarkdownSource("<p>a *b* <b>c</b></p>\n\n<ul><li>d</li></ul>"))
    let all = TextRange(utf16: 0..<document.text.count)
    #expect(document.markdown(of: all) == "a \\*b\\* <b>c</b>\n\n- d")
    #expect(document.html(of: all) == "<p>a *b* <strong>c</strong></p>\n<ul>\n<li>d</li>\n</ul>\n")
  }
}
