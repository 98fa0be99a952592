import Model
import RichText
import TestSupport
import Testing

@Suite struct ToggleTests {
  private let context = FormatContext()

  /// The text between `«` and `»` as a range, with its text.
  private func marked(_ text: String) -> (text: AttributedText, range: Range<Int>) {
    let marked = MarkedText(text)
    return (AttributedText(marked.text), marked.range.utf16)
  }

  /// The words that have an attribute of their own.
  private func words(_ text: AttributedText, with attribute: CharacterAttribute) -> [String] {
    text.characters.runs.filter { $0.set[attribute.kind] == attribute }.map { run in
      String(decoding: text.units[run.range.utf16], as: UTF16.self)
    }
  }

  @Test func `a selection without it gets it, and loses it again`() throws {
    var (text, range) = marked("the «quick» fox")
    #expect(text.state(of: .bold(true), in: range, context) == .off)
    #expect(try text.toggle(.bold(true), in: range, context))
    #expect(words(text, with: .bold(true)) == ["quick"])
    #expect(text.state(of: .bold(true), in: range, context) == .on)
    #expect(try !text.toggle(.bold(true), in: range, context))
    #expect(text == AttributedText("the quick fox"))
  }

  @Test func `a mixed selection gets it everywhere`() throws {
    var (text, range) = marked("«the quick fox»")
    try text.change(4..<9, [.set(.bold(true))])
    #expect(text.state(of: .bold(true), in: range, context) == .mixed)
    #expect(try text.toggle(.bold(true), in: range, context))
    #expect(words(text, with: .bold(true)) == ["the quick fox"])
  }

  @Test func `line terminators do not count`() throws {
    var (text, range) = marked("«one\r\ntwo\n\u{2029}»three")
    try text.change(0..<3, [.set(.italic(true))])
    try text.change(5..<8, [.set(.italic(true))])
    #expect(text.state(of: .italic(true), in: range, context) == .on)
    #expect(try !text.toggle(.italic(true), in: range, context))
    #expect(text.characters.count == 0)
  }

  @Test func `what a style says counts, and is overruled by a value`() throws {
    var text = AttributedText("Title\nbody")
    try text.changeParagraphs(0..<0, [.set(.style(.heading(1)))])
    #expect(text.state(of: .bold(true), in: 0..<5, context) == .on)
    #expect(text.state(of: .bold(true), in: 0..<10, context) == .mixed)
    #expect(try !text.toggle(.bold(true), in: 0..<5, context))
    #expect(text.characters[0][.bold] == .bold(false))
    // Again on: the style says it, so the characters need not.
    #expect(try text.toggle(.bold(true), in: 0..<5, context))
    #expect(text.characters[0][.bold] == nil)
    #expect(try text.toggle(.bold(true), in: 0..<10, context))
    #expect(words(text, with: .bold(true)) == ["body"])
  }

  @Test func `what Markdown says counts more than the style and less than a value`() throws {
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

  @Test func `another underline is not this one`() throws {
    var (text, range) = marked("«one» two")
    try text.change(range, [.set(.underline(.single))])
    #expect(text.state(of: .underline(.double), in: range, context) == .off)
    #expect(try text.toggle(.underline(.double), in: range, context))
    #expect(text.characters[0][.underline] == .underline(.double))
  }

  @Test func `without a selection what is typed changes`() throws {
    var text = AttributedText("ab")
    try text.change(0..<1, [.set(.bold(true))])
    let typing = try text.toggling(.bold(true), at: 1, context)
    #expect(typing[.bold] == nil)
    let both = try text.toggling(.italic(true), typing: typing, at: 1, context)
    text.apply([TextEdit(range: TextRange(utf16: 1..<1), replacement: "x")], typing: both)
    #expect(text.characters[1] == [.italic(true)])
    #expect(text.characters[0] == [.bold(true)])
  }

  @Test func `typing goes on with the character before, at a start with the one after`() throws {
    var text = AttributedText("one\ntwo")
    try text.change(0..<4, [.set(.bold(true))])
    try text.change(4..<7, [.set(.italic(true))])
    #expect(text.typingAttributes(replacing: 3..<3) == [.bold(true)])
    #expect(text.typingAttributes(replacing: 4..<4) == [.italic(true)])
    #expect(text.typingAttributes(replacing: 0..<0) == [.bold(true)])
    #expect(text.typingAttributes(replacing: 7..<7) == [.italic(true)])
  }

  @Test func `a link goes on inside of it alone`() throws {
    var text = AttributedText("a link b")
    try text.change(2..<6, [.set(.link("https://example.org"))])
    #expect(text.typingAttributes(replacing: 4..<4)[.link] != nil)
    #expect(text.typingAttributes(replacing: 6..<6)[.link] == nil)
    #expect(text.typingAttributes(replacing: 2..<2)[.link] == nil)
  }

  @Test func `the value of a selection is one or mixed`() throws {
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

  @Test func `clearing lets a value be inherited, and keeps links`() throws {
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

  @Test func `a copied format replaces what a selection has`() throws {
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
