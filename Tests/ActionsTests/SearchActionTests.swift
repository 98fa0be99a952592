import Actions
import Foundation
import Model
import SystemSupport
import TestSupport
import Testing
import Workspace

/// Tests actions that search documents, and replace in them.
@Suite struct SearchActionTests {
  @Test func `a search counts all matches and lists the first ones`() async throws {
    let folder = try WorkFolder()
    try folder.write("a.md", String(repeating: "A fox. ", count: 30) + "\n")
    try folder.write("b.md", "One Fox.\n")
    let session = ActionSession(try await newLibrary(in: folder))
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
    let library = try await newLibrary(in: folder)
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

  @Test func `searches are saved, listed, run and removed`() async throws {
    let folder = try WorkFolder()
    try folder.write("a.md", "One fox.\n")
    let session = ActionSession(try await newLibrary(in: folder))
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
}
