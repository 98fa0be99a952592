import Editing
import MarkdownParse
import Model
import TestSupport
import Testing

@Suite struct EditBuilderStyleTests {
  @Test func `in a paragraph of more than a million characters formatting is rejected`() throws {
    let text = String(repeating: "word ", count: (1 << 20) / 5 + 1) + "end"
    let builder = EditBuilder(ParsedDocument(parsing: MarkdownSource(text)))
    let range = TextRange(utf16: 0..<4)
    let error = #expect(throws: FormattingError.self) { try builder.wrap(.strong, range) }
    #expect(error == .inexpressible(.style(.strong), .length, range))
    #expect(error?.description.contains("more than 1048576 characters") == true)
    #expect(throws: FormattingError.self) { try builder.setHeading(1, range) }
    let short = EditBuilder(ParsedDocument(parsing: MarkdownSource(String(text.prefix(50_000)))))
    #expect(try short.wrap(.strong, range).edits.count == 2)
  }

  @Test(arguments: [
    // Plain words, and white space at the ends.
    ("a «quick» fox", "a **quick** fox"), ("a« quick »fox", "a **quick** fox"),
    ("«a»", "**a**"), ("un«believ»able", "un**believ**able"),
    ("一«二»三", "一**二**三"), ("a «👋🏽» b", "a **👋🏽** b"), ("&amp;«&lt;»", "&amp;**&lt;**"),
    // Text that is already bold.
    ("a **«quick»** fox", "a **quick** fox"), ("**a**« b» c", "**a b** c"),
    ("**a**«b»", "**ab**"), ("**a** «b» **c**", "**a** **b** **c**"),
    ("__a__« b» c", "__a b__ c"), ("«a **b** c»", "**a b c**"),
    ("x «__a__**b**» c", "x __a__**b** c"), ("__a__ «b» c", "__a__ **b** c"),
    // Nested and crossing spans.
    ("«a *b* c*d*»", "**a *b* c*d***"), ("*«a»*", "***a***"), ("*«a» b*", "***a** b*"),
    ("«a *b» c* d", "**a** ***b** c* d"), ("*a «b* c»", "*a **b*** **c**"),
    ("«a [b» c](u)", "**a** [**b** c](u)"), ("«[b c](u)»", "**[b c](u)**"),
    ("[«b» c](u 't')", "[**b** c](u 't')"), ("~~«b» c~~", "~~**b** c~~"),
    // Labels of links.
    ("[«b» c]\n\n[b c]: /u", "[**b** c][b c]\n\n[b c]: /u"),
    ("[«b» c][]\n\n[b c]: /u", "[**b** c][b c]\n\n[b c]: /u"),
    ("«[b c]»\n\n[b c]: /u", "**[b c]**\n\n[b c]: /u"),
    // Several blocks, and the markers of containers between their lines.
    ("«a\n\nb» c", "**a**\n\n**b** c"), ("> a «b\n> c» d", "> a **b\n> c** d"),
    ("- «a\n- b» c", "- **a**\n- **b** c"), ("1. [x] a\n2. «b»", "1. [x] a\n2. **b**"),
    ("| «a | b» |\n|--|--|\n| c | d |", "| **a** | **b** |\n|--|--|\n| c | d |"),
    ("# «T»\n\np", "# **T**\n\np"), ("«T»\n==", "**T**\n=="), ("a  \n«b\\\nc»", "a  \n**b\\\nc**"),
    ("x «a  \nb»", "x **a  \nb**"), ("«a\r\nb»\r\n", "**a\r\nb**\r\n"),
    ("---\nt: x\n---\n«a» b", "---\nt: x\n---\n**a** b"),
    ("a[^1] «b»\n\n[^1]: n", "a[^1] **b**\n\n[^1]: n"),
    ("a[^1]\n\n[^1]: «n»", "a[^1]\n\n[^1]: **n**"),
    // A whole code span.
    ("«`a`»", "**`a`**"), ("«a `b`» c", "**a `b`** c"),
    // Punctuation beside a letter, and characters that could be taken for delimiters.
    ("«a * b»", "**a * b**"), ("«a ** b»", "**a ** b**"), ("«(a)», b", "**(a)**, b"),
  ])
  func `bold is written with the fewest bytes`(marked: String, expected: String) throws {
    let source = MarkedSource(marked)
    let change = try source.builder.wrap(.strong, source.range)
    #expect(change.markdown == expected)
    #expect(change.document.text == source.document.text)
    #expect(try EditBuilder(change.document).state(of: .strong, in: source.range) == .all)
    #expect(try EditBuilder(change.document).wrap(.strong, source.range).isEmpty)
  }

