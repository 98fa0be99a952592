import Editing
import MarkdownParse
import Model
import Rendering
import TestSupport
import Testing

@testable import Reader

@Suite struct ReaderTextTests {
  private static let essay = (1...40).map { "Paragraph \($0) has its own words.\n\n" }.joined()

  private func text(_ markdown: String) -> ReaderText {
    ReaderText(document: ParsedDocument(parsing: MarkdownSource(markdown)), title: "essay.md")
  }

  @Test func `the document head is above the text and not part of it`() {
    let bench = ReaderBench(Self.essay, head: ["A title", "Ada · 2024-05-06"])
    #expect(bench.lines[0].contains("A title") && bench.lines[1].contains("Ada"))
    #expect(bench.lines[3].contains("Paragraph 1 has"))
    #expect(bench.reader.selection.head.utf16 == 0)
    bench.press("jjjj")
    #expect(bench.reader.selection.head.utf16 > 0)
    bench.press("G")
    #expect(!bench.lines[0].contains("A title"))
    bench.press("g")
    #expect(bench.lines[0].contains("A title"), "\(bench.lines)")
    bench.press("/A title", InputEvent.Key.enter)
    #expect(bench.selected.isEmpty)
  }

  @Test func `callouts and notes are shown as rendered`() {
    let document = ParsedDocument(
      parsing: MarkdownSource("> [!tip]- Own\n> See [[Fox|it]].\n\nTerm\n"),
      options: MarkdownDialect.obsidian.options)
    let lines = PageLayout.lines(of: Page(document: document, options: PageOptions(width: 40)))
    #expect(
      lines.map { $0.spans.map(\.text).joined() } == [
        "│ Tip: Own", "│ See it[1].", "", "Term", "", "[1] [[Fox]]",
      ])
  }

  /// Returns a function that maps ranges to another text, as the anchorer does in the application.
  private func map(_ old: ReaderText, _ new: ReaderText) -> (TextRange) -> TextRange? {
    { range in new.document.range(of: old.document.text.substring(range)) }
  }

  @Test func `position and selection stay at their words when the file is edited`() {
    let bench = ReaderBench(Self.essay)
    bench.press("/Paragraph 20", InputEvent.Key.enter)
    let first = bench.lines.first { !$0.isEmpty }
    let new = text("Something new.\n\nAnd more.\n\n" + Self.essay)
    bench.reader.replace(new, map: map(bench.reader.text, new))
    #expect(bench.selected == "Paragraph 20")
    #expect(bench.lines.first { !$0.isEmpty } == first)
    #expect(bench.status.contains("1 match") || bench.status.contains("1 of 1"))
  }

  @Test func `the selection of deleted text is cleared, and the caret stays near`() {
    let bench = ReaderBench(Self.essay)
    bench.press("/Paragraph 20", InputEvent.Key.enter)
    let new = text("Short.\n")
    bench.reader.replace(new, map: map(bench.reader.text, new))
    #expect(bench.selected.isEmpty && bench.lines[0].contains("Short."))
    #expect(bench.reader.selection.head.utf16 <= new.document.text.count)
  }

  @Test func `a new highlight does not change position and selection`() {
    let bench = ReaderBench(Self.essay, color: .ansi16)
    bench.press("/Paragraph 20", InputEvent.Key.enter)
    var new = bench.reader.text
    new.highlights = [
      ReaderHighlight(id: .number(1), range: bench.reader.selection.range, color: .pink, name: "1")
    ]
    let before = bench.lines.dropLast()
    bench.reader.replace(new) { _ in nil }
    #expect(bench.selected == "Paragraph 20" && bench.status.contains("highlight 1, pink"))
    #expect(
      bench.lines.dropLast().map { $0.replacing("P  P", with: "   P") } == before.map { $0 })
  }

  @Test func `resizing keeps the first words`() {
    let bench = ReaderBench(Self.essay)
    bench.press("      ")
    let first = bench.lines.first { !$0.isEmpty }
    bench.reader.resize(columns: 24, rows: 9)
    bench.reader.resize(columns: 60, rows: 12)
    #expect(bench.lines.first { !$0.isEmpty } == first)
  }

  @Test func `random keys keep the caret and the screen within the text`() {
    let seed = SeededGenerator.runSeed
    var random = SeededGenerator(seed: seed)
    let keys = Array("jkhlwb(){}0$ gG[]<>vsSae+-.cnNoLi?")
    for _ in 0..<20 {
      let bench = ReaderBench(
        "# T\n\n日本語 👩‍👩‍👧 e\u{301} [a](b)\n\n" + Self.essay + "| a | b |\n|---|---|\n| c | d |\n",
        highlights: [("its own", .yellow)], columns: Int.random(in: 5...70, using: &random),
        rows: Int.random(in: 2...14, using: &random))
      for _ in 0..<60 {
        switch Int.random(in: 0..<8, using: &random) {
        case 0:
          bench.take(
            .mouse(
              .init(
                [.press, .drag, .release].randomElement(using: &random)!,
                at: .init(
                  row: Int.random(in: 0..<15, using: &random),
                  column: Int.random(in: 0..<70, using: &random)))))
        case 1: bench.press(InputEvent.Key.escape)
        case 2: bench.reader.resize(columns: Int.random(in: 1...70, using: &random), rows: 10)
        default: bench.press(String(keys.randomElement(using: &random)!))
        }
        let text = bench.reader.text.document.text
        let range = bench.reader.selection.range
        #expect(range.utf16.upperBound <= text.count, "seed \(seed)")
        let units = bench.reader.textUnits
        #expect(units.whole(.character, around: range) == range, "seed \(seed)")
        let screen = bench.reader.screen()
        #expect(screen.cursor.map { $0.row < screen.rows } ?? true, "seed \(seed)")
      }
    }
  }
}
