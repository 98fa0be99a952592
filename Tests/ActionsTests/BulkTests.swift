import Actions
import BuiltIn
import Editing
import Foundation
import LibraryExchange
import Model
import SystemSupport
import TestSupport
import Testing
import Workspace

/// Tests changes of many highlights: by filter, and of tags.
@Suite struct BulkTests {
  private let folder: WorkFolder
  private let library: Library
  private let session: ActionSession

  init() async throws {
    folder = try WorkFolder()
    try folder.write("a.md", "# Foxes\n\nOne fox, two foxes, three foxes.\n")
    try folder.write("b.md", "# Dogs\n\nA dog and a cat.\n")
    library = try Library(
      at: LibraryLocation(folder: folder.path + "/.diple"), plugins: .builtIn, opening: .create)
    _ = try await library.add([folder.path])
    session = ActionSession(library)
    try await mark("a.md", "\"One\"", .green, tags: ["old", "todo"])
    try await mark("a.md", "\"two\"", .green, tags: ["todo"])
    try await mark("a.md", "\"three\"", .yellow, note: "why")
    try await mark("b.md", "\"dog\"", .green, tags: ["later"])
  }

  private func mark(
    _ name: String, _ spec: String, _ color: HighlightColor, note: String = "", tags: [String] = []
  ) async throws {
    _ = try await MarkPassages(
      document: try await library.document(folder.path + "/" + name).id,
      passage: .spec(.init(parsing: spec)), color: color, note: note, tags: tags
    ).run(in: session)
  }

  private func quotes(_ filter: String) async throws -> [String] {
    try await ListHighlights(filter: filter).run(in: session).highlights
      .map(\.highlight.selector.exact)
  }

  private func steps() async throws -> Int {
    try await ListHistory(limit: 1_000).run(in: session).steps.count
  }

  private func error(_ action: some Action) async throws -> UserError {
    let session = session
    return try #require(
      await #expect(throws: UserError.self) { try await action.run(in: session) })
  }

  @Test func `a list, an export and a change choose the same highlights by a filter`() async throws
  {
    #expect(try await quotes("color:green") == ["One", "two", "dog"])
    #expect(try await quotes("color:green -#old doc:foxes") == ["two"])
    #expect(try await quotes("has:note") == ["three"])
    #expect(try await quotes("since:1d") == ["One", "two", "three", "dog"])
    #expect(try await quotes("-since:1d").isEmpty)
    let text = try await ExportHighlights(ListHighlights(filter: "#todo -#old")).run(in: session)
      .text
    #expect(text.contains("two") && !text.contains("One"))
    _ = try await LabelColor(color: .green, label: "Question").run(in: session)
    #expect(try await quotes("color:question") == ["One", "two", "dog"])
    let wrong = try await error(ListHighlights(filter: "#a colour:green"))
    #expect(wrong.parameter == "filter" && wrong.code == .usage)
    #expect(wrong.description.contains("character 4: there is no 'colour:'; did you mean 'color:'"))
  }

  @Test func `many highlights are changed in one step, and only those that differ`() async throws {
    let before = try await steps()
    let change = ChangeHighlights(
      filter: "color:green", color: .blue, addTags: ["todo", "#new"], removeTags: ["old"])
    var preview = change
    preview.dryRun = true
    let planned = try await preview.run(in: session)
    #expect(planned.changed.highlights.map(\.highlight.color) == [.blue, .blue, .blue])
    #expect(try await quotes("color:blue").isEmpty)
    #expect(try await steps() == before, "a dry run stores nothing")
    let outcome = try await change.run(in: session)
    #expect(outcome.unchanged == 0)
    for (made, planned) in zip(outcome.changed.highlights, planned.changed.highlights) {
      #expect(made.highlight.id == planned.highlight.id)
      #expect(made.highlight.tags == planned.highlight.tags)
    }
    #expect(try await quotes("color:blue #new #todo -#old") == ["One", "two", "dog"])
    #expect(try await steps() == before + 1)
    let again = try await ChangeHighlights(filter: "doc:foxes", addTags: ["new"]).run(in: session)
    #expect(again.changed.highlights.map(\.highlight.selector.exact) == ["three"])
    #expect(again.unchanged == 2)
    #expect(try await error(change).message.contains("no highlight matches the filter"))
    _ = try await UndoStep().run(in: session)
    _ = try await UndoStep().run(in: session)
    #expect(try await quotes("color:green #old") == ["One"])
    #expect(try await quotes("#new").isEmpty)
  }