  @Test(arguments: [
    ("这是«「重要」»的", "这是「**重要**」的"), ("这是«《「重要」》»的", "这是《「**重要**」》的"),
    ("他说«“好的。”»然后", "他说“**好的**。”然后"), ("이것은 «「중요」»입니다", "이것은 「**중요**」입니다"),
    ("«\"a\"»b", "\"**a**\"b"), ("end«. The» x", "end. **The** x"), ("a«(b)»c", "a(**b**)c"),
    ("这是«「**重要**」»的", "这是「**重要**」的"), ("是«「重要」»。", "是「**重要**」。"),
  ])
  func `bold is placed inside brackets that adjoin letters`(marked: String, expected: String)
    throws
  {
    let source = MarkedSource(marked)
    let change = try source.builder.wrap(.strong, source.range)
    #expect(change.markdown == expected)
    #expect(change.document.text == source.document.text)
    let builder = EditBuilder(change.document)
    #expect(try builder.wrap(.strong, source.range).isEmpty)
    // A second toggle removes the style.
    let back = try builder.toggle(.strong, source.range).document
    #expect(try EditBuilder(back).state(of: .strong, in: source.range) == .none)
  }

  @Test(arguments: ["«`a`»b", "a«👍»b", "**a«、」»b**c"])
  func `letters are never written as character references`(marked: String) {
    let source = MarkedSource(marked)
    for isOn in [true, false] {
      let change =
        try? isOn
        ? source.builder.wrap(.strong, source.range) : source.builder.unwrap(.strong, source.range)
      #expect(change?.markdown.contains("&#") != true)
    }
  }

  @Test(arguments: [
    ("a **«quick»** fox", "a quick fox"), ("**a «b» c**", "**a** b **c**"),
    ("**«a» b**", "a **b**"), ("**a «b»**", "**a** b"), ("**a«b»c**", "**a**b**c**"),
    ("«a **b** c __d__»", "a b c d"), ("***«a»***", "*a*"), ("***a** «b»*", "***a** b*"),
    ("**a *«b» c***", "**a** *b **c***"), ("**a« »b**", "**a** **b**"),
    ("**[«a» b](u)**", "[a **b**](u)"),
    ("> **«a\n> b» c**", "> a\n> b **c**"), ("**«a**\n\n**b»**", "a\n\nb"),
    ("**«`a`»**", "`a`"), ("en&#x64;**«. The»** x", "end. The x"), ("__«a»__", "a"),
  ])
  func `bold is removed from exactly the range`(marked: String, expected: String) throws {
    let source = MarkedSource(marked)
    let change = try source.builder.unwrap(.strong, source.range)
    #expect(change.markdown == expected)
    #expect(change.document.text == source.document.text)
    #expect(try EditBuilder(change.document).state(of: .strong, in: source.range) == .none)
  }

