import Foundation
import LibrarySupport
import MarkdownParse
import Model
import Search
import Testing

@testable import Workspace

/// Tests that a search in one document finds words without their apostrophes and quotation marks if
/// nothing matches exactly.
@Suite struct FindQuotesTests {
  let bench: LibraryBench

  init() throws { bench = try LibraryBench() }

  @Test(arguments: [
    ("dont stop", "literal", ["Don’t stop"]), ("Dont stop", "literal", ["Don’t stop"]),
    ("DONT stop", "literal", []), ("yes and", "literal", ["“Yes” and"]),
    ("‘and’", "literal", []), ("'and", "literal", []), ("cant", "literal", ["cant"]),
    ("dont stop", "regex", []),
  ])
  func `a query without apostrophes finds whole words`(
    query: String, strategy: String, expected: [String]
  ) async throws {
    let text = "Don’t stop, she said “Yes” and can’t, in thieves’ cant, on.\n"
    let (library, document) = try await bench.open(with: text)
    let open = try await library.open(document)
    let found = try await library.find(try SearchQuery(query), strategy: strategy, in: open)
    let words = found.matches.map { open.parsed.text.substring($0) }
    #expect(words == expected)
  }
}
