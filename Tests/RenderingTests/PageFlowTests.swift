import MarkdownParse
import Model
import Rendering
import TestSupport
import Testing

@Suite struct PageFlowTests {
  private static let sample = """
    # Title

    A paragraph with **bold**, a [link](https://diple.example/x) and 日本語の文章です, long enough to wrap.

    1. one
    2. two

       more of two
       - inner

    > quoted
    > > twice

    | a | b |
    |---|---|
    | c | some more text in it |

    ```
    code
    	tab
    ```

    ***

    The end, with [another](y.md).
    """

  private func document(_ source: String) -> ParsedDocument {
    ParsedDocument(parsing: MarkdownSource(source))
  }

  private func flow(_ document: ParsedDocument, width: Int = 40) -> PageFlow {
    let options = PageOptions(width: width)
    return PageFlow(
      Page(document: document, options: options),
      PagePlan(document, longest: PageFlow.longestPiece))
  }

  private func text(_ rows: [Row]) -> [String] { rows.map { String($0.cells.map(\.text)) } }

  @Test(arguments: [20, 33, 80])
  func `piece by piece it is the same page`(width: Int) {
    let document = document(Self.sample)
    var flow = flow(document, width: width)
    let rows = (0..<flow.count).flatMap { flow.rows(ofPiece: $0) }
    let lines = PageLayout.lines(
      of: Page(document: document, options: PageOptions(width: width)))
    #expect(text(rows) == lines.map { $0.spans.map(\.text).joined() })
  }

  @Test func `every row can be reached from every other`() {
    var flow = flow(document(Self.sample))
    var places: [PageFlow.Place] = []
    for piece in 0..<flow.count {
      for row in flow.rows(ofPiece: piece).indices { places.append(.init(piece: piece, row: row)) }
    }
    for (i, start) in places.enumerated() {
      for (j, end) in places.enumerated() {
        #expect(flow.place(start, movedBy: j - i) == end)
      }
      #expect(flow.place(start, movedBy: 1_000) == places.last)
      #expect(flow.place(start, movedBy: -1_000) == places.first)
    }
    #expect(flow.lastPlace() == places.last)
  }

  @Test func `a place of the text is found on its row`() {
    let document = document(Self.sample)
    var flow = flow(document)
    for offset in 0..<document.text.count where document.text.utf16[offset] > 32 {
      let place = flow.place(of: TextOffset(utf16: offset))
      let row = flow.row(at: place)
      let holds = row?.cells.contains { $0.range?.contains(offset) == true } ?? false
      #expect(holds, "\(offset) is not on \(place)")
    }
  }

  @Test func `a very long paragraph and code block come in pieces, with all their text`() {
    let words = (1...4_000).map { "word\($0)" }.joined(separator: " ")
    let code = (1...2_000).map { "line \($0)" }.joined(separator: "\n")
    let document = document("- \(words)\n\n```\n\(code)\n```\n")
    var flow = flow(document, width: 60)
    #expect(flow.count > 6)
    let rows = (0..<flow.count).flatMap { flow.rows(ofPiece: $0) }
    #expect(rows.allSatisfy { $0.cells.reduce(0) { $0 + $1.width } <= 60 })
    let shown = rows.flatMap(\.cells).filter { $0.range != nil }.map(\.text)
    let all = document.text.string
    #expect(String(shown).filter { !$0.isWhitespace } == all.filter { !$0.isWhitespace })
    #expect(text(rows).count { $0.trimmingBlanks.hasPrefix("line ") } == 2_000)
    #expect(text(rows).count { $0.isEmpty } == 1, "no blank row inside a divided block")
  }
}

extension String {
  fileprivate var trimmingBlanks: Substring { self.drop { $0 == " " } }
}
