import Editing
import Foundation
import Interchange
import LibraryFormatting
import LibrarySupport
import MarkdownParse
import Model
import RichText
import RichTextFormats
import SystemSupport
import TestSupport
import Testing

@testable import LibraryExchange
@testable import Workspace

@Suite struct RichFileTests {
  let folder = try! LibraryFolder()

  private func read(_ name: String) async throws -> RichFile {
    try await RichFile(reading: folder.path + "/" + name)
  }

  private func write(_ name: String, _ bytes: [UInt8]) throws {
    try Data(bytes).write(to: URL(fileURLWithPath: folder.path + "/" + name))
  }

  @Test func `an exported document that is added again has the same text and formats`() async throws
  {
    try folder.write(
      "a.md",
      "# Head\n\nOne **two** three *four* `code`.\n\n> Six seven\n\n- eight\n- nine ten\n\nThe end.\n"
    )
    let library = try await folder.library()
    let document = try await library.document("a.md")
    let acts: [(String, FormatAct)] = [
      ("\"two three\"", .toggle(.underline(.wave))),
      ("para:2", .change(FormatChange(paragraphs: [.set(.alignment(.justified))]))),
      (
        "\"Six\"",
        .change(FormatChange(characters: [.set(.color(.rgb(0xAA0000))), .set(.size(30))]))
      ),
      ("\"nine\"", .toggle(.position(.superscript))),
    ]
    for (spec, act) in acts {
      _ = try await library.format(
        document, try SelectionSpec(parsing: spec), act, label: "test")
    }
    let before = try await library.format(of: try await library.open(document))
    let export = try await library.richExport(of: [document]) { _, _ in nil }
    for form in [RichForm.rtf, .attributed] {
      let bytes = try await form.file(
        of: export.document, markdown: export.markdown, title: "Head"
      ).bytes
      let name = form == .rtf ? "copy.rtf" : "copy.json"
      try write(name, bytes)
      #expect(RichFile.isOne(folder.path + "/" + name))
      let file = try await read(name)
      let place = try await library.place(for: file, at: nil)
      let added = try await library.add(file, at: place)
      #expect(added.losses.isEmpty, "\(form): \(added.losses)")
      let after = try await library.format(of: try await library.open(added.addition.document))
      #expect(after.text.string == before.text.string)
      for offset in before.text.units.indices where before.text.units[offset] > 32 {
        var a = before.text.resolved(at: offset, before.context)
        let b = after.text.resolved(at: offset, after.context)
        a.other = b.other
        #expect(a == b, "\(form) at \(offset): \(before.text.string.utf16.prefix(offset).count)")
        if a != b { break }
      }
      let step = try await library.history(limit: 1).first?.summary ?? ""
      #expect(step.hasPrefix("added ") && step.hasSuffix(place.lastComponent))
      // A single step removes the document with its formats.
      _ = try await library.undo()
      #expect(try await library.documents().count == 1)
    }
    #expect(try await library.integrityProblems().isEmpty)
  }

