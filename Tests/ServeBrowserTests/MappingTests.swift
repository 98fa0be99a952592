import CodeLexers
import Foundation
import MarkdownChecks
import MarkdownParse
import Model
import TestSupport
import Testing

@testable import Rendering

/// Converts positions on the page to offsets in the rendered text and back. The page's own modules
/// do this in a browser, for the examples of CommonMark, pathological documents and random ones.
@Suite(.serialized, .enabled(if: Scenario.canRun, "chromium or python3 is not installed"))
struct MappingTests {
  private struct Case: Encodable {
    struct Part: Encodable {
      var key: String
      var offset: Int
      var length: Int
      var html: String
    }

    var text: String
    var parts: [Part]

    init(_ source: [UInt8], _ dialect: MarkdownDialect, _ random: inout SeededGenerator) {
      let document = ParsedDocument(parsing: MarkdownSource(source), options: dialect.options)
      text = document.text.string
      var overlays: [Overlay] = []
      for id in 0..<Int.random(in: 0...3, using: &random) where document.text.count > 1 {
        let start = Int.random(in: 0..<document.text.count, using: &random)
        let end = Int.random(in: start...document.text.count, using: &random)
        overlays.append(
          Overlay(
            range: TextRange(utf16: start..<end), color: HighlightColor.allCases[id],
            id: "\(id + 1)", hasNote: Bool.random(using: &random)))
      }
      var options = HTMLOptions()
      options.pictureAddress = { $0.isEmpty || $0.hasPrefix("/") ? nil : "/static/icon.svg" }
      options.pictureReason = { $0.isEmpty ? nil : "not shown" }
      var page = Page(document: document, overlays: overlays, lexers: [TableLexer()])
      if Int.random(in: 0..<4, using: &random) == 0 {
        page.options.source = SourceDrawing(hasNumbers: true)
      }
      parts = HTMLBody(page, options: options).parts.enumerated().map { index, part in
        Part(
          key: "\(index)", offset: part.range.lowerBound, length: part.range.count, html: part.html)
      }
    }
  }

  /// The number of random documents: `DIPLE_PAGE_DOCUMENTS`, or 600. The number of pathological
  /// documents is at most a third of it. `Tooling/check-pages` uses larger numbers.
  private static let count =
    ProcessInfo.processInfo.environment["DIPLE_PAGE_DOCUMENTS"].flatMap { Int($0) } ?? 600

  @Test func `each position of the page maps to exactly one offset of the text`() throws {
    let seed = SeededGenerator.runSeed
    print("seed \(seed)")
    var random = SeededGenerator(seed: seed)
    var generator = DocumentGenerator(seed: seed)
    var cases = Specification.commonMark.examples.map { example in
      Case(Array(example.markdown.utf8), .commonmark, &random)
    }
    let specified = cases.count
    let inputs = (PathologicalInputs.all + PathologicalInputs.ofDialects).shuffled(using: &random)
    cases += inputs.prefix(Self.count / 3).map {
      Case(
        Array($0.make(120).utf8), MarkdownDialect.allCases.randomElement(using: &random)!, &random)
    }
    let hostile = cases.count - specified
    for round in 0..<Self.count {
      let source = round.isMultiple(of: 2) ? generator.next() : generator.nextInDialect()
      cases.append(Case(source, MarkdownDialect.allCases.randomElement(using: &random)!, &random))
    }
    print("\(specified) examples, \(hostile) hostile documents, \(Self.count) random ones")
    let folder = try WorkFolder()
    try folder.write("cases.json", String(decoding: try JSONEncoder().encode(cases), as: UTF8.self))
    let output = try Scenario("mapping", folder.path + "/cases.json").run(within: 1_800)
    #expect(output.contains("\(cases.count) documents"))
    #expect(output.contains("0 mismatches"))
  }
}
