import Editing
import MarkdownParse
import Model
import Rendering
import Testing

@testable import Reader

private let essay = """
  # Signs

  The quick brown fox jumps over [the lazy dog](x.md). A second sentence, with 日本語の文章です and 👨‍👩‍👧‍👦 in it.

  Another paragraph.

  """ + (1...30).map { "\nParagraph \($0) of the end.\n" }.joined()

@Suite struct ReaderMouseTests {
  let bench = ReaderBench(essay, highlights: [("jumps over", .blue)], color: .ansi16)

  @Test func `a click places the caret, two select the word, three the line`() throws {
    try bench.mouse(.press, "brown", after: 1, offset: 2)
    try bench.mouse(.release, "brown", offset: 2)
    #expect(bench.selected.isEmpty && bench.atCaret.hasPrefix("own fox"))
    try bench.mouse(.press, "brown", after: 0.2, offset: 2)
    #expect(bench.selected == "brown")
    try bench.mouse(.release, "brown", offset: 2)
    try bench.mouse(.press, "brown", after: 0.2, offset: 2)
    #expect(bench.selected.hasPrefix("The quick") && bench.selected.hasSuffix("in it."))
  }

  @Test func `slow or distant presses are separate clicks`() throws {
    try bench.click("quick")
    try bench.click("quick", after: 0.26)
    #expect(bench.selected.isEmpty)
    try bench.click("fox", after: 0.1)
    #expect(bench.selected.isEmpty)
  }

  @Test func `a long press selects the word, unless the mouse moves first`() throws {
    try bench.mouse(.press, "quick", after: 1, offset: 1)
    let deadline = try #require(bench.reader.deadline)
    #expect(abs(deadline - bench.time - 0.35) < 1e-9)
    #expect(bench.reader.handle(.tick, at: bench.time + 0.34).isEmpty)
    #expect(bench.selected.isEmpty)
    _ = bench.reader.handle(.tick, at: deadline)
    #expect(bench.selected == "quick" && bench.reader.deadline == nil)
    try bench.mouse(.release, "quick", after: 0.5, offset: 1)
    #expect(bench.selected == "quick", "its release is not a click")

    try bench.mouse(.press, "fox", after: 1)
    try bench.mouse(.drag, "fox", after: 0.1, offset: 2)
    #expect(bench.reader.deadline == nil && bench.selected == "fox")
  }

  @Test func `dragging extends by the unit that the first press selected`() throws {
    try bench.mouse(.press, "quick", after: 1, offset: 1)
    try bench.mouse(.drag, "quick", offset: 1)
    #expect(bench.selected.isEmpty, "a hand that shakes inside the cell drags nothing")
    try bench.mouse(.drag, "brown", offset: 1)
    #expect(bench.selected == "uick br")
    try bench.mouse(.drag, "The")
    #expect(bench.selected == "The q", "backwards")
    try bench.mouse(.release, "The")
    bench.press(InputEvent.Key.escape)
    try bench.click("quick")
    try bench.mouse(.press, "quick", after: 0.1)
    try bench.mouse(.drag, "fox", offset: 1)
    #expect(bench.selected == "quick brown fox", "by words")
    try bench.mouse(.drag, "The", offset: 1)
    #expect(bench.selected == "The quick", "by words, backwards")
  }

  @Test func `a drag that ends on a blank row selects up to the end of the text above`() throws {
    let blank = try #require(bench.place(of: "Another")).row + 1
    try bench.mouse(.press, "paragraph", after: 1)
    for action in [InputEvent.Mouse.Action.drag, .release] {
      bench.take(.mouse(.init(action, at: .init(row: blank, column: 3))))
    }
    #expect(bench.selected == "paragraph.")
    bench.press(InputEvent.Key.escape)
    // Repeat the drag by words, and then upwards from the text below.
    try bench.click("paragraph")
    try bench.mouse(.press, "paragraph", after: 0.1)
    bench.take(.mouse(.init(.drag, at: .init(row: blank, column: 3))))
    #expect(bench.selected.hasPrefix("paragraph") && !bench.selected.contains("Paragraph"))
    bench.take(.mouse(.init(.release, at: .init(row: blank, column: 3))))
    bench.press(InputEvent.Key.escape)
    try bench.mouse(.press, "1 of", after: 1)
    bench.take(.mouse(.init(.drag, at: .init(row: blank, column: 3))))
    #expect(bench.selected == "Paragraph ")
  }

