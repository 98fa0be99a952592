import Editing
import HighlightStrategies
import MarkdownParse
import Model
import TestSupport
import Testing

private let strategies: [any HighlightStrategy] = [
  Exact(), WholeWords(), WholeSentences(), EveryOccurrence(),
]

@Suite struct HighlightExampleTests {
  @Test(arguments: strategies.map { type(of: $0).id })
  func `the examples give the highlights they show`(id: String) throws {
    let strategy = strategies.first { type(of: $0).id == id }!
    #expect(!type(of: strategy).examples.isEmpty && !type(of: strategy).summary.isEmpty)
    for example in type(of: strategy).examples {
      let selected = MarkedText(example.selected)
      let document = ParsedDocument(parsing: MarkdownSource(selected.text))
      #expect(document.text.string == selected.text, "examples are plain text")
      #expect(
        try strategy.ranges(from: selected.range, in: document)
          == MarkedText(example.highlighted).ranges,
        "\(example.title)")
    }
  }

  @Test(arguments: strategies.map { type(of: $0).id })
  func `a selection of blanks gives no highlight`(id: String) throws {
    let strategy = strategies.first { type(of: $0).id == id }!
    let document = ParsedDocument(parsing: MarkdownSource("a   b".replacing(" ", with: "&nbsp;")))
    #expect(try strategy.ranges(from: TextRange(utf16: 1..<4), in: document).isEmpty)
  }
}
