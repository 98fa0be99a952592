import Model
import Testing

@Suite struct EscapedHTMLTests {
  @Test(arguments: [
    ("plain é 日本", "plain é 日本"),
    ("<a href=\"x\">&amp;</a>", "&lt;a href=&quot;x&quot;&gt;&amp;amp;&lt;/a&gt;"),
    ("a\tb\nc\r\nd", "a\tb\nc&#13;\nd"), ("\u{1B}[31m\u{7F}\u{1}", "&#27;[31m&#127;&#1;"),
    ("\0", "\u{FFFD}"), ("", ""),
  ])
  func `a text is escaped for HTML`(text: String, html: String) {
    #expect(text.escapedForHTML == html)
    #expect(text[...].escapedForHTML == html)
  }
}