  @Test func `wide characters and emoji are selected completely`() throws {
    try bench.mouse(.press, "文", after: 1, offset: 1)
    try bench.mouse(.release, "文", offset: 1)
    #expect(bench.atCaret.hasPrefix("文章"), "the second column of a character is that character")
    try bench.mouse(.press, "文", after: 0.1, offset: 1)
    #expect(bench.selected == "文章")
    let emoji = try #require(bench.place(of: "👨‍👩‍👧‍👦"))
    for column in [emoji.column, emoji.column + 1] {
      bench.time += 1
      for _ in 0..<2 {
        bench.take(.mouse(.init(.press, at: .init(row: emoji.row, column: column))))
        bench.take(.mouse(.init(.release, at: .init(row: emoji.row, column: column))))
      }
      #expect(bench.selected == "👨‍👩‍👧‍👦")
    }
  }

  @Test func `a click on a highlight selects it, and a click in the selection opens the menu`()
    throws
  {
    try bench.click("over")
    #expect(bench.selected == "jumps over")
    try bench.click("over")
    #expect(bench.lines.contains { $0.contains("│ Highlight 1, blue") })
    try bench.mouse(.press, "2  Change to green", after: 1)
    #expect(bench.effects == [.recolor(id: .number(1), .green)])
    bench.reader.resize(columns: 60, rows: 16)
    try bench.mouse(.press, "over", after: 1, button: .right)
    #expect(bench.lines.contains { $0.contains("x  Delete") })
    try bench.mouse(.press, "Signs", after: 1)
    #expect(!bench.lines.contains { $0.contains("│") }, "a click beside it closes the menu")
  }

  @Test func `a click on a link follows it, but not within a selection or beside the link`() throws
  {
    try bench.click("lazy")
    #expect(bench.effects.isEmpty, "it may become a double click")
    #expect(bench.tick() == [.follow("x.md")])
    #expect(bench.tick().isEmpty, "once")
    bench.press("S")
    try bench.click("lazy")
    #expect(bench.effects.isEmpty && bench.lines.contains { $0.contains("│ Selection") })
    bench.press(InputEvent.Key.escape, InputEvent.Key.escape)
    try bench.click("quick")
    #expect(bench.effects.isEmpty && bench.tick().isEmpty)
    // Dragged text is selected.
    try bench.mouse(.press, "lazy", after: 1)
    try bench.mouse(.drag, "dog")
    try bench.mouse(.release, "dog")
    #expect(bench.effects.isEmpty && bench.selected.hasPrefix("lazy"))
  }

  @Test func `two clicks on a link select its word, and a slow click follows it on release`() throws
  {
    try bench.click("lazy")
    try bench.click("lazy", after: 0.1)
    #expect(bench.selected == "lazy" && bench.tick().isEmpty && bench.effects.isEmpty)
    try bench.mouse(.press, "dog", after: 1)
    try bench.mouse(.release, "dog", after: 0.3)
    #expect(bench.effects == [.follow("x.md")])
  }

  @Test func `the wheel and a drag over the edge scroll`() throws {
    bench.take(.mouse(.init(.wheelDown, at: .init(row: 3, column: 3))))
    #expect(!bench.lines[0].contains("Signs"))
    bench.take(.mouse(.init(.wheelUp, at: .init(row: 3, column: 3))))
    #expect(bench.lines[0].contains("Signs"))
    try bench.mouse(.press, "Another", after: 1)
    for _ in 0..<10 { bench.take(.mouse(.init(.drag, at: .init(row: 11, column: 20)))) }
    #expect(!bench.lines[0].contains("Signs") && bench.selected.contains("Paragraph 3"))
  }

  @Test func `a click beside the text places the caret at the nearest text`() throws {
    for position in [(0, 59), (1, 0), (1, 40), (10, 59), (3, 0)] {
      bench.time += 1
      bench.take(.mouse(.init(.press, at: .init(row: position.0, column: position.1))))
      bench.take(.mouse(.init(.release, at: .init(row: position.0, column: position.1))))
      #expect(bench.reader.selection.isCaret)
    }
    bench.take(.mouse(.init(.press, at: .init(row: 0, column: 59))))
    #expect(bench.reader.selection.head == TextOffset(utf16: 5), "the end of the row")
  }
}
