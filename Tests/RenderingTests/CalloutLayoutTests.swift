import MarkdownParse
import Model
import Testing

@testable import Rendering

/// Tests the layout of callouts and code titles.
@Suite struct CalloutLayoutTests {
  private func lines(_ markdown: String, _ dialect: MarkdownDialect, color: ColorMode = .none)
    -> [Line]
  {
    let document = ParsedDocument(parsing: MarkdownSource(markdown), options: dialect.options)
    return PageLayout.lines(
      of: Page(document: document, options: PageOptions(width: 40, color: color)))
  }

  private func text(_ lines: [Line]) -> [String] { lines.map { $0.spans.map(\.text).joined() } }

  @Test func `the type of a callout is shown before a title that differs from it`() {
    #expect(
      text(lines("> [!warning] Mind the *gap*\n> a\n", .obsidian))
        == ["│ Warning: Mind the gap", "│ a"])
    #expect(text(lines("> [!warning] Warning\n> a\n", .obsidian)) == ["│ Warning", "│ a"])
    #expect(text(lines("> [!my-own] Title\n> a\n", .obsidian)) == ["│ Title", "│ a"])
    #expect(text(lines("> [!NOTE]\n> a\n", .github)) == ["│ Note", "│ a"])
    #expect(text(lines("!!! tip \"T\"\n    a\n", .mkdocs)) == ["│ Tip: T", "│ a"])
    #expect(text(lines("=== \"T\"\n    a\n", .mkdocs)) == ["│ T", "│ a"])
    #expect(
      text(lines("::: {.callout-caution title=\"T\"}\na\n:::\n", .pandoc)) == [
        "│ Caution: T", "│ a",
      ])
    #expect(text(lines(":::{admonition} T\na\n:::\n", .myst)) == ["│ T", "│ a"])
  }

  @Test func `a callout has the colour of its type`() {
    func keys(_ markdown: String) -> Set<ThemeKey?> {
      Set(lines(markdown, .obsidian, color: .trueColor).flatMap(\.spans).map(\.spanStyle.key))
    }
    #expect(keys("> [!danger] T\n> a") == [.caution, nil])
    #expect(keys("> [!hint]\n> a") == [.tip, nil])
    #expect(keys("> [!my-own]\n> a") == [.quote, .heading6, nil])
    #expect(keys("> a") == [.quote, nil])
    // A link in a title keeps its colour.
    #expect(keys("> [!note] T <http://a.b>\n> a") == [.note, .link, nil])
  }

  @Test func `a code block's title is shown above it`() {
    let code = "```js title=\"main.js\"\nx\n```\n"
    #expect(text(lines(code, .docusaurus)) == ["    main.js", "    x"])
    #expect(text(lines(code, .github)) == ["    x"])
  }

  @Test func `a tab's label is shown above its content`() {
    #expect(
      text(lines("<TabItem label=\"npm\">\n\na\n\n</TabItem>\n", .docusaurus)) == ["npm", "", "a"])
  }
}
