import Formats
import Interchange
import Testing

@Suite struct QuotedMarkdownTests {
  @Test func `Markdown whose parsed text would take too much memory is refused`() throws {
    let text = "==a==\n\n" + String(repeating: "**a** `b` [c](d) ", count: 800_000)
    let error = #expect(throws: ImportError.self) {
      try MarkdownMarks().read(ImportSource(Array(text.utf8), path: "a.md"))
    }
    #expect(error?.description.contains("too much markup") == true)
  }

  @Test func `marks in code and comments are not read, nor those inside a mark`() throws {
    let text = "a ==b <mark>c</mark>== `==d==`\n\n    ==e==\n\n%%==f==%%\n\n[==g==](h)\n"
    let content = try MarkdownMarks().read(ImportSource(Array(text.utf8), path: "a.md"))
    #expect(content.records.map(\.quote) == ["b c", "g"])
  }

  @Test func `a quote has its continuation lines, but not a callout's label`() throws {
    let text = "> One\ntwo\n>\n> > three\n\n> [!note] Label\n> Four.\n"
    let content = try MarkdownQuoteReader().read(
      ImportSource(Array(text.utf8), path: "a.md"))
    #expect(content.records.map(\.quote) == ["One two\nthree", "Four."])
  }
}
