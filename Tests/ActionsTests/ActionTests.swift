import Actions
import BuiltIn
import Configuration
import Editing
import Foundation
import Interchange
import LibraryExchange
import LibrarySync
import Model
import RichText
import Sync
import Synchronization
import SystemSupport
import TestSupport
import Testing
import Workspace

/// Tests requests of all actions.
@Suite struct ActionTests {
  private typealias Members = [String: NSObject]

  /// Returns the examples of an action as JSON objects.
  private func examples<Request: Action>(_ action: Request.Type) throws -> [Members] {
    try action.examples.map { example in
      let json = try JSONEncoder().encode(example)
      #expect(try Request(json: Array(json)) == example, "\(action.name)")
      return try #require(try JSONSerialization.jsonObject(with: json) as? Members)
    }
  }

  private func refusal(_ action: (some Action).Type, _ members: Members) throws -> UserError? {
    let json = try JSONSerialization.data(withJSONObject: members)
    do throws(UserError) { _ = try action.init(json: Array(json)) } catch { return error }
    return nil
  }

  /// Returns a new library with the documents of a folder.
  private func library(in folder: WorkFolder) async throws -> Library {
    // The clock advances at each call, so that operations have different times even if several are
    // stored in a millisecond.
    let time = Mutex(Date())
    let library = try Library(
      at: LibraryLocation(folder: folder.path + "/.diple"), plugins: .builtIn, opening: .create,
      now: {
        time.withLock { time in
          time += 1
          return time
        }
      })
    _ = try await library.add([folder.path])
    return library
  }

  @Test(arguments: ActionList.all.map { $0.name })
  func `each action accepts exactly its listed parameters`(_ name: String) throws {
    let action = try #require(ActionList.action(named: name))
    let examples = try examples(action)
    let used = examples.reduce(into: Set<String>()) { $0.formUnion($1.keys) }
    #expect(used == Set(action.parameters.map(\.name)))
    for example in examples {
      for parameter in action.parameters where example[parameter.name] != nil {
        var members = example
        members[parameter.name] = nil
        let refusal = try refusal(action, members)
        #expect((refusal != nil) == parameter.isRequired, "\(name) without \(parameter.name)")
        if let refusal {
          #expect(refusal.code == .usage && refusal.message.contains("'\(parameter.name)'"))
        }
        members[parameter.name] = NSArray(array: [NSNull()])
        #expect(try self.refusal(action, members)?.code == .usage, "\(name): \(parameter.name)")
      }
      var members = example
      members["other"] = NSNumber(value: 1)
      #expect(try refusal(action, members)?.message == "\(name) has no member 'other'")
    }
    #expect(name.wholeMatch(of: #/[a-z]+\.[a-z]+/#) != nil)
    #expect(action.summary.hasSuffix(".") && !action.summary.contains("\n"))
  }

  @Test func `a request that is not a JSON object is rejected`() {
    for text in ["", "{", "[]", "null", "1", "{\"document\":}"] {
      #expect(throws: UserError.self) { try DocumentStatistics(json: Array(text.utf8)) }
    }
  }