  @Test func `several highlights are changed by their ids, once each`() async throws {
    let ids = try await ListHighlights().run(in: session).highlights.map(\.highlight.id)
    let outcome = try await ChangeHighlights(
      highlights: ids + ids, removeTags: ["todo"]
    ).run(in: session)
    #expect(outcome.changed.highlights.count == 2 && outcome.unchanged == 2)
    let none = try await error(ChangeHighlights(highlights: ids, removeTags: ["todo"]))
    #expect(none.code == .nothing && none.message == "nothing to change in 4 highlights")
    for action in [
      ChangeHighlights(highlights: ids, filter: "#a", addTags: ["x"]),
      ChangeHighlights(addTags: ["x"]), ChangeHighlights(highlights: [], addTags: ["x"]),
    ] { #expect(try await error(action).code == .usage) }
    let steps = try await steps()
    #expect(
      try await error(ChangeHighlights(highlights: ids, addTags: ["b", "a,b"])).code == .usage)
    #expect(try await self.steps() == steps)
  }

  @Test func `highlights are removed by a filter`() async throws {
    var preview = RemoveHighlights(filter: "color:green doc:foxes")
    preview.dryRun = true
    #expect(try await preview.run(in: session).highlights.count == 2)
    #expect(try await quotes("color:green").count == 3)
    _ = try await RemoveHighlights(filter: "color:green doc:foxes").run(in: session)
    #expect(try await quotes("color:green") == ["dog"])
    let trashed = try await ListHighlights(filter: "#old", trashed: true).run(in: session)
    #expect(trashed.highlights.count == 1, "a filter applies in the trash")
    _ = try await UndoStep().run(in: session)
    #expect(try await quotes("color:green").count == 3)
  }

  @Test func `a tag is renamed everywhere, also in the trash and in saved queries`() async throws {
    let one = try await ListHighlights(filter: "#old").run(in: session).highlights[0].highlight.id
    _ = try await RemoveHighlights([one]).run(in: session)
    try await library.save(
      {
        var query = SavedQuery(text: "fox")
        query.tags = ["later", "todo"]
        return query
      }(), as: "mine")
    let before = try await steps()
    let renamed = try await RenameTags(["todo"], into: "open").run(in: session)
    #expect((renamed.highlights, renamed.trashed, renamed.queries) == (2, 1, 1))
    #expect(try await steps() == before + 1)
    let newest = try await ListHistory(limit: 1).run(in: session).steps[0]
    #expect(newest.summary == "renamed #todo to #open on 2 highlights")
    #expect(try await library.savedQuery("mine").tags == ["later", "open"])
    _ = try await RestoreHighlights([one]).run(in: session)
    #expect(try await library.highlight(id: one).tags == ["old", "open"])
    let merged = try await RenameTags(["old", "later"], into: "open").run(in: session)
    #expect((merged.highlights, merged.trashed, merged.queries) == (2, 0, 1))
    #expect(try await library.tags().map(\.name) == ["open"])
    #expect(try await library.savedQuery("mine").tags == ["open"])
    _ = try await UndoStep().run(in: session)
    #expect(try await library.tags().map(\.name) == ["later", "old", "open"])
    #expect(try await library.savedQuery("mine").tags == ["later", "open"])
    let removed = try await RemoveTags(["open", "old"]).run(in: session)
    #expect(removed.highlights == 2 && removed.into == nil)
    #expect(try await library.tags().map(\.name) == ["later"])
  }

  @Test func `wrong tags change nothing`() async throws {
    let steps = try await steps()
    let wrong = try await error(RenameTags(["todo", "latr"], into: "x"))
    #expect(wrong.code == .notFound)
    #expect(wrong.description == "no highlight has the tag 'latr'; did you mean 'later'?")
    #expect(try await error(RenameTags(["todo"], into: "a,b")).code == .usage)
    #expect(try await error(RenameTags(["todo"], into: "#todo")).code == .nothing)
    #expect(try await error(RemoveTags([])).parameter == "tags")
    let preview = try await RenameTags(["todo"], into: "x", dryRun: true).run(in: session)
    #expect(preview.highlights == 2)
    #expect(try await self.steps() == steps)
    #expect(try await quotes("#todo").count == 2)
  }

  @Test func `thousands of highlights are changed in one transaction`() async throws {
    let words = (10_000..<12_000).map { "word\($0)" }
    try folder.write("long.md", words.joined(separator: " and\n\n") + "\n")
    _ = try await library.add([folder.path + "/long.md"])
    let document = try await library.document(folder.path + "/long.md")
    let annotations = words.map {
      #"{"type":"Annotation","target":{"source":"long.md","selector":{"type":"#
        + #""TextQuoteSelector","exact":"\#($0)"}}}"#
    }
    _ = try await library.importHighlights(
      Array("[\(annotations.joined(separator: ","))]".utf8), from: "w3c", into: document)
    let steps = try await steps()
    let start = ContinuousClock.now
    let outcome = try await ChangeHighlights(filter: "doc:long", addTags: ["todo"]).run(in: session)
    #expect(ContinuousClock.now - start < .seconds(10))
    #expect(outcome.changed.highlights.count == words.count)
    #expect(try await RenameTags(["todo"], into: "open").run(in: session).highlights == 2_002)
    #expect(try await self.steps() == steps + 2)
  }
}
