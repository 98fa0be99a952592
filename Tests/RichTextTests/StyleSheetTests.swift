import RichText
import Testing

@Suite struct StyleSheetTests {
  private let context = FormatContext()

  @Test func `a change of a style affects all styles based on it`() throws {
    var sheet = StyleSheet()
    try sheet.store(NamedStyle(id: StyleID("epigraph"), title: "Epigraph", basedOn: .blockQuote))
    #expect(sheet.resolved(StyleID("epigraph")).characters[.italic] == .italic(true))
    var quote = try #require(sheet[.blockQuote])
    quote.characters = [.italic(false), .size(22)]
    try sheet.store(quote)
    #expect(sheet.resolved(StyleID("epigraph")).characters == [.italic(false), .size(22)])
    try sheet.remove(.blockQuote)
    #expect(sheet[.blockQuote] == StyleSheet()[.blockQuote])
  }

  @Test func `a style cannot be based on itself or an unknown style`() throws {
    var sheet = StyleSheet()
    try sheet.store(NamedStyle(id: StyleID("a"), title: "A", basedOn: .heading(1)))
    let before = sheet
    var body = try #require(sheet[.body])
    body.basedOn = StyleID("a")
    #expect(throws: StyleError.self) { try sheet.store(body) }
    #expect(throws: StyleError.self) {
      try sheet.store(NamedStyle(id: StyleID("a"), title: "A", basedOn: StyleID("a")))
    }
    #expect(throws: StyleError.self) {
      try sheet.store(NamedStyle(id: StyleID("b"), title: "B", basedOn: StyleID("none")))
    }
    #expect(throws: StyleError.self) {
      try sheet.store(contentsOf: [
        NamedStyle(id: StyleID("x"), title: "X", basedOn: StyleID("y")),
        NamedStyle(id: StyleID("y"), title: "Y", basedOn: StyleID("x")),
      ])
    }
    #expect(sheet == before)
  }

  @Test func `removing a style bases its derived styles on its base`() throws {
    var sheet = StyleSheet()
    try sheet.store(contentsOf: [
      NamedStyle(id: StyleID("b"), title: "B", basedOn: StyleID("a")),
      NamedStyle(id: StyleID("a"), title: "A", basedOn: .heading(1)),
    ])
    try sheet.remove(StyleID("a"))
    #expect(sheet[StyleID("b")]?.basedOn == .heading(1))
    #expect(throws: StyleError.self) { try sheet.remove(StyleID("a")) }
    #expect(throws: StyleError.self) { try sheet.remove(.body) }
  }

  @Test func `invalid values of a style are rejected`() {
    var sheet = StyleSheet()
    for style in [
      NamedStyle(id: StyleID("a"), title: "A", characters: [.size(0)]),
      NamedStyle(id: StyleID("a"), title: "A", paragraphs: [.spaceAfter(Twips(-1))]),
      NamedStyle(id: StyleID("a"), title: "A", paragraphs: [.style(.body)]),
      NamedStyle(id: StyleID("a b"), title: "A"), NamedStyle(id: StyleID("a"), title: " A\n"),
    ] {
      #expect(throws: StyleError.self, "\(style)") { try sheet.store(style) }
    }
    #expect(sheet == StyleSheet())
  }

  @Test func `the format of a passage is saved as a style that can be applied`() throws {
    var text = AttributedText("one\ntwo")
    try text.changeParagraphs(
      0..<0, [.set(.style(.blockQuote)), .set(.alignment(.center))])
    try text.change(0..<3, [.set(.bold(true)), .set(.link("x"))])
    let style = try text.saveStyle(title: "My  Verse", from: 0..<3, context)
    #expect(style.id == StyleID("my-verse") && style.title == "My Verse")
    #expect(style.basedOn == .blockQuote)
    #expect(style.characters == [.bold(true)] && style.paragraphs == [.alignment(.center)])
    try text.changeParagraphs(4..<4, [.set(.style(style.id))])
    let shown = text.resolved(at: 4, context)
    #expect(shown.characters[.italic] == .italic(true))
    #expect(shown.characters[.bold] == .bold(true))
    #expect(shown.paragraphs[.alignment] == .alignment(.center))
    // Save it again from text with the style and one more attribute.
    try text.change(4..<7, [.set(.color(.rgb(0xFF)))])
    let again = try text.saveStyle(title: "My Verse", from: 4..<7, context)
    #expect(again.basedOn == .blockQuote)
    #expect(again.characters == [.bold(true), .color(.rgb(0xFF))])
    #expect(throws: StyleError.self) { try text.saveStyle(title: "!?", from: 0..<1, context) }
  }

  @Test func `the effective value follows the order of the layers`() throws {
    var text = AttributedText("word")
    func size(_ context: FormatContext) -> CharacterAttribute? {
      text.resolved(at: 0, context).characters[.size]
    }
    var application = FormatContext(application: FormatDefaults(characters: [.size(20)]))
    #expect(size(application) == .size(20))
    text.defaults.characters = [.size(22)]
    #expect(size(application) == .size(22))
    try text.changeParagraphs(0..<0, [.set(.style(.heading(3)))])
    #expect(size(application) == .size(28))
    application.semantics.characters.append(0..<4, [.size(50)])
    #expect(size(application) == .size(50))
    try text.change(0..<4, [.set(.size(60))])
    #expect(size(application) == .size(60))
    try text.change(0..<4, [.clear(.size)])
    #expect(size(application) == .size(50))
  }
}