  @Test func `styles based on a changed Normal leave the library sound`() async throws {
    let sheet =
      #"{\stylesheet{\s0\qj\fs28 Normal;}{\s1\sbasedon0\i Caption;}{\s2\sbasedon1 Deeper;}}"#
    let library = try await folder.library()
    for name in ["a.rtf", "b.rtf"] {
      try write(
        name, Array(#"{\rtf1\ansi\#(sheet)\pard\s0\qj\fs28 One.\par\pard\s2\i\fs28 Two.\par}"#.utf8)
      )
      let file = try await read(name)
      _ = try await library.add(file, at: try await library.place(for: file, at: nil))
    }
    let sheetAfter = try await library.styles()
    #expect(sheetAfter[StyleID("caption")]?.basedOn == .body)
    #expect(sheetAfter[StyleID("deeper")]?.basedOn == StyleID("caption"))
    #expect(!sheetAfter.styles.contains { $0.id.name.hasPrefix("body-") })
    #expect(try await library.integrityProblems().isEmpty)
  }

  @Test func `properties of a file are in the front matter`() async throws {
    let info = #"{\info{\title Essays}{\author Ada Byron;C. Babbage}{\keywords a}}"#
    try write(
      "Essay.rtf",
      Array(#"{\rtf1\ansi \#(info){\*\generator x;}Text with {\ul underlined} words.\par}"#.utf8))
    let library = try await folder.library()
    let file = try await read("Essay.rtf")
    let added = try await library.add(file, at: try await library.place(for: file, at: nil))
    let open = try await library.open(added.addition.document)
    #expect(
      String(decoding: open.parsed.source.bytes, as: UTF8.self) == """
        ---
        title: "Essays"
        author: ["Ada Byron", "C. Babbage"]
        keywords: "a"
        ---

        Text with underlined words.

        """)
    #expect(added.addition.document.title == "Essays")
    #expect(try await library.format(of: open).text.characters[12][.underline] != nil)
  }

  @Test(arguments: [
    (#"{\stylesheet{\s1 Title;}}\pard\s1 Own\par\pard Text\par"#, "# Own\n\nText\n"),
    (#"{\stylesheet{\s1 heading 1;}}\pard\s1 Own\par\pard Text\par"#, "# Own\n\nText\n"),
    (
      #"{\stylesheet{\s1 heading 1;}}\pard\s1 A\par\pard\s1 B\par"#,
      "---\ntitle: \"File\"\n---\n\n# A\n\n# B\n"
    ),
    (
      #"{\stylesheet{\s1 heading 1;}}\pard\s1 File\par\pard\s1 B\par"#,
      "# File\n\n# B\n"
    ),
  ])
  func `a title in the text is not repeated`(_ body: String, _ source: String) async throws {
    try write("Essay.rtf", Array(#"{\rtf1{\info{\title File}}\#(body)}"#.utf8))
    let library = try await folder.library()
    let file = try await read("Essay.rtf")
    let added = try await library.add(file, at: try await library.place(for: file, at: nil))
    let open = try await library.open(added.addition.document)
    #expect(String(decoding: open.parsed.source.bytes, as: UTF8.self) == source)
  }

  @Test(arguments: [RichForm.rtf, .attributed])
  func `margins and values equal to the default come back`(form: RichForm) async throws {
    try folder.write("a.md", "One two three.\n\nFour.\n")
    let library = try await folder.library()
    let document = try await library.document("a.md")
    var defaults = FormatDefaults.standard
    defaults.characters.set(.size(30))
    try await library.setDefaultFormat(defaults, of: document)
    try await library.setMargins(.manuscript, of: document)
    _ = try await library.format(
      document, try SelectionSpec(parsing: "all"),
      .change(
        FormatChange(
          characters: [.set(.size(30))], paragraphs: [.set(.firstLineIndent(.points(36)))])),
      label: "test")
    let export = try await library.richExport(of: [document]) { _, _ in nil }
    let bytes = try await form.file(
      of: export.document, markdown: export.markdown, title: "A"
    ).bytes
    let name = form == .rtf ? "copy.rtf" : "copy.json"
    try write(name, bytes)
    let file = try await read(name)
    let added = try await library.add(file, at: try await library.place(for: file, at: nil))
    let copy = added.addition.document
    #expect(try await library.defaultFormat(of: copy) == defaults)
    #expect(try await library.margins(of: copy) == .manuscript)
    // A change of the default doesn't change the words that have the value themselves.
    defaults.characters.set(.size(20))
    try await library.setDefaultFormat(defaults, of: copy)
    let format = try await library.format(of: try await library.open(copy))
    for offset in [0, 16] {
      let resolved = format.text.resolved(at: offset, format.context)
      #expect(resolved.characters[.size] == .size(30))
      #expect(resolved.paragraphs[.firstLineIndent] == .firstLineIndent(.points(36)))
    }
  }

  @Test func `highlights of an exported document come back in another library`() async throws {
    try folder.write(
      "a.md",
      """
      # Head

      One **two three** four[^1] five, ![picture](a.png) `code` and six.

      | a | b |
      |---|---|
      | seven eight | nine |

      Ten eleven.

      Twelve.

      [^1]: A note about four.
      """)
    let library = try await folder.library()
    let document = try await library.document("a.md")
    let marks: [(String, HighlightColor, String, [String])] = [
      ("Head", .blue, "", []), ("two three", .green, "Why so?\n\nReally, *why*?", []),
      ("three four[1] five", .pink, "", ["to read"]), ("code", .yellow, "#not a tag", []),
      ("seven", .yellow, "", ["x"]), ("nine", .yellow, "", []),
      ("Ten eleven.", .yellow, "", []), ("Twelve.", .yellow, "", []),
    ]
    func mark(_ words: String, _ color: HighlightColor, _ note: String, _ tags: [String])
      async throws
    {
      var request = MarkRequest(color: color)
      (request.note, request.tags) = (note, tags)
      _ = try await library.mark(document, try SelectionSpec(parsing: "\"\(words)\""), request)
    }
    for (words, color, note, tags) in marks { try await mark(words, color, note, tags) }
    let export = try await library.richExport(of: [document]) { _, _ in nil }
    #expect(export.orphans == 0)
    #expect(!export.losses.contains { $0.contains("highlight") })
    let bytes = try await RichForm.rtf.file(
      of: export.document, markdown: export.markdown, title: "Head"
    ).bytes
    let other = try LibraryFolder()
    try Data(bytes).write(to: URL(fileURLWithPath: other.path + "/copy.rtf"))
    let second = try await other.library()
    let file = try await RichFile(reading: other.path + "/copy.rtf")
    let added = try await second.add(file, at: try await second.place(for: file, at: nil))
    #expect((added.highlights, added.notes) == (8, 2))
    #expect(added.formats == 0)
    let copy = try await second.open(added.addition.document)
    let text = copy.parsed.text
    let back = copy.highlights.compactMap { highlight in
      highlight.anchor.range.map {
        "\(text.substring($0))|\(highlight.color)|\(highlight.note)|\(highlight.tags)"
      }
    }
    #expect(Set(back) == Set(marks.map { "\($0.0)|\($0.1)|\($0.2)|\($0.3)" }))
    #expect(back.count == marks.count)
    // The text is the same with and without highlights.
    let plain = try await library.richExport(of: [document], withHighlights: false) { _, _ in nil }
    #expect(plain.document.highlights.isEmpty)
    #expect(plain.document.text == export.document.text)
    let bare = try RTFReader.read(RTFWriter.write(plain.document))
    #expect(try RTFReader.read(bytes).text == bare.text)
    // One step of the history removes all of it.
    _ = try await second.undo()
    #expect(try await second.documents().isEmpty)
    // A highlight in a footnote, and one without a place, are losses.
    try await mark("about four", .yellow, "", [])
    try folder.write("a.md", "Other words.\n")
    let lost = try await library.richExport(of: [document]) { _, _ in nil }
    #expect(lost.orphans == 9)
  }

  @Test func `a text for paper ends with its notes`() throws {
    var document = RichDocument(text: AttributedText("One two three.\n"))
    document.highlights = [
      RichDocument.Highlight(
        range: 0..<3, color: .green, note: "Is it **so**?\n\nYes.", tags: ["a"]),
      RichDocument.Highlight(range: 4..<7, color: .blue),
      RichDocument.Highlight(range: 8..<13, color: .pink, tags: ["to read"]),
    ]
    document.highlights[0].record = RichDocument.Highlight.Record(
      id: "4-9f", quote: "One", prefix: "", suffix: " two")
    document.highlights[0].date = Date(timeIntervalSince1970: 1_674_798_066)
    let paper = PaperText(document, RTFWriter.Options())
    let rtf = String(decoding: paper.rtf, as: UTF8.self)
    let read = try RTFReader.read(paper.rtf)
    #expect(
      read.text.string
        == "One\u{2002} two three\u{2002}.\nNotes\na\tIs it so?\nYes.\u{2028}#a\nb\t#to read")
    #expect(read.text.characters[31][.bold] == .bold(true))
    #expect(!rtf.contains("**"))
    #expect(rtf.contains("\"diple-mark:0\"") && rtf.contains("\"diple-mark:2\""))
    #expect(paper.marking.marks.map(\.label) == ["a", "", "b"])
    #expect(
      paper.marking.marks.map(\.contents) == ["Is it **so**?\n\nYes.\n#a", "", "#to read"])
    let first = paper.marking.marks[0]
    #expect(first.id == "urn:diple:4-9f" && first.suffix == " two")
    #expect(first.changed == "D:20230127054106Z" && first.color == 0xA6E8B4)
  }

  @Test func `comments and marked text of other programs become highlights`() async throws {
    try write(
      "word.rtf",
      Array(
        """
        {\\rtf1\\ansi{\\colortbl;\\red255\\green255\\blue0;\\red255\\green0\\blue255;}\
        One {\\*\\atrfstart 0}{\\highlight1 two three}{\\*\\atrfend 0}{\\*\\atnauthor Ada}\\chatn\
        {\\*\\annotation{\\*\\atnref 0}Why?} {\\highlight2 four }five \
        {\\*\\atrfstart 1}six\\par seven{\\*\\atrfend 1}{\\*\\annotation{\\*\\atnref 1}Both.} eight\
        {\\*\\annotation Here.}.}
        """.utf8))
    let library = try await folder.library()
    let file = try await read("word.rtf")
    let added = try await library.add(file, at: try await library.place(for: file, at: nil))
    let open = try await library.open(added.addition.document)
    #expect(open.parsed.text.string == "One two three four five six\nseven eight.")
    let found = open.highlights.compactMap { highlight in
      highlight.anchor.range.map {
        "\(open.parsed.text.substring($0))|\(highlight.color)|\(highlight.note)"
      }
    }
    #expect(
      Set(found) == [
        "two three|yellow|Why?", "four|pink|", "six\nseven|yellow|Both.", "eight|yellow|Here.",
      ])
    #expect(added.losses.isEmpty && added.formats == 0)
  }

  @Test func `a style that is based on a changed body style is kept`() async throws {
    try write(
      "styles.rtf",
      Array(
        #"{\rtf1\ansi{\stylesheet{\s0\fs30 Normal;}{\s1\sbasedon0\fs30\i Quote;}}"#.utf8)
        + Array(#"\pard\plain\s0\fs30 One.\par\pard\plain\s1\fs30\i Two.\par}"#.utf8))
    let library = try await folder.library()
    let file = try await read("styles.rtf")
    _ = try await library.add(file, at: try await library.place(for: file, at: nil))
    let styles = try await library.styles()
    let quote = try #require(styles[StyleID("block-quote-2")])
    #expect(quote.basedOn == .body)
    #expect(quote.characters[.italic] == .italic(true))
    #expect(try await library.integrityProblems().isEmpty)
  }

  @Test func `a conversion beyond its memory limit is rejected`() async throws {
    let part = "{\\b One} {\\i two} three, four and five.\\par\n"
    let count = RichTrial.smallest / part.utf8.count + 1
    let bytes = Array("{\\rtf1 ".utf8) + Array(repeating: Array(part.utf8), count: count).joined()
    try await RichTrial.run(bytes, .rtf, called: "a.rtf")
    let error = await #expect(throws: UserError.self) {
      try await RichTrial.run(bytes, .rtf, called: "a.rtf", memory: 24 << 20)
    }
    #expect(error?.code == .usage)
    #expect(error?.message == "a.rtf takes more than 24 MiB of memory or 60 s to convert")
    #expect(RichTrial.memory(for: 8 << 20) == 256 << 20)
    #expect(RichTrial.memory(for: 20_000_000) <= 128 << 20)
    // Together with the memory of the program itself, this is at most eight times the file's size.
    #expect(RichTrial.memory(for: 60 << 20) == 448 << 20)
    #expect(RichTrial.memory(for: 256 << 20) == 992 << 20)
  }

  @Test
  func `the most frequent format becomes the default, and pictures are stored beside the text`()
    async throws
  {
    var picture = RichDocument(text: AttributedText("One \u{FFFC} two.\nThree.\n"))
    picture.images = [
      RichDocument.Image(format: .png, offset: 4, bytes: [0x89, 0x50, 0x4E, 0x47, 1, 2])
    ]
    picture.text.apply(
      FormatChange(
        characters: [.set(.family("Times")), .set(.size(24))],
        paragraphs: [.set(.alignment(.justified))]), to: 0..<picture.text.units.count)
    try write("An essay.rtf", RTFWriter.write(picture))
    let library = try await folder.library()
    let file = try await read("An essay.rtf")
    let place = try await library.place(for: file, at: nil)
    #expect(place == folder.path + "/An essay.md")
    let added = try await library.add(file, at: place)
    #expect(added.formats == 0)
    let document = added.addition.document
    let defaults = try await library.defaultFormat(of: document)
    #expect(defaults.characters[.family] == .family("Times"))
    #expect(defaults.paragraphs[.alignment] == .alignment(.justified))
    let markdown = try folder.read("An essay.md")
    #expect(markdown.contains("(An-essay-pictures/"))
    let names = try FileManager.default.contentsOfDirectory(
      atPath: folder.path + "/An-essay-pictures")
    #expect(names.count == 1 && markdown.contains(names[0]))
  }

  @Test func `a style that differs from an existing one of the same name gets a new name`()
    async throws
  {
    try folder.write("a.md", "One.\n")
    let library = try await folder.library()
    let document = try await library.document("a.md")
    _ = try await library.format(
      document, try SelectionSpec(parsing: "para:1"),
      .change(FormatChange(characters: [.set(.size(40))])), label: "test")
    _ = try await library.saveStyle(
      "Quote", of: document, try SelectionSpec(parsing: "para:1"))
    var text = AttributedText("Big\nOther\n")
    try text.styles.store(
      NamedStyle(id: StyleID("quote"), title: "Quote", characters: [.size(60)]))
    try text.styles.store(
      NamedStyle(
        id: .heading(1), title: "Heading 1", basedOn: .body, characters: [.italic(true)]))
    text.apply(FormatChange(paragraphs: [.set(.style(.heading(1)))]), to: 0..<3)
    text.apply(FormatChange(paragraphs: [.set(.style(StyleID("quote")))]), to: 4..<9)
    try write("b.rtf", RTFWriter.write(RichDocument(text: text)))
    let file = try await read("b.rtf")
    let added = try await library.add(file, at: try await library.place(for: file, at: nil))
    #expect(try folder.read("b.md").hasPrefix("# Big\n"))
    let open = try await library.open(added.addition.document)
    let format = try await library.format(of: open)
    #expect(format.text.resolved(at: 5, format.context).characters[.size] == .size(60))
    #expect(format.text.resolved(at: 0, format.context).characters[.italic] == .italic(true))
    #expect(try await library.style("quote").characters[.size] == .size(40))
    #expect(try await library.style("quote-2").characters[.size] == .size(60))
  }

  @Test func `a file that cannot be added leaves no file behind`() async throws {
    let library = try await folder.library()
    try write("bad.rtf", Array("no RTF".utf8))
    #expect(try await failure { _ = try await read("bad.rtf") }.code == .usage)
    try write("bad.json", Array("{\"schema\":\"diple.attributed-text/9\"}".utf8))
    #expect(try await failure { _ = try await read("bad.json") }.code == .usage)
    try write("good.rtf", RTFWriter.write(RichDocument(text: AttributedText("One.\n"))))
    let file = try await read("good.rtf")
    try folder.write("good.md", "There already.\n")
    #expect(
      try await failure {
        _ = try await library.place(for: file, at: folder.path + "/good.md")
      }.code == .conflict)
    #expect(try await library.place(for: file, at: nil) == folder.path + "/good-2.md")
  }

  @Test func `Markdown features that the format cannot store are reported`() async throws {
    try folder.write(
      "a.md",
      "---\ntitle: A\n---\n\n#### Four\n\n```swift\nlet a\n```\n\n| a | b |\n|--:|---|\n| 1 | 2 |\n\n3. x\n4. y\n\n- [ ] todo\n"
    )
    try folder.write("b.md", "# Plain\n\n```\ncode\n```\n\n1. x\n\n| a |\n|---|\n| 1 |\n")
    let library = try await folder.library()
    let (a, b) = (try await library.document("a.md"), try await library.document("b.md"))
    #expect(
      Set(try await library.richExport(of: [a]) { _, _ in nil }.losses) == [
        "front matter", "levels of headings below the third", "languages of code",
        "alignment of columns", "first numbers of lists", "task boxes",
      ])
    #expect(try await library.richExport(of: [b]) { _, _ in nil }.losses.isEmpty)
  }

  @Test func `several documents are exported as one text with the defaults of each`() async throws {
    try folder.write("a.md", "One.\n\n- item\n")
    try folder.write("b.md", "Two.[^1]\n\n- item\n\n[^1]: Note.\n")
    let library = try await folder.library()
    let (a, b) = (try await library.document("a.md"), try await library.document("b.md"))
    var defaults = FormatDefaults.standard
    defaults.characters.set(.size(40))
    try await library.setDefaultFormat(defaults, of: b)
    let export = try await library.richExport(of: [a, b]) { _, _ in nil }
    let text = export.document.text
    #expect(text.string.hasPrefix("One.\nitem\nTwo."))
    let context = FormatContext(application: FormatDefaults())
    #expect(text.resolved(at: 0, context).characters[.size] == .size(26))
    #expect(text.resolved(at: 10, context).characters[.size] == .size(40))
    #expect(export.document.notes.map(\.offset) == [14])
    let lists = text.paragraphs.values(of: .list).compactMap { part -> Int? in
      if case .list(let item) = part.value { item.list } else { nil }
    }
    #expect(Set(lists).count == 2)
  }
}
