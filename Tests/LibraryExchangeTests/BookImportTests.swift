import Foundation
import LibrarySupport
import Model
import SystemSupport
import Testing

@testable import LibraryExchange
@testable import Workspace

/// Tests that the highlights of a book are placed in its chapters.
@Suite struct BookImportTests {
  let bench: LibraryBench

  init() throws { bench = try LibraryBench() }

  /// Adds a book as `add` writes an EPUB: a page of contents and the chapters beside it.
  private func openBook() async throws -> Library {
    try bench.write(
      "Signs/00-contents.md",
      """
      ---
      title: "On signs"
      csl-type: book
      ---

      # On signs

      - [The fox](01-fox.md)
      - [The bear](02-bear.md)

      """)
    try bench.write(
      "Signs/01-fox.md",
      "# The fox\n\nThe fox went out on a chilly night. It was late, and the moon shone.\n")
    try bench.write(
      "Signs/02-bear.md",
      "# The bear\n\nThe bear slept all winter long. It was late, but nobody minded it at all.\n")
    try bench.write("other.md", "# Other\n\nA sentence that only the other document contains.\n")
    let library = try bench.open()
    _ = try await library.add([bench.folder])
    return library
  }

  private func kindle(_ quotes: [String], title: String = "On Signs") -> [UInt8] {
    let rows = quotes.map { "\"\($0)\",\(title),\n" }
    return Array(("Highlight,Book Title,Note\n" + rows.joined()).utf8)
  }

  @Test func `the quotes of a book are placed in its chapters`() async throws {
    let library = try await openBook()
    let report = try await library.importHighlights(
      kindle([
        "went out on a chilly night", "The bear slept", "the moon shone",
        "slept a11 winter long", "It was late, but", "A sentence that only the other document",
        "words that are in no text of this library",
      ]), from: nil, into: nil)
    let places = Dictionary(
      report.made.map {
        ($0.highlight.selector.exact, String($0.document.path.string.lastComponent))
      },
      uniquingKeysWith: { first, _ in first })
    #expect(report.made.count == 7)
    #expect(places["went out on a chilly night"] == "01-fox.md")
    #expect(places["The bear slept"] == "02-bear.md")
    #expect(places["the moon shone"] == "01-fox.md")
    #expect(places["It was late, but"] == "02-bear.md")
    #expect(places["A sentence that only the other document"] == "other.md")
    #expect(places["words that are in no text of this library"] == "00-contents.md")
    #expect(report.placed == 6, "\(report.made.map(\.highlight.anchor))")
  }

  @Test func `the title of a chapter is placed in the chapter, not in the contents`() async throws {
    let library = try await openBook()
    let report = try await library.importHighlights(kindle(["The bear"]), from: nil, into: nil)
    let places = report.made.map { $0.document.path.string.lastComponent }
    #expect(places == ["02-bear.md"])
    #expect(report.placed == 1)
  }

  @Test func `a title page with the book's title does not hide the book`() async throws {
    try bench.write("Signs/03-title.md", "# On signs\n\nby nobody\n")
    let library = try await openBook()
    let report = try await library.importHighlights(
      kindle(["the moon shone"]), from: nil, into: nil)
    #expect(report.made.map { $0.document.path.string.hasSuffix("01-fox.md") } == [true])
  }

  @Test func `quotes of a book move to its text when that is added, as proposals`() async throws {
    let library = try bench.open()
    try bench.write("first.md", "# First\n\nNothing to see.\n")
    _ = try await library.add([bench.path("first.md")])
    let file = kindle(["The bear slept all winter long", "a quote that no text has", "It was late"])
    #expect(try await library.importHighlights(file, from: nil, into: nil).books.count == 1)
    try bench.write("bear.md", "# A bear\n\nThe bear slept all winter long. It was late.\n")
    let added = try await library.add([bench.path("bear.md")]).additions.map(\.document)
    let moved = try await library.placeQuotes(in: added)
    #expect(moved.map(\.highlight.selector.exact) == ["The bear slept all winter long"])
    #expect(moved.map(\.highlight.anchor.state) == [.doubtful])
    #expect(moved.map(\.highlight.document) == added.map(\.id))
    let review = try await library.highlights(HighlightFilter(states: [.doubtful]))
    #expect(review.map(\.id) == moved.map(\.highlight.id))
    // Adding it again moves nothing, and the next import knows all of the quotes.
    #expect(try await library.placeQuotes(in: added).isEmpty)
    let again = try await library.importHighlights(file, from: nil, into: nil)
    #expect(again.known == 3 && again.made.isEmpty && again.updated.isEmpty, "\(again)")
    #expect(try await library.integrityProblems().isEmpty)
  }

  @Test func `a position without a quote is not sought in a file of quotes`() async throws {
    let library = try bench.open()
    let source = "https://example.org/page"
    let quote = """
      {"type": "Annotation", "id": "a", "target": {"source": "\(source)",
       "selector": {"type": "TextQuoteSelector", "exact": "a quote of a page"}}}
      """
    let position = """
      {"type": "Annotation", "id": "b", "target": {"source": "\(source)",
       "selector": {"type": "TextPositionSelector", "start": 1, "end": 4}}}
      """
    let bare = "{\"type\": \"Annotation\", \"id\": \"c\", \"target\": \"\(source)\"}"
    let input = Array("[\(quote),\(position),\(bare)]".utf8)
    for _ in 0..<2 {
      let report = try await library.importHighlights(input, from: nil, into: nil)
      #expect(report.failed == 2 && report.made.count + report.known == 1, "\(report)")
    }
    #expect(try await library.highlights(HighlightFilter()).count == 1)
  }

  @Test func `a quote that two added documents contain stays where it is`() async throws {
    let library = try bench.open()
    _ = try await library.importHighlights(
      kindle(["The bear slept all winter long"]), from: nil, into: nil)
    for name in ["b.md", "c.md"] {
      try bench.write(name, "# A bear\n\nThe bear slept all winter long. It was late.\n")
    }
    let added = try await library.add([bench.path("b.md"), bench.path("c.md")]).additions
    #expect(try await library.placeQuotes(in: added.map(\.document)).isEmpty)
  }

  @Test func `a quote that another document contains is not orphaned in one with its title`()
    async throws
  {
    let library = try await openBook()
    let report = try await library.importHighlights(
      kindle(["The bear slept all winter long"], title: "Other"), from: nil, into: nil)
    #expect(report.made.map { $0.document.path.string.hasSuffix("02-bear.md") } == [true])
    #expect(report.placed == 1)
  }
}
