import Model
import RichText
import RichTextChecks
import RichTextFormats
import Testing

@Suite struct RTFReaderTests {
  private func read(_ source: String) throws -> RichDocument {
    try RTFReader.read(source.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) })
  }

  /// Returns the character attributes at the first occurrence of a text.
  private func characters(_ document: RichDocument, _ words: String) throws
    -> AttributeSet<CharacterAttribute>
  {
    document.text.characters[try offset(document, words)]
  }

  private func offset(_ document: RichDocument, _ words: String) throws -> Int {
    let text = document.text.string
    let range = try #require(text.firstRange(of: words), "no '\(words)' in '\(text)'")
    return text.utf16.distance(from: text.startIndex, to: range.lowerBound)
  }

  private func resolved(_ document: RichDocument, _ words: String) throws -> FormatDefaults {
    document.text.resolved(at: try offset(document, words), FormatContext())
  }

  @Test(arguments: RTFSamples.all)
  func `the text of each program's file is read`(_ sample: RTFSamples.Sample) throws {
    let document = try RTFReader.read(sample.bytes)
    #expect(document.text.string == sample.text)
    #expect(document.text.characters.violatedInvariant == nil)
    #expect(document.text.paragraphs.violatedInvariant == nil)
  }

  @Test func `attributes of TextEdit are read`() throws {
    let document = try RTFReader.read(RTFSamples.textEdit.bytes)
    #expect(document.text.defaults.characters[.family] == .family("Helvetica"))
    let bold = try characters(document, "bold")
    #expect(bold == [.bold(true), .size(26), .color(.rgb(0xC01020))])
    #expect(try characters(document, "naïve")[.bold] == nil)
    #expect(try characters(document, "link")[.family] == .family("Times New Roman"))
    #expect(try characters(document, "link")[.link] == .link("https://example.org/x"))
    #expect(document.images.map(\.file) == ["picture.png"])
    let first = document.text.paragraphs[0]
    #expect(first[.alignment] == .alignment(.center))
    #expect(
      first[.tabStops]
        == .tabStops([TabStop(position: Twips(566)), TabStop(position: Twips(1133))]))
    let second = document.text.paragraphs[try offset(document, "bold")]
    #expect(
      second == [
        .firstLineIndent(Twips(360)), .lineHeight(.multiple(288)), .spaceAfter(Twips(120)),
      ])
  }

  @Test func `the name of an attachment can contain blanks`() throws {
    let document = try read(
      #"{\rtf1 {{\NeXTGraphic Pasted Graphic.tiff \width64 \height48 \noorient}\'ac}{{\NeXTGraphic }\'ac}}"#
    )
    #expect(document.images.map(\.file) == ["Pasted Graphic.tiff", nil])
  }

  @Test func `styles, lists, tables, notes and pictures of Word are read`() throws {
    let document = try RTFReader.read(RTFSamples.word.bytes)
    let heading = try #require(document.text.styles[.heading(1)])
    #expect(heading.basedOn == .body)
    #expect(heading.characters == [.bold(true), .size(32)])
    #expect(document.text.paragraphs[0] == [.style(.heading(1))])
    // Attributes of the style are omitted, and those that differ from it are kept.
    #expect(try characters(document, "Title").isEmpty)
    #expect(try characters(document, " plain") == [.bold(false)])
    let all = try characters(document, "All")
    #expect(
      all == [
        .bold(true), .italic(true), .strikethrough(.single), .color(.rgb(0)),
      ])
    #expect(document.highlights.map(\.color) == [.yellow])
    #expect(document.notes.map(\.text.string) == [" A note."])
    #expect(document.notes.first?.offset == (try offset(document, "\u{FFFC}")))
    #expect(document.notes.first?.text.characters[3][.italic] == .italic(true))
    let item = document.text.paragraphs[try offset(document, "First")]
    #expect(item[.list] == .list(ListItem(list: 3, level: 0, marker: .decimal)))
    #expect(item[.firstLineIndent] == .firstLineIndent(Twips(-360)))
    #expect(document.tableRows.count == 2)
    #expect(document.images.map(\.bytes) == [[0x89, 0x50, 0x4E, 0x47]])
    #expect(document.images.map(\.format) == [.png])
    #expect(document.images.map(\.width) == [Twips(200)])
    #expect(document.losses == ["hidden text: 6 characters"])
  }

  @Test func `attributes of Google Docs are read`() throws {
    let document = try RTFReader.read(RTFSamples.googleDocs.bytes)
    #expect(try characters(document, "bold")[.bold] == .bold(true))
    #expect(try characters(document, "Plain")[.bold] == nil)
    #expect(try characters(document, "link")[.link] == .link("https://example.org/?a=1&b=2"))
    #expect(document.text.paragraphs[0] == [.lineHeight(.multiple(276))])
  }

  @Test func `style marks, annotations and notes of Scrivener are removed from the text`() throws {
    let document = try RTFReader.read(RTFSamples.scrivener.bytes)
    #expect(document.notes.map(\.kind) == [.comment, .footnote])
    #expect(document.notes.map(\.text.string) == ["check this", "A note."])
    #expect(document.notes.first?.text.characters[7][.italic] == .italic(true))
    for note in document.notes { #expect(document.text.units[note.offset] == 0xFFFC) }
    let words = document.scrivenerMarks.map { mark in
      String(decoding: document.text.units[mark.range], as: UTF16.self)
    }
    #expect(words == ["Title words\n", "raised"])
    #expect(document.scrivenerMarks.map(\.style) == [3, 1])
    #expect(document.scrivenerMarks.map(\.isParagraphStyle) == [true, false])
    #expect(try characters(document, "comment")[.link] == .link("scrivcmt://12-34"))
    #expect(document.text.paragraphs[0][.lineHeight] == .lineHeight(.multiple(264)))
  }

  /// A randomly changed file with such fields once failed.
  @Test(arguments: [
    (#"<!$Scr_{\footnote a}<$Scr_Cs::1>b"#, "<!$Scr_\u{FFFC}b", 1),
    (#"\{\\Scrv_fn={\footnote a}\\end_Scrv_fn\}b"#, "\u{FFFC}b", 1),
  ])
  func `a style mark of Scrivener never removes a note`(
    _ source: String, _ text: String, _ notes: Int
  ) throws {
    let document = try read("{\\rtf1 " + source + "}")
    #expect(document.text.string == text)
    #expect(document.notes.count == notes)
    for note in document.notes { #expect(document.text.units[note.offset] == 0xFFFC) }
  }

  @Test func `the code page and tab stops of a Japanese file are read`() throws {
    let document = try RTFReader.read(RTFSamples.libreOffice.bytes)
    #expect(document.text.defaults.characters[.family] == .family("ＭＳ 明朝"))
    #expect(
      document.text.paragraphs[0][.tabStops]
        == .tabStops([TabStop(position: Twips(2_000), kind: .decimal, leader: .dots)]))
  }

  @Test(arguments: [
    // The replacement of a Unicode character is counted in bytes, escapes and control words.
    (#"{\rtf1\uc1 \u8220?One\u8221\'94two\u233 e}"#, "“One”twoé"),
    (#"{\rtf1\uc2\u19968\'88\'ea{\uc0\u20108}\u19977\'8e\'4f.}"#, "一二三."),
    (#"{\rtf1\uc1\u8212\emdash x}"#, "—x"), (#"{\rtf1\uc1\u-10179?\u-8704?}"#, "😀"),
    (#"{\rtf1\uc1\u8364{x}y}"#, "€xy"), (#"{\rtf1\uc3\u8364\bin2 ab}"#, "€"),
    (#"{\rtf1 a\bin4 }}}}b}"#, "ab"), (#"{\rtf1 a{\*\unknown b{c}d}e}"#, "ae"),
    (#"{\rtf1\mac caf\'8e}"#, "café"), (#"{\rtf1\pc caf\'82}"#, "café"),
    (#"{\rtf1\ansi\ansicpg1251 \'cf\'f0\'e8}"#, "При"),
    (#"{\rtf1\ansi\ansicpg936 \'d6\'d0\'ce\'c4a}"#, "中文a"),
    (#"{\rtf1\ansi\ansicpg949 \'c7\'d1\'b1\'db}"#, "한글"),
    (#"{\rtf1\ansi\ansicpg950 \'a4\'a4\'a4\'e5}"#, "中文"),
    (#"{\rtf1\ansi\ansicpg65001 \'e2\'82\'ac}"#, "€"),
    (#"{\rtf1\ansi\ansicpg932 \'b1\'b2\'83\'5c\'ff}"#, "ｱｲソ\u{FFFD}"),
    ("{\\rtf1 a\\\nb\\\r\nc\nd}", "a\nb\ncd"),
    (#"{\rtf1 \{\\\}\~\_\-}"#, "{\\}\u{A0}\u{2011}\u{AD}"),
    (#"{\rtf1 a"#, "a"), (#"{\rtf1 a}b"#, "a"), (#"{\rtf1 {{{a"#, "a"),
    (#"{\rtf1{\fonttbl{\f0 A;}}{\pntext\'b7\tab}{\*\pn\pnlvlblt}x}"#, "x"),
    (#"{\rtf1{\field{\*\fldinst PAGE}{\fldrslt 7}} of}"#, "7 of"),
    (#"{\rtf1{\object\objemb{\*\objdata 0102}{\result shown}}}"#, "shown"),
    (
      #"{\rtf1\intbl\itap2 a\nestcell b\nestcell{\*\nesttableprops\trowd\nestrow}{\nonesttables\par}c\cell\row}"#,
      "a\tb\u{2028}c\n"
    ), (#"{\rtf1{\*\nesttableprops\trowd a\nestcell\nestrow}b}"#, "a\u{2028}b"),
    (#"{\rtf1\page a\page b\sect c}"#, "a\nb\nc"),
  ])
  func `control words and bytes are decoded`(_ source: String, _ text: String) throws {
    #expect(try read(source).text.string == text)
  }

  @Test func `items of the old list format are read`() throws {
    let document = try read(
      #"{\rtf1 {\pntext\'b7\tab}{\*\pn\pnlvlblt{\pntxtb\'b7}}one\par\pard {\*\pn\pnlvlbody\pnucrm}two\par}"#
    )
    #expect(document.text.string == "one\ntwo\n")
    #expect(
      document.text.paragraphs[0][.list] == .list(ListItem(list: 1, level: 0, marker: .bullet)))
    #expect(
      document.text.paragraphs[4][.list]
        == .list(ListItem(list: 1, level: 0, marker: .upperRoman)))
  }

  @Test(arguments: [
    (#"HYPERLINK "https://a.example/\\"x\\"""#, "https://a.example/\"x\""),
    (#"HYPERLINK \\l "part one""#, "#part one"), (#"HYPERLINK "a" \\l "b" \\o "tip""#, "a#b"),
    (#"HYPERLINK http://a.example"#, "http://a.example"), (#" hyperlink  "a""#, "a"),
    (#"HYPERLINK \\h "a""#, "a"), (#"HYPERLINK "c:\\\\x""#, #"c:\x"#), ("PAGEREF _Toc", nil),
    (#"HYPERLINK \'93a b\'94 x"#, "a b"), (#"HYPERLINK "\'94a\'94""#, "\u{201D}a\u{201D}"),
    ("HYPERLINK", nil), (#"HYPERLINK """#, nil),
  ])
  func `the destination of a field is read`(_ instruction: String, _ link: String?) throws {
    let document = try read(#"{\rtf1{\field{\*\fldinst{\#(instruction)}}{\fldrslt x}}}"#)
    #expect(document.text.characters[0][.link] == link.map { .link($0) })
  }

  @Test(arguments: ["", "x", "<html>", "{\\rt", "PK\u{3}\u{4}"])
  func `input that is not RTF is rejected`(_ source: String) {
    #expect(throws: RTFError.self) { try read(source) }
  }

  @Test func `very deep groups are read without recursion`() throws {
    for piece in ["{", "{\\b ", "{\\*\\x", "{\\footnote ", "{\\field{\\*\\fldinst ", "{\\upr{"] {
      let document = try read("{\\rtf1 a" + String(repeating: piece, count: 100_000) + "b")
      #expect(document.text.units.first == 0x61)
    }
    let deep = 5_000
    let document = try read(
      "{\\rtf1 " + String(repeating: "{", count: deep) + "a" + String(repeating: "}", count: deep)
        + "b}")
    #expect(document.text.string == "ab")
  }

  @Test func `values out of range are counted and omitted`() throws {
    let document = try read(#"{\rtf1\fs99999\li-99999999 a\fs24\par}"#)
    #expect(document.losses == ["values out of range: 2"])
    #expect(document.text.characters.count == 0 && document.text.paragraphs.count == 0)
  }
}
