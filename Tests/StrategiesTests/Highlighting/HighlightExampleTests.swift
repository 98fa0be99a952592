import Editing
import MarkdownParse
import Model
import Strategies
import TestSupport
import Testing

private let strategies: [any HighlightStrategy] = [
  Exact(), WholeWords(), WholeSentences(), EveryOccurrence(), KeyPhrases(), Links(), Definitions(),
]

@Suite struct HighlightExampleTests {
  @Test(arguments: strategies.map { type(of: $0).id })
  func `each strategy returns the highlights of its examples`(id: String) throws {
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
  func `a selection of blanks has no highlights`(id: String) throws {
    let strategy = strategies.first { type(of: $0).id == id }!
    let document = ParsedDocument(parsing: MarkdownSource("a   b".replacing(" ", with: "&nbsp;")))
    #expect(try strategy.ranges(from: TextRange(utf16: 1..<4), in: document).isEmpty)
  }

  @Test func `phrases and terms of scripts without blanks are found with dictionaries`() {
    func texts(_ strategy: KeyPhrases, _ text: String) -> [String] {
      let document = ParsedDocument(parsing: MarkdownSource(text))
      let all = TextRange(utf16: 0..<document.text.count)
      return strategy.ranges(from: all, in: document).map(document.text.substring)
    }
    // Each phrase consists of words of a dictionary. No phrase is a single character or a common
    // word.
    let chinese = texts(KeyPhrases(), "我们在北京大学学习科学，因为科学很有意思。")
    #expect(!chinese.isEmpty && chinese.contains { $0.contains("北京大学") }, "\(chinese)")
    #expect(chinese.allSatisfy { $0.count > 1 && $0 != "我们" && $0 != "因为" })
    let thai = texts(KeyPhrases(), "ภาษาไทยเป็นภาษาและมหาวิทยาลัยอยู่ในกรุงเทพ")
    #expect(thai.contains { $0.contains("มหาวิทยาลัย") || $0.contains("ภาษาไทย") }, "\(thai)")
    #expect(thai.allSatisfy { !$0.contains("และ") && !$0.contains("อยู่") }, "\(thai)")
    let document = ParsedDocument(
      parsing: MarkdownSource("**书名号**是标在边上的记号。他们说了很多很多非常长的话以后：走吧。"))
    let all = TextRange(utf16: 0..<document.text.count)
    #expect(
      Definitions().ranges(from: all, in: document).map(document.text.substring)
        == ["书名号是标在边上的记号。"])
  }

  @Test func `links and defined terms are found in Markdown`() {
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
