import MarkdownParse
import Model
import Testing

@testable import Rendering

struct LongTextTests {
  private func document(_ markdown: String) -> ParsedDocument {
    ParsedDocument(parsing: MarkdownSource(markdown))
  }

  private static let words = (1...9_000).map { number in
    switch number % 11 {
    case 0: "*word \(number)*"
    case 3: "[link\(number)](https://example.org/\(number % 40))"
    case 5: "日本語👨‍👩‍👧‍👦é"
    case 7: "`code\(number)`\t"
    default: "word\(number)"
    }
  }.joined(separator: " ")

  @Test(arguments: [ColorMode.none, .trueColor])
  func `a long line in parts has the same layout as in one piece`(color: ColorMode) {
    let document = document(Self.words + "\n")
    let overlays = (0..<400).map { number in
      let start = number * 173
      return Overlay(
        range: TextRange(utf16: start..<start + 50 + number % 300), color: .yellow,
        id: "\(number)")
    }
    let page = Page(
      document: document, overlays: overlays, options: PageOptions(width: 60, color: color))
    var writer = CellWriter(page, StyleRuns(document), links: NumberedLinks(for: document))
    let block = document.blocks.firstIndex { $0.kind == .paragraph } ?? 0
    let range = document.blocks[block].text.utf16
    let parts = writer.parts(of: range)
    #expect(parts.count > 8)
    #expect(parts.allSatisfy { $0.count <= 10_000 })
    let whole = LineBreaker.wrap(
      writer.cells(of: block), width: color == .none ? 60 : 57
    ).map { String($0.map(\.text)) }
    let lines = PageLayout.lines(of: page).map { line in
      let spans = color == .none ? line.spans : Array(line.spans.dropFirst())
      return spans.map(\.text).joined()
    }
    #expect(Array(lines.prefix(whole.count)) == whole)
  }

  @Test func `a long image description is labelled once`() {
    let alt = (1...3_000).map { "word\($0)" }.joined(separator: " ")
    let document = document("![\(alt)](picture.png) ![another](b.png)\n")
    let whole = PageLayout.lines(of: Page(document: document, options: PageOptions(width: 60)))
      .map { $0.spans.map(\.text).joined() }.joined(separator: " ")
    #expect(whole.split(separator: "image: ").count == 2)
    var flow = LazyLayout(
      Page(document: document, options: PageOptions(width: 60)),
      PageBlocks(document, longest: LazyLayout.longestChunk))
    #expect(flow.count > 4)
    let shown = (0..<flow.count).flatMap { flow.rows(ofChunk: $0) }
      .map { String($0.cells.map(\.text)) }.joined(separator: " ")
    #expect(shown.split(separator: "image: ").count == 2)
  }

  @Test func `a long line of code in parts has the same layout as in one piece`() {
    let line = String(repeating: "let value = \"日本語\"\t+ 1; ", count: 2_000)
    let document = document("```\n\(line)\nlast\n```\n")
    let lines = PageLayout.lines(of: Page(document: document, options: PageOptions(width: 60)))
      .map { $0.spans.map(\.text).joined() }
    #expect(lines.allSatisfy { displayWidth(of: $0) <= 60 })
    #expect(lines.last == "    last")
    let shown = lines.map { $0.dropFirst(4) }.joined()
    #expect(shown.filter { $0 != " " } == (line + "last").filter { $0 != " " && $0 != "\t" })
  }
}
