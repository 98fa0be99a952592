import Editing
import MarkdownParse
import Model
import Rendering
import Testing

@testable import Reader

private let essay = """
  # Signs

  The *quick* brown fox jumps over the [lazy dog](other.md#x). A second sentence, with 日本語の文章です in it.

  ## Deeper

  See [a page](https://diple.example/p) about it.


  """ + (1...30).map { "Paragraph \($0) of the end.\n\n" }.joined() + "# Last\n\nThe end.\n"

@Suite struct ReaderKeyTests {
  @Test func `the caret moves by character, word, row and paragraph, and the screen follows`() {
    let bench = ReaderBench(essay)
    bench.press(InputEvent.Key.down)
    #expect(bench.atCaret.hasPrefix("The quick"))
    bench.press("ww")
    #expect(bench.atCaret.hasPrefix("brown"))
    bench.press("bl")
    #expect(bench.atCaret.hasPrefix("uick"))
    bench.press("jk")
    #expect(bench.atCaret.hasPrefix("uick"), "the column stays")
    bench.press("$")
    #expect(bench.atCaret.hasPrefix(" second"))
    bench.press("G")
    #expect(bench.lines.contains { $0.contains("The end.") } && bench.status.hasSuffix("100%"))
    bench.press("g")
    #expect(bench.lines[0].contains("Signs"))
    bench.press("p")
    #expect(bench.atCaret.hasPrefix("The quick"))
  }

  @Test func `Shift and v extend the selection, and Escape clears it`() {
    let bench = ReaderBench(essay)
    bench.press("j")
    bench.take(.key(.right, .shift))
    bench.take(.key(.right, .shift))
    #expect(bench.selected == "Th")
    bench.press(InputEvent.Key.escape)
    #expect(bench.selected.isEmpty)
    bench.press("0vww")
    #expect(bench.selected == "The quick")
    #expect(bench.status.contains("selecting"))
    bench.press("v", "+", "+", "-")
    #expect(bench.selected == "The quick brown")
    bench.press("e")
    #expect(bench.selected.hasSuffix("lazy dog."))
    bench.press("S")
    #expect(bench.selected.hasPrefix("The quick") && bench.selected.hasSuffix("lazy dog."))
    bench.press("a")
    #expect(bench.selected.count == bench.reader.text.document.text.string.count)
  }

  @Test func `the arrow keys recall commands of this and earlier sessions`() {
    let bench = ReaderBench(essay, typed: ["list", "tags"])
    bench.press(":", InputEvent.Key.up)
    #expect(bench.status.hasPrefix(":tags"))
    bench.press(InputEvent.Key.up, InputEvent.Key.up, InputEvent.Key.up)
    #expect(bench.status.hasPrefix(":list"), "the first command is the last one recalled")
    bench.press(InputEvent.Key.down, InputEvent.Key.down)
    #expect(bench.status.trimmed == ":")
    bench.press("hel", InputEvent.Key.up, InputEvent.Key.down)
    #expect(bench.status.hasPrefix(":hel"), "what was being typed is there again")
    bench.press("p", InputEvent.Key.enter, InputEvent.Key.escape, ":", InputEvent.Key.up)
    #expect(bench.status.hasPrefix(":help"))
    bench.press(InputEvent.Key.enter, InputEvent.Key.escape, ":", " ", InputEvent.Key.enter)
    #expect(bench.reader.newLines == ["help"], "neither twice in a row nor blank ones")
    bench.press(":", InputEvent.Key.up, "x", InputEvent.Key.enter)
    #expect(bench.reader.newLines == ["help", "helpx"] && bench.effects.last == .run("helpx"))
    bench.reader.forgetNewLines()
    #expect(bench.reader.newLines.isEmpty)
  }

  @Test func `the menu selects all, and shares with the source`() {
    let bench = ReaderBench(essay, rows: 16)
    bench.press("je", InputEvent.Key.enter)
    #expect(bench.lines.contains { $0.contains("a  Select all") })
    bench.press("a")
    #expect(bench.selected.count == bench.reader.text.document.text.string.count)
    bench.press(InputEvent.Key.enter)
    #expect(!bench.lines.contains { $0.contains("Select all") }, "all is selected")
    bench.press("C")
    #expect(bench.effects.last == .copy(bench.reader.selection.range, .cited))
  }

