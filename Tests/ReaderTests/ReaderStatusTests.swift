import Editing
import MarkdownParse
import Model
import Rendering
import Testing

@testable import Reader

/// Tests the status line, messages, the position of matches, and the centred text.
@Suite struct ReaderStatusTests {
  private static let text =
    "# Antidisestablishmentarianism and other words\n\nSome words here.\n\n"
    + "## A section with a rather long heading for a line\n\n"
    + (1...60).map { "Paragraph \($0) with words.\n\n" }.joined()

  private func bench(_ columns: Int, rows: Int = 12) -> ReaderBench {
    let bench = ReaderBench(
      Self.text, highlights: [("Some", .green), ("nowhere", .pink)], columns: columns, rows: rows)
    var text = bench.reader.text
    text.title = "Antidisestablishmentarianism and other words"
    text.highlights[0].note = "a note with several words in it"
    text.highlights[0].tags = ["one", "two"]
    bench.reader.replace(text) { $0 }
    return bench
  }

  /// The words that the status line may contain.
  private static let words: Set<Substring> = [
    "Antidisestablishmentarianism", "and", "other", "words", "A", "section", "with", "a", "rather",
    "long", "heading", "for", "line", "note", "several", "in", "it", "#one", "#two", "1", "to",
    "review:", "i", "2", "highlights", "highlight", "green", "selected", "selecting", "mouse",
    "off", "?", "keys", "find", "q", "quit", "1-4", "mark", "colour", "n", "t", "tag", "y", "copy",
    "x", "remove", "Enter", "menu", "next", "Esc", "end", "of", "§", "·", "/", "4", "100%",
  ]

