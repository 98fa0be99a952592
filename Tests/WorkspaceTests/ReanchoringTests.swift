import BuiltIn
import Editing
import Foundation
import LibrarySupport
import Model
import Storage
import SystemSupport
import Testing

@testable import Workspace

@Suite struct ReanchoringTests {
  let bench: LibraryBench

  init() throws { bench = try LibraryBench() }

  private func spec(_ text: String) throws -> SelectionSpec {
    try SelectionSpec(parsing: text)
  }

  @Test func `earlier texts restore their anchors after forty other texts`() async throws {
    func text(_ number: Int) -> String {
      let filler = (0..<30).map { "Sentence \(number) \($0 * number % 7)." }.joined(separator: " ")
      // Every other text lacks the passage.
      return number % 2 == 0
        ? "\(filler)\n\nalpha the passage omega\n" : "\(filler)\n\nsomething else entirely\n"
    }
    let (library, document) = try await bench.open(with: text(0))
    let highlight = try await library.mark(document, try spec("\"the passage\"")).highlights[0]
    var places: [Anchor] = []
    for number in 1...40 {
      try bench.write("a.md", text(number))
      _ = try await library.refresh([document])
      places.append(try await library.highlight(id: highlight.id).anchor)
    }
    for number in (1...40).reversed() {
      try bench.write("a.md", text(number))
      _ = try await library.refresh([document])
      let now = try await library.highlight(id: highlight.id).anchor
      #expect(now.state == places[number - 1].state, "text \(number)")
      #expect(now.range == places[number - 1].range, "text \(number)")
    }
  }

  @Test func `undoing accept restores the doubtful anchor`() async throws {
    let (library, document) = try await bench.open(
      with: "Before.\n\nThe bridge should be painted green in summer.\n\nAfter.\n")
    let highlight = try await library.mark(document, try spec("para:2")).highlights[0]
    try bench.write(
      "a.md", "Before.\n\nThe bridge should be painted red in winter.\n\nAfter.\n")
    _ = try await library.refresh([document])
    let doubtful = try await library.doubting(highlight.id)
    try #require(doubtful.anchor.state == .doubtful)
    let accepted = try await library.accept(doubtful)
    #expect(accepted.anchor.state == .exact)
    _ = try await library.undo()
    let undone = try await library.highlight(id: highlight.id)
    #expect(undone.selector == doubtful.selector)
    #expect(undone.anchor.state == .doubtful && undone.anchor.range == doubtful.anchor.range)
    _ = try await library.redo()
    #expect(try await library.highlight(id: highlight.id).anchor.state == .exact)
  }

  @Test func `marking parses the file once`() async throws {
    let (_, document) = try await bench.open(with: "One fox. Another dog.\n")
    let library = try bench.open()
    let before = await library.parseCount
    let open = try await library.openToMark(document)
    let fox = try await library.select(try spec("fox"), in: open)
    let marked = try await library.mark(fox, MarkRequest(), in: open)
    #expect(marked.open.highlights.map(\.id) == marked.highlights.map(\.id))
    #expect(await library.parseCount == before + 1)
    _ = try await library.open(document)
    _ = try await library.refresh([document])
    #expect(await library.parseCount == before + 1)
  }

  @Test func `a file with a newer time and the same content is not parsed`() async throws {
    let (_, document) = try await bench.open(with: "One fox.\n")
    try bench.write("a.md", "One fox.\n")
    let library = try bench.open()
    #expect(try await library.refresh([document]).map(\.change) == [.unchanged])
    #expect(await library.parseCount == 0)
  }

  @Test func `marking a text that was replaced in the meantime is rejected`() async throws {
    let (library, document) = try await bench.open(with: "One fox.\n")
    let open = try await library.openToMark(document)
    try bench.write("a.md", "Another fox.\n")
    _ = try await library.refresh([document])
    let fox = try await library.select(try spec("fox"), in: open)
    do {
      _ = try await library.mark(fox, MarkRequest(), in: open)
      Issue.record("it was marked")
    } catch { #expect(error.code == .conflict) }
    #expect(try await library.highlights(HighlightFilter()).isEmpty)
  }
}

extension Library {
  /// Makes an anchor doubtful, as a strategy might do.
  fileprivate func doubting(_ id: Highlight.ID) throws -> Highlight {
    let highlight = try highlight(id: id)
    var anchor = highlight.anchor
    (anchor.state, anchor.score, anchor.runnerUp) = (.doubtful, 0.6, 0.3)
    _ = try store.write { transaction in
      let revision = try #require(try transaction.revision(of: highlight.document))
      let text = try transaction.snapshot(revision.textDigest, of: highlight.document)
      return try transaction.replaceRevision(
        of: highlight.document, expecting: revision.sourceDigest, with: revision,
        text: try #require(text), anchors: [id: anchor])
    }
    return try self.highlight(id: id)
  }
}
