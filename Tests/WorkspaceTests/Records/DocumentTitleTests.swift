import Foundation
import LibrarySupport
import Model
import Storage
import Testing

@testable import Workspace

/// Tests that the title of a document follows its file until the user sets another title.
@Suite struct DocumentTitleTests {
  let bench: LibraryBench

  init() throws { bench = try LibraryBench() }

  private func title(in library: Library) async throws -> String {
    let documents = try await library.documents()
    return try #require(documents.first).title
  }

  @Test(arguments: [
    ("# Old\n\nText.\n", "# New *name*\n\nText.\n", "New name"),
    ("---\ntitle: Old\n---\nText.\n", "---\ntitle: New\n---\nText.\n", "New"),
    ("# Old\n", "---\ntitle: New\n---\n# Old\n", "New"),
    ("# Old\n", "No heading.\n", "Old"), ("No heading.\n", "# New\n", "New"),
    ("No heading.\n", "Text.\n\n###\n\n## New\n\n### Part\n", "New"),
    ("## Old\n", "## Part\n\n# New\n", "New"),
  ])
  func `the title follows the changed file`(old: String, new: String, expected: String)
    async throws
  {
    let (library, _) = try await bench.open(with: old)
    try bench.write("a.md", new)
    let report = try #require(try await library.refresh().first)
    #expect(report.document.title == expected)
    #expect(try await title(in: library) == expected)
    // Nothing can be undone, because the user has done nothing but add the document.
    let undone = try await library.undo(dryRun: true)
    #expect(undone.step.summary.contains("add"))
    try bench.write("a.md", "# Third\n")
    _ = try await library.refresh()
    #expect(try await title(in: library) == "Third")
  }

  @Test func `a title that the user set stays, and after an undo it follows the file`()
    async throws
  {
    let (library, document) = try await bench.open(with: "# Old\n")
    try await library.rename(document, to: "Mine")
    try bench.write("a.md", "# New\n")
    _ = try await library.refresh()
    #expect(try await title(in: library) == "Mine")
    _ = try await library.undo()
    #expect(try await title(in: library) == "Old")
    try bench.write("a.md", "# Newer\n")
    _ = try await library.refresh()
    #expect(try await title(in: library) == "Newer")
    try await library.rename(try await library.document(id: document.id), to: "Old")
    try bench.write("a.md", "# Newest\n")
    _ = try await library.refresh()
    #expect(try await title(in: library) == "Old")
  }
}
