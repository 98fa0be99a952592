import Editing
import MarkdownParse
import Model
import Rendering
import Testing

@testable import Reader

private let essay = """
  ---
  title: Signs
  ---

  # Signs

  The **quick** brown fox, see [the dog](other.md).

  """ + (1...40).map { "Paragraph *\($0)* of the end.\n\n" }.joined()

/// Tests the view of the Markdown source.
@Suite struct ReaderSourceTests {
  @Test func `M shows the source with numbers and highlights, and the text again`() throws {
    let bench = ReaderBench(essay, highlights: [("quick brown", .green)])
    #expect(bench.lines[0].trimmed == "    # Signs" || bench.lines[0].contains("Signs"))
    bench.press("M")
    #expect(bench.lines[0].contains("1  ---") && bench.lines[4].contains("5  # Signs"))
    #expect(bench.lines[6].contains("The **quick** brown fox, see [the dog](other.md)."))
    let green = try #require(bench.paint(" brown"))
    #expect(green.contains("42") && bench.paint("quick")?.contains("42") == true)
    #expect(bench.paint("** brown") == green, "markup between highlighted words is highlighted")
    #expect(bench.paint("**quick")?.contains("42") == false, "markup before them is not")
    bench.press("j", "M")
    #expect(!bench.lines.contains { $0.contains("---") || $0.contains("**") })
    bench.press(":source", InputEvent.Key.enter)
    #expect(bench.lines[0].contains("1  ---"))
  }

  @Test func `the first words stay on the screen`() throws {
    let bench = ReaderBench(essay)
    bench.press("20j")
    while !bench.lines[0].contains("Paragraph") { bench.control("e") }
    let first = try #require(bench.lines[0].firstMatch(of: /Paragraph (\d+)/)?.1)
    bench.press("M")
    #expect(bench.lines[0].contains("Paragraph *\(first)* of"))
    bench.press("M")
    #expect(bench.lines[0].contains("Paragraph \(first) of"))
  }

  @Test func `a passage that is selected in the source is one of the text`() throws {
    let bench = ReaderBench(essay)
    bench.press("M")
    try bench.mouse(.press, "quick")
    try bench.mouse(.drag, "fox", offset: 3)
    try bench.mouse(.release, "fox", offset: 3)
    #expect(bench.selected == "quick brown fox" || bench.selected == "quick brown fox,")
    let range = bench.reader.selection.range
    bench.press("c")
    #expect(bench.effects.last == .copy(range, .markdown), "the source is copied")
    bench.press("C")
    #expect(bench.effects.last == .copy(range, .cited))
    bench.press("M", "c")
    #expect(bench.effects.last == .copy(range, .usual))
  }

  @Test func `find, links, headings and line numbers work in the source`() {
    let bench = ReaderBench(essay)
    bench.press("M", "/Paragraph 30", InputEvent.Key.enter)
    #expect(bench.lines.contains { $0.contains("Paragraph *30* of") })
    #expect(bench.selected == "Paragraph 30")
    bench.press("{")
    #expect(bench.atCaret.hasPrefix("Signs"))
    bench.press("7G")
    #expect(bench.atCaret.hasPrefix("The quick"))
    #expect(bench.status.contains("source"))
    bench.press("G")
    #expect(bench.status.hasSuffix("100%"))
  }

  @Test func `a change of the file keeps the view`() {
    let bench = ReaderBench(essay)
    bench.press("M")
    let new = ParsedDocument(parsing: MarkdownSource(essay.replacing("quick", with: "slow")))
    bench.reader.replace(ReaderText(document: new, title: "essay.md")) { $0 }
    #expect(bench.lines.contains { $0.contains("The **slow** brown") })
    bench.reader.resize(columns: 50, rows: 10)
    bench.reader.use(Reader.Options(width: 30))
    #expect(bench.lines.contains { $0.contains("The **slow**") })
  }

  @Test func `only the rows of a large source that are shown are laid out`() {
    let line = "A line with *some* words, a [link](x.md) and `code` to fill the row.\n"
    let bench = ReaderBench(String(repeating: line, count: 60_000), rows: 40)
    bench.press("M")
    let clock = ContinuousClock()
    let time = clock.measure {
      bench.press("G")
      _ = bench.lines
      bench.press("g")
      _ = bench.lines
    }
    #expect(bench.lines[0].contains("    1  A line with *some*"))
    #expect(time < .seconds(5), "\(time)")
  }
}
