import Actions
import Editing
import Foundation
import Model
import SystemSupport
import TestSupport
import Testing
import Workspace

/// Tests actions on highlights: mark, list, review and remove.
@Suite struct HighlightActionTests {
  @Test func `marking a passage again in the same colour updates the note and the tags`()
    async throws
  {
    let folder = try WorkFolder()
    try folder.write("a.md", "Some words.\n")
    let library = try await newLibrary(in: folder)
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

  @Test func `a removed highlight is found only by sessions that see the trash`() async throws {
    let folder = try WorkFolder()
    try folder.write("a.md", "Some words.\n")
    let library = try await newLibrary(in: folder)
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
    let library = try await newLibrary(in: folder)
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

  @Test func `damaged highlights are listed, and moved to another passage`() async throws {
    let folder = try WorkFolder()
    try folder.write("a.md", "The committee decided that the bridge is green.\n\nThe end.\n")
    try folder.write("b.md", "Other words.\n")
    let library = try await newLibrary(in: folder)
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
    let library = try await newLibrary(in: folder)
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
}
