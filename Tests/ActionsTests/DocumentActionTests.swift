import Actions
import BuiltIn
import Configuration
import Editing
import Foundation
import Interchange
import LibraryExchange
import MarkdownParse
import Model
import SystemSupport
import TestSupport
import Testing
import Workspace

/// Tests actions on documents: their words, notes, sources and files.
@Suite struct DocumentActionTests {
  @Test func `the words and highlights of a document are counted`() async throws {
    let folder = try WorkFolder()
    let words = String(repeating: "word ", count: 300)
    try folder.write("a.md", "# One title\n\n\(words)\n\n**Caf\u{E9}** two.\n")
    let library = try await newLibrary(in: folder)
    let document = try await library.document(folder.path + "/a.md").id
    let session = ActionSession(library)
    for (spec, color) in [("\"One\"", HighlightColor.green), ("\"two\"", .pink)] {
      _ = try await MarkPassages(
        document: document, passage: .spec(try SelectionSpec(parsing: spec)), color: color
      ).run(in: session)
    }
    let outcome = try await DocumentStatistics(document: document).run(in: session)
    #expect(outcome.words == 304)
    #expect(outcome.minutes == 2)
    #expect(outcome.count(.green) == 1)
    #expect(outcome.count(.yellow) == 0)
    #expect(outcome.count(AnchorState.exact) == 2)
    #expect(outcome.json.hasSuffix("\"words\":304},\"schema\":\"diple.statistics/1\"}"))
  }

