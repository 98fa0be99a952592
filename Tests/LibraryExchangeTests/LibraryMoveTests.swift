import BuiltIn
import Editing
import Foundation
import LibrarySupport
import Model
import Storage
import SystemSupport
import Testing

@testable import LibraryExchange
@testable import Workspace

@Suite struct LibraryMoveTests {
  let bench: LibraryBench

  init() throws { bench = try LibraryBench() }

  private func library(_ folder: String) throws -> Library {
    try Library(
      at: LibraryLocation(folder: bench.path(folder)), plugins: .builtIn, opening: .create)
  }

  /// A personal library with three documents, two of them below `notes`, and highlights.
  private func prepare() async throws -> Library {
    try bench.write("notes/a.md", "One fox. Another fox.\n")
    try bench.write("notes/sub/b.md", "A dog.\n")
    try bench.write("other.md", "A cat.\n")
    let library = try library("own")
    _ = try await library.add([bench.path("notes"), bench.path("other.md")])
    var request = MarkRequest()
    (request.color, request.note, request.tags) = (.pink, "a note", ["x", "y"])
    _ = try await library.mark(
      try await library.document(bench.path("notes/a.md")),
      try SelectionSpec(parsing: "\"fox\"#2"), request)
    try await library.setLabel(.pink, "question")
    return library
  }

  @Test func `documents move with their highlights, and undo in both libraries reverts the move`()
    async throws
  {
    let old = try await prepare()
    let before = try #require(try await old.highlights(HighlightFilter()).first)
    let new = try library("notes/.diple")
    #expect(
      try await old.contents(below: new.location) == FolderContents(documents: 2, highlights: 1))
    let moved = try await old.moveDocuments(into: new)
    #expect(moved == FolderContents(documents: 2, highlights: 1))
    #expect(try await old.documents().map(\.path.name) == ["other.md"])
    #expect(try await new.documents().map(\.path.string) == ["a.md", "sub/b.md"])
    let after = try #require(try await new.highlights(HighlightFilter()).first)
    #expect(after.selector == before.selector && after.anchor == before.anchor)
    #expect(after.note == "a note" && after.tags == ["x", "y"] && after.color == .pink)
    #expect(after.created == before.created && after.label == "question")
    _ = try await new.refresh()
    #expect(try await new.highlights(HighlightFilter()).map(\.anchor) == [after.anchor])

    #expect(try await old.undo().step.summary.hasPrefix("moved 2 documents to "))
    #expect(try await old.highlights(HighlightFilter()).map(\.id) == [before.id])
    #expect(try await new.undo().step.summary.hasPrefix("moved 2 documents from "))
    #expect(try await new.highlights(HighlightFilter()).isEmpty)
  }

  @Test func `an interrupted move is completed by the next one without duplicates`() async throws {
    let old = try await prepare()
    let new = try library("notes/.diple")
    _ = try await old.moveDocuments(into: new)
    // The state of a process that was killed before it removed anything from the old library.
    _ = try await old.undo()
    _ = try await old.moveDocuments(into: new)
    #expect(try await new.documents().count == 2)
    #expect(try await new.highlights(HighlightFilter()).count == 1)
    #expect(try await old.documents().count == 1)
  }

  @Test func `a folder refers to the documents below it`() async throws {
    let library = try await prepare()
    let below = try await library.documents(below: bench.path("notes"))
    #expect(below?.map(\.path.name) == ["a.md", "b.md"])
    #expect(try await library.documents(below: bench.path("other.md")) == nil)
    try FileManager.default.createDirectory(
      atPath: bench.path("empty"), withIntermediateDirectories: true)
    let empty = bench.path("empty")
    await #expect(throws: UserError.self) { try await library.documents(below: empty) }
  }

  @Test func `a filter accepts more than a thousand documents`() async throws {
    for number in 0..<1_200 { try bench.write("many/\(number).md", "Text \(number).\n") }
    let library = try library("own")
    _ = try await library.add([bench.path("many")])
    let all = try await library.documents()
    _ = try await library.mark(all[7], try SelectionSpec(parsing: "Text"))
    let found = try await library.highlights(HighlightFilter(documents: all.map(\.id)))
    #expect(found.map(\.document) == [all[7].id])
  }

  @Test func `a colour is found by its name and by its label`() async throws {
    let library = try await prepare()
    #expect(try await library.colors(named: "pink") == [.pink])
    #expect(try await library.colors(named: "Question") == [.pink])
    await #expect(throws: UserError.self) { try await library.colors(named: "purple") }
  }

  @Test func `reports of documents that moved with their folder are combined in one line`() {
    func report(_ old: String?, _ new: String, _ outcome: AnchorState? = nil) -> RefreshReport {
      let dot = Dot(replica: ReplicaID(rawValue: 1), sequence: 1)
      let anchor = Anchor(range: TextRange(utf16: 0..<1), state: .exact, score: 1, method: "")
      var after = anchor
      if let outcome { after.state = outcome }
      var report = RefreshReport(
        document: Document(
          id: Document.ID(dot), path: DocumentPath(new), title: "", state: .present, created: .now,
          updated: .now), change: outcome == nil ? .unchanged : .changed,
        outcomes: [
          .init(highlight: Highlight.ID(dot), name: "1", quote: "q", before: anchor, after: after)
        ])
      report.movedFrom = old.map { DocumentPath($0) }
      return report
    }
    let lines = RefreshReport.gathered([
      report("notes/a.md", "texts/a.md"), report("notes/sub/b.md", "texts/sub/b.md"),
      report("x.md", "y.md"), report("notes/c.md", "texts/c.md", .edited),
    ])
    #expect(
      lines.map(\.summary) == [
        "renamed folder notes → texts: 2 documents", "x.md was renamed to y.md",
        "notes/c.md was renamed to texts/c.md: 1 edited",
      ])
  }
}
