import BuiltIn
import Foundation
import LibrarySupport
import MarkdownParse
import Model
import TestSupport
import Testing

@testable import Storage
@testable import Workspace

/// Tests a stored library whose anchors refer to the rendered text of version 1.
@Suite struct StoredVersionTests {
  private static let fixture = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "RenderVersion1")

  /// Copies the library and its document into a folder.
  private func library(in folder: LibraryFolder) throws -> Library {
    try folder.write(
      "notes.md", String(contentsOf: Self.fixture.appending(path: "notes.md"), encoding: .utf8))
    let path = folder.path + "/.diple"
    try FileManager.default.createDirectory(
      atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    let database = try Database(path + "/library.sqlite", .create)
    try Schema.prepare(database)
    try database.execute(
      sql: String(contentsOf: Self.fixture.appending(path: "library.sql"), encoding: .utf8))
    return try Library(
      at: LibraryLocation(folder: path), plugins: .builtIn, opening: .create)
  }

  @Test func `highlights of render version 1 are placed at the same words in version 2`()
    async throws
  {
    let folder = try LibraryFolder()
    let library = try library(in: folder)
    let before = try await library.highlights(HighlightFilter())
    #expect(before.count == 35)
    #expect(before.allSatisfy { $0.selector.renderVersion == 1 && $0.anchor.state == .exact })

    _ = try await library.refresh()
    let text = try await library.open(try await library.document("notes.md")).parsed.text
    let after = try await library.highlights(HighlightFilter())
    #expect(after.count == before.count)
    // Characters that are now within the words: footnote marks, breaks, a dollar sign.
    let between = [
      "March, and the larks": "March[1], and the larks",
      "April. Nobody counted them before": "April.[late] Nobody counted them before",
      "days.It froze": "days.\nIt froze", "costs 40 a month": "costs $40 a month",
      "two pairsnear the ditch": "two pairs\nnear the ditch",
      "They stop at noon when it is hot": "They stop at noon[late] when it is hot",
    ]
    for highlight in after {
      let quote = highlight.selector.exact
      let range = try #require(highlight.anchor.range, "\(quote) has no place")
      #expect(
        [.exact, .edited].contains(highlight.anchor.state), "\(quote) is \(highlight.anchor)")
      #expect(text.substring(range) == between[quote] ?? quote)
      if between[quote] == nil { #expect(highlight.anchor.state == .exact, "\(quote)") }
    }
    // Two highlights of equal passages keep different positions.
    let twins = after.filter { $0.selector.exact.hasPrefix("The same sentence") }
    #expect(Set(twins.compactMap { $0.anchor.range?.lowerBound }).count == 2)
    let doubtful = try await library.highlights(HighlightFilter(states: [.doubtful, .orphaned]))
    #expect(doubtful.isEmpty)
  }
}
