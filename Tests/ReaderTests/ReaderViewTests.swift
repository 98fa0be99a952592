import Editing
import MarkdownParse
import Model
import Reader
import Rendering
import TestSupport
import Testing

/// Tests that a view can be stored and shown again.
@Suite struct ReaderViewTests {
  private static let essay =
    "# Essay\n\n"
    + (1...40).map { "Paragraph \($0) has its own words.\n\n" }.joined()
    + "## Later\n\nThe last words.\n\n### Even later\n\nThe end.\n"

  @Test func `a view is shown again with the same rows, caret and search`() {
    let seed = SeededGenerator.runSeed
    var random = SeededGenerator(seed: seed)
    let keys = ["j", "k", " ", "}", "{", "G", "g", "]", "w"]
    for _ in 0..<200 {
      let bench = ReaderBench(Self.essay, rows: Int.random(in: 2...30, using: &random))
      for _ in 0..<Int.random(in: 0...12, using: &random) {
        bench.press(keys.randomElement(using: &random) ?? "j")
        if Bool.random(using: &random) { bench.control("e") }
      }
      let (view, lines) = (bench.reader.view, bench.lines)
      let other = ReaderBench(Self.essay, rows: bench.lines.count)
      other.reader.resume(view)
      #expect(other.reader.view.caret == view.caret, "seed \(seed)")
      if view.caretRow != nil {
        #expect(other.lines.dropLast() == lines.dropLast(), "seed \(seed), \(view)")
      } else {
        #expect(other.reader.view.top == view.top, "seed \(seed), \(view)")
      }
    }
  }

  @Test func `a search with options is not repeated as a literal one`() {
    let bench = ReaderBench(Self.essay)
    bench.reader.show(matches: [], of: "last|end") { _ in [] }
    #expect(bench.reader.view.query == "")
  }

  @Test func `a long line shows the text before its cursor`() {
    let bench = ReaderBench(Self.essay)
    let long = String(repeating: "漢字 and words ", count: 2000)
    bench.press("/")
    bench.take(.paste(long))
    #expect(bench.lines.last?.contains("and words") == true)
  }

  @Test func `the search and the outline come back`() {
    let bench = ReaderBench(Self.essay)
    bench.press("/last", InputEvent.Key.enter, "o", "j")
    let view = bench.reader.view
    #expect(view.query == "last" && view.outline != nil)
    let other = ReaderBench(Self.essay)
    other.reader.resume(view)
    #expect(other.lines[0].contains("Outline"))
    #expect(other.reader.view == view)
    other.press(InputEvent.Key.enter)
    #expect(other.reader.selection.head == view.outline)
    other.press("N")
    #expect(other.selected == "last")
  }

  @Test func `offsets of a longer text and rows of a larger screen are clamped`() {
    let bench = ReaderBench("Short.\n", rows: 4)
    bench.reader.resume(
      Reader.View(
        caret: TextOffset(utf16: 5_000), caretRow: 900, top: TextOffset(utf16: 4_000),
        outline: TextOffset(utf16: 9_999), query: "x"))
    #expect(bench.reader.selection.head.utf16 == 6 && bench.lines[0].contains("Short."))
    bench.reader.resume(
      Reader.View(
        caret: TextOffset(utf16: 2), caretRow: nil, top: TextOffset(utf16: 4_000)))
    #expect(bench.reader.selection.head.utf16 == 2)
  }

  @Test func `an empty row at the top stays there when the size or the options are set again`() {
    let bench = ReaderBench(Self.essay)
    bench.control("e")
    bench.control("e")
    #expect(bench.lines[0].isEmpty, "\(bench.lines)")
    let before = bench.lines
    bench.reader.resize(columns: 60, rows: 12)
    #expect(bench.lines == before)
    bench.reader.use(bench.reader.options)
    #expect(bench.lines == before)
    bench.press("G")
    let end = bench.lines
    bench.reader.resize(columns: 60, rows: 12)
    #expect(bench.lines == end)
  }

  @Test func `O, :pick and :read without a name ask for a document`() {
    let bench = ReaderBench(Self.essay)
    bench.press("O", ":pick essay on it", InputEvent.Key.enter, ":read", InputEvent.Key.enter)
    #expect(bench.effects == [.pick(""), .pick("essay on it"), .pick("")])
    bench.effects = []
    bench.press(":pick --json x", InputEvent.Key.enter)
    #expect(bench.effects == [.run("pick --json x")])
  }
}
