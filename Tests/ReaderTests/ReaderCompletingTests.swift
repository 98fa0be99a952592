import Model
import Reader
import Rendering
import Testing

/// Tests the completion of typed lines, and help texts.
@Suite struct ReaderCompletingTests {
  private let bench = ReaderBench("# Essay\n\nSome words.\n", columns: 60, rows: 12)
  private let words = [
    Completion("yellow"), Completion("green", summary: "good"), Completion("gray", summary: "dull"),
  ]

  /// Answers the last request for completions with the words that begin like the typed one.
  private func answer(keeping kept: Int) throws {
    let effect = try #require(bench.effects.last)
    bench.effects.removeLast()
    guard case .complete(_, let typed) = effect else {
      Issue.record("no completion was requested")
      return
    }
    let start = typed.dropFirst(kept)
    bench.reader.complete(typed, keeping: kept, with: words.filter { $0.text.hasPrefix(start) })
  }

  @Test func `Tab inserts the only word, and a space after it`() throws {
    bench.press(":color y", InputEvent.Key.tab)
    #expect(bench.effects == [.complete(.command, "color y")])
    try answer(keeping: 6)
    #expect(bench.status.trimmed == ":color yellow")
    bench.press("x")
    #expect(bench.status.trimmed == ":color yellow x")
  }

  @Test func `Tab inserts the common beginning, and then chooses among the words`() throws {
    bench.press(":color g", InputEvent.Key.tab)
    try answer(keeping: 6)
    #expect(bench.status.contains(":color gr") && bench.status.hasSuffix("Tab: 2"))
    #expect(bench.lines[9].hasPrefix(" green  good") && bench.lines[10].hasPrefix(" gray   dull"))
    bench.press(InputEvent.Key.tab)
    #expect(bench.status.contains(":color green") && bench.status.hasSuffix("1 of 2"))
    bench.press(InputEvent.Key.tab)
    #expect(bench.status.contains(":color gray"))
    bench.take(.key(.tab, .shift))
    #expect(bench.status.contains(":color green"))
    // Another key accepts the word and closes the list; Tab then completes the next word.
    bench.press(" ")
    #expect(!bench.lines.contains { $0.contains("dull") } && bench.effects.isEmpty)
    bench.press(InputEvent.Key.tab)
    #expect(bench.effects == [.complete(.command, "color green ")])
  }

  @Test func `the text after the cursor stays, and a late answer changes nothing`() throws {
    bench.press(":color y 4", InputEvent.Key.left, InputEvent.Key.left, InputEvent.Key.tab)
    try answer(keeping: 6)
    #expect(bench.status.trimmed == ":color yellow 4")
    bench.press("s", InputEvent.Key.tab, "x")
    try answer(keeping: 6)
    #expect(bench.status.trimmed == ":color yellowsx 4")
  }

  @Test func `without a fitting word the reader says so, and many words are in columns`() throws {
    bench.press(":color q", InputEvent.Key.tab)
    try answer(keeping: 6)
    #expect(bench.lines[10].contains("nothing completes this"))
    bench.press(InputEvent.Key.backspace, InputEvent.Key.tab)
    let many = (1...90).map { Completion("word\($0)") }
    bench.press(InputEvent.Key.escape, ":w", InputEvent.Key.tab)
    bench.effects = []
    bench.reader.complete("w", keeping: 0, with: many)
    #expect(bench.lines[5].hasPrefix(" word1   word2   word3"))
    bench.take(.key(.tab, .shift))
    #expect(bench.status.hasPrefix(":word90") && bench.lines[10].contains("word90"))
    bench.reader.resize(columns: 20, rows: 3)
    #expect(bench.lines[1].contains("word90") && bench.status.hasPrefix(":word90"))
  }

  @Test func `tags are completed without a space, and searches not at all`() throws {
    bench.press("a", "t", "x, y", InputEvent.Key.tab)
    #expect(bench.effects == [.complete(.tags, "x, y")])
    try answer(keeping: 3)
    #expect(bench.status.trimmed == "tags, with commas: x, yellow")
    bench.press(InputEvent.Key.escape, "/x", InputEvent.Key.tab)
    #expect(bench.effects.isEmpty && bench.status.hasPrefix("/x"))
  }

  @Test func `help is wrapped in its columns at any width`() {
    let help = [
      "Mark a passage of a document, which may be a sentence or a page.", "",
      "OPTIONS:", "  -c, --color <color>     The colour of the highlight, or the name you gave it.",
      "  --a-long-name-of-an-option", "                          Its meaning.",
    ]
    bench.reader.showHelp(help)
    let column = { (text: String) in self.bench.place(of: text)?.column }
    #expect(column("The colour") == column("the name you gave"))
    #expect(column("OPTIONS:") == 4 - 2)
    #expect(bench.lines.allSatisfy { displayWidth(of: $0) <= 60 })
    bench.reader.resize(columns: 34, rows: 24)
    #expect(bench.lines.contains { $0.hasSuffix("-c, --color <color>") })
    #expect(column("The colour") == column("Its meaning."))
    #expect(bench.lines.allSatisfy { !$0.contains("…") })
    bench.press("G", InputEvent.Key.escape)
    #expect(bench.lines.contains { $0.contains("Some words.") })
  }
}
