import MarkdownParse
import Model
import RichMarkdown
import RichText
import RichTextChecks
import TestSupport
import Testing

@Suite struct ConversionExampleTests {
  /// Returns a text with attributes of its marked ranges.
  private func text(
    _ marked: String, _ changes: [CharacterAttribute] = [], _ paragraphs: [ParagraphAttribute?] = []
  ) throws -> AttributedText {
    let marked = MarkedText(marked)
    var text = AttributedText(marked.text)
    for (range, change) in zip(marked.ranges, changes) {
      try text.change(range.utf16, [.set(change)], limits: .files)
    }
    var start = 0
    for attribute in paragraphs {
      if let attribute {
        try text.changeParagraphs(start..<start, [.set(attribute)], limits: .files)
      }
      start = text.paragraphRange(around: start..<start).upperBound
    }
    return text
  }

  private func item(_ level: Int, _ marker: ListItem.Marker = .bullet, list: Int = 1)
    -> ParagraphAttribute
  {
    .list(ListItem(list: list, level: level, marker: marker))
  }

  @Test(arguments: [
    ("a «bold» b\n", CharacterAttribute.bold(true), "a **bold** b\n"),
    ("a «it» b\n", .italic(true), "a *it* b\n"),
    ("a«it »b\n", .italic(true), "a*it* b\n"),
    ("«x» y\n", .strikethrough(.single), "~~x~~ y\n"),
    ("a «b`c» d\n", .family("Menlo"), "a ``b`c`` d\n"),
    ("a «b*c» d\n", .family("courier new"), "a `b*c` d\n"),
    (
      "«here» b\n", .link("https://a.example/x_y?a=1&b=2"),
      "[here](https://a.example/x_y?a=1&b=2) b\n"
    ),
    ("«here»\n", .link("a (b)"), "[here](<a (b)>)\n"),
    ("«https://a.example/» b\n", .link("https://a.example/"), "<https://a.example/> b\n"),
    ("see https://a.example/ b\n", .bold(true), "see https://a.example/ b\n"),
    (
      "1. not a list\n# no heading\n- nor this\n> and this\n---", .bold(true),
      "1\\. not a list\n\n\\# no heading\n\n\\- nor this\n\n\\> and this\n\n\\---\n"
    ),
    ("2 * 3 * 4, snake_case and a [b]\n", .bold(true), "2 * 3 * 4, snake_case and a \\[b\\]\n"),
    ("a\u{2028}b\n", .bold(true), "a\\\nb\n"),
  ])
  func `a format is written as delimiters`(
    _ marked: String, _ attribute: CharacterAttribute, _ markdown: String
  )
    throws
  {
    let conversion = MarkdownConversion(try text(marked, [attribute]))
    #expect(conversion.markdown == markdown)
    #expect(conversion.losses.allSatisfy { $0.kind == .addresses })
  }

  @Test(arguments: [
    ("«中文。»中文\n", CharacterAttribute.bold(true), "中文。中文\n", "<strong>中文。</strong>中文\n"),
    ("a«“b”»c\n", .italic(true), "a“b”c\n", "a<em>“b”</em>c\n"),
  ])
  func `a format without valid delimiters is kept in the layer, or written as a tag`(
    _ marked: String, _ attribute: CharacterAttribute, _ markdown: String, _ html: String
  ) throws {
    let text = try text(marked, [attribute])
    let plain = MarkdownConversion(text)
    #expect(plain.markdown == markdown)
    #expect(plain.layer.characters == text.characters)
    var options = MarkdownConversion.Options()
    options.stylesAsHTML = true
    let tagged = MarkdownConversion(text, options)
    #expect(tagged.markdown == html)
    #expect(tagged.layer.characters.count == 0)
    #expect(tagged.document.text.string + "\n" == text.string)
  }

  @Test func `formats that Markdown lacks are kept in the layer with their ranges`() throws {
    let text = try text(
      "Title\n\n  A «red **»and «lined» word\n",
      [.color(.rgb(0xC01020)), .underline(.single)],
      [.style(.heading(2)), nil, .alignment(.right)])
    let conversion = MarkdownConversion(text)
    #expect(conversion.markdown == "## Title\n\nA red \\*\\*and lined word\n")
    let shown = conversion.document.text
    let runs = conversion.layer.characters.runs.map { (shown.substring($0.range), $0.set) }
    #expect(runs.map(\.0) == ["red **", "lined"])
    #expect(runs.map(\.1) == [[.color(.rgb(0xC01020))], [.underline(.single)]])
    let paragraphs = conversion.layer.paragraphs.runs.map { (shown.substring($0.range), $0.set) }
    #expect(paragraphs.map(\.0) == ["A red **and lined word"])
    #expect(paragraphs.map(\.1) == [[.alignment(.right)]])
    #expect(conversion.losses.map(\.kind) == [.blankParagraphs, .blanks])
    #expect(conversion.losses.map(\.count) == [1, 2])
    #expect(conversion.losses.map(\.first) == [6, 7])
    var options = MarkdownConversion.Options()
    (options.underlineAsHTML, options.keepsBlankParagraphs) = (true, true)
    let kept = MarkdownConversion(text, options)
    #expect(kept.markdown == "## Title\n\n\u{A0}\n\nA red \\*\\*and <u>lined</u> word\n")
    #expect(kept.losses.map(\.kind) == [.blanks])
  }

