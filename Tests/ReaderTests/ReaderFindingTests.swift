import Editing
import MarkdownParse
import Model
import Reader
import Rendering
import TestSupport
import Testing

@Suite struct ReaderFindingTests {
  @Test func `a number after a colon jumps to that line of the file`() {
    let bench = ReaderBench((1...40).map { "Paragraph \($0).\n\n" }.joined())
    bench.press(":39", InputEvent.Key.enter)
    #expect(bench.atCaret == "Paragraph 20.")
    bench.press(":1000", InputEvent.Key.enter)
    #expect(bench.status.contains("no line 1000") && bench.atCaret == "Paragraph 20.")
  }

  @Test func `the arrow keys recall searches, and find their matches again`() {
    let bench = ReaderBench("one two three two one")
    bench.press("/one", InputEvent.Key.enter, "/two", InputEvent.Key.enter)
    bench.press("/", InputEvent.Key.up)
    #expect(bench.status.hasPrefix("/two"))
    bench.press(InputEvent.Key.up)
    #expect(bench.status.hasPrefix("/one"))
    bench.press(InputEvent.Key.down, InputEvent.Key.enter)
    #expect(bench.selected == "two")
    bench.press("/two", InputEvent.Key.down, InputEvent.Key.enter)
    #expect(bench.selected == "two" && bench.reader.selection.head.utf16 > 10)
  }

  @Test
  func `a search with options is left to the command, and its matches can be stepped through`() {
    let bench = ReaderBench("one two three two one")
    bench.press(":find two", InputEvent.Key.enter)
    #expect(bench.selected == "two" && bench.effects.isEmpty)
    bench.press(":find --word \"o.e\" --regex", InputEvent.Key.enter)
    #expect(bench.effects == [.run("find --word \"o.e\" --regex")])
    let matches = [TextRange(utf16: 0..<3), TextRange(utf16: 18..<21)]
    bench.reader.show(matches: matches, of: "o.e") { _ in [matches[1]] }
    #expect(bench.selected == "one" && bench.reader.selection.range == matches[1])
    bench.press("n")
    #expect(bench.reader.selection.range == matches[0])
    // After a change of the text, the command's search finds the matches, not the literal one.
    bench.reader.replace(ReaderBench("one two three two one!").reader.text) { $0 }
    #expect(bench.reader.matches.all == [matches[1]])
  }

  @Test func `u and Ctrl-R undo and redo`() {
    let bench = ReaderBench("one")
    bench.press("u")
    bench.control("r")
    #expect(bench.effects == [.run("undo"), .run("redo")])
  }

  @Test func `typing filters the outline`() throws {
    let bench = ReaderBench("# Alpha\n\n## Beta two\n\n## Gamma\n\ntext", rows: 10)
    bench.press("o/TWO be")
    #expect(bench.lines[0].contains("Outline /TWO be"))
    #expect(bench.lines[1].contains("Beta two") && !bench.lines[2].contains("│   Gamma"))
    bench.press(InputEvent.Key.enter)
    #expect(bench.atCaret == "Beta two")
    bench.press("o/zzz", InputEvent.Key.enter)
    #expect(bench.atCaret == "Beta two")
    bench.press(InputEvent.Key.escape, "o/g", InputEvent.Key.escape)
    #expect(bench.lines.prefix(4).joined().contains("Alpha"))
    bench.press(InputEvent.Key.escape)
    #expect(!bench.lines.joined().contains("Outline"))
  }

  @Test func `the status contains the section and the number of highlights`() {
    let bench = ReaderBench(
      "# Alpha\n\none\n\n## Beta\n\ntwo", highlights: [("one", .green), ("two", .pink)])
    bench.press("G")
    #expect(bench.status.contains("§ Beta") && bench.status.contains("2 highlights"))
  }

  @Test func `a wrapped line of code is copied without the marks of the screen`() throws {
    let line = String(repeating: "0123456789", count: 12)
    let bench = ReaderBench("```js\n\(line)\n```\n")
    #expect(bench.lines[1].contains("↪"))
    bench.press("ac")
    guard case .copy(let range, _)? = bench.effects.last else {
      Issue.record("nothing was copied")
      return
    }
    #expect(bench.reader.text.document.text.substring(range) == line)
  }
}
