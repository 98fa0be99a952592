import Editing
import MarkdownParse
import Model
import Rendering
import RichText
import Testing

@testable import Reader

private let essay = "# Signs\n\nThe quick brown fox.\n\nThe end.\n"

@Suite struct ReaderPaletteTests {
  /// Returns a reader with the second word selected.
  private func bench(canMark: Bool = true) -> ReaderBench {
    let bench = ReaderBench(essay, canMark: canMark)
    bench.reader.resize(columns: 100, rows: 80)
    bench.press("p", "we")
    #expect(bench.selected == "quick")
    return bench
  }

  private func text(_ change: (inout AttributedText) throws -> Void) rethrows -> AttributedText {
    let document = ParsedDocument(parsing: MarkdownSource(essay))
    var text = AttributedText(units: Array(document.text.utf16))
    try change(&text)
    return text
  }

  private func answer(_ bench: ReaderBench, _ text: AttributedText) {
    bench.reader.show(
      PaletteState(
        text, in: bench.reader.selection.range, FormatContext(), fonts: Self.fonts,
        colors: Self.colors))
  }

  private static let fonts = ["EB Garamond", "Menlo", "O'Brien"]
  private static let colors: [TextColor] = [.rgb(0xABCDEF), .rgb(0xC01020)]

  @Test func `the palette opens beside the text and is empty until the format is known`() {
    let bench = bench()
    bench.press("F")
    #expect(bench.effects == [.readFormat])
    #expect(bench.lines[0].contains("[Style] Indents Spacing"))
    #expect(bench.lines.contains { $0.contains("b  Bold") })
    #expect(
      !bench.lines.contains { $0.contains("[x]") || $0.contains("[ ]") || $0.contains("[-]") })
    #expect(!bench.lines.contains { $0.contains("Size:") })
    #expect(bench.selected == "quick")
  }

  @Test func `the palette shows formats as on, off or mixed, and their effective values`() throws {
    let bench = bench()
    bench.press("F")
    let quick = bench.reader.selection.range.utf16
    answer(
      bench,
      try text {
        try $0.change(quick, [.set(.bold(true)), .set(.size(36))])
        try $0.change(quick.lowerBound..<quick.lowerBound + 2, [.set(.italic(true))])
        try $0.changeParagraphs(quick, [.set(.alignment(.center)), .set(.spaceAfter(.points(12)))])
      })
    #expect(bench.lines.contains { $0.contains("[x] b  Bold") })
    #expect(bench.lines.contains { $0.contains("[-] i  Italic") })
    #expect(bench.lines.contains { $0.contains("[ ] u  Underline") })
    #expect(bench.lines.contains { $0.contains("Alignment: center") })
    #expect(bench.lines.contains { $0.contains("[x]    Center") })
    #expect(bench.lines.contains { $0.contains("Size: 18 pt") })
    bench.press(InputEvent.Key.tab)
    #expect(bench.lines[0].contains("Style [Indents] Spacing"))
    #expect(bench.lines.contains { $0.contains("First line: 36 pt") })
    bench.press(InputEvent.Key.tab)
    #expect(bench.lines[0].contains("Style Indents [Spacing]"))
    #expect(bench.lines.contains { $0.contains("Line height: 1.2") })
    #expect(bench.lines.contains { $0.contains("[x]    1.2") })
    #expect(bench.lines.contains { $0.contains("After paragraphs: 12 pt") })
    bench.press(InputEvent.Key.tab)
    #expect(bench.lines[0].contains("Style Indents Spacing [Fonts]"))
    #expect(bench.lines.contains { $0.contains("Font: Palatino") })
    #expect(bench.lines.contains { $0.contains("[ ]    EB Garamond") })
    bench.press(InputEvent.Key.tab)
    #expect(bench.lines[0].contains("[Style]"))
    bench.take(.key(.tab, .shift))
    #expect(bench.lines[0].contains("[Fonts]"))
  }

  @Test func `without installed fonts there is no pane for them`() {
    let bench = bench()
    bench.press("F")
    bench.reader.show(
      PaletteState(text { _ in }, in: bench.reader.selection.range, FormatContext()))
    #expect(!bench.lines[0].contains("Fonts"))
    bench.take(.key(.tab, .shift))
    #expect(bench.lines[0].contains("[Spacing]"))
  }

  @Test func `digits apply styles by their keys on every pane`() throws {
    let bench = bench()
    bench.press("F")
    var quote = try #require(StyleSheet.builtIn.first { $0.id == .blockQuote })
    quote.key = 9
    let changed = quote
    answer(bench, try text { try $0.styles.store(changed) })
    bench.press("2", InputEvent.Key.tab, "9", "4")
    #expect(
      bench.effects.filter { $0 != .readFormat } == [
        .run("format style heading-2"), .run("format style block-quote"),
      ])
  }

  @Test func `colours that were chosen last are offered once`() {
    let bench = bench()
    bench.press("F")
    answer(bench, text { _ in })
    #expect(bench.lines.count { $0.contains("#abcdef") } == 2)
    #expect(!bench.lines.contains { $0.contains("#c01020") })
  }

  @Test func `lengths are shown in the unit of the setting`() {
    let bench = bench()
    bench.press("F")
    bench.reader.show(
      PaletteState(
        text { _ in }, in: bench.reader.selection.range, FormatContext(), unit: .centimeters))
    bench.press(InputEvent.Key.tab)
    #expect(bench.lines.contains { $0.contains("First line: 1.27 cm") })
  }

  @Test(arguments: [
    ("b", "format bold"), ("i", "format italic"), ("u", "format underline"),
    ("s", "format strike"),
  ])
  func `a key toggles a format, and the palette stays open`(key: String, line: String) {
    let bench = bench()
    bench.press("F", key)
    #expect(bench.effects == [.readFormat, .run(line), .readFormat])
    #expect(bench.lines[0].contains("[Style]"))
    // The keys have the same effect on every pane.
    bench.press(InputEvent.Key.tab, key)
    #expect(bench.effects.dropFirst(3) == [.run(line), .readFormat])
    #expect(bench.lines[0].contains("[Indents]"))
    bench.press(InputEvent.Key.escape)
    #expect(!bench.lines[0].contains("Style") && bench.selected == "quick")
  }

  @Test func `each palette entry runs a command, or starts the input of its value`() throws {
    var lines: Set<String> = []
    for (tabs, pane) in FormatPane.allCases.enumerated() {
      let choices = PaletteChoices(StyleSheet(), fonts: Self.fonts, colors: Self.colors)
      let entries = pane.sections(choices).flatMap(\.entries)
      for entry in entries {
        let bench = bench()
        bench.press("F")
        answer(bench, text { _ in })
        for _ in 0..<tabs { bench.press(InputEvent.Key.tab) }
        bench.press("g")
        guard case .list(let list) = bench.reader.mode else {
          Issue.record("no list")
          return
        }
        let index = try #require(
          list.items.firstIndex {
            if case .format(entry) = $0.action { true } else { false }
          })
        for _ in 0..<index { bench.press("j") }
        bench.press(InputEvent.Key.enter)
        let line = "format " + entry.command
        #expect(lines.insert(line).inserted, "\(line) occurs twice")
        if entry.isCompleted {
          #expect(bench.status.hasPrefix(":" + line.trimmed))
          bench.press("9", InputEvent.Key.enter)
          #expect(bench.effects.last == .run(line + "9"))
        } else {
          #expect(bench.effects.dropFirst().first == .run(line))
        }
      }
    }
    #expect(
      lines.isSuperset(of: [
        "format super", "format sub", "format align justified", "format size 14",
        "format font Menlo",
        "format color automatic", "format color #c01020", "format background #fff36d",
        "format underline wave", "format style block-quote", "format clear",
        "format indent first 18", "format indent head 36", "format indent tail -36",
        "format spacing line 1.5", "format spacing extra 3", "format spacing before 12",
        "format spacing after 6", "format font 'EB Garamond'", "format font 'O'\\''Brien'",
        "format color #abcdef", "format background #abcdef",
      ]))
  }

  @Test func `the palette stays open when the text changes, and is updated`() {
    let bench = bench()
    bench.press("F", "b")
    var text = bench.reader.text
    text.document = ParsedDocument(parsing: MarkdownSource("New. " + essay))
    bench.reader.replace(text) {
      TextRange(utf16: $0.utf16.lowerBound + 5..<$0.utf16.upperBound + 5)
    }
    #expect(bench.lines[0].contains("[Style]"))
    bench.reader.show(
      PaletteState(
        AttributedText(units: Array(text.document.text.utf16)), in: bench.reader.selection.range,
        FormatContext()))
    #expect(bench.lines.contains { $0.contains("[ ] b  Bold") })
  }

  @Test func `titles of sections cannot be chosen, and a click runs an entry`() throws {
    let bench = bench()
    bench.press("F", "g", InputEvent.Key.enter)
    #expect(bench.effects.count == 1 && bench.lines[0].contains("[Style]"))
    try bench.mouse(.press, "Right")
    #expect(bench.effects.contains(.run("format align right")))
    #expect(bench.lines[0].contains("[Style]"))
  }

  @Test func `the format of another passage is ignored`() throws {
    let bench = bench()
    bench.press("F")
    let other = PaletteState(
      try text { try $0.change(0..<3, [.set(.bold(true))]) }, in: TextRange(utf16: 0..<3),
      FormatContext())
    bench.reader.show(other)
    #expect(!bench.lines.contains { $0.contains("[x]") })
    bench.reader.show(nil)
    #expect(!bench.lines.contains { $0.contains("[ ]") })
  }

  @Test func `a text outside the library has no palette`() {
    let bench = bench(canMark: false)
    bench.press("F")
    #expect(bench.effects.isEmpty && bench.status.contains("formats cannot be changed here"))
    var text = bench.reader.text
    text.canAdd = true
    bench.reader.replace(text) { $0 }
    bench.press("F")
    #expect(bench.status.contains("`add` brings"))
  }

  @Test func `names of styles and fonts are shown without control characters`() throws {
    let bench = bench()
    bench.press("F")
    answer(
      bench,
      try text {
        try $0.change(
          bench.reader.selection.range.utf16, [.set(.family("a\u{202E}b"))], limits: .files
        )
      })
    let shown = bench.lines.joined().unicodeScalars
    #expect(!shown.contains("\u{202E}"))
    #expect(bench.lines.contains { $0.contains("Font: a") })
  }

  @Test func `a click on a link of the format follows it`() throws {
    let bench = bench()
    var text = bench.reader.text
    let format = try self.text {
      try $0.change(bench.reader.selection.range.utf16, [.set(.link("other.md"))])
    }
    text.format = ShownFormat(layer: format.layer)
    bench.reader.replace(text) { $0 }
    bench.press(InputEvent.Key.escape)
    try bench.click("quick")
    #expect(bench.tick() == [.follow("other.md")])
  }

  @Test func `a new format is drawn, and the visible text stays in sight`() throws {
    let long = (1...40).map { "Paragraph \($0) of the text.\n\n" }.joined()
    let bench = ReaderBench(long)
    for _ in 0..<12 { bench.press("p") }
    let words = bench.atCaret
    #expect(bench.lines.contains { $0.contains(words) })
    var text = bench.reader.text
    var format = AttributedText(units: Array(text.document.text.utf16))
    try format.changeParagraphs(0..<format.units.count, [.set(.spaceBefore(.points(36)))])
    try format.change(0..<9, [.set(.capitals(.all))])
    let top = bench.lines.first { $0.contains("Paragraph") }
    text.format = ShownFormat(layer: format.layer)
    bench.reader.replace(text) { $0 }
    #expect(bench.lines.prefix(4).contains { $0 == top })
    #expect(bench.atCaret == words)
    bench.press("g")
    #expect(bench.lines.contains { $0.contains("PARAGRAPH 1") })
  }
}
