import BuiltIn
import Editing
import Foundation
import LibrarySupport
import MarkdownParse
import Model
import Search
import Synchronization
import TestSupport
import Testing

@testable import Workspace

/// Tests documents whose letters and marks are encoded differently from what a user types.
@Suite final class CanonicalFormTests {
  let folder = NSTemporaryDirectory() + "/diple-canonical-" + UUID().uuidString

  init() throws {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: folder) }

  private func write(_ text: String, age: TimeInterval = 60) throws {
    let path = folder + "/a.md"
    try Data(text.utf8).write(to: URL(filePath: path))
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSinceNow: -age)], ofItemAtPath: path)
  }

  private func library() async throws -> Library {
    let library = try Library(
      at: LibraryLocation(folder: folder + "/.diple"), plugins: .builtIn, opening: .create)
    _ = try await library.add([folder + "/a.md"])
    return library
  }

  /// Texts with a passage that has another encoding.
  static let passages = [
    ("Un petit éclair au chocolat, dit-elle.", "éclair au chocolat"),
    ("Xin chào, Việt Nam là một nước đẹp ở Đông Nam Á.", "Việt Nam là một nước"),
    ("옛날에 어느 산골 마을에 나무꾼이 살고 있었다.", "산골 마을에"),
    ("むかしがけのうえで、おじいさんがいました。", "がけのうえで"),
    ("আমি বাংলায় কোথায় গান গাই ।", "কোথায় গান"),
    ("A length of 3 Å at 5 Ω, as measured here.", "3 Å at 5 Ω"),
    ("Жил-был король, который ёлку любил.", "ёлку любил"),
  ]

  static func other(_ text: String, _ isDecomposed: Bool) -> String {
    isDecomposed
      ? text.decomposedStringWithCanonicalMapping
      : text.precomposedStringWithCanonicalMapping
  }

  @Test(arguments: passages, [true, false])
  func `quotes, find, search and replace reach the other encoding`(
    _ passage: (text: String, quote: String), isDecomposed: Bool
  ) async throws {
    let text = Self.other(passage.text, isDecomposed)
    let quote = Self.other(passage.quote, !isDecomposed)
    try write(text)
    let library = try await library()
    let open = try await library.open(try await library.document("a.md"))
    let written = open.parsed.text

    let spec = try SelectionSpec(parsing: "\"\(quote)\"")
    let range = try spec.resolve(in: open.parsed)
    #expect(written.substring(range) == quote)
    #expect(spec.difference(from: range, in: open.parsed) == nil)

    let query = try SearchQuery(quote)
    for strategy in ["literal", "regex", "words", "any-word", "near", "text", "fuzzy"] {
      let found = try await library.find(query, strategy: strategy, in: open).matches
      #expect(!found.isEmpty, "\(strategy)")
      if ["literal", "regex"].contains(strategy) { #expect(found == [range]) }
      // The index selects the document.
      var request = SearchRequest(query: query)
      request.strategy = strategy
      let results = Mutex(0)
      let outcome = try await library.search(request) { event in
        if case .found(let result) = event { results.withLock { $0 += result.count } }
        return true
      }
      #expect(outcome == .complete && results.withLock { $0 } == found.count, "\(strategy)")
    }

    var request = ReplaceRequest(query, with: "[new]")
    request.which = .all
    _ = try await library.replace(request, in: nil, dryRun: false)
    let replaced = try String(contentsOfFile: folder + "/a.md", encoding: .utf8)
    #expect(
      replaced == text.replacing(Self.other(passage.quote, isDecomposed), with: "\\[new]")
        || replaced == text.replacing(Self.other(passage.quote, isDecomposed), with: "[new]"))
  }

  @Test(arguments: passages, [true, false])
  func `highlights of a file that is encoded anew stay exact`(
    _ passage: (text: String, quote: String), isDecomposed: Bool
  ) async throws {
    try write(Self.other("# Title\n\n\(passage.text)\n\nThe end.\n", isDecomposed), age: 120)
    let library = try await library()
    var open = try await library.open(try await library.document("a.md"))
    _ = try await library.mark(
      try SelectionSpec(parsing: "\"\(passage.quote)\"").resolve(in: open.parsed), MarkRequest(),
      in: open)
    try write(Self.other("# Title\n\n\(passage.text)\n\nThe end.\n", !isDecomposed))
    open = try await library.open(try await library.document("a.md"))
    let highlight = try #require(try await library.highlights(HighlightFilter()).first)
    #expect([.exact, .moved].contains(highlight.anchor.state))
    let range = try #require(highlight.anchor.range)
    #expect(open.parsed.text.substring(range) == passage.quote)
  }

  @Test func `a quote in another encoding precedes the same words in another case`() throws {
    let text = "Éclair and ECLAIR, and e\u{301}clair."
    let document = ParsedDocument(parsing: MarkdownSource(text))
    var spec = try SelectionSpec(parsing: "\"éclair\"")
    spec.allowsOtherMarks = true
    let range = try spec.resolve(in: document)
    #expect(document.text.substring(range) == "éclair" && range.utf16.lowerBound > 18)
    #expect(spec.difference(from: range, in: document) == nil)
  }
}
