import Foundation
import LibrarySupport
import Model
import SystemSupport
import Testing

@testable import LibraryExchange
@testable import Workspace

@Suite struct ImportTests {
  let bench: LibraryBench

  init() throws { bench = try LibraryBench() }

  private struct Passage {
    var id: String
    var exact: String
    var prefix = ""
    var suffix = ""
    var start: Int?
  }

  private func data(_ passages: [Passage], tags: [String] = []) throws -> [UInt8] {
    let annotations = passages.map { passage -> [String: Any] in
      var selectors: [[String: Any]] = []
      if !passage.exact.isEmpty {
        selectors.append([
          "type": "TextQuoteSelector", "exact": passage.exact, "prefix": passage.prefix,
          "suffix": passage.suffix,
        ])
      }
      if let start = passage.start {
        selectors.append([
          "type": "TextPositionSelector", "start": start,
          "end": start + max(1, passage.exact.unicodeScalars.count),
        ])
      }
      return [
        "type": "Annotation", "id": passage.id,
        "body": tags.map { ["purpose": "tagging", "value": $0] },
        "target": ["source": "a.md", "selector": selectors],
      ]
    }
    return Array(try JSONSerialization.data(withJSONObject: annotations))
  }

  @Test func `records with different positions are never merged`() async throws {
    let (library, document) = try await bench.open(with: "one fox, two fox, three fox\n")
    // The passages with "zebra" are not found in the text and have the same words and context.
    let input = try data([
      Passage(id: "a", exact: "fox", prefix: "one ", suffix: ",", start: 4),
      Passage(id: "b", exact: "fox", prefix: "two ", suffix: ",", start: 13),
      Passage(id: "c", exact: "zebra", prefix: "q ", suffix: " q", start: 4),
      Passage(id: "d", exact: "zebra", prefix: "q ", suffix: " q", start: 13),
      Passage(id: "e", exact: "zebra", prefix: "q ", suffix: " q", start: 13),
    ])
    let first = try await library.importHighlights(input, from: "w3c", into: document)
    #expect(first.made.count == 4 && first.known == 1)
    #expect(first.made.filter { $0.highlight.anchor.state == .exact }.count == 2)
    let second = try await library.importHighlights(input, from: "w3c", into: document)
    #expect(second.made.isEmpty && second.known == 5)
  }

  @Test func `a recognition error in a quote without context is corrected, and its state is exact`()
    async throws
  {
    let (library, document) = try await bench.open(
      with: "It is said that the pilot of the harbour never slept in winter.\n")
    let input = try data([Passage(id: "a", exact: "the pi1ot of the harbour never slept")])
    let report = try await library.importHighlights(input, from: "w3c", into: document)
    let highlight = try #require(report.made.first?.highlight)
    #expect(highlight.anchor.state == .exact)
    #expect(highlight.selector.exact == "the pilot of the harbour never slept")
    #expect(highlight.selector.prefix == "It is said that ")
    #expect(try await library.importHighlights(input, from: "w3c", into: document).known == 1)
  }

  @Test func `skipped records are counted and listed`() async throws {
    let (library, document) = try await bench.open(with: "one fox\n")
    let input = try data(
      [Passage(id: "page-note", exact: ""), Passage(id: "m", exact: "fox")], tags: ["good", "a,b"])
    let report = try await library.importHighlights(input, from: "w3c", into: document)
    #expect(report.made.map(\.highlight.tags) == [["good"]])
    #expect(
      report.skipped == [
        "page-note in a.md has neither a quote nor a position", "m: 'a,b' is not a tag",
      ])
    #expect(report.problems.isEmpty)
  }

  @Test func `positions after characters of two code units are correct`() async throws {
    let (library, document) = try await bench.open(with: "🦊 one 🦊 fox 🦊 fox\n")
    let input = try data([
      Passage(id: "a", exact: "fox", prefix: "🦊 ", start: 8),
      Passage(id: "b", exact: "🦊", prefix: " ", suffix: " fox", start: 12),
    ])
    let report = try await library.importHighlights(input, from: "w3c", into: document)
    #expect(
      report.made.map(\.highlight.anchor.range) == [
        TextRange(utf16: 10..<13), TextRange(utf16: 14..<16),
      ])
  }

  @Test func `a document is parsed once for all of its records`() async throws {
    let words = (0..<400).map { "word\($0)" }
    let text = words.joined(separator: " ")
    let (_, document) = try await bench.open(with: text + "\n")
    let library = try bench.open()
    var start = 0
    var passages: [Passage] = []
    for word in words {
      passages.append(Passage(id: word, exact: word, suffix: " ", start: start))
      start += word.count + 1
    }
    passages.removeLast()
    let report = try await library.importHighlights(
      try data(passages), from: "w3c", into: document)
    #expect(report.made.count == 399)
    #expect(report.made.allSatisfy { $0.highlight.anchor.state == .exact })
    #expect(await library.parseCount == 1)
  }
}
