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

  private func flow(_ document: ParsedDocument, width: Int = 40) -> LazyLayout {
    let options = PageOptions(width: width)
    return LazyLayout(
      Page(document: document, options: options),
      PageBlocks(document, longest: LazyLayout.longestChunk))
  }

  private func text(_ rows: [Row]) -> [String] { rows.map { String($0.cells.map(\.text)) } }

  @Test(arguments: [20, 33, 80])
  func `the chunks together are the same page`(width: Int) {
    let document = document(Self.sample)
    var flow = flow(document, width: width)
    let rows = (0..<flow.count).flatMap { flow.rows(ofChunk: $0) }
    let lines = PageLayout.lines(
      of: Page(document: document, options: PageOptions(width: width)))
    #expect(text(rows) == lines.map { $0.spans.map(\.text).joined() })
  }

  @Test func `each row can be reached from every other row by their distance`() {
    var flow = flow(document(Self.sample))
    var places: [LazyLayout.Position] = []
    for chunk in 0..<flow.count {
      for row in flow.rows(ofChunk: chunk).indices { places.append(.init(chunk: chunk, row: row)) }
    }
    for (i, start) in places.enumerated() {
      for (j, end) in places.enumerated() {
        #expect(flow.position(start, movedBy: j - i) == end)
      }
      #expect(flow.position(start, movedBy: 1_000) == places.last)
      #expect(flow.position(start, movedBy: -1_000) == places.first)
    }
    #expect(flow.lastPosition() == places.last)
  }

  @Test func `an offset of the text is found on its row`() {
    let document = document(Self.sample)
    var flow = flow(document)
    for offset in 0..<document.text.count where document.text.utf16[offset] > 32 {
      let place = flow.position(of: TextOffset(utf16: offset))
      let row = flow.row(at: place)
      let holds = row?.cells.contains { $0.range?.contains(offset) == true } ?? false
      #expect(holds, "\(offset) is not on \(place)")
    }
  }

  @Test func `a very long paragraph and code block are divided into chunks without losing text`() {
    let words = (1...4_000).map { "word\($0)" }.joined(separator: " ")
    let code = (1...2_000).map { "line \($0)" }.joined(separator: "\n")
    let document = document("- \(words)\n\n```\n\(code)\n```\n")
    var flow = flow(document, width: 60)
    #expect(flow.count > 6)
    let rows = (0..<flow.count).flatMap { flow.rows(ofChunk: $0) }
    #expect(rows.allSatisfy { $0.cells.reduce(0) { $0 + $1.width } <= 60 })
    let shown = rows.flatMap(\.cells).filter { $0.range != nil }.map(\.text)
    let all = document.text.string
    #expect(String(shown).filter { !$0.isWhitespace } == all.filter { !$0.isWhitespace })
    #expect(text(rows).count { $0.trimmingBlanks.hasPrefix("line ") } == 2_000)
    #expect(text(rows).count { $0.isEmpty } == 1, "no blank row inside a divided block")
  }

  @Test func `a long table is divided into chunks with equal columns`() {
    let rows = (1...3_000).map { "| \($0) | word\($0) and *more* | [x](y\($0 % 7).md) |\n" }
      .joined()
    let document = document(
      "> | n | text | link |\n> |--:|---|---|\n"
        + rows.split(separator: "\n").map { "> \($0)\n" }.joined())
    var flow = flow(document, width: 70)
    #expect(flow.count > 15)
    var longest = 0
    var shown: [String] = []
    for chunk in 0..<flow.count {
      let rows = flow.rows(ofChunk: chunk)
      longest = max(longest, rows.count)
      shown += text(rows)
    }
    #expect(longest < 400, "each chunk is a small part of the table")
    let whole = PageLayout.lines(of: Page(document: document, options: PageOptions(width: 70)))
      .map { $0.spans.map(\.text).joined() }
    #expect(shown.count == whole.count)
    #expect(zip(shown, whole).prefix(600).allSatisfy { $0 == $1 })
    // The widths of the columns are those of the beginning of the table.
    for (index, line) in shown.enumerated() where index > 2 && index < 3_000 {
      #expect(line.contains("word\(index - 1) and more"), "\(index)")
    }
    for row in [1, 700, 2_999] {
      let words = "word\(row) and"
      let string = document.text.string
      let offset = string.firstRange(of: words).map { string[..<$0.lowerBound].utf16.count } ?? -1
      let place = flow.position(of: TextOffset(utf16: offset))
      #expect(flow.row(at: place).map { text([$0])[0].contains(words) } == true)
    }
  }

  @Test func `text without blanks is divided between graphemes`() {
    let text = String(repeating: "👨‍👩‍👧‍👦é日x", count: 3_000)
    let document = document("\(text)\n\n```\n\(text)\n```\n")
    var flow = flow(document, width: 60)
    #expect(flow.count > 8)
    var shown: [Character] = []
    for chunk in 0..<flow.count {
      #expect(flow.range(ofChunk: chunk).count <= 2 * LazyLayout.longestChunk + 16)
      for row in flow.rows(ofChunk: chunk) {
        shown += row.cells.filter { $0.range != nil }.map(\.text)
      }
    }
    let isWhole = String(shown) == text + text
    #expect(isWhole, "\(shown.count) of \(2 * text.count) letters")
  }
}

extension String {
  fileprivate var trimmingBlanks: Substring { self.drop { $0 == " " } }
}