  @Test func `if selecting is disabled, no key and no mouse event selects`() throws {
    var options = Reader.Options(color: .ansi16)
    options.isSelectable = false
    let bench = ReaderBench(essay, highlights: [("brown", .green), ("lazy", .pink)])
    bench.press("jvww")
    #expect(!bench.selected.isEmpty)
    bench.reader.use(options)
    #expect(bench.selected.isEmpty)
    for keys in ["vw", "S", "a", "e", "/fox\r", "n"] {
      bench.press(keys)
      bench.take(.key(.enter))
      #expect(bench.selected.isEmpty, "\(keys)")
      bench.press(InputEvent.Key.escape)
    }
    bench.press("gj", InputEvent.Key.tab)
    #expect(bench.atCaret.hasPrefix("brown") && bench.selected.isEmpty)
    bench.press(InputEvent.Key.tab)
    #expect(bench.atCaret.hasPrefix("lazy"))
    try bench.click("quick")
    try bench.click("quick", after: 0.1)
    #expect(bench.atCaret.hasPrefix("quick") && bench.selected.isEmpty)
    try bench.mouse(.press, "brown", after: 2)
    try bench.mouse(.drag, "over", after: 0.1)
    try bench.mouse(.release, "over", after: 0.1)
    #expect(bench.selected.isEmpty)
  }

