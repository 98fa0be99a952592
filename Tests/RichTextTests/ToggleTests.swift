import Model
import RichText
import TestSupport
import Testing

@Suite struct ToggleTests {
  private let context = FormatContext()

  /// Returns a text with the range between `«` and `»`.
  private func marked(_ text: String) -> (text: AttributedText, range: Range<Int>) {
    let marked = MarkedText(text)
    return (AttributedText(marked.text), marked.range.utf16)
  }

  /// Returns the parts that have an attribute directly.
  private func words(_ text: AttributedText, with attribute: CharacterAttribute) -> [String] {
    text.characters.runs.filter { $0.set[attribute.kind] == attribute }.map { run in
      String(decoding: text.units[run.range.utf16], as: UTF16.self)
    }
  }

  @Test func `toggling sets an attribute, and toggling again removes it`() throws {
    var (text, range) = marked("the «quick» fox")
    #expect(text.state(of: .bold(true), in: range, context) == .off)
    #expect(try text.toggle(.bold(true), in: range, context))
    #expect(words(text, with: .bold(true)) == ["quick"])
    #expect(text.state(of: .bold(true), in: range, context) == .on)
    #expect(try !text.toggle(.bold(true), in: range, context))
    #expect(text == AttributedText("the quick fox"))
  }

  @Test func `toggling a partly set attribute sets it in the whole range`() throws {
    var (text, range) = marked("«the quick fox»")
    try text.change(4..<9, [.set(.bold(true))])
    #expect(text.state(of: .bold(true), in: range, context) == .mixed)
    #expect(try text.toggle(.bold(true), in: range, context))
    #expect(words(text, with: .bold(true)) == ["the quick fox"])
  }

  @Test func `line terminators are ignored`() throws {
    var (text, range) = marked("«one\r\ntwo\n\u{2029}»three")
    try text.change(0..<3, [.set(.italic(true))])
    try text.change(5..<8, [.set(.italic(true))])
    #expect(text.state(of: .italic(true), in: range, context) == .on)
    #expect(try !text.toggle(.italic(true), in: range, context))
    #expect(text.characters.count == 0)
  }

  @Test func `the value of a style counts, and can be overridden`() throws {
    var text = AttributedText("Title\nbody")
    try text.changeParagraphs(0..<0, [.set(.style(.heading(1)))])
    #expect(text.state(of: .bold(true), in: 0..<5, context) == .on)
    #expect(text.state(of: .bold(true), in: 0..<10, context) == .mixed)
    #expect(try !text.toggle(.bold(true), in: 0..<5, context))
    #expect(text.characters[0][.bold] == .bold(false))
    // If bold is turned on again, the value of the style suffices, so the characters store no
    // value.
    #expect(try text.toggle(.bold(true), in: 0..<5, context))
    #expect(text.characters[0][.bold] == nil)
    #expect(try text.toggle(.bold(true), in: 0..<10, context))
    #expect(words(text, with: .bold(true)) == ["body"])
  }

  @Test func `Markdown precedes the style, and a direct value precedes both`() throws {
    let text = AttributedText("one two")
    var emphasis = FormatRuns<CharacterAttribute>()
    emphasis.append(0..<3, [.italic(true)])
    let context = FormatContext(semantics: FormatLayer(characters: emphasis))
    #expect(text.state(of: .italic(true), in: 0..<3, context) == .on)
    #expect(text.state(of: .italic(true), in: 0..<7, context) == .mixed)
    var other = text
    #expect(try !other.toggle(.italic(true), in: 0..<3, context))
    #expect(other.characters[1][.italic] == .italic(false))
    #expect(other.state(of: .italic(true), in: 0..<3, context) == .off)
  }

  @Test func `another underline style is not the same attribute`() throws {
    var (text, range) = marked("«one» two")
    try text.change(range, [.set(.underline(.single))])
    #expect(text.state(of: .underline(.double), in: range, context) == .off)
    #expect(try text.toggle(.underline(.double), in: range, context))
    #expect(text.characters[0][.underline] == .underline(.double))
  }

