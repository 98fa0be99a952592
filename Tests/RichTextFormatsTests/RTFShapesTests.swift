import RichText
import RichTextFormats
import Testing

@Suite struct RTFShapesTests {
  private func read(_ body: String) throws -> RichDocument {
    try RTFReader.read(Array(#"{\rtf1\ansi\uc1\deff0 \#(body)}"#.utf8))
  }

  @Test func `the text of a box follows its paragraph`() throws {
    let box =
      #"{\shp{\*\shpinst\shpleft0{\sp{\sn shapeType}{\sv 202}}{\shptxt \pard\qc A {\b bold} box.\par Two\par}}{\shprslt{\*\do\dptxbx{\dptxbxtext A copy.\par}}}}"#
    let document = try read(#"Before \#(box)after.\par Next.\par"#)
    #expect(document.text.string == "Before after.\nA bold box.\nTwo\nNext.\n")
    #expect(document.text.characters[16][.bold] == .bold(true))
    #expect(document.text.characters[2][.bold] == nil)
    #expect(document.text.paragraphs[15][.alignment] == .alignment(.center))
    #expect(document.text.paragraphs[30][.alignment] == nil)
    #expect(document.text.characters.violatedInvariant == nil)
    #expect(document.text.paragraphs.violatedInvariant == nil)
    // A paragraph that only anchors a box adds no empty one.
    #expect(try read(#"a\par \#(box)\par b"#).text.string == "a\nA bold box.\nTwo\nb")
    #expect(try read(#"a \#(box)"#).text.string == "a \nA bold box.\nTwo\n")
    #expect(try read(#"a{\footnote n\#(box)}"#).notes[0].text.string == "n\nA bold box.\nTwo\n")
  }

  @Test func `old drawings, nested and drawn words are read once`() throws {
    let old = #"{\*\do\dobxpage\dptxbx{\dptxbxtext\pard Old.\par}\dpx0}"#
    #expect(try read(#"x\#(old)y\par z"#).text.string == "xy\nOld.\nz")
    let inner = #"{\shp{\*\shpinst{\shptxt In.}}}"#
    #expect(
      try read(#"x{\shp{\*\shpinst{\shptxt Out.\#(inner)}}}\par y"#).text.string
        == "x\nOut.\nIn.\ny")
    let group =
      #"{\shpgrp{\*\shpinst{\shp{\*\shpinst{\shptxt A}}}{\shp{\*\shpinst{\shptxt B}}}}{\shprslt C}}"#
    #expect(try read(#"x\#(group)\par y"#).text.string == "x\nA\nB\ny")
    let words =
      #"{\shp{\*\shpinst{\sp{\sn gtextUNICODE}{\sv Drawn words}}{\sp{\sn wzName}{\sv N}}}}"#
    #expect(try read(#"x\#(words)\par y"#).text.string == "x\nDrawn words\ny")
    #expect(
      try read(#"x{\shp{\*\shpinst\shpleft0}{\shprslt Only text}}\par"#).text.string
        == "xOnly text\n")
  }

  @Test func `boxes in a table follow their row`() throws {
    let document = try read(
      #"\intbl a{\shp{\*\shpinst{\shptxt Box}}}\cell b\cell\row\pard c\par"#)
    #expect(document.text.string == "a\tb\nBox\nc\n")
    #expect(document.tableRows == [0..<4])
  }

  @Test func `pictures and notes in shapes are at their places`() throws {
    let picture =
      #"{\shp{\*\shpinst{\sp{\sn pib}{\sv {\pict\pngblip 8950}}}}{\shprslt{\pict\wmetafile8 01}}}"#
    let document = try read(#"a\#(picture)b\par"#)
    #expect(document.text.string == "a\u{FFFC}b\n")
    #expect(document.images.map(\.format) == [.png])
    #expect(document.images[0].bytes == [0x89, 0x50])
    let box = #"{\shp{\*\shpinst{\shptxt {\pict\pngblip 89} Figure{\footnote n}\par}}}"#
    let boxed = try read(#"a\#(box)b\par c"#)
    #expect(boxed.text.string == "ab\n\u{FFFC} Figure\u{FFFC}\nc")
    #expect(boxed.images.map(\.offset) == [3])
    #expect(boxed.notes.map(\.offset) == [11])
    #expect(boxed.notes[0].text.string == "n")
  }

  @Test func `deleted text is omitted and inserted text is kept`() throws {
    #expect(
      try read(
        #"a{\deleted\revauthdel1 gone{\footnote n}{\pict\pngblip 89}}{\revised new}\deleted x\deleted0 b\par"#
      ).text.string == "anewb\n")
    #expect(try read(#"One {\deleted\par}two\par"#).text.string == "One two\n")
    let generator = #"{\*\generator LibreOffice/7.4;}"#
    // LibreOffice marks the last run of a paragraph whose end is deleted.
    #expect(
      try read(#"\#(generator){\loch a}{\loch\deleted\revauthdel1 b}\par {c}{\deleted\loch d}\par"#)
        .text.string == "abc\n")
  }

  @Test(arguments: [
    (#"EQ \\* jc2 \\* "Font:MS Mincho" \\* hps10 \\o\\ad(\\s\\up 9(kana),kanji)"#, "kanji(kana)"),
    (#"EQ \\o\\ac(O, 1)"#, "O 1"), (#"eq \\f(1,2)"#, "1/2"), (#"EQ \\r(3,x)"#, "3√x"),
    (#"EQ \\r(x)"#, "√x"), (#"EQ \\b\\bc\\\{ (a)"#, "(a)"),
    (#"EQ x = \\f(\\r(2),\\s\\up8(n))"#, "x = √2/n"),
    (#"EQ \\i(1,2,x\\,y)"#, "1, 2, x,y"), (#"EQUATION x"#, ""), (#"EQ \\f(1,2"#, "1/2"),
    (#"EQ a),b"#, "a),b"),
  ])
  func `formulas become text`(_ instruction: String, _ text: String) throws {
    let field = #"{\field{\*\fldinst{ \#(instruction) }}{\fldrslt }}"#
    #expect(try read("[\(field)]").text.string == "[\(text)]")
  }

  @Test func `the result of a phonetic guide is not text a second time`() throws {
    let field = #"{\field{\*\fldinst EQ \\o\\ad(\\s\\up 9(\u12363?),\u28450?)}{\fldrslt copy}}"#
    #expect(try read(#"\#(field)."#).text.string == "漢(か).")
    let deep = String(repeating: #"\\f("#, count: 5_000)
    #expect(try read(#"{\field{\*\fldinst EQ \#(deep)}{\fldrslt }}x"#).text.string.hasSuffix("x"))
  }

  @Test(arguments: [
    (#"FORMDROPDOWN {\*\formfield{\fftype2\ffres1{\*\ffl one}{\*\ffl two}}}"#, "two"),
    (#"FORMDROPDOWN {\*\formfield{\fftype2\ffres25\ffdefres0{\*\ffl one}{\*\ffl two}}}"#, "one"),
    (#"FORMDROPDOWN {\*\formfield{\fftype2\ffres7{\*\ffl one}}}"#, ""),
    (#"FORMCHECKBOX {\*\formfield{\fftype1\ffres1}}"#, "☒"),
    (#"FORMCHECKBOX {\*\formfield{\fftype1\ffres25\ffdefres0}}"#, "☐"),
    (#"FORMTEXT {\*\formfield{\fftype0{\*\ffdeftext x}}}"#, ""),
  ])
  func `form fields show their state`(_ instruction: String, _ text: String) throws {
    #expect(
      try read(#"[{\field{\*\fldinst{ \#(instruction)}}{\fldrslt {}}}]"#).text.string
        == "[\(text)]")
  }

  @Test func `results of fields are text`() throws {
    #expect(
      try read(
        #"Figure {\field{\*\fldinst SEQ Figure \\* ARABIC}{\fldrslt 1}}: x {\field{\*\fldinst PAGE}{\fldrslt 7}}{\field{\*\fldinst{FORMTEXT {\*\formfield{\fftype0}}}}{\fldrslt typed}}"#
      ).text.string == "Figure 1: x 7typed")
  }

  @Test func `properties are read without defaults of programs`() throws {
    let info =
      #"{\info{\title Ein T\u228?tel}{\author Ada Byron; C. Babbage}{\subject S}{\keywords a, b; c}{\*\company X}{\operator Y}{\author Editor}{\creatim\yr2020}}"#
    let document = try read(info + "Text.")
    #expect(document.text.string == "Text.")
    #expect(document.properties.title == "Ein Tätel")
    #expect(document.properties.authors == ["Ada Byron", "C. Babbage"])
    #expect(document.properties.subject == "S")
    #expect(document.properties.keywords == ["a", "b", "c"])
    for (title, read) in [
      ("Microsoft Word - Essay.doc", "Essay"), ("Document1", ""), ("<%Title%>", ""),
      ("1984", "1984"), (".", ""),
      ("Untitled 2", ""), ("Document of the year", "Document of the year"),
    ] {
      #expect(try self.read(#"{\info{\title \#(title)}}x"#).properties.title == read)
    }
    #expect(try self.read(#"{\info{\author python-docx}}x"#).properties == .init())
  }

  @Test func `shapes without an end and nested without a limit are read`() throws {
    for word in [#"{\shp{\*\shpinst{\shptxt a"#, #"{\field{\*\fldinst EQ \\o(}{\fldrslt"#] {
      let text = try read(String(repeating: word, count: 3_000)).text
      #expect(text.characters.violatedInvariant == nil)
      #expect(text.paragraphs.violatedInvariant == nil)
    }
    let boxes = String(repeating: #"{\shp{\*\shpinst{\shptxt a\par}}}"#, count: 20_000)
    #expect(try read(#"x\#(boxes)\par"#).text.units.count == 40_002)
  }
}
