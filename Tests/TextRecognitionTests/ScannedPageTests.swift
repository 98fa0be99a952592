import Interchange
import Testing

@Suite struct ScannedPageTests {
  /// Returns a page with lines. An empty line ends a paragraph.
  private func page(_ lines: String...) -> ScannedPage {
    var page = ScannedPage()
    var paragraph = 0
    for (number, line) in lines.enumerated() {
      if line.isEmpty { paragraph += 1 }
      for word in line.split(separator: " ") {
        page.words.append(
          ScannedPage.Word(String(word), confidence: 95, line: number, paragraph: paragraph))
      }
    }
    return page
  }

  @Test func `words that are hyphenated at the end of a line are joined`() {
    let page = page("A high-", "lighter of self-", "Made words –", "and 3-", "4 more", "", "Next.")
    #expect(
      page.text(of: page.words.indices)
        == "A highlighter of self- Made words – and 3- 4 more\nNext.")
    #expect(page.text(of: 1..<4) == "highlighter of")
    #expect(page.text(of: 2..<3) == "lighter")
    #expect(page.text(of: 0..<0) == "")
  }

  @Test(
    arguments: [
      ("1..3", 0..<3), ("3..1", 0..<3), ("2..2", 1..<2), ("quick..jumps", 1..<4),
      ("QUICK…fox", 1..<3),
      ("quick brown..over", nil), ("the..lazy", nil), ("quick fox..the lazy", 1..<7), ("0..2", nil),
      ("1..99", nil), ("nothing..fox", nil), ("fox", nil), ("..", nil),
    ] as [(String, Range<Int>?)]) func `a range is given by numbers or by words`(
      _ text: String, _ wanted: Range<Int>?
    )
  {
    #expect(page("The quick fox jumps", "over the lazy dog.").range(text) == wanted)
  }

  @Test func `the numbers of the words at which a range may start are listed`() {
    let page = page("The quick fox jumps", "over the lazy dog.")
    #expect(page.numbers(ofStart: "the..lazy") == [1, 6])
    #expect(page.numbers(ofStart: "quick fox..dog") == [2])
    #expect(page.numbers(ofStart: "cat..dog") == [])
    #expect(page.numbers(ofStart: "fox") == nil)
  }

  @Test func `a page that was probably misread has a warning`() {
    #expect(page("Some words that are read right and are sure enough").doubt == nil)
    var faint = page("Some words")
    for index in faint.words.indices { faint.words[index].confidence = 40 }
    #expect(faint.doubt == "the words are doubtful (40 %)")
    #expect(page("| ~ — _ .. word").doubt == "much of it is signs and not words")
    #expect(
      page("a b c d e f g h i j k l m n o p q r s t word").doubt == "much of it is single letters")
    var steep = page("Some words")
    steep.angle = -19.5
    #expect(steep.doubt == "it is turned by 20°")
  }
}