  @Test func `copying requires a selection`() {
    let bench = ReaderBench(essay)
    bench.press("jc")
    #expect(bench.effects.isEmpty && bench.status.contains("nothing is selected"))
    bench.press("e", "c", "y")
    #expect(
      bench.effects == Array(repeating: .copy(bench.reader.selection.range, .usual), count: 2))
  }

  @Test func `matches are shown while typing, with their count, and n wraps with a notice`() {
    let bench = ReaderBench(essay, color: .ansi16)
    bench.press("/", "Paragraph 1")
    #expect(bench.status.hasPrefix("/Paragraph 1") && bench.status.contains("1 of 11"))
    #expect(bench.lines.contains { $0.contains("Paragraph 1 of") })
    #expect(bench.paint("Paragraph 1 of")?.contains("1;4") == true)
    bench.press("xyz", InputEvent.Key.enter)
    #expect(bench.status.contains("is not in the text"))
    bench.press("j")
    #expect(!bench.status.contains("no match"), "\(bench.status)")
    bench.press("g", "/", "Paragraph 1x")
    #expect(bench.status.contains("no match"))
    #expect(bench.lines[0].contains("Signs"), "without a match the screen does not move")
    bench.press(InputEvent.Key.backspace, InputEvent.Key.enter)
    #expect(bench.selected == "Paragraph 1" && bench.status.contains("1 of 11"))
    bench.press("N")
    #expect(bench.status.contains("wrapped to the end"))
    bench.press("n")
    #expect(bench.status.contains("wrapped to the start"))
    bench.press("n", "n")
    #expect(bench.status.contains("3 of 11"))
    bench.press(InputEvent.Key.escape)
    #expect(!bench.status.contains("of 11") && !bench.selected.isEmpty, "the selection is kept")
    bench.press(InputEvent.Key.escape)
    #expect(bench.selected.isEmpty)
    bench.press("/", "fox", InputEvent.Key.escape)
    #expect(bench.selected.isEmpty && !bench.status.contains("1 of 1"))
  }

  @Test func `pasted text is put in the find bar as one line, and ignored elsewhere`() {
    let bench = ReaderBench(essay)
    bench.take(.paste("qqq"))
    #expect(bench.effects.isEmpty)
    bench.press("/")
    bench.take(.paste("brown\nfox"))
    #expect(bench.status.hasPrefix("/brown fox") && bench.status.contains("1 of 1"))
  }

  @Test func `choosing a heading in the outline jumps to it, and back and forward return`() {
    let bench = ReaderBench(essay)
    bench.press("jo")
    #expect(bench.lines.contains { $0.contains("│ Outline") })
    #expect(bench.lines.contains { $0.hasSuffix("│   Deeper") })
    bench.press("jj", InputEvent.Key.enter)
    #expect(bench.atCaret == "Last")
    bench.press("<")
    #expect(bench.atCaret.hasPrefix("The quick"))
    bench.press(">")
    #expect(bench.atCaret == "Last")
    bench.press("{")
    #expect(bench.atCaret == "Deeper")
    bench.press("}")
    #expect(bench.atCaret == "Last")
  }

  @Test func `links are followed by their number`() {
    let bench = ReaderBench(essay)
    #expect(bench.lines.contains { $0.contains("lazy dog[1]") })
    bench.press("f2", InputEvent.Key.enter)
    #expect(bench.effects == [.follow("https://diple.example/p")])
    bench.press("f", "9", InputEvent.Key.enter)
    #expect(bench.status.contains("there is no link [9]"))
    bench.press("/lazy", InputEvent.Key.enter, "f")
    #expect(bench.status == "follow link: 1", "the number of the link at the caret")
    bench.press(InputEvent.Key.escape, "L")
    #expect(bench.lines.contains { $0.contains("│ [2] https://diple") })
    bench.press(InputEvent.Key.enter)
    #expect(bench.effects.last == .follow("other.md#x"))
  }

  @Test func `links whose text is their address are listed and followed, after the others`() {
    let bench = ReaderBench("See <https://a.example/b> and [two](u.md), <https://a.example/b>.\n")
    #expect(bench.lines.contains { $0.contains("two[1],") })
    #expect(!bench.lines.contains { $0.contains("[2]") }, "the page repeats no address")
    bench.press("f2", InputEvent.Key.enter)
    #expect(bench.effects == [.follow("https://a.example/b")])
    bench.press("/a.example", InputEvent.Key.enter, "f")
    #expect(bench.status == "follow link: 2", "the number of the link at the caret")
    bench.press(InputEvent.Key.escape, "L")
    #expect(bench.lines.contains { $0.contains("[2] https://a.example/b") })
    bench.press(InputEvent.Key.end, InputEvent.Key.enter)
    #expect(bench.effects.last == .follow("https://a.example/b"))
  }

  @Test func `a footnote mark is a link to its note, and the note links back`() {
    let bench = ReaderBench("One[^1] [two](u) [![](a/b.png)](v).\n\n[^1]: A note.\n")
    #expect(bench.lines.contains { $0.contains("One[1] two[2] image: b.png[3][4].") })
    bench.press("/[", InputEvent.Key.enter, "f")
    #expect(bench.status == "follow link: 1")
    bench.press(InputEvent.Key.enter)
    #expect(bench.effects.last == .follow("#fn:1"))
    bench.press("/note", InputEvent.Key.enter, "f", InputEvent.Key.enter)
    #expect(bench.effects.last == .follow("#fnref:1"))
    bench.press("f3", InputEvent.Key.enter)
    #expect(bench.effects.last == .follow("a/b.png"))
    bench.press("L")
    #expect(bench.lines.contains { $0.contains("[1] A note.") })
  }

  @Test func `the menu contains only possible actions`() {
    let bench = ReaderBench(essay, highlights: [("brown fox", .green)], rows: 16)
    bench.press(InputEvent.Key.enter)
    #expect(bench.status.contains("nothing is selected"))
    bench.press("je.")
    let offered = bench.lines.joined(separator: "\n")
    #expect(offered.contains("1  Highlight yellow") && !offered.contains("Delete"))
    bench.press("4")
    #expect(bench.effects == [.mark(bench.reader.selection.range, .pink)])
    bench.press(InputEvent.Key.tab)
    #expect(bench.selected == "brown fox" && bench.status.contains("highlight 1, green"))
    bench.press(InputEvent.Key.enter)
    let more = bench.lines.joined(separator: "\n")
    #expect(more.contains("x  Delete highlight") && !more.contains("Change to green"))
    #expect(more.contains("3  Change to blue") && !more.contains("Highlight blue"))
    bench.press("3")
    bench.press(".", "x", ".", "n", "why?", InputEvent.Key.enter, ".", "t")
    bench.press("one, two words", InputEvent.Key.enter)
    #expect(
      bench.effects.dropFirst() == [
        .recolor(id: .number(1), .blue), .remove(id: .number(1)),
        .setNote(.highlight(.number(1)), "why?", seen: ""),
        .tag(.highlight(.number(1)), ["one", "two words"]),
      ])
  }

  @Test func `a text outside the library can be copied, but not highlighted`() {
    let bench = ReaderBench(essay, canMark: false)
    bench.press("je.")
    #expect(!bench.lines.contains { $0.contains("yellow") })
    bench.press("m")
    #expect(bench.effects == [.copy(bench.reader.selection.range, .markdown)])
  }

  @Test func `a note is typed in one line, or continued in the editor`() {
    let bench = ReaderBench(essay, highlights: [("brown fox", .green)])
    bench.press(InputEvent.Key.tab, "n")
    #expect(bench.status.hasPrefix("note: ") && bench.status.contains("Enter saves  ^E editor"))
    bench.press("why", InputEvent.Key.escape)
    #expect(bench.effects == [])
    bench.press("nwhy")
    bench.control("e")
    #expect(bench.effects == [.note(.highlight(.number(1)), draft: "why", seen: "")])
    bench.press("n", InputEvent.Key.enter)
    #expect(bench.effects.count == 1 && bench.status.contains("note unchanged"))
    bench.press(":note because of it", InputEvent.Key.enter)
    #expect(
      bench.effects.last == .setNote(.highlight(.number(1)), "because of it", seen: ""))
  }

  @Test func `doubtful and orphaned highlights are listed`() {
    let bench = ReaderBench(essay, highlights: [("brown fox", .green), ("not there", .pink)])
    #expect(bench.status.contains("1 to review"))
    bench.press("i")
    #expect(bench.lines.contains { $0.hasSuffix("P orphaned “not there”") })
    bench.press(InputEvent.Key.enter)
    #expect(bench.effects == [.findPlace(id: .number(2))])
    // Neither a selection nor a narrow screen hides the highlights to review.
    bench.press(InputEvent.Key.tab)
    #expect(bench.selected == "brown fox" && bench.status.contains("1 to review: i"))
    bench.reader.resize(columns: 40, rows: 12)
    #expect(bench.status.contains("1 to review: i"))
  }

  @Test func `Enter on a doubtful highlight selects its range, and the list opens at it again`() {
    let bench = ReaderBench(essay, highlights: [("brown fox", .green), ("lazy dog", .pink)])
    var text = bench.reader.text
    for index in text.highlights.indices { text.highlights[index].state = .doubtful }
    bench.reader.replace(text) { $0 }
    bench.press("ij", InputEvent.Key.enter)
    #expect(bench.selected == "lazy dog" && bench.effects == [])
    #expect(
      bench.reader.message == "highlight 2 may belong here; i lists it: a accepts, r rejects")
    bench.press("i")
    bench.press("a")
    #expect(bench.effects == [.accept(id: .number(2))])
    // Without the right to change highlights, the keys are not named.
    text.canMark = false
    bench.press(InputEvent.Key.escape)
    bench.reader.replace(text) { $0 }
    bench.press("i", InputEvent.Key.enter)
    #expect(bench.reader.message == "highlight 2 may belong here")
    // A highlight that was marked as gone needs no review.
    for index in text.highlights.indices { text.highlights[index].isDetached = true }
    bench.reader.replace(text) { $0 }
    #expect(!bench.status.contains("to review"))
  }

  @Test func `the reader runs its own commands and passes on the others`() {
    let bench = ReaderBench(essay)
    bench.press(":", "select \"brown fox\"", InputEvent.Key.enter)
    #expect(bench.effects == [.run("select \"brown fox\"")])
    bench.press(":", "find fox", InputEvent.Key.enter)
    #expect(bench.status.contains("1 of 1"))
    bench.press(":", "follow 2", InputEvent.Key.enter, ":q", InputEvent.Key.enter)
    #expect(bench.effects.suffix(2) == [.follow("https://diple.example/p"), .quit(0)])
  }

  @Test func `Ctrl-Z, Ctrl-L, mm and Ctrl-C control the terminal`() {
    let bench = ReaderBench(essay)
    bench.control("z")
    bench.control("l")
    bench.press("mm")
    bench.control("c")
    #expect(bench.status.contains("press ^C again to quit"))
    bench.control("c")
    #expect(
      bench.effects == [.suspend, .redraw, .captureMouse(false), .captureMouse(true), .quit(130)])
  }

  @Test func `an interrupt cancels the current action, and two in a row end the reader`() {
    let bench = ReaderBench(essay)
    bench.press("e")
    #expect(!bench.selected.isEmpty)
    bench.control("c")
    #expect(bench.selected.isEmpty && bench.effects.isEmpty)
    bench.press("j")
    bench.control("c")
    #expect(bench.effects.isEmpty, "a key between them resets the count")
    bench.press("/fox")
    bench.control("c")
    #expect(bench.effects.isEmpty && !bench.status.hasPrefix("/"))
    bench.control("c")
    #expect(bench.effects.isEmpty)
    bench.control("c")
    #expect(bench.effects == [.quit(130)])
  }

  @Test func `a number before a key repeats it`() {
    let text = (1...40).map { "Line \($0) of it.\n" }.joined(separator: "\n")
    let bench = ReaderBench(text)
    bench.press("5")
    #expect(bench.status.contains("5"))
    bench.press("j")
    #expect(bench.atCaret == "Line 6 of it.")
    bench.press("10j2k")
    #expect(bench.atCaret == "Line 14 of it.")
    bench.press("3w")
    #expect(bench.atCaret == "it.")
    bench.press("0")
    #expect(bench.atCaret == "Line 14 of it.", "0 alone is the start of the row")
    bench.press("7G")
    #expect(bench.atCaret == "Line 4 of it.", "line 7 of the file")
    bench.press("999G")
    #expect(bench.status.contains("the file has no line 999: the last is "))
    let last = bench.reader.text.document.sourceLines.count
    #expect(bench.status.contains(" \(last)"))
    bench.press("4", InputEvent.Key.escape, "j")
    #expect(bench.atCaret == "Line 5 of it.")
  }

  @Test func `the status is a hundred percent at the end of the text`() {
    let text = (1...40).map { "Line \($0).\n" }.joined(separator: "\n") + "\n---\n\n[a]: b.md\n"
    let bench = ReaderBench(text)
    bench.press("G")
    #expect(bench.status.contains("100%"), "\(bench.lines)")
    bench.control("y")
    #expect(!bench.status.contains("100%"), "\(bench.lines)")
  }

  @Test(arguments: [(40, 16), (60, 12), (80, 24), (24, 10)])
  func `the help is complete in a narrow window, and scrolls`(columns: Int, rows: Int) {
    let bench = ReaderBench(essay, columns: columns, rows: rows)
    bench.press("?")
    var words: Set<String> = []
    var count = 0
    while count < 200 {
      count += 1
      for line in bench.lines.dropFirst().dropLast() {
        #expect(displayWidth(of: String(line.trimmed)) <= columns)
        words.formUnion(line.split(whereSeparator: { " │".contains($0) }).map(String.init))
      }
      let before = bench.lines
      bench.press(InputEvent.Key.down)
      if bench.lines == before { break }
    }
    #expect(count < 200)
    for line in ReaderKeys.all where !line.terminal.isEmpty {
      for word in line.meaning.split(separator: " ") {
        #expect(words.contains(String(word)), "\(word) at \(columns)×\(rows)")
      }
    }
    bench.press(InputEvent.Key.pageUp, InputEvent.Key.pageUp, InputEvent.Key.pageUp)
    bench.press(InputEvent.Key.pageDown)
    bench.press(InputEvent.Key.escape)
    #expect(!bench.lines.contains { $0.contains("│") })
  }

  @Test(arguments: [(1, 1), (2, 2), (8, 3), (20, 2), (200, 60)])
  func `every window size works`(columns: Int, rows: Int) {
    let bench = ReaderBench(essay, highlights: [("brown fox", .green)], color: .trueColor)
    for keys in ["/fox", "o", "i", "L", "?", ":abc", ""] {
      bench.reader.resize(columns: columns, rows: rows)
      bench.press(keys)
      let screen = bench.reader.screen()
      #expect(screen.columns == columns && screen.rows == rows)
      bench.press(InputEvent.Key.escape)
    }
  }

  @Test(arguments: ColorMode.allCases)
  func `the selection is reversed, with and without colours`(mode: ColorMode) {
    let bench = ReaderBench(essay, highlights: [("brown fox", .green)], color: mode)
    bench.press("je")
    #expect(bench.paint("The")?.split(separator: ";").contains("7") == true)
    let brackets = bench.lines.contains { $0.contains("[G:brown fox]") }
    #expect(brackets == (mode == .none))
    #expect(bench.lines.contains { $0.hasPrefix(" G  The") } == (mode != .none))
  }

  @Test func `the borders of a list are never cut in a word`() {
    let bench = ReaderBench(essay, highlights: [("brown fox", .green)], columns: 40)
    bench.press("H")
    #expect(bench.lines[10].hasSuffix("│ Enter go · / filter"))
    bench.press(InputEvent.Key.escape, "?")
    #expect(bench.lines[0].contains("Keys · PgDn scrolls · Esc closes"))
    bench.reader.resize(columns: 30, rows: 12)
    #expect(bench.lines[0].trimmed.hasSuffix("Keys · PgDn scrolls"))
  }

  @Test func `an empty text can be opened`() {
    let bench = ReaderBench("")
    #expect(bench.lines[0].hasPrefix(" This document has no text."))
    bench.press("jkhlwbGg$0 nNoLHif", InputEvent.Key.escape, "1txsySaec.v/x", InputEvent.Key.enter)
    #expect(bench.effects.isEmpty)
    _ = bench.reader.screen()
  }
}
