import MarkdownParse
import Model
import Rendering
import Testing

@Suite struct TabTests {
  private func rows(_ markdown: String, width: Int) -> [String] {
    let document = ParsedDocument(parsing: MarkdownSource(markdown))
    return PageLayout.lines(of: Page(document: document, options: PageOptions(width: width)))
      .map { $0.spans.map(\.text).joined() }
  }

  @Test func `a tab is replaced by blanks up to the next stop`() {
    #expect(rows("a\tb and abc\td", width: 40) == ["a   b and abc   d"])
    #expect(rows("```\na\tb\n```", width: 40) == ["    a   b"])
    #expect(rows("- a\tb", width: 40) == ["• a   b"])
  }

  @Test func `no line with tabs is wider than the page`() {
    let words = (1...40).map { "w\($0)" }.joined(separator: "\t")
    for width in [20, 33, 60] {
      for line in rows(words, width: width) {
        #expect(displayWidth(of: line) <= width && !line.contains("\t"), "\(width): \(line)")
      }
    }
    for line in rows("| a\tb | c\td |\n|---|---|\n| 1\t2\t3\t4\t5\t6 | x |", width: 20) {
      #expect(displayWidth(of: line) <= 20 && !line.contains("\t"), "\(line)")
    }
  }

  @Test func `a line that breaks at a tab begins with the next word`() {
    #expect(rows("aaaaaaaa bbbbbbbbbb\tcccc", width: 20) == ["aaaaaaaa bbbbbbbbbb", "cccc"])
  }
}
