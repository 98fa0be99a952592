import Editing
import Foundation
import LibrarySupport
import Model
import Storage
import SystemSupport
import Testing

@testable import LibraryExchange
@testable import Workspace

/// Tests the origin that imported highlights store, and importing them again.
@Suite struct OriginTests {
  let bench: LibraryBench

  init() throws { bench = try LibraryBench() }

  /// An annotation of Hypothesis, which has an id.
  private func annotation(
    _ quote: String, id: String = "a", note: String = "", tags: [String] = [],
    updated: String = "2023-01-27T05:56:46+00:00"
  ) -> [String: Any] {
    [
      "id": id, "uri": "a.md", "text": note, "tags": tags, "document": ["title": ["On signs"]],
      "created": "2023-01-27T05:56:46.1+00:00", "updated": updated,
      "target": [["selector": [["type": "TextQuoteSelector", "exact": quote]]]],
    ]
  }

  private func rows(_ annotations: [String: Any]...) throws -> [UInt8] {
    Array(
      try JSONSerialization.data(
        withJSONObject: ["total": annotations.count, "rows": annotations] as [String: Any]))
  }

  private static let text = "One two three four five. Six seven eight nine ten.\n"

  private func highlights(_ library: Library) async throws -> [Highlight] {
    try await library.highlights(HighlightFilter())
  }

  @Test func `an imported highlight stores its origin`() async throws {
    let (library, document) = try await bench.open(with: Self.text)
    let report = try await library.importHighlights(
      try rows(annotation("two three", note: "why", tags: ["b", "a"])), from: nil, into: document)
    #expect(report.sources.map(\.format) == ["Hypothesis annotations"])
    let origin = try #require(report.made.first?.highlight.origin?.origin)
    #expect(origin.format == "hypothesis" && origin.id == "a" && origin.title == "On signs")
    #expect(origin.note == "why" && origin.tags == ["a", "b"])
    #expect(origin.created == Date(timeIntervalSince1970: 1_674_799_006))
    // A highlight that was not imported has no origin, and its record matches its operations.
    let own = try await library.mark("a.md", "\"nine\"")
    #expect(own.origin == nil)
    #expect(try await library.integrityProblems().isEmpty)
  }

  @Test func `an annotation that changed at its source updates its highlight`() async throws {
    let (library, document) = try await bench.open(with: Self.text)
    _ = try await library.importHighlights(
      try rows(annotation("two three", note: "why", tags: ["old", "both"])), from: nil,
      into: document)
    let again = try await library.importHighlights(
      try rows(annotation("two three", note: "why", tags: ["old", "both"])), from: nil, into: nil)
    #expect(again.known == 1 && again.made.isEmpty && again.updated.isEmpty)
    let changed = try await library.importHighlights(
      try rows(annotation("two three four", note: "because", tags: ["new", "both"])), from: nil,
      into: nil)
    #expect(changed.updated.count == 1 && changed.made.isEmpty && changed.known == 0)
    let all = try await highlights(library)
    #expect(all.count == 1)
    #expect(all[0].selector.exact == "two three four" && all[0].note == "because")
    #expect(all[0].tags == ["both", "new"] && all[0].anchor.state == .exact)
    #expect(try await library.integrityProblems().isEmpty)
    // After an undo, the highlight and its origin are as before.
    _ = try await library.undo()
    let before = try await highlights(library)
    #expect(before[0].selector.exact == "two three" && before[0].note == "why")
    #expect(before[0].tags == ["both", "old"] && before[0].origin?.origin?.note == "why")
    _ = try await library.redo()
    #expect(try await highlights(library).map(\.note) == ["because"])
  }