  @Test(arguments: [20, 40, 60, 80, 120, 200])
  func `the status line has whole words only, and its parts do not overlap`(columns: Int) {
    for keys in ["", "j", "je", "vw", "mj", "jjj", "G", "/Par\r", "/words\r"] {
      let bench = bench(columns)
      for character in keys {
        bench.take(character == "\r" ? .key(.enter) : .key(.character(character)))
      }
      let status = bench.status
      #expect(displayWidth(of: status) <= columns)
      #expect(status.hasSuffix("%") || bench.reader.message != "", "\(keys): \(status)")
      for word in status.split(whereSeparator: { " “”,".contains($0) }) {
        let whole = word.hasSuffix("…") ? word.dropLast() : word
        let isNumber = whole.allSatisfy { $0.isNumber || $0 == "%" }
        // A title without a blank may be cut, with a sign.
        let isCutTitle = word.hasSuffix("…") && "Antidisestablishmentarianism".hasPrefix(whole)
        #expect(
          Self.words.contains(whole) || isNumber || isCutTitle, "\(columns) \(keys): \(status)")
      }
    }
  }

  @Test func `useful keys are named, unless the setting hides them`() {
    let wide = bench(80)
    #expect(wide.status.contains("? keys  / find  q quit"), "\(wide.status)")
    wide.press("je")
    #expect(wide.status.contains("highlight 1, green"))
    wide.press("e")
    #expect(wide.status.contains("1-4 mark  n note  t tag  y copy  Enter menu"), "\(wide.status)")
    let narrow = bench(40)
    #expect(narrow.status.contains("? keys"), "\(narrow.status)")
    var options = wide.reader.options
    options.hasFooter = false
    wide.reader.use(options)
    #expect(!wide.status.contains("menu") && wide.status.contains("selected"))
    wide.press(InputEvent.Key.escape)
    #expect(!wide.status.contains("keys"))
  }

  @Test(arguments: [20, 40, 80])
  func `a long message is complete, in several lines`(columns: Int) {
    let bench = bench(columns, rows: 24)
    let message =
      "no document 'x'; did you mean 'essay.md'? `doc list --all` shows the documents of the library"
    bench.reader.message = message
    let shown = bench.lines.suffix(12).joined(separator: " ").split(separator: " ")
    for word in message.split(separator: " ") {
      #expect(shown.contains(word), "\(word): \(bench.lines)")
    }
    bench.press("j")
    #expect(!bench.lines.joined().contains("did"))
  }

  @Test func `a second message is shown with the first`() {
    let bench = bench(80)
    bench.reader.say("removed 3")
    bench.reader.say("one file is missing")
    #expect(
      bench.lines.suffix(2).map { $0.trimmingBlanks } == ["removed 3", "one file is missing"])
    bench.press("j")
    #expect(bench.status.hasSuffix("%"))
  }

  @Test func `a notice waits until the answer was read, and until the notice before it was`() {
    let bench = bench(80)
    bench.press("7j999G")
    #expect(bench.status.contains("no line 999"))
    bench.reader.notify("essay.md changed: 1 edited")
    bench.reader.notify("synced: 3 changes")
    #expect(bench.status.contains("no line 999"), "the answer stays")
    bench.press("k")
    #expect(bench.status.contains("essay.md changed"))
    bench.press("k")
    #expect(bench.status.contains("synced: 3 changes"))
    bench.press("k")
    #expect(bench.status.hasSuffix("%"))
  }

  @Test func `lines are shortened after a word`() {
    #expect(Reader.shortened("one two three", to: 13) == "one two three")
    #expect(Reader.shortened("one two three", to: 12) == "one two…")
    #expect(Reader.shortened("one two, three", to: 12) == "one two…")
    #expect(Reader.shortened("abcdefgh", to: 5) == "abcd…")
    #expect(Reader.shortened("日本語の文章", to: 7) == "日本語…")
    #expect(Reader.shortened("abc", to: 0) == "")
  }

  @Test func `a match lands in the upper third, in both directions`() throws {
    let bench = bench(80, rows: 24)
    func row() throws -> Int {
      let word = bench.selected
      return try #require(bench.lines.firstIndex { $0.contains(word) })
    }
    bench.press("/Paragraph 40", InputEvent.Key.enter)
    #expect(try row() < 8)
    bench.press("g/Paragraph 1", InputEvent.Key.enter)
    for _ in 0..<10 {
      bench.press("n")
      #expect(try row() < 8 || bench.lines.joined().contains("Paragraph 60"), "\(bench.lines)")
    }
    bench.press("NNNNNN")
    #expect(try row() < 8)
    bench.press("/Paragraph 30")
    let typed = try #require(bench.lines.firstIndex { $0.contains("Paragraph 30 ") })
    #expect(typed < 8)
  }

  @Test(arguments: [ColorMode.ansi16, .xterm256, .trueColor, .none])
  func `all matches have the theme's background, and the current one is reversed`(mode: ColorMode)
    throws
  {
    let bench = ReaderBench("fox one fox two fox\n", color: mode)
    bench.press("/fox")
    let screen = bench.reader.screen()
    let paints = try ["fox one", "fox two"].map { try #require(bench.paint($0)) }
    let column = try #require(bench.place(of: "fox two")).column + 8
    let last = screen[0, column].paint
    #expect(paints[0].split(separator: ";").contains("7"))
    for paint in [paints[1], last] {
      let codes = paint.split(separator: ";")
      #expect(codes.contains("4") && !codes.contains("7"), "\(paint)")
      let hasBackground = codes.contains { (40...48).contains(Int($0) ?? 0) }
      #expect(hasBackground == (mode != .none), "\(paint)")
    }
  }

  @Test func `the text is at most as wide as the measure, and centred`() throws {
    let bench = ReaderBench(
      String(repeating: "word ", count: 100), columns: 120, rows: 10)
    func text(_ line: String) -> (Int, Int) {
      (line.prefix { $0 == " " }.count, line.trimmed.count)
    }
    let (left, end) = text(bench.lines[0])
    #expect(left >= 20 && end <= 100 && end > 90, "\(bench.lines)")
    // The mouse is exact beside the margin.
    bench.press("j")
    try bench.mouse(.press, "word", after: 1)
    try bench.mouse(.release, "word", after: 0.1)
    #expect(bench.reader.selection.head.utf16 == 0)
    // Beside a list, the text moves to the left.
    bench.press("e", InputEvent.Key.enter)
    #expect(bench.lines.contains { $0.contains("│ Selection") })
    #expect(text(bench.lines[0]).0 < left)
    bench.press(InputEvent.Key.escape, InputEvent.Key.escape)
    #expect(text(bench.lines[0]).0 == left)
    var options = bench.reader.options
    options.measure = 40
    bench.reader.use(options)
    let narrow = text(bench.lines[0])
    #expect(narrow.0 >= 40 && narrow.1 <= 80)
    bench.press("+")
    #expect(bench.status.contains("44 columns"))
    bench.press("=")
    #expect(text(bench.lines[0]) == narrow)
  }

  @Test func `the arrow keys move by entries, which may have several rows`() {
    let bench = bench(60, rows: 20)
    let long = "a line that is much longer than the list beside the text, so that it is wrapped"
    let id = Highlight.ID.number(7)
    bench.reader.show("Answer", [(long, nil), ("second", .highlight(id)), (long, .tag("x"))])
    func chosen() -> [String] {
      let screen = bench.reader.screen()
      return (0..<screen.rows - 1).filter { row in
        (0..<screen.columns).contains { screen[row, $0].paint == "7" }
      }.map { screen.text(ofRow: $0) }
    }
    #expect(chosen().count > 1, "all rows of the entry are marked")
    bench.press(InputEvent.Key.enter)
    #expect(bench.effects.isEmpty && bench.status.contains("nothing to open"))
    bench.press(InputEvent.Key.down)
    #expect(chosen().count == 1 && chosen()[0].contains("second"))
    bench.press(InputEvent.Key.down, InputEvent.Key.up, InputEvent.Key.enter)
    #expect(bench.effects == [.visit(.highlight(id))])
  }

  @Test func `nothing needs saving`() {
    let bench = bench(80)
    bench.press(":w", InputEvent.Key.enter)
    #expect(bench.effects.isEmpty && bench.status.contains("nothing needs saving"))
    bench.press(":wq", InputEvent.Key.enter)
    #expect(bench.effects == [.quit(0)])
  }
}

extension String {
  fileprivate var trimmingBlanks: String { String(trimmed.drop { $0 == " " }) }
}