  @Test(arguments: [
    (InlineStyle.emphasis, "a «b» c", "a *b* c"), (.emphasis, "**«a»**", "***a***"),
    (.emphasis, "a«b»c", "a*b*c"), (.emphasis, "**«a» b**", "***a* b**"),
    (.strikethrough, "a «b» c", "a ~~b~~ c"), (.mark, "a «b» c", "a ==b== c"),
    (.strikethrough, "a«b»c", "a~~b~~c"), (.mark, "~~«b»~~", "==~~b~~=="),
    (.code, "a «b» c", "a `b` c"), (.code, "a «b`c» d", "a ``b`c`` d"),
    (.code, "«\\*a\\*»", "`*a*`"),
    (.code, "«`a`» b", "`a` b"), (.code, "«`a` b»", "`a b`"), (.code, "a «`»", "a `` ` ``"),
    (.code, "**«a»**", "**`a`**"), (.code, "a «b\nc» d", "a `b\nc` d"),
    (.code, "> a «b \n> c» d", "> a `b\n> c` d"), (.code, "«a &lt;b&gt;»", "`a <b>`"),
    (.code, "| «a\\|b» |\n|--|\n", "| `a\\|b` |\n|--|\n"), (.code, "«a  \nb»", "`a`  \n`b`"),
    (.code, "«a **b** c»", "`a` **`b`** `c`"),
  ])
  func `each style has its own delimiters`(
    style: InlineStyle, marked: String, expected: String
  ) throws {
    let source = MarkedSource(marked)
    let change = try source.builder.wrap(style, source.range)
    #expect(change.markdown == expected)
    #expect(change.document.text == source.document.text)
  }

  @Test(arguments: [
    ("a `«b»` c", "a b c"), ("`a «b» c`", "`a` b `c`"), ("«`*a*`»", "\\*a\\*"),
    ("«`` ` ``»", "\\`"), ("«`http://a.bc`»", "http\\://a.bc"), ("«`a_b_c`»", "a_b_c"),
    ("«`&amp;`»", "\\&amp;"), ("«`a <b>`»", "a \\<b>"), ("«`# a`»", "\\# a"),
    ("«`1. a`»", "1\\. a"),
    ("«`a|b`»", "a|b"), ("«`C:\\dir`»", "C:\\dir"),
  ])
  func `code becomes escaped plain text`(marked: String, expected: String) throws {
    let source = MarkedSource(marked)
    let change = try source.builder.unwrap(.code, source.range)
    #expect(change.markdown == expected)
    #expect(change.document.text == source.document.text)
  }

