import CodeLexers
import MarkdownParse
import Model
import Testing

@testable import Rendering

@Suite struct CodeLayoutTests {
  private func page(
    _ markdown: String, width: Int = 40, color: ColorMode = .trueColor, isOnScreen: Bool = true,
    overlays: [Overlay] = []
  ) -> Page {
    var options = PageOptions(width: width, color: color)
    options.isOnScreen = isOnScreen
    return Page(
      document: ParsedDocument(parsing: MarkdownSource(markdown)), overlays: overlays,
      options: options, lexers: [TableLexer()])
  }

  private func kinds(_ page: Page) -> [String] {
    PageLayout.lines(of: page).flatMap(\.spans).compactMap { span in
      span.spanStyle.code.map { "\($0.rawValue) \(span.text)" }
    }
  }

  @Test func `code has the colours of its language`() {
    #expect(kinds(page("```js\nlet a\n```")) == ["keyword let"])
    #expect(kinds(page("```{.JavaScript .x}\nlet a\n```")) == ["keyword let"])
    #expect(kinds(page("~~~ rust,ignore\nlet a\n~~~")) == ["keyword let"])
    #expect(kinds(page("- a\n\n  ```js\n  let a\n  ```")) == ["keyword let"])
  }

  @Test func `code without a known language has no colours`() {
    for fence in ["", "auto", "nosuch", "{}", String(repeating: "x", count: 1_000)] {
      #expect(kinds(page("```\(fence)\nlet a\n```")).isEmpty)
    }
    #expect(kinds(page("    let a")).isEmpty)
    #expect(kinds(page("```js\nlet a\n```", color: .none)).isEmpty)
  }

  @Test func `highlighted code keeps its colours, adapted to the background`() {
    let page = page(
      "```js\nlet abc = 1\n```",
      overlays: [Overlay(range: TextRange(utf16: 1..<6), color: .green)])
    let spans = PageLayout.lines(of: page)[0].spans.filter { $0.range != nil }
    #expect(spans.map(\.text) == ["l", "et", " ab", "c = ", "1"])
    #expect(spans.map(\.spanStyle.code) == [.keyword, .keyword, nil, nil, .number])
    #expect(spans.map(\.spanStyle.highlight) == [nil, .green, .green, nil, nil])
    let writer = ANSIWriter(page.options)
    let parameters = writer.parameters(of: spans[1].spanStyle)
    #expect(parameters.contains("48;2;166;232;180"))
    #expect(parameters != writer.parameters(of: spans[2].spanStyle), "the keyword differs")
  }

  @Test func `a continued line begins with a mark that is not part of the text`() {
    let line = String(repeating: "0123456789", count: 9)
    let page = page("```\n\(line)\nb\n```")
    let lines = PageLayout.lines(of: page)
    let shown = lines.map { $0.spans.map(\.text).joined() }
    #expect(shown.map { $0.prefix(2) } == ["  ", "↪ ", "↪ ", "  "])
    #expect(shown[0].count == 40 && shown[1].count == 40, "the whole width is used")
    let text = lines.flatMap(\.spans).filter { $0.range != nil }.map(\.text).joined()
    #expect(text == line + "b")
    let piped = PageLayout.lines(of: self.page("```\n\(line)\n```", isOnScreen: false))
    #expect(piped.allSatisfy { $0.spans.map(\.text).joined().hasPrefix("    ") })
  }

  @Test func `a long line is divided between words if possible`() {
    let lines = PageLayout.lines(of: page("```\n\(String(repeating: "abcdefg ", count: 9))\n```"))
    let shown = lines.map { $0.spans.map(\.text).joined() }
    #expect(shown.dropFirst().allSatisfy { $0.hasPrefix("↪ abcdefg") }, "\(shown)")
    let piped = PageLayout.lines(
      of: page("```\n\(String(repeating: "abcdefg ", count: 9))\n```", isOnScreen: false))
    #expect(piped.allSatisfy { $0.spans.map(\.text).joined().hasPrefix("    abcdefg") })
    // A word that is wider than half of the line is divided where the line is full.
    let long = PageLayout.lines(of: page("```\na \(String(repeating: "b", count: 60))\n```"))
    #expect(long.map(\.width) == [40, 26])
  }

  @Test func `only the beginning of very long code has colours, but all of it is drawn`() {
    let count = 60_000
    let page = page("```js\n" + String(repeating: "let a\n", count: count) + "```")
    let lines = PageLayout.lines(of: page)
    #expect(lines.count == count)
    #expect(lines[0].spans.contains { $0.spanStyle.code == .keyword })
    #expect(!lines[count - 1].spans.contains { $0.spanStyle.code != nil })
  }

  @Test func `a chunk of code continues the tokens of earlier chunks`() {
    let markdown = "```c\n/*\n" + String(repeating: "if x\n", count: 4_000) + "*/\nif\n```"
    let page = page(markdown)
    let plan = PageBlocks(page.document, longest: LazyLayout.longestChunk)
    var layout = LazyLayout(page, plan)
    #expect(layout.count > 3)
    let middle = layout.rows(ofChunk: 2).flatMap(\.content).filter { $0.range != nil }
    #expect(!middle.isEmpty && middle.allSatisfy { $0.spanStyle.code == .comment })
    let last = layout.rows(ofChunk: layout.count - 1).last
    #expect(last?.content.last?.spanStyle.code == .keyword)
  }
}
