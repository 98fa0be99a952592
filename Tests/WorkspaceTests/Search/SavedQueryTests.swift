import BuiltIn
import Foundation
import LibrarySupport
import Model
import Search
import SystemSupport
import TestSupport
import Testing

@testable import Workspace

@Suite struct SavedQueryTests {
  private let folder: LibraryFolder
  private let library: Library

  init() async throws {
    folder = try LibraryFolder()
    try folder.write("a.md", "A quick fox, Größe and größe.\n")
    library = try await folder.library()
  }

  private var full: SavedQuery {
    get async throws {
      var query = SavedQuery(text: "größe \"x\"\\ 日本")
      query.strategy = "words"
      query.ignoresCase = true
      query.ignoresDiacritics = true
      query.wholeWords = true
      query.place = .notes
      query.colors = [.pink, .blue]
      query.tags = ["a b", "c"]
      query.states = [.doubtful]
      query.since = Date(timeIntervalSince1970: 1_234_567)
      query.documents = [try await library.document("a.md").id]
      return query
    }
  }

  @Test func `all fields of a saved query are stored`() async throws {
    let query = try await full
    try await library.save(query, as: "  my   query ")
    let other = try Library(
      at: LibraryLocation(folder: folder.path + "/.diple"), plugins: .builtIn)
    #expect(try await other.savedQueries() == ["my query": query])
    #expect(try await other.savedQuery("my query") == query)
    let request = try query.request()
    #expect(request.strategy == "words" && request.place == .notes)
    #expect(request.documents == query.documents)
    let filter = try #require(request.highlights)
    #expect(
      filter.colors == [.pink, .blue] && filter.tags == query.tags && filter.states == [.doubtful]
        && filter.since == query.since)
  }

  @Test func `a plain query has no filters`() throws {
    let request = try SavedQuery(text: "fox").request()
    #expect(request.documents == nil && request.highlights == nil && request.strategy == "literal")
  }

  @Test func `saving the same query again is reported, and another one replaces it`() async throws {
    try await library.save(SavedQuery(text: "fox"), as: "f")
    let again = try await failure { try await library.save(SavedQuery(text: "fox"), as: "f") }
    #expect(again.code == .nothing)
    try await library.save(SavedQuery(text: "cat"), as: "f")
    #expect(try await library.savedQuery("f").text == "cat")
    _ = try await library.undo()
    #expect(try await library.savedQuery("f").text == "fox")
  }

  @Test func `a query that is invalid or has an invalid name is not saved`() async throws {
    var pattern = SavedQuery(text: "(")
    pattern.strategy = "regex"
    var strange = SavedQuery(text: "x")
    strange.strategy = "nonsense"
    for (query, name) in [
      (SavedQuery(text: ""), "q"), (pattern, "q"), (SavedQuery(text: "x"), " \t"),
      (SavedQuery(text: "x"), "--all"), (strange, "q"),
    ] {
      let error = try await failure { try await library.save(query, as: name) }
      #expect([.usage, .notFound].contains(error.code), "\(query.text) as '\(name)': \(error)")
    }
    #expect(try await library.savedQueries().isEmpty)
    #expect(try await library.history(limit: 9).count == 1, "only the adding")
  }

  @Test func `a removed query is not found, and a similar name is suggested`() async throws {
    try await library.save(SavedQuery(text: "fox"), as: "foxes")
    let near = try await failure { _ = try await library.savedQuery("foxs") }
    #expect(near.code == .notFound && near.hint?.text(in: .plain) == "did you mean 'foxes'?")
    try await library.removeQuery("foxes")
    #expect(try await library.savedQueries().isEmpty)
    let missing = try await failure { try await library.removeQuery("foxes") }
    #expect(
      missing.code == .notFound && missing.remedy == .action("query.list", [:]))
    _ = try await library.undo()
    #expect(try await library.savedQuery("foxes").text == "fox")
  }
}
