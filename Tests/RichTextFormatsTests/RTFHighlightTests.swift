import Foundation
import Model
import RichText
import RichTextChecks
import RichTextFormats
import TestSupport
import Testing

@Suite struct RTFHighlightTests {
  private func read(_ rtf: String) throws -> RichDocument {
    try RTFReader.read(Array(rtf.utf8))
  }

  @Test func `highlights are written and read again, also overlapping ones`() throws {
    let seed = SeededGenerator.runSeed
    print("RTFHighlightTests: seed \(seed)")
    var random = SeededGenerator(seed: seed)
    let notes = [
      "", "Why?", "two\nlines", "#looks like a tag", "a\n#", "[G] {x}\\", "\u{1F600} ü", " blank",
    ]
    let tags = [[], [], ["todo"], ["to read", "ä#b"]]
    var read = 0
    for number in 0..<300 {
      var document = RichDocument(text: try RandomFormat.text(&random))
      let count = document.text.units.count
      for _ in 0..<Int.random(in: 0...6, using: &random) where count > 1 {
        let start = Int.random(in: 0..<count - 1, using: &random)
        let end = Int.random(in: start + 1...min(count, start + 12), using: &random)
        document.highlights.append(
          RichDocument.Highlight(
            range: start..<end, color: HighlightColor.allCases.randomElement(using: &random)!,
            note: notes.randomElement(using: &random)!, tags: tags.randomElement(using: &random)!))
      }
      document.highlights.sort {
        ($0.range.lowerBound, $0.range.upperBound) < ($1.range.lowerBound, $1.range.upperBound)
      }
      let bytes = RTFWriter.write(document)
      let again = try RTFReader.read(bytes)
      let difference = RTFMutations.difference(again.text, document.text)
      try #require(difference == nil, "seed \(seed), text \(number): \(difference ?? "")")
      try #require(
        Set(again.highlights) == Set(document.highlights) && again.notes == document.notes,
        """
        seed \(seed), text \(number): \(again.highlights) for \(document.highlights)
        \(String(decoding: bytes, as: UTF8.self))
        """)
      read += again.highlights.count
    }
    #expect(read > 300)
  }

  @Test func `a highlight is shading with a comment on its passage`() throws {
    var document = RichDocument(text: AttributedText("One two three.\nFour five.\n"))
    document.highlights = [
      RichDocument.Highlight(range: 4..<7, color: .green, note: "Why?", tags: ["a", "b c"]),
      RichDocument.Highlight(range: 15..<19, color: .yellow),
    ]
    let written = String(decoding: RTFWriter.write(document), as: UTF8.self)
    #expect(
      written.contains(
        """
        One {\\*\\atrfstart 0}{\\chcbpat1\\cb1\\dplback two}{\\*\\atrfend 0}{\\*\\atnid D}\
        {\\*\\atnauthor Diple}\\chatn{\\*\\annotation{\\*\\atnref 0}\\pard\\plain [G] Why?\\par \
        #a, #b c} three.
        """))
    // A highlight without a note is only shaded.
    #expect(written.contains("{\\chcbpat2\\cb2\\dplback Four} five."))
    #expect(written.contains(";\\red166\\green232\\blue180;\\red255\\green243\\blue109;}"))
  }

  @Test func `a highlight that its shading does not show has a comment`() {
    func comments(_ highlights: [(Range<Int>, HighlightColor)], _ text: String) -> [Bool] {
      var document = RichDocument(text: AttributedText(text))
      document.highlights = highlights.map { RichDocument.Highlight(range: $0.0, color: $0.1) }
      return document.needsComment
    }
    let text = "One two three four five.\nSix\tseven.\n"
    #expect(comments([(0..<3, .green), (4..<7, .green)], text) == [false, false])
    #expect(comments([(0..<5, .green), (4..<7, .pink)], text) == [true, true])
    #expect(
      comments([(0..<13, .green), (4..<7, .pink), (8..<9, .pink)], text) == [true, true, true])
    #expect(comments([(0..<4, .green), (4..<7, .green)], text) == [false, true])
    #expect(comments([(0..<4, .green), (4..<7, .pink)], text) == [false, false])
    #expect(comments([(19..<28, .green), (26..<31, .pink)], text) == [true, true])
    #expect(comments([(29..<34, .blue)], text) == [false])
    #expect(comments([(25..<30, .blue)], text) == [true])
  }

  @Test func `comments of other programs have their passage`() throws {
    // As Word and LibreOffice write them.
    let word = try read(
      """
      {\\rtf1\\ansi One {\\*\\atrfstart 12}two {\\b three}{\\*\\atrfend 12}{\\*\\atnid AB}\
      {\\*\\atnauthor Ada Byron}\\chatn {\\*\\annotation{\\*\\atnref 12}{\\*\\atndate 7}\\pard\\plain \
      {\\chatn}Is it so?} four.\\par Five.{\\*\\atnid C}{\\*\\atnauthor C}\\chatn{\\*\\annotation x}}
      """)
    #expect(word.text.string == "One two three\u{FFFC} four.\nFive.\u{FFFC}")
    #expect(word.notes.map(\.text.string) == ["Is it so?", "x"])
    #expect(word.notes.map(\.range) == [4..<13, nil])
    #expect(word.highlights.isEmpty)
    // A passage in several paragraphs, whose end follows the comment.
    let crossing = try read(
      """
      {\\rtf1\\ansi A{\\*\\atrfstart 0}b\\par c{\\*\\atnauthor D}{\\*\\annotation{\\*\\atnref 0}n}d\
      {\\*\\atrfend 0}e}
      """)
    #expect(crossing.notes.first?.range == 1..<6)
    // Diple's comments are recognised after other programs changed the file.
    let changed = try read(
      """
      {\\rtf1\\ansi{\\colortbl;\\red166\\green232\\blue180;}A {{\\*\\atrfstart 3}\\chcbpat1 bold}\
      {{\\*\\atrfend 3}{\\*\\atnid D}{\\*\\atnauthor Diple}\\chatn{\\*\\annotation{\\*\\atnref 3}\
      {[G] Why}\\par{#a, #b}}} claim.\\par}
      """)
    #expect(changed.text.string == "A bold claim.\n")
    #expect(changed.notes.isEmpty)
    #expect(
      changed.highlights == [
        RichDocument.Highlight(range: 2..<6, color: .green, note: "Why", tags: ["a", "b"])
      ])
    #expect(changed.text.characters[2][.background] == nil)
    // The reply of another author is a comment.
    let reply = try read(
      "{\\rtf1 A {\\*\\atnauthor Ada}{\\*\\annotation [G] no}{\\*\\annotation [G] no}b}")
    #expect(reply.highlights.isEmpty && reply.notes.count == 2)
  }

  @Test func `a comment in the footnote after its passage is that of the passage`() throws {
    // As LibreOffice writes both if they are at the same place.
    let read = try self.read(
      """
      {\\rtf1\\ansi A {\\*\\atrfstart 0}bold{{\\*\\atrfend 0}{\\super\\chftn{\\*\\footnote \\chftn \
      {{\\*\\atnid D}{\\*\\atnauthor Diple}\\chatn{\\*\\annotation{\\*\\atnref 0}[G] Why}}Foot.}}} x.}
      """)
    #expect(read.highlights == [RichDocument.Highlight(range: 2..<6, color: .green, note: "Why")])
    #expect(read.notes.map(\.text.string) == ["Foot."] && read.losses.isEmpty)
  }

  @Test func `a note has bold and italic words in its comment`() throws {
    var document = RichDocument(text: AttributedText("One two.\n"))
    var highlight = RichDocument.Highlight(
      range: 0..<3, color: .green, note: "A **bold**, *slanted* word.\n\nMore", tags: ["t"])
    var shown = AttributedText("A bold, slanted word.\nMore")
    try shown.change(2..<6, [.set(.bold(true))])
    try shown.change(8..<15, [.set(.italic(true))])
    highlight.styledNote = RichDocument.Highlight.StyledNote(shown, 0..<shown.units.count)
    document.highlights = [highlight]
    let bytes = RTFWriter.write(document)
    #expect(
      String(decoding: bytes, as: UTF8.self).contains(
        "[G] A {\\rtlch\\ab\\ltrch\\b bold}, {\\rtlch\\ai\\ltrch\\i slanted} word.\\par More\\par #t}"
      ))
    let read = try #require(try RTFReader.read(bytes).highlights.first)
    #expect(read.styledNote == highlight.styledNote && read.tags == ["t"])
    #expect(RichDocument.Highlight.StyledNote(AttributedText("plain"), 0..<5) == nil)
  }

  @Test func `text marked by a highlighter is a highlight, shading is not`() throws {
    let marked = try read(
      """
      {\\rtf1\\ansi{\\colortbl;\\red255\\green255\\blue0;\\red0\\green255\\blue255;\
      \\red255\\green255\\blue255;\\red200\\green200\\blue200;\\red0\\green0\\blue0;}\
      One {\\highlight1 two {\\b three} }four {\\highlight2 five}{\\highlight1 six} \
      {\\highlight3 white} {\\cb4 grey} {\\highlight5 black}{\\highlight0 none}\\par \
      \\cbpat1 paragraph\\par}
      """)
    #expect(
      marked.highlights == [
        RichDocument.Highlight(range: 4..<13, color: .yellow),
        RichDocument.Highlight(range: 19..<23, color: .blue),
        RichDocument.Highlight(range: 23..<26, color: .yellow),
      ])
    func background(_ words: String) -> CharacterAttribute? {
      let units = marked.text.string.utf16
      let range = marked.text.string.firstRange(of: words)!
      return marked.text.characters[
        units.distance(from: units.startIndex, to: range.lowerBound)][.background]
    }
    #expect(background("two") == nil)
    let note = try read(
      "{\\rtf1{\\colortbl;\\red255\\green255\\blue0;}a{\\footnote b {\\highlight1 c}}}")
    #expect(note.highlights.isEmpty && note.losses == ["highlighting in notes: 1"])
    #expect(background("white") == .background(.rgb(0xFFFFFF)))
    #expect(background("grey") == .background(.rgb(0xC8C8C8)))
    #expect(background("black") == .background(.rgb(0)))
  }

  @Test func `the highlighting of LibreOffice is a highlight`() throws {
    let colors =
      "\\red255\\green255\\blue0;\\red0\\green255\\blue0;\\red221\\green221\\blue221;"
      + "\\red0\\green0\\blue128;"
    let body =
      "A {\\chcbpat1 two} {\\chshdng0\\chcbpat2 three} {\\chcbpat3 grey} {\\chcbpat4 dark}.\\par"
    let generator = "{\\*\\generator LibreOffice/7.4}"
    let read = try self.read("{\\rtf1\\ansi{\\colortbl;\(colors)}\(generator)\(body)}")
    #expect(
      read.highlights == [
        RichDocument.Highlight(range: 2..<5, color: .yellow),
        RichDocument.Highlight(range: 6..<11, color: .green),
      ])
    #expect(read.text.characters[2][.background] == nil)
    #expect(read.text.characters[12][.background] == .background(.rgb(0xDDDDDD)))
    // In Word it is shading, which is different from its highlighter.
    #expect(try self.read("{\\rtf1\\ansi{\\colortbl;\(colors)}\(body)}").highlights.isEmpty)
  }

  @Test func `a file has properties, and the numbers of its pages`() throws {
    var document = RichDocument(text: AttributedText("One two.\na\tb\nThree.\n"))
    document.tableRows = [9..<13]
    document.highlights = [
      RichDocument.Highlight(range: 0..<3, color: .pink, note: "Why?"),
      RichDocument.Highlight(range: 2..<6, color: .blue),
    ]
    document.highlights[0].date = Date(timeIntervalSince1970: 1_795_867_200)
    var options = RTFWriter.Options()
    (options.title, options.author) = ("A {title}", "Ada")
    let written = RTFWriter.write(document, options: options)
    let text = String(decoding: written, as: UTF8.self)
    #expect(text.contains("{\\info{\\title A \\{title\\}}{\\author Ada}}"))
    #expect(text.contains("\\chpgn"))
    // A Saturday has the highest bit of the number, which is its sign.
    #expect(text.contains("{\\*\\atndate -"))
    #expect(text.contains("\\fi0\\sl240\\slmult1") && text.contains("\\trpaddt50"))
    #expect(text.matches(of: /\\sb160/).count == 1 && text.matches(of: /\\sa160/).count == 1)
    #expect(try RTFReader.read(written).text == document.text)
  }

  @Test func `highlighted passages of a text for paper are links`() throws {
    var text = AttributedText("One two three\u{FFFC} four five.\n")
    try text.change(
      8..<13, [.set(.link("https://example.org/a"))])
    var document = RichDocument(text: text)
    document.notes = [
      RichDocument.Note(kind: .footnote, offset: 13, text: AttributedText("A footnote."))
    ]
    document.highlights = [
      RichDocument.Highlight(range: 4..<19, color: .pink, note: "Why?"),
      RichDocument.Highlight(range: 15..<24, color: .blue),
    ]
    var options = RTFWriter.Options()
    options.isForPaper = true
    let (bytes, links) = RTFWriter.writeWithLinks(document, options: options)
    let paper = String(decoding: bytes, as: UTF8.self)
    #expect(!paper.contains("\\annotation") && !paper.contains("\\dplback"))
    #expect(links == ["https://example.org/a"])
    let fields = paper.matches(of: /HYPERLINK "([^"]*)"\}\}\{\\fldrslt\\cs\d+ ([^}]*)\}/).map {
      "\($0.output.1)|\($0.output.2)"
    }
    #expect(
      fields == [
        "diple-mark:0|two ", "diple-mark:0_0|three", "diple-mark:0| ", "diple-mark:0-1|four",
        "diple-mark:1| five",
      ])
    // The letter of the note has room after the passage.
    #expect(paper.contains("four}}{\\fs20 \\u8194\\'3f}{\\field"))
  }

  @Test func `many nested passages are read in linear time`() throws {
    let count = 20_000
    var rtf = "{\\rtf1{\\colortbl;\\red255\\green255\\blue0;\\red0\\green255\\blue0;}"
    for number in 0..<count { rtf += "{\\*\\atrfstart \(number)}{\\highlight\(number % 2 + 1) x}" }
    for number in 0..<count {
      rtf +=
        "{\\*\\atrfend \(number)}{\\*\\atnauthor Diple}{\\*\\annotation{\\*\\atnref \(number)}[Y] n}"
    }
    let clock = ContinuousClock()
    var document = RichDocument(text: AttributedText())
    let time = try clock.measure { document = try read(rtf + "}") }
    #expect(document.highlights.count == count)
    #expect(document.highlights.allSatisfy { $0.range.upperBound == count })
    #expect(time < .seconds(20))
    let written = clock.measure { _ = RTFWriter.write(document) }
    #expect(written < .seconds(20))
  }
}