  @Test func `a removed document is restored by the action that the error offers`() async throws {
    let folder = try WorkFolder()
    try folder.write("a.md", "One fox.\n")
    let library = try await newLibrary(in: folder)
    let session = ActionSession(library)
    let id = try await library.document(folder.path + "/a.md").id
    _ = try await MarkPassages(
      document: id, passage: .spec(try SelectionSpec(parsing: "\"fox\""))
    ).run(in: session)
    #expect(try await RemoveDocument(document: id).run(in: session).highlights == 1)
    #expect(try await ListHighlights().run(in: session).highlights.isEmpty)
    #expect(try await ListTrash().run(in: session).contents.documents.map(\.id) == [id])
    #expect(try await ListHistory(limit: 2).run(in: session).steps.count == 2)
    var hiding = session
    hiding.seesTrash = false
    let page = hiding
    await #expect(throws: UserError.self) { try await ListTrash().run(in: page) }
    let error = try #require(
      await #expect(throws: UserError.self) {
        try await DocumentStatistics(document: id).run(in: session)
      })
    #expect(ErrorRecord(error).hint == nil)
    // A page has no command line, but can run the action.
    let shown = ErrorRecord(error, withCommands: false)
    #expect(shown.hint == nil)
    let name = try #require(shown.remedy?.action)
    let request = try JSONEncoder().encode(try #require(shown.remedy?.request))
    let outcome = try await session.run(name, json: Array(request))
    #expect((outcome as? DocumentOutcome)?.highlights == 1)
    #expect(try await ListHighlights().run(in: session).highlights.count == 1)
    let renamed = try await RenameDocument(document: id, title: "Foxes").run(in: session)
    #expect(renamed.document.title == "Foxes" && renamed.before?.title != "Foxes")
    let blank = await #expect(throws: UserError.self) {
      try await RenameDocument(document: id, title: " ").run(in: session)
    }
    #expect(blank?.parameter == "title")
    #expect(try await ListDocuments().run(in: session).documents.map(\.document.title) == ["Foxes"])
    #expect(try await ShowDocument(document: id).run(in: session).dialect != nil)
  }

  @Test func `a reading place is kept for every front-end, unless the user turns that off`()
    async throws
  {
    let folder = try WorkFolder()
    try folder.write("a.md", "# A\n\nOne.\n\nTwo.\n\nThree.\n")
    let library = try await newLibrary(in: folder)
    let document = try await library.document(folder.path + "/a.md")
    var session = ActionSession(library)
    session.environment = ["HOME": folder.path, "XDG_STATE_HOME": folder.path + "/state"]
    session.settings = { () throws(UserError) in
      do throws(SettingsError) { return try Settings(environment: [:], library: nil) } catch {
        throw UserError(error)
      }
    }
    func shown() async throws -> ReadingPlaceOutcome {
      try await ShowReadingPlace(document: document.id).run(in: session)
    }
    #expect(try await shown().offset == nil)
    let text = try await library.open(document)
    let digest = try #require(text.textDigest)
    let three = TextOffset(utf16: text.parsed.text.utf16.count - "Three.".count)
    var keep = KeepReadingPlace(document: document.id, offset: three, text: digest, percent: 67)
    #expect(try await keep.run(in: session).offset == three)
    #expect(try await shown().offset == three)
    #expect(try await shown().percent == 67)
    // It is the place from which the terminal reader continues.
    let places = try #require(ReadingPlaces(environment: session.environment))
    #expect(try places.place(of: document.id, at: folder.path + "/a.md")?.percent == 67)
    // The place is found in the changed text.
    try folder.write("a.md", "# A\n\nOne more paragraph.\n\nOne.\n\nTwo.\n\nThree.\n")
    let moved = try await shown()
    #expect(moved.offset?.utf16 == three.utf16 + "One more paragraph.\n".count)
    #expect(moved.text != digest)
    // A text that the front-end did not show has no known place.
    let refused = await #expect(throws: UserError.self) { try await keep.run(in: session) }
    #expect(refused?.code == .conflict && refused?.parameter == "text")
    session.shownText = { $0 == digest ? text.parsed.text.string : nil }
    keep.percent = 10
    #expect(try await keep.run(in: session).percent == 10)
    #expect(try await shown().percent == 10)

    session.settings = { () throws(UserError) in
      do throws(SettingsError) {
        return try Settings(environment: ["DIPLE_READER_REMEMBER": "false"], library: nil)
      } catch { throw UserError(error) }
    }
    #expect(try await shown().offset == nil)
    keep.percent = 90
    #expect(try await keep.run(in: session).offset == nil)
    #expect(try places.place(of: document.id, at: folder.path + "/a.md")?.percent == 10)
  }

  @Test func `the note of a document is Markdown, and can be previewed before it is set`()
    async throws
  {
    let folder = try WorkFolder()
    try folder.write("a.md", "One fox.\n")
    let library = try await newLibrary(in: folder)
    let id = try await library.document(folder.path + "/a.md").id
    let session = ActionSession(library)
    #expect(try await ShowDocumentNote(document: id).run(in: session).markdown == nil)
    var set = SetDocumentNote(document: id, text: "Read **again**.", dryRun: true)
    #expect(try await set.run(in: session).markdown == "Read **again**.")
    #expect(try await ShowDocumentNote(document: id).run(in: session).note == nil)
    set.dryRun = nil
    _ = try await set.run(in: session)
    #expect(try await ShowDocumentNote(document: id).run(in: session).markdown == "Read **again**.")
    _ = try await SetDocumentNote(document: id, text: " ").run(in: session)
    #expect(try await ShowDocumentNote(document: id).run(in: session).note == nil)
  }

  @Test func `sources and styles are set, checked and listed`() async throws {
    let folder = try WorkFolder()
    try folder.write("a.md", "# Room\n\nWords.\n")
    let library = try await newLibrary(in: folder)
    let id = try await library.document(folder.path + "/a.md").id
    let session = ActionSession(library)
    let set = try await SetSource(document: id, set: ["author": "Woolf, Virginia"]).run(in: session)
    #expect(set.sources[0].source.variables.contains { $0.name == "author" })
    #expect(try await ListSources().run(in: session).sources.map(\.document.id) == [id])
    let wrong = await #expect(throws: UserError.self) {
      try await SetSource(document: id, set: ["ISBN": "12"]).run(in: session)
    }
    #expect(wrong?.parameter == "set.ISBN")
    let linked = try await LinkSources(bibliography: "@book{w, title={Room}, year=1929}").run(
      in: session)
    #expect(linked.found.links.map(\.document.id) == [id] && linked.problems.isEmpty)
    let body = try await ChangeStyle(style: "body", set: ["size": "12"]).run(in: session)
    #expect(body.style.changed)
    #expect(
      try await ShowStyle(style: "body").run(in: session).resolved.contains { $0.name == "size" })
    _ = try await RemoveStyle(style: "body").run(in: session)
    #expect(try await ListStyles().run(in: session).styles.allSatisfy { !$0.changed })
    #expect(
      try await LabelColor(color: .green, label: "why").run(in: session).labels == [.green: "why"])
    #expect(
      try await DocumentOutline(document: id).run(in: session).headings.map(\.text) == ["Room"])
    let strategies = try await ListStrategies().run(in: session).entries
    #expect(strategies.contains { $0.kind == "card strategy" && $0.id == "paper" })
  }

  @Test func `documents are added, and highlights imported and exported`() async throws {
    let folder = try WorkFolder()
    try folder.write("a.md", "One fox.\n")
    try folder.write("b.txt", "no Markdown\n")
    let session = ActionSession(
      try Library(
        at: LibraryLocation(folder: folder.path + "/.diple"), plugins: .builtIn, opening: .create))
    let planned = try await AddDocuments(paths: [folder.path + "/a.md"], dryRun: true).run(
      in: session)
    #expect(planned.planned.map(\.path) == [folder.path + "/a.md"] && planned.additions.isEmpty)
    let added = try await AddDocuments(paths: [folder.path + "/a.md"]).run(in: session)
    #expect(added.additions.map(\.kind) == [.added] && added.problems.isEmpty)
    let prose = "Some words that were *copied* from elsewhere, and many more after the others."
    let pasted = try await AddDocuments(paths: [], text: prose).run(in: session)
    #expect(
      pasted.additions.map(\.document.path.string)
        == ["Some words that were copied from elsewhere, and many more.md"])
    let titled = try await AddDocuments(paths: [], text: "# A\n\nb", title: "1. [x]").run(
      in: session)
    #expect(titled.additions.map(\.document.title) == ["1. [x]"])
    let front = try await AddDocuments(
      paths: [], text: "---\nauthor: Ann\n---\n\nText.", title: "New"
    ).run(in: session)
    #expect(front.additions.map(\.document.title) == ["New"])
    #expect(
      try String(contentsOfFile: folder.path + "/New.md", encoding: .utf8)
        == "---\nauthor: Ann\n---\n\n# New\n\nText.\n")
    await #expect(throws: UserError.self) {
      try await AddDocuments(paths: [], text: "---\ntitle: Old\n---\n\na", title: "New").run(
        in: session)
    }
    for (text, title) in [(" \n", nil), ("a", " "), (nil, "b")] as [(String?, String?)] {
      await #expect(throws: UserError.self) {
        try await AddDocuments(paths: [], text: text, title: title).run(in: session)
      }
    }
    let ftp = await #expect(throws: UserError.self) {
      try await AddDocuments(paths: ["ftp://example.org/a"]).run(in: session)
    }
    #expect(ftp?.code == .usage)
    let id = added.additions[0].document.id
    _ = try await MarkPassages(
      document: id, passage: .spec(try SelectionSpec(parsing: "\"fox\"")), note: "Why?"
    ).run(in: session)
    let exported = try await ExportHighlights(ListHighlights(), to: "w3c").run(in: session)
    #expect(exported.text.contains("Why?"))
    let template = try await ExportHighlights(
      ListHighlights(), template: "{{#highlights}}{{quote}}{{/highlights}}"
    ).run(in: session)
    #expect(template.text == "fox")
    let unknown = await #expect(throws: UserError.self) {
      try await ExportHighlights(ListHighlights(), to: "markdwn").run(in: session)
    }
    #expect(unknown?.parameter == "to" && unknown?.allowed.contains("markdown") == true)
    let lost = await #expect(throws: UserError.self) {
      try await ExportHighlights(ListHighlights(), to: "csv", failOnLoss: true).run(in: session)
    }
    #expect(lost?.code == .incomplete)
    let file = folder.path + "/a.rtf"
    let whole = try await ExportDocuments(documents: [id], to: .rtf, file: file).run(in: session)
    #expect(whole.file == file && whole.count == 1 && whole.losses == [])
    #expect(try String(contentsOfFile: file, encoding: .utf8).contains("[Y] Why?}"))
    let bare = try await ExportDocuments(documents: [id], to: .rtf, noHighlights: true).run(
      in: session)
    #expect(!String(decoding: bare.bytes, as: UTF8.self).contains("Why?"))
    _ = try await FormatPassage(
      document: id, passage: .spec(try SelectionSpec(parsing: "\"fox\"")), set: ["size": "20"]
    ).run(in: session)
    let book = await #expect(throws: UserError.self) {
      try await ExportDocuments(
        documents: [id], to: .epub, file: folder.path + "/a.epub", failOnLoss: true
      ).run(in: session)
    }
    #expect(book?.message.hasSuffix("would omit size 20 of “fox”") == true)
    #expect(try String(contentsOfFile: file, encoding: .utf8).contains("fox"))
    let again = await #expect(throws: UserError.self) {
      try await ExportDocuments(to: .rtf, file: file).run(in: session)
    }
    #expect(again?.code == .conflict)
    let binary = await #expect(throws: UserError.self) {
      try await ExportDocuments(to: .docx).run(in: session)
    }
    #expect(binary?.parameter == "file")
    let omitted = await #expect(throws: UserError.self) {
      try await ExportDocuments(to: .attributed, failOnLoss: true).run(in: session)
    }
    #expect(omitted?.code == .incomplete)
    // Importing the exported highlights finds them in the library and creates none.
    try folder.write("highlights.json", exported.text)
    let imported = try await ImportHighlights(files: [folder.path + "/highlights.json"]).run(
      in: session)
    #expect(imported.report.known == 1 && imported.report.made.isEmpty)
    let nothing = await #expect(throws: UserError.self) {
      try await ImportHighlights().run(in: session)
    }
    #expect(nothing?.code == .usage)
    let missing = await #expect(throws: UserError.self) {
      try await ImportHighlights(files: [folder.path + "/none"]).run(in: session)
    }
    #expect(missing?.parameter == "files.0")
    #expect(try await ListSettings().run(in: session).json.contains("reader.width"))
    #expect(try await ListNoteChoices().run(in: session).choices.isEmpty)
    let alone = await #expect(throws: UserError.self) { try await ShowSync().run(in: session) }
    #expect(alone != nil)
  }

  @Test func `notes on documents are searched and exported`() async throws {
    let folder = try WorkFolder()
    try folder.write("a.md", "One fox.\n")
    try folder.write("b.md", "Two hens.\n")
    let library = try await newLibrary(in: folder)
    let id = try await library.document(folder.path + "/a.md").id
    let other = try await library.document(folder.path + "/b.md").id
    let session = ActionSession(library)
    _ = try await SetDocumentNote(document: id, text: "Read **again** <b>before</b> May.").run(
      in: session)
    _ = try await MarkPassages(
      document: id, passage: .spec(try SelectionSpec(parsing: "\"fox\"")), note: "again"
    ).run(in: session)
    func search(_ query: String, _ change: (inout SearchLibrary) -> Void) async throws
      -> SearchLibrary.Outcome
    {
      var action = SearchLibrary(query: query, in: .notes)
      change(&action)
      return try await action.run(in: session)
    }
    let found = try await search("again") { _ in }
    #expect(found.count == 2 && found.documentCount == 1 && !found.incomplete)
    let matches = found.documents.flatMap(\.matches)
    #expect(matches.map { $0.highlight == nil } == [false, true])
    #expect(matches[1].place == .notes && matches[1].range == nil && matches[1].line == nil)
    #expect(matches[1].text == "Read again before May.")
    #expect(matches[1].match == TextRange(utf16: 5..<10))
    #expect(try await search("again before") { $0.in = .all }.count == 1)
    #expect(try await search("again before") { $0.in = .text }.count == 0)
    #expect(try await search("again before") { $0.documents = [other] }.count == 0)
    // Filters of highlights exclude the notes on documents.
    #expect(try await search("again") { $0.colors = [.yellow] }.count == 1)

    func exported(_ format: String) async throws -> String {
      try await ExportHighlights(ListHighlights(), to: format).run(in: session).text
    }
    let markdown = try await exported("markdown")
    #expect(markdown.contains("\n\nRead **again**") && markdown.contains("May.\n\n> fox"))
    #expect(try await exported("json").contains("\"note\":\"Read **again**"))
    let html = try await exported("html")
    #expect(html.contains(/<strong><span [^>]*>again<\/span><\/strong>/) && !html.contains("<b>"))
    let template = try await ExportHighlights(
      ListHighlights(), template: "{{#documents}}{{document_note|raw}}{{/documents}}"
    ).run(in: session)
    #expect(template.text.hasPrefix("Read **again**"))
  }
}
