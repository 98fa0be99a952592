import Editing
import MarkdownParse
import Model
import Rendering
import Testing

@testable import Reader

private let essay = """
  # Signs

  The *quick* brown fox jumps over the [lazy dog](other.md#x), see [more](more.md) and \
  [yet more](yet.md).

  ## Deeper

  The end.
  """

@Suite struct ReaderPanelTests {
  private func bench(
    _ highlights: [ReaderHighlight] = [], canMark: Bool = true, canAdd: Bool = false
  )
    -> ReaderBench
  {
    let bench = ReaderBench(essay, canMark: canMark)
    var text = bench.reader.text
    text.highlights = highlights
    text.canAdd = canAdd
    bench.reader.replace(text) { $0 }
    return bench
  }

  private func range(_ words: String) -> TextRange? {
    ParsedDocument(parsing: MarkdownSource(essay)).range(of: words)
  }

  @Test(arguments: ["o", "L", "?", "i", "a\r"])
  func `a command can be typed while a panel is open`(keys: String) {
    let bench = bench([ReaderHighlight(id: .number(1), range: nil, color: .pink, state: .orphaned)])
    for key in keys { bench.press(key == "\r" ? InputEvent.Key.enter : String(key)) }
    #expect(bench.lines.contains { $0.contains("│") })
    bench.press(":quit now")
    #expect(bench.status.hasPrefix(":quit now"), "\(bench.status)")
    bench.press(InputEvent.Key.enter)
    #expect(bench.effects == [.quit(0)])
  }

  @Test func `the panel of links goes where its lines lead, and its titles cannot be chosen`() {
    let bench = bench()
    bench.press("B")
    #expect(bench.effects == [.readLinks])
    bench.press(":links", InputEvent.Key.enter)
    #expect(bench.effects == [.readLinks, .readLinks])
    var panel = LinkPanel()
    bench.reader.show(panel)
    #expect(bench.status.contains("no other document links here"))
    panel.links = [.init("dog → other.md", .follow("other.md#x"))]
    let place = Destination.place(
      Document.ID(Highlight.ID.number(2).description)!, LinePosition(line: 3, column: 1))
    panel.backlinks = [.init("b.md:3  A sentence.", .visit(place))]
    panel.unresolved = [.init("yet.md: no such file", .go(range("yet more")!.lowerBound))]
    bench.reader.show(panel)
    for title in ["Links (1)", "Backlinks (1)", "Unresolved (1)", "b.md:3  A sentence."] {
      #expect(bench.lines.contains { $0.contains(title) }, "\(title)")
    }
    bench.press(InputEvent.Key.enter)
    #expect(bench.effects.last == .visit(place))
    bench.reader.show(panel)
    bench.press(InputEvent.Key.up, InputEvent.Key.enter)
    #expect(bench.effects.count == 3 && bench.lines.contains { $0.contains("Links (1)") })
    bench.press(InputEvent.Key.up, InputEvent.Key.enter)
    #expect(bench.effects.last == .follow("other.md#x"))
    bench.reader.show(panel)
    bench.press("G", InputEvent.Key.enter)
    #expect(bench.reader.selection.head == range("yet more")!.lowerBound)
  }

  @Test func `a typed number replaces the suggested one`() {
    let bench = bench()
    bench.press("/lazy", InputEvent.Key.enter, InputEvent.Key.escape, InputEvent.Key.escape, "f")
    #expect(bench.status.hasPrefix("follow link: 1"))
    #expect(bench.paint("1")?.isEmpty == true || bench.status.contains("1"))
    bench.press("2")
    #expect(bench.status.trimmed == "follow link: 2")
    bench.press(InputEvent.Key.enter)
    #expect(bench.effects.last == .follow("more.md"))
    // Enter accepts the suggestion.
    bench.press("f", InputEvent.Key.enter)
    #expect(bench.effects.last == .follow("other.md#x"))
    // Moving the cursor into the suggestion accepts it for editing.
    bench.press("f", InputEvent.Key.end, InputEvent.Key.backspace, "3", InputEvent.Key.enter)
    #expect(bench.effects.last == .follow("yet.md"))
    bench.press("f", InputEvent.Key.backspace)
    #expect(bench.status.trimmed == "follow link:")
  }

