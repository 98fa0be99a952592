import Foundation
import RichText
import RichTextChecks
import RichTextFormats
import TestSupport
import Testing

@Suite struct RTFWriterTests {
  /// `DIPLE_FORMAT_TEXTS` sets the number of texts (1,000), `DIPLE_TEST_SEED` repeats a run.
  private static let texts =
    ProcessInfo.processInfo.environment["DIPLE_FORMAT_TEXTS"].flatMap(Int.init) ?? 1_000

  @Test func `the margins of a document are read again, those of other programs are not`() throws {
    var document = RichDocument(text: AttributedText("One.\n"))
    document.margins = EditorMargins(
      left: Twips(1), right: .points(2), top: .points(3), bottom: .points(288))
    let bytes = RTFWriter.write(document)
    #expect(
      String(decoding: bytes, as: UTF8.self).contains("\\margl1\\margr40\\margt60\\margb5760"))
    #expect(try RTFReader.read(bytes).margins == document.margins)
    let other = "{\\rtf1\\ansi\\margl1440\\margr1440\\margt1440\\margb1440 One.}"
    #expect(try RTFReader.read(Array(other.utf8)).margins == nil)
    let wrong = "{\\rtf1\\dplrtf1\\margl-9\\margr1440\\margt1440\\margb1440 One.}"
    #expect(try RTFReader.read(Array(wrong.utf8)).margins == nil)
  }

  @Test func `a written document is read again with every attribute`() throws {
    let seed = SeededGenerator.runSeed
    print("RTFWriterTests: seed \(seed), \(Self.texts) texts")
    var random = SeededGenerator(seed: seed)
    for number in 0..<Self.texts {
      var document = RichDocument(text: try RandomFormat.text(&random))
      let marks = document.text.units.indices.filter { document.text.units[$0] == 0xFFFC }
      for mark in marks where Bool.random(using: &random) {
        if Bool.random(using: &random) {
          var note = try RandomFormat.text(&random)
          (note.styles, note.defaults) = (document.text.styles, document.text.defaults)
          document.notes.append(
            RichDocument.Note(
              kind: RichDocument.Note.Kind.allCases.randomElement(using: &random)!, offset: mark,
              text: note))
        } else {
          document.images.append(
            RichDocument.Image(
              format: .png, offset: mark,
              bytes: [0, 255, UInt8.random(in: 0...255, using: &random)],
              width: Twips(300)))
        }
      }
      let bytes = RTFWriter.write(document)
      #expect(bytes.allSatisfy { $0 < 0x80 })
      let read = try RTFReader.read(bytes)
      try #require(
        read == document,
        "seed \(seed), text \(number): \(Self.difference(read, document))\n\(String(decoding: bytes, as: UTF8.self))"
      )
    }
  }

  private static func difference(_ a: RichDocument, _ b: RichDocument) -> String {
    if let difference = RTFMutations.difference(a.text, b.text) { return difference }
    if a.notes != b.notes { return "notes: \(a.notes) for \(b.notes)" }
    return "images \(a.images) for \(b.images), losses \(a.losses)"
  }

  /// A randomly changed file with such a text once failed. The maximum length of an id is counted
  /// in characters, not in code units.
  @Test func `the longest id and title of a style are read again`() throws {
    var text = AttributedText("a\n")
    let id = StyleID(String(repeating: "𝒳", count: 64))
    let title = "a" + String(repeating: "\u{308}", count: 63)
    try text.styles.store(NamedStyle(id: id, title: title, characters: [.bold(true)]))
    try text.changeParagraphs(0..<0, [.set(.style(id))])
    let read = try RTFReader.read(RTFWriter.write(RichDocument(text: text)))
    #expect(read.text == text)
    #expect(read.losses == [])
    // The title of another program's style may be longer. The format of the style is kept.
    let long = title + "\u{308}"
    let own = String(decoding: RTFWriter.write(RichDocument(text: text)), as: UTF8.self)
    let escaped = "a" + String(repeating: "\\u776\\'3f", count: long.unicodeScalars.count - 1)
    let foreign = own.replacing("} a\\u776\\'3f", with: "} \(escaped)")
    #expect(try RTFReader.read(Array(foreign.utf8)).text.styles[id]?.characters == [.bold(true)])
  }

  @Test func `paragraph terminators become line feeds`() throws {
    var text = AttributedText("a\r\nb\rc\u{2029}d\n")
    try text.change(1..<2, [.set(.bold(true))])
    try text.changeParagraphs(4..<5, [.set(.alignment(.right))])
    let read = try RTFReader.read(RTFWriter.write(RichDocument(text: text)))
    #expect(read.text.string == "a\nb\nc\nd\n")
    #expect(read.text.paragraphs[2] == [.alignment(.right)])
  }

  @Test func `table rows are written as rows`() throws {
    let seed = SeededGenerator.runSeed
    print("RTFWriterTests: seed \(seed), rows")
    var random = SeededGenerator(seed: seed)
    var count = 0
    for number in 0..<200 {
      var document = RichDocument(text: try RandomFormat.text(&random))
      var start = 0
      while start < document.text.units.count {
        let range = document.text.paragraphRange(around: start..<start)
        let units = document.text.units[range]
        // A paragraph that has no terminator, or has a line break before the end of a cell, is not
        // written as a table row.
        let breaks = zip(units, units.dropFirst()).contains {
          $0 == 0x2028 && ($1 == 0x09 || $1 == 0x0A)
        }
        if units.last == 0x0A, !breaks, Bool.random(using: &random) {
          document.tableRows.append(range)
        }
        start = range.upperBound
      }
      count += document.tableRows.count
      let read = try RTFReader.read(RTFWriter.write(document))
      try #require(
        read == document, "seed \(seed), text \(number): \(Self.difference(read, document))")
    }
    #expect(count > 100)
  }

  @Test func `a table is written as cells that other programs read`() throws {
    var document = RichDocument(text: AttributedText("before\na\tb\nc\u{2028}\td\n"))
    document.tableRows = [7..<11, 11..<16]
    let written = String(decoding: RTFWriter.write(document), as: UTF8.self)
    #expect(written.matches(of: /\\trowd/).count == 1)
    #expect(written.contains("\\intbl a\\cell b\\cell\\row\n"))
    #expect(written.contains("c\\line \\tab d\\par\n"))
  }

  @Test func `inherited formats are written for other programs`() throws {
    var text = AttributedText("Title\nbody\nmore\n")
    try text.changeParagraphs(0..<0, [.set(.style(.heading(1)))])
    let own = String(decoding: RTFWriter.write(RichDocument(text: text)), as: UTF8.self)
    #expect(own.contains("\\pard\\plain\\outlinelevel0\\ql"))
    // Without Diple's control words the file is read like that of another program.
    let foreign = own.replacing("\\dplrtf1", with: "").replacing("\\dplown", with: "")
    let read = try RTFReader.read(Array(foreign.utf8)).text
    let title = read.resolved(at: 0, FormatContext(application: FormatDefaults()))
    #expect(title.characters[.bold] == .bold(true))
    #expect(title.characters[.size] == .size(40))
    #expect(title.characters[.family] == .family("Palatino"))
    #expect(title.paragraphs[.spaceBefore] == .spaceBefore(.points(18)))
    let body = read.resolved(at: 7, FormatContext(application: FormatDefaults()))
    #expect(body.characters[.size] == .size(26))
    // A paragraph is indented only after another one.
    #expect(body.paragraphs[.firstLineIndent] == .firstLineIndent(.points(0)))
    let more = read.resolved(at: 12, FormatContext(application: FormatDefaults()))
    #expect(more.paragraphs[.firstLineIndent] == .firstLineIndent(.points(36)))
    #expect(body.paragraphs[.lineHeight] == .lineHeight(.multiple(288)))
  }

  @Test func `Arabic and Hebrew paragraphs run from right to left`() throws {
    let string = "\u{645}\u{631} 12\n\u{5E9}\u{5DC} ok\nplain \u{645}\na \u{645}\tb\n\u{645}\tb\n"
    var document = RichDocument(text: AttributedText(string))
    document.tableRows = [20..<26, 26..<30]
    let bytes = RTFWriter.write(document)
    let written = String(decoding: bytes, as: UTF8.self)
    #expect(try RTFReader.read(bytes) == document)
    #expect(written.matches(of: /\\pard\\plain\\rtlpar[^ ]*\\qr/).count == 3)
    #expect(written.matches(of: /\\trowd[^\n]*\\rtlrow/).count == 1)
    // The words of these scripts have an effect only after \rtlch.
    #expect(written.contains("\\ltrch\\f0\\fs26\\rtlch\\af2\\afs26\\dplown"))
    #expect(written.contains("\\rtlch\\af2\\afs26\\ltrch\\f0\\fs26\\dplown"))
    #expect(written.contains("{\\f2\\froman Times New Roman;}"))
  }

  @Test func `text from right to left of other programs is read`() throws {
    let read = try RTFReader.read(
      Array(
        """
        {\\rtf1\\ansi\\uc1\\pard\\plain\\qr\\rtlpar{\\ltrch \\rtlch\\ab\\ai0\\afs40\\af3 \\u1605?}\
        {\\rtlch\\ab\\ltrch x}\\par\\pard\\ql\\rtlpar y\\par\\pard\\qr z\\par}
        """.utf8)
    ).text
    #expect(read.string == "\u{645}x\ny\nz\n")
    #expect(read.characters[0][.bold] == .bold(true) && read.characters[0][.size] == .size(40))
    #expect(read.characters[1][.bold] == nil)
    // The right is the usual side of these paragraphs.
    #expect(read.paragraphs[0][.alignment] == nil)
    #expect(read.paragraphs[3][.alignment] == .alignment(.right))
    #expect(read.paragraphs[5][.alignment] == .alignment(.right))
  }

  @Test func `lists, notes and tables look like those of a book`() throws {
    var text = AttributedText("One\u{FFFC}\ntwo\nName\tLevel\nA long name\t12 cm\nB\t-3\n")
    try text.changeParagraphs(
      5..<5, [.set(.list(ListItem(list: 1, level: 1, marker: .bullet)))])
    var document = RichDocument(text: text)
    document.notes = [
      RichDocument.Note(kind: .footnote, offset: 3, text: AttributedText("Small."))
    ]
    document.tableRows = [9..<20, 20..<38, 38..<43]
    var options = RTFWriter.Options()
    (options.isForPaper, options.isForOffice) = (true, true)
    let written = String(decoding: RTFWriter.write(document, options: options), as: UTF8.self)
    // The wrapped lines of an item begin below its text.
    #expect(written.contains("\\fi-360\\li1080"))
    #expect(written.contains("\\fi0\\sl240\\slmult1\\rtlch\\af2\\afs20\\ltrch\\f0\\fs20\\dplown"))
    #expect(written.contains(" footnote text;}"))
    #expect(written.matches(of: /\\trhdr/).count == 1)
    // The column of names is wider than that of numbers, which are at its right.
    let edges = written.matches(of: /\\cellx(\d+)/).compactMap { Int($0.output.1) }
    #expect(edges == [6164, 9468, 6164, 9468, 6164, 9468])
    #expect(written.contains("\\ql Name\\cell \\qr Level\\cell\\row"))
    #expect(written.contains("\\ql B\\cell \\qr -3\\cell\\row"))
    document.columns = [9: [.center, .left]]
    let aligned = String(decoding: RTFWriter.write(document, options: options), as: UTF8.self)
    #expect(aligned.contains("\\qc B\\cell \\ql -3\\cell\\row"))
  }

  @Test func `emphasised words of a quote are upright on paper`() throws {
    var text = AttributedText("One two\n")
    try text.changeParagraphs(0..<0, [.set(.style(.blockQuote))])
    try text.change(4..<7, [.set(.italic(true))])
    var options = RTFWriter.Options()
    func written() -> String {
      String(decoding: RTFWriter.write(RichDocument(text: text), options: options), as: UTF8.self)
    }
    #expect(written().contains("{\\rtlch\\ai\\ltrch\\i two}"))
    options.isForPaper = true
    #expect(written().contains("{\\rtlch\\ai0\\ltrch\\i0 two}"))
  }

  @Test func `fonts have an alternative, and LibreOffice one of its own`() throws {
    var text = AttributedText("code\n")
    try text.changeParagraphs(0..<0, [.set(.style(.code))])
    let document = RichDocument(text: text)
    let plain = RTFWriter.write(document)
    #expect(
      String(decoding: plain, as: UTF8.self).contains(
        "{\\f0\\fnil Palatino{\\*\\falt Palatino Linotype};}"
          + "{\\f1\\fmodern\\fprq1 Menlo{\\*\\falt Courier New};}"))
    #expect(try RTFReader.read(plain) == document)
    var options = RTFWriter.Options()
    options.isForOffice = true
    let office = String(decoding: RTFWriter.write(document, options: options), as: UTF8.self)
    #expect(office.contains("{\\f1\\fmodern\\fprq1 Consolas{\\*\\falt Courier New};}"))
    // A font that the user chose stays.
    try text.change(0..<2, [.set(.family("DejaVu Sans Mono"))])
    let chosen = RTFWriter.write(RichDocument(text: text), options: options)
    #expect(String(decoding: chosen, as: UTF8.self).contains("DejaVu Sans Mono"))
  }

  @Test func `list items are written with their labels`() throws {
    var text = AttributedText("one\ntwo\nsub\nthree")
    for (start, level) in [(0, 0), (4, 0), (8, 1), (12, 0)] {
      try text.changeParagraphs(
        start..<start,
        [
          .set(
            .list(ListItem(list: 1, level: level, marker: level == 0 ? .upperRoman : .lowerLetter)))
        ])
    }
    let written = String(decoding: RTFWriter.write(RichDocument(text: text)), as: UTF8.self)
    let labels = written.matches(of: /\\listtext\\tab ([^\\]*)\\tab/).map { String($0.output.1) }
    #expect(labels == ["I.", "II.", "a.", "III."])
  }
}