  @Test(arguments: [
    (
      #"{"document":"4-0000000000000001","passage":{"spec":"a"},"color":"yelow"}"#, "color",
      "'color' must be one of yellow, green, blue, pink, not 'yelow'", "did you mean 'yellow'?",
      "yellow green blue pink"
    ),
    (
      #"{"document":"4-0000000000000001","passage":{"spec":"a"},"colour":"pink"}"#, "colour",
      "highlight.mark has no member 'colour'", "did you mean 'color'?",
      "document passage color note tags strategy"
    ),
    (
      #"{"document":"4-0000000000000001","passage":{"spec":"a"},"tags":["x",7]}"#, "tags.1",
      "'tags.1' must be a string, not 7", nil, ""
    ),
    (
      #"{"document":"4-0000000000000001","passage":{"spec":"lines:3..1"}}"#, "passage.spec",
      "write lines:1..3", nil, ""
    ),
    (
      #"{"document":"4-0000000000000001","passage":{}}"#, "passage",
      "'passage' has neither 'spec' nor 'ranges'", #"it must be {"spec": "\"exact words\""} or"#,
      #"{"spec": "\"exact words\""} {"ranges": [{"start": 0, "end": 5}], "text": DIGEST}"#
    ),
    (
      #"{"document":"4-0000000000000001","passage":{"ranges":[{"start":0,"end":2},{"start":1}]}}"#,
      "passage.ranges.1.end", "'passage.ranges.1.end' is missing", "it must be a whole number", ""
    ),
    (
      #"{"document":"4-0000000000000001","passage":{"ranges":[{"start":3,"end":2}],"text":"0"}}"#,
      "passage.ranges.0", "'passage.ranges.0' ends before its start", nil, ""
    ),
    (
      #"{"document":"4-0000000000000001","passage":{"ranges":[{"start":-1,"end":2}],"text":"0"}}"#,
      "passage.ranges.0.start", "must be a whole number from 0, not -1", nil, ""
    ),
    (
      #"{"document":"4-0000000000000001","passage":{"ranges":[],"text":"abc"}}"#, "passage.text",
      "'passage.text' must be a digest of 64 hexadecimal digits, not 'abc'", nil, ""
    ),
    (
      #"{"passage":{"spec":"a"}}"#, "document", "'document' is missing",
      "it must be the id of a document", ""
    ),
  ])
  func `an error contains the parameter, its value and the allowed values`(
    _ json: String, _ parameter: String, _ message: String, _ hint: String?, _ allowed: String
  ) throws {
    let error = try #require(
      throws: UserError.self, performing: { try MarkPassages(json: Array(json.utf8)) })
    #expect(error.code == .usage && error.parameter == parameter, "\(error)")
    #expect(error.message.contains(message), "\(error)")
    #expect(error.hint == nil ? hint == nil : error.description.contains(hint ?? "?"), "\(error)")
    #expect(error.allowed.joined(separator: " ") == allowed)
    #expect(ErrorRecord(error).where == parameter)
  }

  @Test func `errors suggest similar actions, documents and highlights`() async throws {
    let folder = try WorkFolder()
    try folder.write("cats.md", "# Cats\n\nOne cat, two cats.\n")
    try folder.write("dogs.md", "# Dogs\n\nNo cats.\n")
    let library = try await library(in: folder)
    let id = try await library.document(folder.path + "/cats.md").id
    let session = ActionSession(library)
    func refusal(_ action: String, _ json: String) async throws -> UserError {
      do {
        let outcome = try await session.run(action, json: Array(json.utf8))
        Issue.record("\(outcome.json)")
      } catch let error as UserError { return error }
      return UserError(.nothing, "")
    }

    let action = try await refusal("highlight.makr", "{}")
    #expect(action.code == .notFound && action.candidates == ["highlight.mark"])
    #expect(action.allowed.count == ActionList.all.count)
    let named = try await refusal("document.statistics", #"{"document":"Cats"}"#)
    #expect(named.code == .usage && named.parameter == "document")
    #expect(named.candidates == ["\(id)  cats.md  Cats"])
    let prefix = try await refusal(
      "document.statistics", "{\"document\":\"\(id.description.dropLast(4))\"}")
    #expect(prefix.candidates == named.candidates)
    let part = try await refusal("document.statistics", #"{"document":".md"}"#)
    #expect(part.candidates.count == 2)
    let missing = try await refusal("document.statistics", #"{"document":"9-0000000000000001"}"#)
    #expect(missing.code == .notFound && missing.parameter == "document")

    func mark(_ rest: String) -> String { "{\"document\":\"\(id)\",\(rest)}" }
    let ambiguous = try await refusal("highlight.mark", mark(#""passage":{"spec":"cat"}"#))
    #expect(ambiguous.code == .ambiguous && ambiguous.parameter == "passage.spec")
    #expect(ambiguous.candidates.count == 2)
    let strategy = try await refusal(
      "highlight.mark", mark(#""passage":{"spec":"One"},"strategy":"sentense""#))
    #expect(strategy.parameter == "strategy" && strategy.allowed.contains("sentence"))
    #expect(try await session.library.highlights(HighlightFilter()).isEmpty)

    let made = try await session.run(
      "highlight.mark", json: Array(mark(#""passage":{"spec":"One"}"#).utf8))
    let marked = try #require((made as? MarkPassages.Outcome)?.highlights.first)
    let short = try await refusal(
      "highlight.remove", "{\"highlights\":[\"\(marked.shortID)\"]}")
    #expect(short.parameter == "highlights.0" && short.candidates == ["\(marked.id)  One"])
    let gone = try await refusal("highlight.remove", #"{"highlights":["9-0000000000000001"]}"#)
    #expect(gone.code == .notFound && gone.parameter == "highlights.0")
  }

  @Test func `marking a passage again in the same colour updates the note and the tags`()
    async throws
  {
    let folder = try WorkFolder()
    try folder.write("a.md", "Some words.\n")
    let library = try await library(in: folder)
    let document = try await library.document(folder.path + "/a.md").id
    let session = ActionSession(library)
    func mark(_ color: HighlightColor = .yellow, note: String? = nil, tags: [String]? = nil)
      async throws -> MarkPassages.Outcome
    {
      try await MarkPassages(
        document: document, passage: .spec(try SelectionSpec(parsing: "\"words\"")), color: color,
        note: note, tags: tags
      ).run(in: session)
    }
    let first = try await mark()
    #expect(first.updated.isEmpty)
    let second = try await mark(note: "Why?", tags: ["todo"])
    #expect(second.highlights.map(\.id) == first.highlights.map(\.id))
    #expect(second.updated == [first.highlights[0].id])
    #expect(second.highlights[0].note == "Why?" && second.highlights[0].tags == ["todo"])
    let repeated = await #expect(throws: UserError.self) { try await mark(note: "Why?") }
    #expect(repeated?.code == .nothing)
    let other = await #expect(throws: UserError.self) { try await mark(note: "Because") }
    #expect(other?.code == .conflict && other?.hint != nil)
    // A single undo reverts the change of the note and of the tags. Highlighting the passage in
    // another colour then creates a second highlight.
    _ = try await UndoStep().run(in: session)
    let now = try await library.highlights(HighlightFilter())
    #expect(now.count == 1 && now[0].note.isEmpty && now[0].tags.isEmpty)
    #expect(try await mark(.green, note: "Because").updated.isEmpty)
    #expect(try await library.highlights(HighlightFilter()).count == 2)
  }

  @Test func `the words and highlights of a document are counted`() async throws {
    let folder = try WorkFolder()
    let words = String(repeating: "word ", count: 300)
    try folder.write("a.md", "# One title\n\n\(words)\n\n**Caf\u{E9}** two.\n")
    let library = try await library(in: folder)
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

  @Test func `a removed highlight is found only by sessions that see the trash`() async throws {
    let folder = try WorkFolder()
    try folder.write("a.md", "Some words.\n")
    let library = try await library(in: folder)
    let document = try await library.document(folder.path + "/a.md").id
    var session = ActionSession(library)
    let made = try await MarkPassages(
      document: document, passage: .spec(try SelectionSpec(parsing: "\"words\""))
    ).run(in: session)
    let id = try #require(made.highlights.first?.id)
    _ = try await RemoveHighlights([id]).run(in: session)
    #expect(try await ShowHighlight(highlight: id).run(in: session).highlight.isTrashed)
    session.seesTrash = false
    let page = session
    await #expect(throws: UserError.self) {
      try await ChangeHighlight(highlight: id, color: .blue).run(in: page)
    }
    _ = try await RestoreHighlights([id]).run(in: page)
    #expect(try await ShowHighlight(highlight: id).run(in: page).highlight.id == id)
    _ = try await UndoStep(document: document).run(in: page)
    await #expect(throws: UserError.self) { try await ShowHighlight(highlight: id).run(in: page) }
  }

  @Test func `a list of highlights is filtered, sorted and limited`() async throws {
    let folder = try WorkFolder()
    try folder.write("a.md", "One fox, two foxes.\n")
    try folder.write("b.md", "A dog.\n")
    let library = try await library(in: folder)
    var session = ActionSession(library)
    func mark(_ name: String, _ spec: String, _ color: HighlightColor) async throws {
      _ = try await MarkPassages(
        document: try await library.document(folder.path + "/" + name).id,
        passage: .spec(try SelectionSpec(parsing: spec)), color: color
      ).run(in: session)
    }
    try await mark("b.md", "\"dog\"", .yellow)
    try await mark("a.md", "\"two\"", .pink)
    try await mark("a.md", "\"One\"", .green)
    func quotes(_ list: ListHighlights) async throws -> [String] {
      try await list.run(in: session).highlights.map(\.highlight.selector.exact)
    }
    #expect(try await quotes(ListHighlights()) == ["One", "two", "dog"])
    #expect(try await quotes(ListHighlights(sort: .created)) == ["dog", "two", "One"])
    #expect(try await quotes(ListHighlights(sort: .color)) == ["dog", "One", "two"])
    for order in ListHighlights.Order.allCases {
      let all = try await quotes(ListHighlights(sort: order))
      for skip in 0...4 {
        for limit in 0...4 {
          let part = try await quotes(ListHighlights(sort: order, skip: skip, limit: limit))
          #expect(part == Array(all.dropFirst(skip).prefix(limit)), "\(order) \(skip) \(limit)")
        }
      }
    }
    #expect(try await quotes(ListHighlights(colors: [.pink, .yellow])) == ["two", "dog"])
    #expect(try await quotes(ListHighlights(text: "DOG")) == ["dog"])
    #expect(try await quotes(ListHighlights(text: "cat")) == [])
    #expect(try await quotes(ListHighlights(since: "2999-01-31T12:00:00Z")) == [])
    let wrong = await #expect(throws: UserError.self) {
      try await quotes(ListHighlights(since: "now"))
    }
    #expect(wrong?.parameter == "since")
    session.rowLimit = 2
    #expect(try await quotes(ListHighlights(sort: .created, skip: 1)) == ["two", "One"])
    session.seesTrash = false
    let page = session
    await #expect(throws: UserError.self) { try await ListHighlights(trashed: true).run(in: page) }
    let json = try await ListHighlights(limit: 1).run(in: session).json
    #expect(json.hasPrefix("{\"data\":[{") && json.hasSuffix("\"schema\":\"diple.highlights/1\"}"))
  }

  @Test func `a removed document is restored by the action that the error offers`() async throws {
    let folder = try WorkFolder()
    try folder.write("a.md", "One fox.\n")
    let library = try await library(in: folder)
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

  @Test func `a search counts all matches and lists the first ones`() async throws {
    let folder = try WorkFolder()
    try folder.write("a.md", String(repeating: "A fox. ", count: 30) + "\n")
    try folder.write("b.md", "One Fox.\n")
    let session = ActionSession(try await library(in: folder))
    let all = try await SearchLibrary(query: "fox").run(in: session)
    #expect(
      all.documents.map(\.count) == [30, 1] && all.documents.map(\.matches.count) == [20, 1])
    #expect(all.count == 31, "\(all.json)")
    #expect(all.count == 31 && all.documentCount == 2 && all.shown == 21 && all.limited)
    let exact = try await SearchLibrary(query: "fox", case: .respect, perDocument: 2).run(
      in: session)
    #expect(exact.documents.map(\.matches.count) == [2] && exact.count == 30)
    #expect(!exact.json.contains("\n") && exact.json.hasSuffix("\"schema\":\"diple.matches/1\"}"))
    let empty = await #expect(throws: UserError.self) {
      try await SearchLibrary(query: "").run(in: session)
    }
    #expect(empty?.parameter == "query")
    // The command saves and repeats the same request.
    let request = SearchLibrary(
      query: "fox", strategy: "regex", case: .ignore, wholeWords: true, ignoreDiacritics: true,
      in: .notes, documents: [exact.documents[0].document.id], colors: [.green], tags: ["a"],
      states: [.exact],
      since: "2026-01-31T12:00:00Z")
    #expect(SearchLibrary(try request.saved()) == request)
  }

  @Test func `a replacement is previewed, applied in one step and undone`() async throws {
    let folder = try WorkFolder()
    for name in ["a.md", "b.md"] { try folder.write(name, "The colour of *colours*.\n") }
    let library = try await library(in: folder)
    let session = ActionSession(library)
    func text(_ name: String) throws -> String {
      try String(contentsOfFile: folder.path + "/" + name, encoding: .utf8)
    }
    var replace = ReplaceText(query: "colour", replacement: "color", all: true, dryRun: true)
    let before = try text("a.md")
    #expect(try await replace.run(in: session).report.places == 4)
    #expect(try text("a.md") == before)
    replace.dryRun = nil
    let outcome = try await replace.run(in: session)
    #expect(outcome.report.changes.count == 2)
    #expect(outcome.json.hasSuffix("\"schema\":\"diple.change/1\"}"))
    #expect(try text("b.md") == "The color of *colors*.\n")
    _ = try await UndoStep().run(in: session)
    #expect(try text("a.md") == before && text("b.md") == before)
    let several = await #expect(throws: UserError.self) {
      try await ReplaceText(query: "colour", replacement: "x").run(in: session)
    }
    #expect(several?.code == .ambiguous)
    let both = await #expect(throws: UserError.self) {
      try await ReplaceText(query: "a", replacement: "x", all: true, match: 1).run(in: session)
    }
    #expect(both?.parameter == "match")
  }

  @Test func `a passage is found, copied and shown with its format`() async throws {
    let folder = try WorkFolder()
    try folder.write("a.md", "One **quick** fox, two foxes.\n")
    let library = try await library(in: folder)
    let id = try await library.document(folder.path + "/a.md").id
    let session = ActionSession(library)
    let found = try await FindText(document: id, query: "fox", limit: 1).run(in: session)
    #expect(found.count == 2 && found.matches.count == 1 && found.limited && !found.incomplete)
    let text = try #require(found.text)
    let whole = try await FindText(
      document: id, query: "fox", passage: .ranges([TextRange(utf16: 0..<13)], of: text)
    ).run(in: session)
    #expect(whole.matches == [TextRange(utf16: 10..<13)])
    let passage = RequestedPassage.spec(try SelectionSpec(parsing: "\"quick\""))
    let plain = try await CopyPassage(document: id, passage: passage).run(in: session)
    #expect(plain.text == "quick" && plain.json.hasSuffix("\"schema\":\"diple.copy/1\"}"))
    let markdown = try await CopyPassage(document: id, passage: passage, as: .md).run(in: session)
    #expect(markdown.text == "**quick**" && markdown.html == nil)
    let both = try await CopyPassage(document: id, passage: passage, html: true).run(in: session)
    #expect(both.text == "quick" && both.html == "<p><strong>quick</strong></p>\n")
    let cited = try await CopyPassage(document: id, passage: passage, cite: .text).run(in: session)
    #expect(cited.text.contains("quick") && cited.text != "quick")
    let format = try await ShowFormat(document: id, passage: passage).run(in: session)
    #expect(format.attributes.first { $0.name == "bold" }?.value == "on")
    #expect(format.attributes.first { $0.name == "size" }?.value == nil)
    // Ranges of another text are refused, because they may contain other words.
    let other = RequestedPassage.ranges(
      [TextRange(utf16: 0..<3)], of: ContentDigest(bytes: [UInt8](repeating: 7, count: 32))!)
    let error = await #expect(throws: UserError.self) {
      try await CopyPassage(document: id, passage: other).run(in: session)
    }
    #expect(error?.code == .conflict)
    let beyond = RequestedPassage.ranges([TextRange(utf16: 0..<300)], of: text)
    let wide = await #expect(throws: UserError.self) {
      try await CopyPassage(document: id, passage: beyond).run(in: session)
    }
    #expect(wide?.parameter == "passage.ranges")
    let neither = await #expect(throws: UserError.self) {
      try await DrawCard(document: id).run(in: session)
    }
    #expect(neither?.code == .usage)
    let card = try await DrawCard(document: id, passage: passage, format: .text).run(in: session)
    #expect(card.quote == "quick" && card.json.contains("“quick”"))
  }

  @Test func `the note of a document is Markdown, and can be previewed before it is set`()
    async throws
  {
    let folder = try WorkFolder()
    try folder.write("a.md", "One fox.\n")
    let library = try await library(in: folder)
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

  @Test func `searches are saved, listed, run and removed`() async throws {
    let folder = try WorkFolder()
    try folder.write("a.md", "One fox.\n")
    let session = ActionSession(try await library(in: folder))
    let search = SearchLibrary(query: "fox", case: .respect)
    _ = try await SaveQuery(name: "foxes", search: search, dryRun: true).run(in: session)
    #expect(try await ListQueries().run(in: session).queries.isEmpty)
    _ = try await SaveQuery(name: "foxes", search: search).run(in: session)
    #expect(try await ListQueries().run(in: session).queries.map(\.name) == ["foxes"])
    #expect(try await RunQuery(name: "foxes").run(in: session).count == 1)
    let unknown = await #expect(throws: UserError.self) {
      try await RunQuery(name: "foxs").run(in: session)
    }
    #expect(unknown?.code == .notFound && unknown?.parameter == "name")
    _ = try await RemoveQuery(name: "foxes").run(in: session)
    #expect(try await ListQueries().run(in: session).queries.isEmpty)
    // A nested request is checked like an outer one.
    let nested = try #require(
      throws: UserError.self,
      performing: {
        try SaveQuery(json: Array(#"{"name":"a","search":{"query":"b","case":"x"}}"#.utf8))
      })
    #expect(nested.parameter == "search.case")
  }

  @Test func `the contents of the trash are restored, or deleted permanently`() async throws {
    let folder = try WorkFolder()
    try folder.write("a.md", "One fox.\n")
    let library = try await library(in: folder)
    let id = try await library.document(folder.path + "/a.md").id
    let session = ActionSession(library)
    func remove() async throws { _ = try await RemoveDocument(document: id).run(in: session) }
    try await remove()
    try folder.write("a.md", "Two foxes.\n")
    let restored = try await RestoreFromTrash([id.description]).run(in: session)
    #expect(restored.contents.documents.map(\.id) == [id])
    #expect(restored.reports.map(\.change) == [.changed])
    try await remove()
    #expect(try await EmptyTrash(dryRun: true).run(in: session).contents.documents.count == 1)
    #expect(try await ListTrash().run(in: session).contents.documents.count == 1)
    _ = try await EmptyTrash().run(in: session)
    #expect(try await ListTrash().run(in: session).contents.isEmpty)
  }

  @Test func `sources and styles are set, checked and listed`() async throws {
    let folder = try WorkFolder()
    try folder.write("a.md", "# Room\n\nWords.\n")
    let library = try await library(in: folder)
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
    #expect(whole.file == file && whole.count == 1 && whole.losses == ["1 highlight"])
    _ = try await FormatPassage(
      document: id, passage: .spec(try SelectionSpec(parsing: "\"fox\"")), set: ["size": "20"]
    ).run(in: session)
    let book = await #expect(throws: UserError.self) {
      try await ExportDocuments(
        documents: [id], to: .epub, file: folder.path + "/a.epub", failOnLoss: true
      ).run(in: session)
    }
    #expect(book?.message.hasSuffix("would omit 1 highlight, size 20 of “fox”") == true)
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
      try await ExportDocuments(to: .rtf, failOnLoss: true).run(in: session)
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

  @Test func `damaged highlights are listed, and moved to another passage`() async throws {
    let folder = try WorkFolder()
    try folder.write("a.md", "The committee decided that the bridge is green.\n\nThe end.\n")
    try folder.write("b.md", "Other words.\n")
    let library = try await library(in: folder)
    let id = try await library.document(folder.path + "/a.md").id
    let other = try await library.document(folder.path + "/b.md").id
    let session = ActionSession(library)
    let marked = try await MarkPassages(
      document: id, passage: .spec(try SelectionSpec(parsing: "para:1")), note: "Why?"
    ).run(in: session)
    let highlight = try #require(marked.highlights.first?.id)
    #expect(try await CheckHighlights().run(in: session).affected.isEmpty)
    try folder.write("a.md", "The end.\n")
    let checked = try await CheckHighlights(documents: [id]).run(in: session)
    #expect(checked.affected.map(\.highlight.id) == [highlight])
    #expect(checked.json.hasSuffix("\"schema\":\"diple.check/1\"}"))
    #expect(try await CheckHighlights(documents: [other]).run(in: session).affected.isEmpty)
    let moved = try await ReattachHighlight(
      highlight: highlight, passage: .spec(try SelectionSpec(parsing: "\"Other\"")),
      document: other
    ).run(in: session)
    #expect(moved.document.id == other && moved.highlight.note == "Why?")
    let text = try #require(try await library.open(library.document(id: id)).textDigest)
    let back = try await ReattachHighlight(
      highlight: highlight, passage: .ranges([TextRange(utf16: 4..<7)], of: text), document: id
    ).run(in: session)
    #expect(back.highlight.selector.exact == "end")
    await #expect(throws: UserError.self) {
      try await CheckStaged(folder: folder.path).run(in: session)
    }
    await #expect(throws: UserError.self) {
      try await InstallHook(folder: folder.path).run(in: session)
    }
  }

  @Test func `all matches in a passage are marked in one step`() async throws {
    let folder = try WorkFolder()
    try folder.write("a.md", "A fox, a Fox.\n\nA fox.\n")
    let library = try await library(in: folder)
    let id = try await library.document(folder.path + "/a.md").id
    let session = ActionSession(library)
    let marked = try await MarkMatches(
      document: id, search: SearchLibrary(query: "fox"),
      passage: .spec(try SelectionSpec(parsing: "para:1")), color: .green, tags: ["animal"]
    ).run(in: session)
    #expect(marked.highlights.map(\.selector.exact) == ["fox", "Fox"])
    #expect(marked.highlights.allSatisfy { $0.color == .green && $0.tags == ["animal"] })
    _ = try await UndoStep().run(in: session)
    #expect(try await ListHighlights().run(in: session).highlights.isEmpty)
    #expect(
      try await MarkMatches(
        document: id, search: SearchLibrary(query: "fox", case: .respect)
      ).run(in: session).highlights.count == 2)
  }

  @Test func `a setting is changed in the user's file or the library's`() async throws {
    let folder = try WorkFolder()
    let library = try await library(in: folder)
    var session = ActionSession(library)
    let environment = ["XDG_CONFIG_HOME": folder.path + "/config", "HOME": folder.path]
    session.environment = environment
    session.settings = { [folder = library.location.folder] () throws(UserError) in
      do throws(SettingsError) {
        return try Settings(environment: environment, library: folder)
      } catch { throw UserError(error) }
    }
    func set(_ key: String, _ value: String, local: Bool = false, dryRun: Bool = false)
      async throws -> Settings
    {
      try await ChangeSetting(key: key, value: value, local: local, dryRun: dryRun).run(
        in: session
      ).settings
    }
    #expect(try await set("reader.width", "72").number(.readerWidth) == 72)
    #expect(try await set("reader.width", "80", dryRun: true).number(.readerWidth) == 72)
    #expect(try await set("reader.width", "90", local: true).number(.readerWidth) == 90)
    await #expect(throws: UserError.self) { try await set("reader.width", "wide") }
    await #expect(throws: UserError.self) { try await set("reader.wdth", "72") }
    let personal = await #expect(throws: UserError.self) {
      try await set("editor", "vi", local: true)
    }
    #expect(personal?.code == .usage)
  }

  @Test func `default formats and margins are set, and formats copied`() async throws {
    let folder = try WorkFolder()
    try folder.write("a.md", "One fox.\n")
    let library = try await library(in: folder)
    let id = try await library.document(folder.path + "/a.md").id
    let session = ActionSession(library)
    func size(_ outcome: DefaultFormatOutcome) -> String? {
      outcome.attributes.first { $0.name == "size" }?.value
    }
    #expect(size(try await ShowDefaultFormat().run(in: session)) == "13")
    let set = SetDefaultFormat(document: id, set: ["size": "20"])
    #expect(size(try await set.run(in: session)) == "20")
    #expect(size(try await ShowDefaultFormat(document: id).run(in: session)) == "20")
    #expect(size(try await SetDefaultFormat(document: id, reset: true).run(in: session)) == "13")
    let passage = RequestedPassage.spec(try SelectionSpec(parsing: "\"fox\""))
    _ = try await FormatPassage(document: id, passage: passage, set: ["size": "30"]).run(
      in: session)
    let current = try await SetDefaultFormat(source: id, passage: passage).run(in: session)
    #expect(size(current) == "30")
    #expect(current.attributes.first { $0.name == "indent first" }?.value == "36")
    for wrong in [
      SetDefaultFormat(), SetDefaultFormat(reset: true, preset: "diple"),
      SetDefaultFormat(source: id), SetDefaultFormat(set: ["size": "none"]),
    ] {
      let error = await #expect(throws: UserError.self) { try await wrong.run(in: session) }
      #expect(error?.code == .usage)
    }
    let copied = try await CopyFormat(document: id, passage: passage, as: "x").run(in: session)
    #expect(copied.name == "x" && copied.attributes.contains { $0.value == "30" })
    let margins = try await SetMargins(document: id, margins: "wide").run(in: session)
    #expect(margins.json.contains("\"left\":80"))
    await #expect(throws: UserError.self) {
      try await SetMargins(document: id, margins: "wide").run(in: session)
    }
    let own = try await SetMargins(document: id, left: "2.54cm", top: "0.5in").run(in: session)
    #expect(
      own.margins
        == EditorMargins(
          left: .points(72), right: .points(80), top: .points(36), bottom: .points(30))
    )
    let new = try await SetMargins(margins: "narrow", bottom: "0").run(in: session)
    #expect(new.margins?.bottom == Twips(0) && new.margins?.top == .points(20))
    #expect(try await ShowDefaultFormat().run(in: session).margins == new.margins)
    #expect(try await SetMargins(margins: "none").run(in: session).margins == nil)
    for wrong in [
      SetMargins(), SetMargins(margins: "huge"), SetMargins(margins: "none", left: "1"),
      SetMargins(left: "wide"), SetMargins(left: "300"),
    ] {
      let error = await #expect(throws: UserError.self) { try await wrong.run(in: session) }
      #expect(error?.code == .usage)
    }
  }

  @Test func `a palette is offered styles with their keys, and the colours that were chosen last`()
    async throws
  {
    let folder = try WorkFolder()
    try folder.write("a.md", "One fox.\n")
    let library = try await library(in: folder)
    let id = try await library.document(folder.path + "/a.md").id
    var session = ActionSession(library)
    session.environment = ["XDG_STATE_HOME": folder.path + "/state", "PATH": "/nowhere"]
    let passage = RequestedPassage.spec(try SelectionSpec(parsing: "\"fox\""))
    func color(_ value: String, dryRun: Bool? = nil) async throws {
      _ = try await FormatPassage(
        document: id, passage: passage, set: ["color": value], dryRun: dryRun
      ).run(in: session)
    }
    #expect(try await ListFormatChoices().run(in: session).colors == [])
    for value in 1...9 { try await color("#00000\(value)") }
    try await color("#000005")
    try await color("#123456", dryRun: true)
    try await color("automatic")
    let expected = [5, 9, 8, 7, 6, 4, 3, 2].map { "#00000\($0)" }
    #expect(try await ListFormatChoices().run(in: session).colors == expected)
    // Other lines are ignored.
    try folder.write("state/diple/recent-colors", "\u{1B}[2J\n#aabbcc\n#aabbcc\nred;\n")
    #expect(try await ListFormatChoices().run(in: session).colors == ["#aabbcc"])

    func keys() async throws -> [String: Int] {
      let styles = try await ListFormatChoices().run(in: session).styles
      return styles.reduce(into: [:]) { $0[$1.id] = $1.key }
    }
    #expect(
      try await keys() == [
        "body": 0, "heading-1": 1, "heading-2": 2, "heading-3": 3, "block-quote": 4, "code": 5,
      ])
    _ = try await SaveStyle(style: "Big", document: id, passage: passage).run(in: session)
    let big = try await ChangeStyle(style: "Big", key: "4").run(in: session)
    #expect(big.style.key == 4)
    var known = try await keys()
    #expect(known["block-quote"] == nil && known["big"] == 4)
    #expect(try await ShowStyle(style: "4").run(in: session).style.id == "big")
    _ = try await ChangeStyle(style: "Code", key: "4").run(in: session)
    known = try await keys()
    #expect(known["big"] == nil && known["code"] == 4)
    _ = try await ChangeStyle(style: "Code", key: "none").run(in: session)
    known = try await keys()
    #expect(known["block-quote"] == 4 && known["code"] == 5)
    for wrong in [
      ChangeStyle(style: "Big", key: "10"), ChangeStyle(style: "Big", key: "x"),
      ChangeStyle(style: "Big"), ChangeStyle(style: "Big", set: ["size": "9"], key: "1"),
    ] {
      let error = await #expect(throws: UserError.self) { try await wrong.run(in: session) }
      #expect(error?.code == .usage)
    }
  }

  @Test func `a font that is not installed is stored and reported`() async throws {
    let folder = try WorkFolder()
    try folder.write("a.md", "One fox.\n")
    try folder.write("bin/fc-list", "#!/bin/sh\nprintf 'EB Garamond,EB Garamond 12\\nMenlo\\n'\n")
    chmod(folder.path + "/bin/fc-list", 0o755)
    let library = try await library(in: folder)
    let id = try await library.document(folder.path + "/a.md").id
    var session = ActionSession(library)
    session.environment = ["PATH": folder.path + "/bin"]
    let passage = RequestedPassage.spec(try SelectionSpec(parsing: "\"fox\""))
    func missing(_ font: String) async throws -> MissingFont? {
      try await FormatPassage(document: id, passage: passage, set: ["font": font]).run(in: session)
        .missingFont
    }
    #expect(try await missing("EB Garamnd")?.similar == "EB Garamond")
    #expect(try await missing("Gill Sans")?.name == "Gill Sans")
    #expect(try await missing("eb garamond 12") == nil)
    #expect(try await ListFonts().run(in: session).families == ["EB Garamond", "Menlo"])
    #expect(try await ListFonts(text: "GARA").run(in: session).families == ["EB Garamond"])
    session.environment = ["PATH": "/nowhere"]
    #expect(try await missing("Nothing") == nil)
  }

  @Test func `notes on documents are searched and exported`() async throws {
    let folder = try WorkFolder()
    try folder.write("a.md", "One fox.\n")
    try folder.write("b.md", "Two hens.\n")
    let library = try await library(in: folder)
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
    #expect(html.contains("aria-label=\"Note\">Read **again**") && !html.contains("<b>"))
    let template = try await ExportHighlights(
      ListHighlights(), template: "{{#documents}}{{document_note|raw}}{{/documents}}"
    ).run(in: session)
    #expect(template.text.hasPrefix("Read **again**"))
  }

  @Test func `all formats of a document are listed in the order of its text`() async throws {
    let folder = try WorkFolder()
    try folder.write("a.md", "One fox.\n\nTwo *hens*.\n")
    let library = try await library(in: folder)
    let id = try await library.document(folder.path + "/a.md").id
    let session = ActionSession(library)
    let empty = try await ListFormats(document: id).run(in: session)
    #expect(empty.passages.isEmpty && empty.defaults == FormatDefaults() && empty.margins == nil)
    #expect(empty.builtIn == .standard)
    func format(_ spec: String, _ set: [String: String]) async throws {
      let passage = RequestedPassage.spec(try SelectionSpec(parsing: spec))
      _ = try await FormatPassage(document: id, passage: passage, set: set).run(in: session)
    }
    try await format("\"hens\"", ["size": "20", "indent head": "36"])
    try await format("\"fox\"", ["font": "Gill Sans"])
    _ = try await FormatPassage(
      document: id, passage: .spec(try SelectionSpec(parsing: "para:1")), style: "Block Quote",
      keepFile: true
    ).run(in: session)
    _ = try await SetDefaultFormat(document: id, set: ["size": "12"]).run(in: session)
    _ = try await SetMargins(document: id, margins: "narrow").run(in: session)
    try folder.write("a.md", "Zero.\n\nTwo *hens*.\n")
    _ = try await RefreshDocuments().run(in: session)
    let list = try await ListFormats(document: id).run(in: session)
    #expect(list.passages.map(\.quote) == ["hens", "fox", "One fox."])
    #expect(list.passages.map(\.isShown) == [true, false, false])
    #expect(list.passages[0].line == 3 && list.passages[1].line == nil)
    #expect(
      list.passages[0].attributes.map { "\($0.name) \($0.shown(in: .inches))" }
        == ["size 20 pt", "indent head 0.5 in"])
    #expect(list.styles.map(\.title) == ["Block Quote"] && list.styles[0].passages == 1)
    #expect(list.defaults.characters[.size] == .size(24) && list.builtIn == FormatDefaults())
    #expect(list.margins == .narrow)
  }

  @Test func `the library is counted, checked and backed up`() async throws {
    let folder = try WorkFolder()
    try folder.write("a.md", "One fox.\n")
    let library = try await library(in: folder)
    var session = ActionSession(library)
    let status = try await ShowStatus().run(in: session)
    #expect(status.documents == 1 && status.missing == 0 && status.sync == nil)
    // A front-end that does not know the daemon leaves its state out.
    #expect(status.json.contains("\"daemon\":null"))
    session.daemon = { DaemonState(state: "watching", advice: ["update it"]) }
    #expect(try await ShowStatus().run(in: session).daemon == "watching")
    let checked = try await CheckLibrary().run(in: session)
    #expect(checked.problems.isEmpty && checked.documents == 1 && checked.indexed == 1)
    #expect(checked.json.contains(#"{"advice":["update it"],"state":"watching"}"#))
    #expect(try await RebuildIndex().run(in: session).indexed == 1)
    let file = folder.path + "/copy.zst"
    let copy = try await BackUpLibrary(file: file).run(in: session)
    #expect(copy.file == file && copy.bytes > 0)
    await #expect(throws: UserError.self) { try await BackUpLibrary(file: file).run(in: session) }
    _ = try await BackUpLibrary(file: file, replace: true).run(in: session)
  }

  @Test func `a library is synced with another one, which is revoked`() async throws {
    let folder = try WorkFolder()
    let target = folder.path + "/shared"
    func session(_ name: String) throws -> ActionSession {
      var location = LibraryLocation(folder: folder.path + "/\(name)/.diple")
      location.usePersonalFolders(of: ["HOME": folder.path + "/home"])
      return ActionSession(try Library(at: location, plugins: .builtIn, opening: .create))
    }
    let (one, two) = (try session("one"), try session("two"))
    try folder.write("one/a.md", "One fox.\n")
    _ = try await AddDocuments(paths: [folder.path + "/one/a.md"]).run(in: one)
    let short = await #expect(throws: UserError.self) {
      try await BeginSync(transport: "folder", address: target, passphrase: "short").run(in: one)
    }
    #expect(short?.code == .usage)
    let begin = BeginSync(
      transport: "folder", address: target, device: "one", passphrase: "correct horse battery")
    #expect(try await begin.run(in: one).folder == one.library.location.folder)
    let again = await #expect(throws: UserError.self) { try await begin.run(in: one) }
    #expect(again?.code == .conflict)
    let code = try await AskToJoin(transport: "folder", address: target, device: "two").run(
      in: two
    ).code
    #expect(try await ListJoiningDevices().run(in: one).devices.map(\.code) == [code])
    #expect(try await LetDeviceIn(code: "1").run(in: one).devices.map(\.isLetIn) == [false])
    #expect(try await LetDeviceIn(code: code).run(in: one).devices.map(\.isLetIn) == [true])
    #expect(try await SyncNow().run(in: two).report.received > 0)
    #expect(try await ListDocuments().run(in: two).documents.count == 1)
    _ = try await SyncNow().run(in: one)
    #expect(try await VerifySync().run(in: one).found.problems.isEmpty)
    #expect(try await ListSyncChanges().run(in: one).changes.isEmpty == false)
    let unknown = await #expect(throws: UserError.self) {
      try await RevokeDevice(device: "three").run(in: one)
    }
    #expect(unknown?.code == .notFound && unknown?.parameter == "device")
    #expect(try await RevokeDevice(device: "two").run(in: one).device.isRevoked)
    let left = try await LeaveSync().run(in: one)
    #expect(left.address == target && left.isStated)
    await #expect(throws: UserError.self) { try await ShowSync().run(in: one) }
  }
}
