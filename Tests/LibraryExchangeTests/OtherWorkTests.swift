import Foundation
import Interchange
import LibrarySupport
import Model
import Testing

@testable import LibraryExchange
@testable import Workspace

/// Tests imports of quotes that are in a document of another work, such as an essay that quotes a
/// book.
@Suite struct OtherWorkTests {
  private static let passage = "A river is never the same twice, and neither is its reader."

  private func importQuote(_ library: Library, of title: String) async throws -> ImportReport {
    var record = AnnotationRecord(
      id: "", quote: Self.passage, source: "", title: title, color: .yellow)
    (record.author, record.location) = ("Bell, Ann", "page 12")
    return try await library.importRecords(
      ImportContent(records: [record]), of: "pdf", called: "PDF", into: nil, dryRun: false)
  }

  private static let text = "# My Essay\n\n\(passage) The rest is mine.\n"

  @Test func `a quote of another work does not set the author of a document`() async throws {
    let bench = try LibraryBench()
    let (library, document) = try await bench.open(with: Self.text)
    _ = try await library.mark("a.md", "\"The rest\"")
    let report = try await importQuote(library, of: "On Rivers")
    let made = try #require(report.made.first)
    #expect(made.document.id == document.id && made.highlight.anchor.state == .exact)
    #expect(made.highlight.origin?.origin?.author == "Bell, Ann")
    let source = try await library.source(of: document)
    #expect(source.whole.text(.author).isEmpty && !source.isKnown)
    for format in ["csv", "readwise", "org", "anki"] {
      let text = try await library.export(HighlightFilter(), as: format, to: "")
      #expect(text.contains("never the same twice") && !text.contains("Bell"), "\(text)")
    }
    // The origin keeps the author.
    #expect(
      try await library.export(HighlightFilter(), as: "json", to: "").contains("Bell, Ann"))
  }

  @Test(arguments: ["My Essay", "my essay."])
  func `a quote of the document's work sets its author until it is undone`(_ title: String)
    async throws
  {
    let bench = try LibraryBench()
    let (library, document) = try await bench.open(with: Self.text)
    _ = try await library.mark("a.md", "\"The rest\"")
    _ = try await importQuote(library, of: title)
    #expect(try await library.source(of: document).whole.text(.author) == "Bell, Ann")
    _ = try await library.undo()
    #expect(try await library.source(of: document).whole.text(.author).isEmpty)
    let csv = try await library.export(HighlightFilter(), as: "csv", to: "")
    #expect(csv.contains("The rest") && !csv.contains("Bell"), "\(csv)")
    _ = try await library.redo()
    #expect(try await library.source(of: document).whole.text(.author) == "Bell, Ann")
  }

  @Test func `an earlier quote of another work does not hide the document's author`()
    async throws
  {
    let bench = try LibraryBench()
    let (library, document) = try await bench.open(with: Self.text)
    var record = AnnotationRecord(
      id: "", quote: "A river is never the same twice", source: "", title: "Fragments",
      color: .yellow)
    record.author = "Heraclitus"
    _ = try await library.importRecords(
      ImportContent(records: [record]), of: "pdf", called: "PDF", into: nil, dryRun: false)
    _ = try await importQuote(library, of: "My Essay")
    #expect(try await library.source(of: document).whole.text(.author) == "Bell, Ann")
  }
}