  @Test func `the format of a heading's style is not written as delimiters`() throws {
    let text = try text(
      "«A title», «not bold»\n", [.bold(true), .bold(false)], [.style(.heading(1))])
    let conversion = MarkdownConversion(text)
    #expect(conversion.markdown == "# A title, not bold\n")
    #expect(conversion.layer.characters == text.characters)
  }

  @Test func `a style based on a heading is a heading and keeps its name`() throws {
    var text = try text("Part\nbody\n", [], [.style(StyleID("part"))])
    try text.styles.store(NamedStyle(id: StyleID("part"), title: "Part", basedOn: .heading(1)))
    let conversion = MarkdownConversion(text)
    #expect(conversion.markdown == "# Part\n\nbody\n")
    #expect(conversion.layer.paragraphs[0] == [.style(StyleID("part"))])
    #expect(conversion.styles[StyleID("part")] != nil)
  }

  @Test func `lists are nested, continued after other text, and separated`() throws {
    let text = try text(
      "one\ntwo\ndeep\nthree\ntext\nfour\nother\n", [],
      [
        item(0, .decimal), item(0, .decimal), item(1), item(0, .decimal), nil, item(0, .decimal),
        item(0, .decimal, list: 2),
      ])
    let conversion = MarkdownConversion(text)
    #expect(
      conversion.markdown
        == "1. one\n2. two\n   - deep\n3. three\n\ntext\n\n4. four\n\n1) other\n")
    let again = RichDocument(conversion.document, layer: conversion.layer)
    #expect(again.text.string + "\n" == text.string)
    #expect(again.text.paragraphs[8][.list] == text.paragraphs[8][.list])
  }

  @Test func `quotes, code blocks and a list in a quote are converted`() throws {
    let text = try text(
      "q\nitem\nlet a\n\n  b\nend\n", [],
      [
        .style(.blockQuote), .style(.blockQuote), .style(.code), .style(.code), .style(.code), nil,
      ])
    var listed = text
    try listed.changeParagraphs(2..<2, [.set(item(0))])
    let conversion = MarkdownConversion(listed)
    #expect(conversion.markdown == "> q\n>\n> - item\n\n```\nlet a\n\n  b\n```\n\nend\n")
    #expect(conversion.layer == FormatLayer())
  }

  @Test func `table rows are written as a table`() throws {
    var document = RichDocument(
      text: try text("before\na|\t\t\nc\t«d»\u{2028}e\nafter\n", [.bold(true)]))
    document.tableRows = [7..<12, 12..<19]
    let conversion = MarkdownConversion(document)
    #expect(
      conversion.markdown
        == "before\n\n| a\\| |  |  |\n| --- | --- | --- |\n| c | **d**<br>e |\n\nafter\n")
    #expect(conversion.document.text.string == "before\na|\t\t\nc\td\ne\nafter")
    let again = RichDocument(conversion.document, layer: conversion.layer)
    #expect(again.text.string == "before\na|\t\t\nc\td\u{2028}e\nafter")
    #expect(again.tableRows.map { $0.count } == [5, 6])
  }

  @Test func `notes, pictures and comments are converted`() throws {
    var document = RichDocument(
      text: AttributedText("One\u{FFFC} two \u{FFFC} three\u{FFFC}\u{FFFC}.\n"))
    // The blank after the number of the note isn't a loss.
    var note = AttributedText(" A note\nof two\n")
    try note.change(3..<7, [.set(.italic(true))])
    document.notes = [
      RichDocument.Note(kind: .footnote, offset: 3, text: note),
      RichDocument.Note(kind: .comment, offset: 16, text: AttributedText("check")),
      RichDocument.Note(kind: .endnote, offset: 17, text: AttributedText(" \n")),
    ]
    document.images = [RichDocument.Image(format: .png, offset: 9, bytes: [1, 2])]
    var options = MarkdownConversion.Options()
    options.imagePrefix = "images/"
    let conversion = MarkdownConversion(document, options)
    #expect(
      conversion.markdown
        == "One[^1] two ![](images/picture-1.png) three.\n\n[^1]: A *note*\n\n    of two\n")
    #expect(conversion.document.text.string == "One[1] two picture-1.png three.\nA note\nof two")
    #expect(conversion.images.map(\.name) == ["picture-1.png"])
    #expect(conversion.highlights.map(\.note) == ["check"])
    #expect(conversion.highlights.map { conversion.document.text.substring($0.range) } == ["three"])
    #expect(conversion.losses.map(\.kind) == [.emptyNotes])
    #expect(
      conversion.renderedRange(of: 4..<8).map { conversion.document.text.substring($0) } == " two")
    let again = RichDocument(conversion.document, layer: conversion.layer) { address in
      #expect(address == "images/picture-1.png")
      return RichDocument.Image(format: .png, offset: 0, bytes: [3])
    }
    #expect(again.text.string == "One\u{FFFC} two \u{FFFC} three.")
    #expect(again.notes.map(\.text.string) == ["A note\nof two"])
    #expect(again.notes.map(\.offset) == [3])
    #expect(again.images.map(\.offset) == [9])
    #expect(again.images.map(\.bytes) == [[3]])
    options.imagePrefix = nil
    #expect(MarkdownConversion(document, options).losses.map(\.kind) == [.emptyNotes, .images])
  }

  @Test func `a font of fixed width is code, unless it is the document's default`() throws {
    let text = try text("«All of it» and the rest\nmore\n", [.family("Courier")])
    #expect(MarkdownConversion(text).markdown == "`All of it` and the rest\n\nmore\n")
    var manuscript = text
    manuscript.defaults.characters.set(.family("Courier New"))
    #expect(MarkdownConversion(manuscript).markdown == "All of it and the rest\n\nmore\n")
  }

  @Test func `long repetitive texts are converted`() {
    for piece in [
      "*", "`", "[", "a\u{2028}", "\t", "a*b_", "<b>", "1. ", "\u{FFFC}", "&", "|", "\n- ",
    ] {
      var text = AttributedText(String(repeating: piece, count: 5_000))
      _ = MarkdownConversion(text)
      for offset in stride(from: 0, to: text.units.count - 2, by: 3) {
        try? text.change(offset..<offset + 2, [.set(.bold(true))])
      }
      _ = MarkdownConversion(text)
    }
  }

  @Test func `an empty text is an empty document`() {
    #expect(MarkdownConversion(AttributedText("")).markdown.isEmpty)
    #expect(MarkdownConversion(AttributedText(" \n\n")).markdown.isEmpty)
    let document = ParsedDocument(parsing: MarkdownSource(""))
    #expect(RichDocument(document).text.units.isEmpty)
  }

  @Test func `a note is styled if its Markdown can be made of its styles again`() throws {
    typealias StyledNote = RichDocument.Highlight.StyledNote
    let note = try #require(StyledNote(markdown: "A **bold** and *slanted*\n\n~~word~~."))
    #expect(note.text == "A bold and slanted\nword.")
    #expect(note.styles.map(\.range) == [2..<6, 11..<18, 19..<23])
    #expect(
      note.styles.map(\.attributes) == [[.bold(true)], [.italic(true)], [.strikethrough(.single)]])
    // Comments would lose these.
    for source in [
      "plain", "see [*this*](https://example.org)", "*a* `code`", "- *item*", "_other_", "# *Head*",
      "a\\*b *c*\nd",
    ] {
      #expect(StyledNote(markdown: source) == nil, "\(source)")
    }
    var document = RichDocument(text: AttributedText("One two.\n"))
    document.highlights = [RichDocument.Highlight(range: 0..<3, color: .green, note: note.text)]
    document.highlights[0].styledNote = note
    #expect(
      MarkdownConversion(document).highlights.map(\.note) == [
        "A **bold** and *slanted*\n\n~~word~~."
      ])
  }

  @Test func `a table keeps the alignments of its columns for pages`() {
    let source = "a\n\n| x | y |\n|:-:|--:|\n| 1 | 2 |\n\nb\n\n| z |\n|---|\n| 3 |\n"
    let document = RichDocument(ParsedDocument(parsing: MarkdownSource(source)))
    #expect(document.columns == [2: [.center, .right], 12: [nil]])
    let joined = RichDocument(joining: [RichDocument(text: AttributedText("One.\n")), document])
    #expect(joined.columns == [7: [.center, .right], 17: [nil]])
    #expect(joined.tableRows.map(\.lowerBound) == [7, 11, 17, 19])
  }
}
