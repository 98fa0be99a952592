import MarkdownParse
import RichMarkdown
import RichText
import TestSupport
import Testing

@Suite struct MarkdownSemanticsTests {
  private func semantics(_ markdown: String) -> (ParsedDocument, FormatLayer) {
    let parsed = ParsedDocument(parsing: MarkdownSource(markdown))
    return (parsed, FormatLayer(semanticsOf: parsed))
  }

  @Test func `spans become character attributes`() {
    let (parsed, layer) = semantics("a **b _c_** ~~d~~ `e` [f](g.md)\n")
    let runs = layer.characters.runs
    #expect(
      runs.map { parsed.text.substring($0.range) } == ["b ", "c", "d", "e", "f"])
    #expect(
      runs.map(\.set) == [
        [.bold(true)], [.bold(true), .italic(true)], [.strikethrough(.single)],
        [.family("Menlo")], [.link("g.md")],
      ])
  }

  @Test func `blocks become styles of whole paragraphs`() {
    let (parsed, layer) = semantics("# One\n\ntwo\n\n> three\n>\n> four\n\n```\nfive\nsix\n```\n")
    let text = AttributedText(units: Array(parsed.text.utf16), layer: layer)
    #expect(text.layer == layer)
    let styles = layer.paragraphs.runs.map { run in
      (parsed.text.substring(run.range), run.set[.style])
    }
    #expect(
      styles.map(\.0) == ["One\n", "three\nfour\n", "five\nsix"])
    #expect(
      styles.map(\.1) == [
        .style(.heading(1)), .style(.blockQuote), .style(.code),
      ])
  }
}