  @Test func `forward returns to the text that was left, until the reader jumps`() {
    let bench = bench()
    bench.press(">")
    #expect(bench.effects.isEmpty && bench.status.contains("no later position"))
    bench.reader.canAdvance = true
    bench.press(">")
    #expect(bench.effects == [.advance])
    bench.press("G", ">")
    #expect(bench.effects == [.advance], "after a jump nothing is ahead")
    bench.press("<")
    let places = bench.reader.places
    bench.press("G", "}")
    bench.reader.restore(places)
    bench.press(">")
    #expect(bench.atCaret.isEmpty, "the place ahead is kept: \(bench.atCaret)")
  }

  @Test func `a highlight with a note has a mark in the margin, and the note is in the status`() {
    let bench = bench([
      ReaderHighlight(
        id: .number(4), range: range("quick"), color: .green, note: "so it is", tags: ["x"],
        name: "4")
    ])
    #expect(bench.lines.contains { $0.contains(" G* The quick") }, "\(bench.lines)")
    bench.press(InputEvent.Key.down)
    #expect(!bench.status.contains("so it is"))
    bench.press("w")
    #expect(bench.status.contains("highlight 4, green · “so it is” · #x"), "\(bench.status)")
    bench.press("w")
    #expect(!bench.status.contains("so it is"))
  }

  @Test func `without colours the mark of a note is beside the letter`() {
    let bench = ReaderBench(essay, color: .none)
    var text = bench.reader.text
    text.highlights = [
      ReaderHighlight(id: .number(4), range: range("quick"), color: .green, note: "n")
    ]
    bench.reader.replace(text) { $0 }
    #expect(bench.lines.contains { $0.contains("[G*:quick]") })
  }

  @Test func `doubtful highlights are accepted and rejected in their list, which stays open`() {
    let highlights = [
      ReaderHighlight(
        id: .number(1), range: range("fox"), color: .pink, state: .doubtful, quote: "a fox"),
      ReaderHighlight(id: .number(2), range: nil, color: .blue, state: .orphaned, quote: "the cat"),
    ]
    let bench = bench(highlights)
    bench.press("i")
    #expect(bench.lines.contains { $0.contains("a accept · r reject") })
    bench.press("a")
    #expect(bench.effects == [.accept(id: .number(1))])
    var text = bench.reader.text
    text.highlights[0].state = .exact
    bench.reader.replace(text) { $0 }
    #expect(bench.lines.contains { $0.contains("“the cat”") })
    #expect(!bench.lines.contains { $0.contains("“a fox”") })
    bench.press("r")
    #expect(bench.effects.last == .detach(id: .number(2)))
    text.highlights = []
    bench.reader.replace(text) { $0 }
    #expect(!bench.lines.contains { $0.contains("│") }, "it closes after the last one")
  }

  @Test func `without a library the list of highlights has no actions`() {
    let bench = bench(
      [ReaderHighlight(id: .number(2), range: nil, color: .blue, state: .orphaned)], canMark: false)
    bench.press("i")
    #expect(!bench.lines.contains { $0.contains("accept") })
    bench.press("a")
    #expect(bench.effects.isEmpty)
  }

  @Test func `a text outside the library can be added from the menu`() {
    let bench = bench(canMark: false, canAdd: true)
    bench.press("ae", InputEvent.Key.enter)
    #expect(bench.lines.contains { $0.contains("not in the library") })
    #expect(bench.lines.contains { $0.contains("l  Add to the library") })
    #expect(bench.lines.contains { $0.contains("h  Highlight, and add to the library") })
    #expect(bench.lines.filter { $0.contains("Highlight") }.count == 1)
    bench.press("l")
    #expect(bench.effects == [.add])
  }

  @Test func `a long line of output is wrapped at blanks, and each part has the same target`() {
    let bench = bench()
    let line =
      "  SPEC selects the passage: \"exact words\", \"exact words\"#2 for the second of them"
    let id = Highlight.ID(Dot(replica: ReplicaID(rawValue: 1), sequence: 3))
    bench.reader.show("Answer", [(line, .highlight(id)), ("short", nil)])
    let shown = bench.lines.filter { $0.contains("│") }.compactMap {
      $0.split(separator: "│").last.map(String.init)
    }
    let words = shown.joined(separator: " ").split(separator: " ").joined(separator: " ")
    #expect(words.contains("\"exact words\"#2 for the second of them short"), "\(shown)")
    #expect(shown.allSatisfy { $0.count <= 45 })
    bench.press(InputEvent.Key.down, InputEvent.Key.up, InputEvent.Key.enter)
    #expect(bench.effects == [.visit(.highlight(id))])
  }

