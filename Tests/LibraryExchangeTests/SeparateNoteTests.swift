import Foundation
import LibraryFormatting
import LibrarySupport
import Model
import RichText
import SystemSupport
import Testing

@testable import LibraryExchange
@testable import Workspace

/// Tests imported notes that belong to no highlight, and second imports of clippings.
@Suite struct SeparateNoteTests {
  let bench: LibraryBench

  init() throws { bench = try LibraryBench() }

  private func entry(_ head: String, _ words: String, of title: String = "On signs (Reed, Ann)")
    -> String
  {
    "\(title)\n- Your \(head) | Added on Friday, 27 January 2023 05:56:46\n\n\(words)\n==========\n"
  }

  private func note(of path: String, _ library: Library) async throws -> String? {
    let document = try await library.document(path)
    return try await library.note(of: document)?.string
  }

  private static let text = "Look here and there, said the sign. Another one said nothing at all.\n"

  @Test func `a note without a highlight is added to the note on the document once`() async throws {
    let (library, document) = try await bench.open(with: Self.text)
    let first = entry("Note on page 9 | Location 99", "Read *this*\nagain")
    let report = try await library.importHighlights(
      Array(first.utf8), from: nil, into: document)
    #expect(report.notes.map(\.count) == [1] && report.made.isEmpty && report.failed == 0)
    #expect(
      try await note(of: "a.md", library)?.trimmed == "Read *this* again (page 9 · location 99)")
    // The file with another note adds only that one, even though the user has changed the first.
    let changed = try await library.importHighlights(
      Array((first + entry("Note on page 10 | Location 120", "And that")).utf8), from: nil,
      into: document)
    #expect(changed.notes.map(\.count) == [1])
    #expect(
      try await note(of: "a.md", library)?.contains("And that (page 10 · location 120)") == true)
    let again = try await library.importHighlights(
      Array((first + entry("Note on page 10 | Location 120", "And that")).utf8), from: nil,
      into: document)
    #expect(again.notes.isEmpty)
    #expect(try await library.integrityProblems().isEmpty)
  }

  @Test func `a note that the user deleted is not added again`() async throws {
    let (library, document) = try await bench.open(with: Self.text)
    let input = Array(entry("Note on page 9 | Location 99", "alone").utf8)
    _ = try await library.importHighlights(input, from: nil, into: document)
    try await library.setNote(nil, of: document)
    let again = try await library.importHighlights(input, from: nil, into: document)
    #expect(again.notes.isEmpty)
    #expect(try await note(of: "a.md", library) == nil)
  }

  @Test func `the notes of a book belong to the document of its highlights`() async throws {
    let (library, _) = try await bench.open(with: Self.text)
    let input = Array(
      (entry("Highlight on page 1 | Location 1-2", "Another one said nothing at all")
        + entry("Note on page 9 | Location 99", "alone")).utf8)
    let report = try await library.importHighlights(input, from: nil, into: nil)
    #expect(report.made.map(\.document.path.string) == ["a.md"])
    #expect(report.notes.map(\.document.path.string) == ["a.md"])
  }

  @Test func `the notes of another book create its file of quotes`() async throws {
    let (library, _) = try await bench.open(with: Self.text)
    let input = Array(
      entry("Note on page 9 | Location 99", "alone", of: "On trees (Wood, Ed)").utf8)
    let dry = try await library.importHighlights(input, from: nil, into: nil, dryRun: true)
    #expect(dry.notes.map(\.count) == [1])
    let report = try await library.importHighlights(input, from: nil, into: nil)
    let document = try #require(report.notes.first?.document)
    #expect(document.path.string.hasPrefix("Quotes/On trees - Wood, Ed"))
    #expect(report.books.map(\.isNew) == [true])
    let again = try await library.importHighlights(input, from: nil, into: nil)
    #expect(again.notes.isEmpty && again.books.isEmpty && again.failed == 0)
    #expect(try await library.integrityProblems().isEmpty)
  }

  @Test func `an unchanged file with longer versions of a highlight updates nothing`() async throws
  {
    let (library, _) = try await bench.open(with: Self.text)
    // The keys of the earlier versions are digests, so that of several versions some are not in
    // their order.
    let words = (1...8).map { "w\($0)" }
    let input = Array(
      (1...8).map { count in
        entry(
          "Highlight on page 1 | Location 10-\(10 + count)",
          words.prefix(count).joined(separator: " "))
      }.joined().utf8)
    let first = try await library.importHighlights(input, from: nil, into: nil)
    #expect(first.made.map(\.highlight.selector.exact) == ["w1 w2 w3 w4 w5 w6 w7 w8"])
    let again = try await library.importHighlights(input, from: nil, into: nil)
    #expect(again.updated.isEmpty && again.made.isEmpty && again.known == 1)
  }
}