  @Test func `blocks that cannot have a style are left out, unless these are all blocks`() throws {
    let source = MarkedSource("«a\n\n    b\n\n$x$\n\nc»")
    let (change, obstacles) = try source.builder.wrapWherePossible(.strong, source.range)
    #expect(change.markdown.hasPrefix("**a**\n\n    b\n") && change.markdown.hasSuffix("**c**"))
    #expect(obstacles.first?.description.contains("inside a code block") == true)
    let code = MarkedSource("```\n«a»\n```")
    #expect(throws: FormattingError.self) {
      try code.builder.wrapWherePossible(.strong, code.range)
    }
  }

  @Test(arguments: [
    ("a `b«c»`", "Markdown cannot express bold for a part of a code span (u16:2-4)"),
    ("a `x«b` c»", "Markdown cannot express bold for a part of a code span (u16:2-4)"),
    ("```\n«a»\n```", "Markdown cannot express bold inside a code block (u16:0-1)"),
    ("«a\n\n    b»", "Markdown cannot express bold inside a code block (u16:2-3)"),
    ("![a «b»](u)", "Markdown cannot express bold inside an image's description (u16:0-3)"),
    ("$x«y»$", "Markdown cannot express bold inside mathematics (u16:0-2)"),
    ("<http://a.b«c»>", "Markdown cannot express bold inside an address (u16:0-11)"),
    ("a« »b", "there is nothing to format in the selection"),
    ("a«»b", "there is nothing to format in the selection"),
  ])
  func `an inexpressible style is an error with its range`(marked: String, message: String) {
    let source = MarkedSource(marked)
    let error = #expect(throws: FormattingError.self) {
      try source.builder.wrap(.strong, source.range)
    }
    #expect(error?.description == message)
  }

  @Test func `a range beyond the text is rejected`() {
    let builder = EditBuilder(ParsedDocument(parsing: MarkdownSource("ab")))
    #expect(throws: FormattingError.outOfBounds) {
      try builder.wrap(.strong, TextRange(utf16: 1..<3))
    }
  }

  @Test func `a style that the dialect lacks is rejected`() {
    let source = MarkedSource("«a» b", options: .commonMark)
    let error = #expect(throws: FormattingError.self) {
      try source.builder.wrap(.strikethrough, source.range)
    }
    #expect(
      error?.description == "Markdown cannot express strikethrough in this dialect (u16:0-1)")
  }

  @Test func `a long paragraph with many spans is formatted`() throws {
    let source = MarkedSource("«\(String(repeating: "a **b** _c_ ", count: 2_000))»")
    let change = try source.builder.wrap(.strong, source.range)
    #expect(
      change.markdown == "**" + String(repeating: "a b _c_ ", count: 1_999) + "a b _c_** ")
    let back = try EditBuilder(change.document).unwrap(.strong, source.range)
    #expect(try EditBuilder(back.document).state(of: .strong, in: source.range) == .none)
  }

  @Test func `a range never divides a character`() throws {
    let builder = EditBuilder(ParsedDocument(parsing: MarkdownSource("a 👋🏽 e\u{301}!")))
    #expect(try builder.wrap(.strong, TextRange(utf16: 3..<4)).markdown == "a **👋🏽** e\u{301}!")
    #expect(try builder.wrap(.strong, TextRange(utf16: 7..<8)).markdown == "a 👋🏽 **e\u{301}**!")
  }

  @Test func `styling the blank between two bold words joins them`() throws {
    let source = MarkedSource("**a**« »**b**")
    #expect(try source.builder.wrap(.strong, source.range).markdown == "**a b**")
  }

  @Test func `a toggle adds a style that is missing in a part, and removes a complete one`() throws
  {
    let mixed = MarkedSource("«a **b**» c")
    #expect(try mixed.builder.state(of: .strong, in: mixed.range) == .some)
    #expect(try mixed.builder.toggle(.strong, mixed.range).markdown == "**a b** c")
    let whole = MarkedSource("**«a** **b»** c")
    #expect(try whole.builder.state(of: .strong, in: whole.range) == .all)
    #expect(try whole.builder.toggle(.strong, whole.range).markdown == "a b c")
    let none = MarkedSource("«a *b*» c")
    #expect(try none.builder.state(of: .strong, in: none.range) == .none)
  }

  @Test func `an edit contains only the delimiters`() throws {
    let source = MarkedSource("the «quick» fox")
    let change = try source.builder.wrap(.strong, source.range)
    #expect(
      change.edits == [
        SourceEdit(range: SourceRange(bytes: 4..<4), replacement: "**"),
        SourceEdit(range: SourceRange(bytes: 9..<9), replacement: "**"),
      ])
  }

  @Test func `bytes that are not UTF-8 are copied unchanged`() throws {
    // The label of the link is written in full when its text changes.
    let name = Array("b".utf8) + [0xFF] + Array(" c".utf8)
    let definition = Array("\n\n[".utf8) + name + Array("]: /u".utf8)
    let source = MarkdownSource(Array("[".utf8) + name + Array("]".utf8) + definition)
    let document = ParsedDocument(parsing: source)
    let change = try EditBuilder(document).wrap(.strong, TextRange(utf16: 0..<1))
    let expected =
      Array("[**b**".utf8) + name.dropFirst() + Array("][".utf8) + name + Array("]".utf8)
      + definition
    #expect(change.document.source.bytes == expected)
    #expect(change.edits.contains { $0.bytes.contains(0xFF) })
  }
}