  @Test func `a key that an answer does not use closes it and acts`() {
    let bench = bench()
    let lines: [(text: String, about: Destination?)] = (1...5).map { ("line \($0)", nil) }
    for (key, effect) in [("u", Reader.Effect.run("undo")), ("U", .run("redo")), ("r", .reload)] {
      bench.reader.show("Answer", lines)
      bench.press("j")
      #expect(bench.lines.contains { $0.contains("│ Answer") })
      bench.press(key)
      #expect(bench.effects.last == effect)
      #expect(!bench.lines.contains { $0.contains("│ Answer") }, "\(key)")
    }
    // The list uses q itself.
    bench.reader.show("Answer", lines)
    bench.press("q")
    #expect(bench.effects.count == 3 && !bench.lines.contains { $0.contains("│ Answer") })
    bench.reader.show("Answer", lines)
    bench.press("o")
    #expect(bench.lines.contains { $0.contains("│ Outline") })
  }

  @Test func `in a list, the keys for highlights are about the chosen one, and never another`() {
    let bench = bench([
      ReaderHighlight(id: .number(1), range: range("quick"), color: .pink, quote: "quick"),
      ReaderHighlight(id: .number(2), range: range("fox"), color: .blue, quote: "fox"),
    ])
    bench.press("]H", InputEvent.Key.down, "x")
    #expect(bench.effects == [.remove(id: .number(2))] && bench.selected == "fox")
    bench.reader.show("Answer", [("1  quick", .highlight(.number(1))), ("a", nil), ("b", nil)])
    bench.press("3")
    #expect(bench.effects.last == .recolor(id: .number(1), .blue))
    // A line about another text or the outline, and the help.
    let place = Destination.document(Document.ID(Highlight.ID.number(2).description)!)
    bench.reader.show("Answer", [("b.md", place), ("c.md", place), ("d.md", place)])
    bench.press("x")
    #expect(bench.effects.count == 2 && bench.status.contains("Esc closes the list"))
    #expect(bench.lines.contains { $0.contains("│ Answer") })
    bench.press(InputEvent.Key.escape, "ox")
    #expect(bench.effects.count == 2 && bench.lines.contains { $0.contains("│ Outline") })
    bench.press(InputEvent.Key.escape, "?x")
    #expect(bench.effects.count == 2 && bench.status.contains("Esc closes the help"))
  }

  @Test func `highlights of the same words follow one another, and each can be changed`() {
    let bench = bench([
      ReaderHighlight(
        id: .number(1), range: range("quick"), color: .yellow, quote: "quick", name: "1"),
      ReaderHighlight(
        id: .number(2), range: range("quick"), color: .green, quote: "quick", name: "2"),
      ReaderHighlight(id: .number(3), range: range("fox"), color: .blue, quote: "fox", name: "3"),
    ])
    bench.reader.resize(columns: 120, rows: 12)
    bench.press("]")
    #expect(bench.status.contains("highlight 1, yellow · also 2 green"), "\(bench.status)")
    bench.press("x]x]x")
    let ids = [1, 2, 3].map(Highlight.ID.number)
    #expect(bench.effects == ids.map { .remove(id: $0) })
    bench.press("[x[x")
    #expect(bench.effects.suffix(2) == [.remove(id: ids[1]), .remove(id: ids[0])])
    bench.press("[")
    #expect(bench.status.contains("no more highlights"))
    // The list leads to each of them, too.
    bench.press("H")
    for line in ["1 Y “quick”", "2 G “quick”", "3 B “fox”"] {
      #expect(bench.lines.contains { $0.contains("│ \(line)") }, "\(line)")
    }
    bench.press(InputEvent.Key.home, InputEvent.Key.enter, "2")
    #expect(bench.effects.last == .recolor(id: ids[0], .green))
    // A caret elsewhere ends the choice.
    bench.press(InputEvent.Key.escape, "$", "]", InputEvent.Key.escape, "hh")
    #expect(bench.reader.currentHighlight?.id != ids[0])
  }

  @Test func `lines are wrapped by columns`() {
    #expect(Reader.wrapped("ab cd ef", columns: 8, hanging: 2) == ["ab cd ef"])
    #expect(Reader.wrapped("ab cd ef", columns: 6, hanging: 2) == ["ab cd", "  ef"])
    #expect(Reader.wrapped("ab cd ef", columns: 6) == ["ab cd", "ef"])
    #expect(Reader.wrapped("abcdefgh", columns: 6, hanging: 2) == ["abcdef", "  gh"])
    #expect(Reader.wrapped(" 日本語 日本語", columns: 9, hanging: 2) == [" 日本語", "   日本語"])
  }
}
