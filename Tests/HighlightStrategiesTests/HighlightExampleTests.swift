import Editing
import HighlightStrategies
import MarkdownParse
import Model
import TestSupport
import Testing

private let strategies: [any HighlightStrategy] = [
  Exact(), WholeWords(), WholeSentences(), EveryOccurrence(), KeyPhrases(), Links(), Definitions(),
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

  @Test func `a link's text and an emphasized term are found in Markdown`() {
    let document = ParsedDocument(
      parsing: MarkdownSource(
        """
        See [the **manual**](https://diple.example/m) and <https://diple.example/n>.

        An *obelus* is a dagger. A *thing* happened.

        - **Diple**: a mark.
        """))
    let all = TextRange(utf16: 0..<document.text.count)
    let texts = { (ranges: [TextRange]) in ranges.map(document.text.substring) }
    #expect(
      texts(Links().ranges(from: all, in: document)) == ["the manual", "https://diple.example/n"])
    #expect(
      texts(Definitions().ranges(from: all, in: document)) == [
        "An obelus is a dagger.", "Diple: a mark.",
      ])
  }
}
