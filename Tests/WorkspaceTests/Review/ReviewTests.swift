import Editing
import LibrarySupport
import Model
import SystemSupport
import TestSupport
import Testing

@testable import Workspace

/// Tests reviewing orphaned highlights, and accepting, rejecting and reattaching them.
@Suite struct ReviewTests {
  private let folder: LibraryFolder
  private let library: Library
  private let highlight: Highlight

  private static let passage =
    "The obelus marked a line that the critic held to be spurious in the poem of Homer."

  init() async throws {
    folder = try LibraryFolder()
    try folder.write("a.md", "# Signs\n\nBefore all.\n\n\(Self.passage)\n\nAfter all.\n")
    try folder.write("b.md", "# Others\n\nQuite another text about trees and rivers.\n")
    try folder.write("c.md", "# More\n\nNothing that matters here.\n")
    library = try await folder.library()
    highlight = try await library.mark("a.md", "\"\(Self.passage)\"", note: "why?")
  }

  private func cut() throws { try folder.write("a.md", "# Signs\n\nBefore all.\n\nAfter all.\n") }

  private func paste(into names: String...) throws {
    for name in names { try folder.write(name, "# Others\n\n\(Self.passage)\n") }
  }

  @Test func `without doubtful highlights there is nothing to review`() async throws {
    #expect(try await library.review().items.isEmpty)
    let accepted = try await failure { _ = try await library.accept(highlight) }
    let rejected = try await failure { _ = try await library.detach(highlight) }
    for error in [accepted, rejected] {
      #expect(error.code == .nothing && error.message.contains("is not in doubt"), "\(error)")
    }
  }

  @Test func `a passage that was moved to another document is a candidate, and can be accepted`()
    async throws
  {
    try cut()
    try paste(into: "b.md")
    let review = try await library.review()
    let item = try #require(review.items.first)
    #expect(review.items.count == 1 && review.reports.contains { $0.count(.orphaned) == 1 })
    #expect(item.document.path.string == "a.md" && item.highlight.anchor.state == .orphaned)
    let candidate = try #require(item.candidates.first)
    #expect(candidate.document.path.string == "b.md" && candidate.line.line == 3)
    #expect(candidate.words == Self.passage && candidate.score > 0.9)
    // The passage in b.md is a candidate. The highlight has not moved yet.
    #expect(try await library.fresh(highlight).document == highlight.document)
    let lost = try await library.fresh(highlight)
    let accepted = try await library.accept(lost)
    #expect(accepted.document == candidate.document.id && accepted.note == "why?")
    #expect(accepted.anchor.state == .exact && accepted.anchor.range == candidate.range)
    #expect(try await library.words(at: highlight) == Self.passage)
    #expect(try await library.review().items.isEmpty)
    _ = try await library.undo()
    let back = try await library.fresh(highlight)
    #expect(back.document == highlight.document && back.anchor.state == .orphaned)
  }

  @Test func `a lost highlight is reported when it is lost, not at later changes`() async throws {
    try cut()
    func report() async throws -> RefreshReport {
      try #require(try await library.refresh().first { $0.document.path.string == "a.md" })
    }
    #expect(try await report().summary == "a.md changed: 1 orphaned")
    try folder.write("a.md", "# Signs\n\nBefore all of it.\n\nAfter all.\n")
    let later = try await report()
    #expect(later.summary == "a.md changed" && later.count(.orphaned) == 1)
    // Its return is reported.
    try folder.write("a.md", "# Signs\n\n\(Self.passage)\n")
    #expect(try await report().summary?.contains("1 kept") == true)
  }

  @Test func `the candidates of one highlight equal those of the review`() async throws {
    try cut()
    try paste(into: "b.md", "c.md")
    let items = try await library.review().items
    let lost = try await library.fresh(highlight)
    let candidates = try await library.candidates(for: lost)
    #expect(candidates.count == 2 && candidates == items.first?.candidates)
    #expect(try await library.likeliestPlace(of: lost) == candidates[0])
  }