  @Test func `without a selection a toggle changes the typing attributes`() throws {
    var text = AttributedText("ab")
    try text.change(0..<1, [.set(.bold(true))])
    let typing = try text.toggling(.bold(true), at: 1, context)
    #expect(typing[.bold] == nil)
    let both = try text.toggling(.italic(true), typing: typing, at: 1, context)
    text.apply([TextEdit(range: TextRange(utf16: 1..<1), replacement: "x")], typing: both)
    #expect(text.characters[1] == [.italic(true)])
    #expect(text.characters[0] == [.bold(true)])
  }

  @Test
  func `typing attributes are those of the character before, or after at a paragraph's start`()
    throws
  {
    var text = AttributedText("one\ntwo")
    try text.change(0..<4, [.set(.bold(true))])
    try text.change(4..<7, [.set(.italic(true))])
    #expect(text.typingAttributes(replacing: 3..<3) == [.bold(true)])
    #expect(text.typingAttributes(replacing: 4..<4) == [.italic(true)])
    #expect(text.typingAttributes(replacing: 0..<0) == [.bold(true)])
    #expect(text.typingAttributes(replacing: 7..<7) == [.italic(true)])
  }

  @Test func `a link is a typing attribute only within the link`() throws {
    var text = AttributedText("a link b")
    try text.change(2..<6, [.set(.link("https://example.org"))])
    #expect(text.typingAttributes(replacing: 4..<4)[.link] != nil)
    #expect(text.typingAttributes(replacing: 6..<6)[.link] == nil)
    #expect(text.typingAttributes(replacing: 2..<2)[.link] == nil)
  }

  @Test func `the value of a selection is common or mixed`() throws {
    var text = AttributedText("one two\n")
    #expect(text.commonValue(of: .size, in: 0..<8, context) == .same(.size(26)))
    try text.change(0..<3, [.set(.size(40))])
    #expect(text.commonValue(of: .size, in: 0..<3, context) == .same(.size(40)))
    #expect(text.commonValue(of: .size, in: 0..<7, context) == .mixed)
    #expect(text.commonValue(of: .size, in: 3..<3, context) == .same(.size(40)))
    #expect(
      text.commonValue(of: .firstLineIndent, in: 0..<3, context)
        == .same(.firstLineIndent(.points(36))))
    #expect(text.commonValue(of: .style, in: 8..<8, context) == .same(.style(.body)))
  }

  @Test func `clearing removes direct values except links`() throws {
    var text = AttributedText("one\ntwo")
    try text.change(0..<7, [.set(.bold(false)), .set(.link("x"))])
    try text.changeParagraphs(0..<7, [.set(.alignment(.center))])
    text.clear(0..<3)
    #expect(text.characters[0] == [.link("x")])
    #expect(text.characters[4][.bold] == .bold(false))
    #expect(text.paragraphs[0] == [.alignment(.center)])
    text.clear(0..<7)
    #expect(text.paragraphs.count == 0)
  }

  @Test func `a pasted format replaces that of the selection`() throws {
    var text = AttributedText("one\ntwo\nthree")
    try text.changeParagraphs(0..<0, [.set(.style(.heading(2)))])
    try text.change(0..<3, [.set(.color(.rgb(0x102030))), .set(.link("x"))])
    try text.change(4..<7, [.set(.strikethrough(.single))])
    let format = text.copyFormat(of: 0..<3, context)
    #expect(format.characters[.size] == .size(34))
    #expect(format.characters[.link] == nil)
    text.paste(format, in: 4..<7)
    #expect(text.characters[4] == format.characters)
    #expect(text.paragraphs[4].isEmpty)
    text.paste(format, in: 4..<8)
    #expect(text.paragraphs[4][.style] == .style(.heading(2)))
    #expect(text.paragraphs[8].isEmpty)
  }
}