  @Test func `a change by the user is kept on import, and reported`() async throws {
    let (library, document) = try await bench.open(with: Self.text)
    _ = try await library.importHighlights(
      try rows(annotation("two three", note: "why", tags: ["tag"])), from: nil, into: document)
    let highlight = try await highlights(library)[0]
    var change = HighlightChange()
    (change.color, change.note, change.removedTags) = (.pink, "mine", ["tag"])
    _ = try await library.change(highlight, change)
    let same = try await library.importHighlights(
      try rows(annotation("two three", note: "why", tags: ["tag"])), from: nil, into: nil)
    #expect(same.known == 1 && same.kept.isEmpty)
    let report = try await library.importHighlights(
      try rows(annotation("two three", note: "because", tags: ["tag"])), from: nil, into: nil)
    #expect(
      report.kept == [
        "a: the note changed in the library and at the source; the library keeps its value, and "
          + "the source's value is stored with the origin"
      ])
    let now = try await highlights(library)[0]
    #expect(now.note == "mine" && now.color == .pink && now.tags.isEmpty)
    #expect(now.origin?.origin?.note == "because")
    // The conflict is reported only once.
    let last = try await library.importHighlights(
      try rows(annotation("two three", note: "because", tags: ["tag"])), from: nil, into: nil)
    #expect(last.known == 1 && last.kept.isEmpty)
  }

  @Test func `an import does not move a highlight that the user has reattached`() async throws {
    let (library, document) = try await bench.open(with: Self.text)
    _ = try await library.importHighlights(
      try rows(annotation("two three")), from: nil, into: document)
    let highlight = try await highlights(library)[0]
    _ = try await library.reattach(
      highlight, to: try SelectionSpec(parsing: "\"seven eight\""), in: document)
    let report = try await library.importHighlights(
      try rows(annotation("two three four")), from: nil, into: nil)
    #expect(report.kept.count == 1)
    #expect(try await highlights(library)[0].selector.exact == "seven eight")
  }

  @Test func `a highlight keeps its passage if the text lacks the changed words`() async throws {
    let (library, document) = try await bench.open(with: Self.text)
    _ = try await library.importHighlights(
      try rows(annotation("two three")), from: nil, into: document)
    let report = try await library.importHighlights(
      try rows(annotation("quite other words of another text")), from: nil, into: nil)
    #expect(report.kept.count == 1, "\(report.kept)")
    let now = try await highlights(library)[0]
    #expect(now.selector.exact == "two three")
    #expect(now.origin?.origin?.quote == "quite other words of another text")
  }

  @Test func `highlights in the trash are not imported again, but undone imports are`() async throws
  {
    let (library, document) = try await bench.open(with: Self.text)
    let input = try rows(annotation("two three"), annotation("six seven", id: "b"))
    _ = try await library.importHighlights(input, from: nil, into: document)
    #expect(try await library.history(limit: 5).filter { $0.kind == .act }.count == 2)
    _ = try await library.undo()
    #expect(try await highlights(library).isEmpty)
    let again = try await library.importHighlights(input, from: nil, into: document)
    #expect(again.made.count == 2)
    try await library.setTrashed(true, [try await highlights(library)[0]])
    let last = try await library.importHighlights(input, from: nil, into: document)
    #expect(last.known == 2 && last.made.isEmpty)
    #expect(try await highlights(library).count == 1)
  }

  @Test func `a highlight that was deleted at the source is kept`() async throws {
    let (library, document) = try await bench.open(with: Self.text)
    _ = try await library.importHighlights(
      try rows(annotation("two three"), annotation("six seven", id: "b")), from: nil, into: document
    )
    _ = try await library.importHighlights(try rows(annotation("two three")), from: nil, into: nil)
    #expect(try await highlights(library).count == 2)
  }

  @Test func `two passages with one id become two highlights, each recognised on the next import`()
    async throws
  {
    let (library, document) = try await bench.open(with: Self.text)
    let input = try rows(annotation("two three"), annotation("six seven"), annotation("two three"))
    let first = try await library.importHighlights(input, from: nil, into: document)
    #expect(first.made.count == 2 && first.known == 1)
    let second = try await library.importHighlights(input, from: nil, into: document)
    #expect(second.made.isEmpty && second.known == 3)
  }

  @Test func `a dry run returns the report of the import and stores nothing`() async throws {
    let (library, document) = try await bench.open(with: Self.text)
    let input = try rows(annotation("two three"))
    let rehearsal = try await library.importHighlights(
      input, from: nil, into: document, dryRun: true)
    #expect(rehearsal.made.count == 1)
    #expect(try await highlights(library).isEmpty)
    _ = try await library.importHighlights(input, from: nil, into: document)
    let changed = try await library.importHighlights(
      try rows(annotation("two three", note: "new")), from: nil, into: nil, dryRun: true)
    #expect(changed.updated.map(\.highlight.note) == ["new"])
    #expect(try await highlights(library).map(\.note) == [""])
  }

  @Test func `oversized fields are skipped, and control characters are kept`() async throws {
    let (library, document) = try await bench.open(with: Self.text)
    let huge = String(repeating: "x", count: IncomingRecord.fieldLimit + 1)
    let report = try await library.importHighlights(
      try rows(
        annotation("two three", note: "a\u{0}b\u{1B}[31m"), annotation("six", id: "b", note: huge)),
      from: nil, into: document)
    #expect(report.made.map(\.highlight.note) == ["a\u{0}b\u{1B}[31m"])
    #expect(report.skipped == ["b: its note has 1048577 bytes, more than 1048576"])
    #expect(try await library.integrityProblems().isEmpty)
  }
}
