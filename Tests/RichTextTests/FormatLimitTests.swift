import Model
import RichText
import Testing

@Suite struct EditorMarginsTests {
  @Test(arguments: EditorMargins.Name.allCases)
  func `predefined margins are stored by their names`(name: EditorMargins.Name) {
    #expect(name.margins.stored == name.rawValue)
    #expect(EditorMargins(stored: name.rawValue) == name.margins)
  }

  @Test func `other margins are stored in twips`() {
    let margins = EditorMargins(
      left: Twips(1), right: .points(50), top: .points(0), bottom: .points(288))
    #expect(margins.stored == "1 1000 0 5760")
    #expect(EditorMargins(stored: margins.stored) == margins)
    #expect(margins.name == nil && margins.problem == nil)
  }

  @Test(arguments: [
    "", "huge", "1 2 3", "1 2 3 4 5", "1  2 3", "1 2 3 -1", "1 2 3 5761", "1 2 3 x",
    "1 2 3 99999999999999999999",
  ])
  func `invalid stored margins are ignored`(stored: String) {
    #expect(EditorMargins(stored: stored) == nil)
  }

  @Test func `margins in JSON are read again, and invalid ones are ignored`() {
    let margins = EditorMargins(
      left: Twips(1), right: .points(50), top: .points(0), bottom: .points(288))
    #expect(EditorMargins(json: margins.json) == margins)
    #expect(EditorMargins(json: .text("wide")) == nil)
    #expect(EditorMargins(json: .object(["left": .number(1)])) == nil)
    guard case .object(var object) = margins.json else {
      Issue.record("no object")
      return
    }
    for wrong in [JSONValue.number(-1), .number(1e300), .number(0.5), .null] {
      object["top"] = wrong
      #expect(EditorMargins(json: .object(object)) == nil)
    }
  }

  @Test func `lengths are shown in points, centimetres and inches`() {
    #expect(LengthUnit.points.text(Twips(725)) == "36.25 pt")
    #expect(LengthUnit.centimeters.text(.points(36)) == "1.27 cm")
    #expect(LengthUnit.centimeters.text(.points(-36)) == "-1.27 cm")
    #expect(LengthUnit.inches.text(.points(36)) == "0.5 in")
    #expect(LengthUnit.inches.text(.points(0)) == "0 in")
    #expect(
      ParagraphAttribute.lineHeight(.atLeast(.points(72))).shown(in: .inches) == "at least 1 in")
    #expect(ParagraphAttribute.headIndent(.points(72)).shown(in: .centimeters) == "2.54 cm")
  }
}

@Suite struct FormatLimitTests {
  @Test(arguments: [
    (CharacterAttribute.size(15), "size 7.5 pt is out of range: 8–72 pt"),
    (.size(145), "size 72.5 pt is out of range: 8–72 pt"),
    (.family(""), "font family of 0 characters is out of range: 1–200"),
    (.family("a\nb"), "font family contains a control character"),
    (.link(""), "link of 0 characters is out of range: 1–8192"),
  ])
  func `an invalid character attribute throws an error that names the limit`(
    _ attribute: CharacterAttribute, _ message: String
  ) {
    var text = AttributedText("word")
    let error = #expect(throws: FormatValueError.self) {
      try text.change(0..<4, [.set(.bold(true)), .set(attribute)])
    }
    #expect(error?.description == message)
    #expect(text == AttributedText("word"))
  }

  @Test(arguments: [
    (
      ParagraphAttribute.firstLineIndent(.points(145)),
      "first-line indent 145 pt is out of range: 0–144 pt"
    ),
    (.firstLineIndent(Twips(-1)), "first-line indent -0.05 pt is out of range: 0–144 pt"),
    (.headIndent(.points(289)), "head indent 289 pt is out of range: 0–288 pt"),
    (.tailIndent(.points(1)), "tail indent 1 pt is out of range: -288–0 pt"),
    (.lineHeight(.multiple(100)), "line height 0.41 is out of range: 0.5–5"),
    (.lineSpacing(Twips(-20)), "line spacing -1 pt is out of range: 0–144 pt"),
    (
      .tabStops([TabStop(position: Twips(40)), TabStop(position: Twips(40))]),
      "tab stop at 2 pt does not follow the one at 2 pt"
    ),
    (.list(ListItem(list: 1, level: 9, marker: .bullet)), "list level 9 is out of range: 0–8"),
  ])
  func `an invalid paragraph attribute throws an error that names the limit`(
    _ attribute: ParagraphAttribute, _ message: String
  ) {
    var text = AttributedText("word")
    let error = #expect(throws: FormatValueError.self) {
      try text.changeParagraphs(0..<4, [.set(attribute)])
    }
    #expect(error?.description == message)
    #expect(text == AttributedText("word"))
  }

  @Test func `the limits for files are wider than those for commands`() throws {
    var text = AttributedText("word")
    try text.change(0..<4, [.set(.size(4)), .set(.size(3_276))], limits: .files)
    try text.changeParagraphs(0..<4, [.set(.firstLineIndent(Twips(-360)))], limits: .files)
    #expect(throws: FormatValueError.self) {
      try text.change(0..<4, [.set(.size(3_277))], limits: .files)
    }
  }

  @Test func `the presets are within the limits`() {
    for indent in ParagraphAttribute.firstLineIndents {
      #expect(ParagraphAttribute.firstLineIndent(indent).problem(within: .commands) == nil)
    }
    for height in ParagraphAttribute.lineHeights {
      #expect(ParagraphAttribute.lineHeight(height).problem(within: .commands) == nil)
    }
    for defaults in [FormatDefaults.standard, .scrivener3] {
      #expect(!defaults.characters.values.contains { $0.problem(within: .commands) != nil })
      #expect(!defaults.paragraphs.values.contains { $0.problem(within: .commands) != nil })
    }
  }

  @Test(arguments: [
    ("#ff0080", TextColor.rgb(0xFF0080)), ("#F08", .rgb(0xFF0088)), ("automatic", .automatic),
    ("#ff008", nil), ("ff0080", nil), ("#+f0080", nil), ("#", nil), ("", nil),
  ])
  func `colours are parsed, and invalid ones are nil`(_ text: String, _ color: TextColor?) {
    #expect(TextColor(text) == color)
    if let color { #expect(TextColor(color.description) == color) }
  }
}