  @Test func `a probable place in the highlight's own document is the likeliest one`() async throws
  {
    try cut()
    try paste(into: "b.md")
    try folder.write("a.md", "# Signs\n\nBefore all.\n\n\(Self.passage.prefix(48)).\n")
    _ = try await library.refresh()
    let doubtful = try await library.fresh(highlight)
    let candidates = try await library.candidates(for: doubtful)
    let place = try #require(try await library.likeliestPlace(of: doubtful))
    #expect(place == candidates.first && candidates.count > 1)
    #expect(place.document.path.string == "a.md")
    // It is nil if nothing is similar.
    try cut()
    try folder.write("b.md", "Nothing.\n")
    _ = try await library.refresh()
    #expect(try await library.likeliestPlace(of: try await library.fresh(highlight)) == nil)
  }

  @Test func `accepting one of several candidates requires its number`() async throws {
    try cut()
    try paste(into: "b.md", "c.md")
    let lost = try await library.fresh(highlight)
    _ = try await library.refresh()
    let error = try await failure { _ = try await library.accept(lost) }
    try #require(error.code == .ambiguous && error.candidates.count == 2, "\(error)")
    #expect(error.candidates[0].hasPrefix("1  ") && error.candidates[0].contains(".md:3:1  "))
    for number in [0, -1, 3, .min, .max] {
      let error = try await failure { _ = try await library.accept(lost, candidate: number) }
      #expect(error.code == .usage, "\(number): \(error)")
    }
    let second = try await library.place(of: lost, candidate: 2)
    #expect(second.line.line == 3 && ["b.md", "c.md"].contains(second.document.path.string))
    let accepted = try await library.accept(lost, candidate: 2)
    #expect(accepted.document == second.document.id && accepted.anchor.range == second.range)
  }

  @Test func `without a similar passage, accepting fails`() async throws {
    try cut()
    let lost = try await library.fresh(highlight)
    let error = try await failure { _ = try await library.accept(lost) }
    #expect(
      error.code == .nothing && error.hint?.text(in: .plain).contains("reattach") == true,
      "\(error)")
    let review = try await library.review()
    #expect(review.items.map(\.candidates.count) == [0])
  }

  @Test func `a rejected highlight is not reviewed, and is restored when its text returns`()
    async throws
  {
    let original = try folder.read("a.md")
    try cut()
    try paste(into: "b.md")
    let lost = try await library.fresh(highlight)
    #expect(try await library.detach(lost).isDetached)
    #expect(try await failure { _ = try await library.detach(lost) }.code == .nothing)
    #expect(try await library.review().items.isEmpty)
    #expect(try await library.check().isEmpty)
    #expect(try await library.fresh(highlight).selector.exact == Self.passage)
    try folder.write("a.md", original)
    #expect(try await library.words(at: highlight) == Self.passage)
  }

  @Test func `a review is limited to the requested documents`() async throws {
    try cut()
    let other = try await library.document("b.md")
    #expect(try await library.review([other]).items.isEmpty)
    #expect(try await library.review([try await library.document("a.md")]).items.count == 1)
  }

  @Test func `reattaching changes the passage and keeps the other fields`() async throws {
    let target = try await library.document("b.md")
    let spec = try SelectionSpec(parsing: "\"trees\"")
    let moved = try await library.reattach(highlight, to: spec, in: target)
    #expect(moved.id == highlight.id && moved.note == "why?" && moved.selector.exact == "trees")
    #expect(moved.document == target.id && moved.anchor.state == .exact)
    #expect(
      try await failure { _ = try await library.reattach(moved, to: spec, in: target) }.code
        == .nothing)
    let nowhere = try SelectionSpec(parsing: "\"no such words\"")
    #expect(
      try await failure { _ = try await library.reattach(moved, to: nowhere, in: target) }.code
        != .conflict)
    #expect(try await library.words(at: highlight) == "trees")
  }
}
