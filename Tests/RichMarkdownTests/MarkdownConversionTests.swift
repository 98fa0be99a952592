import Foundation
import MarkdownParse
import Model
import RichMarkdown
import RichText
import RichTextChecks
import TestSupport
import Testing

@Suite struct MarkdownConversionTests {
  /// `DIPLE_FORMAT_TEXTS` sets the number of texts (500), `DIPLE_TEST_SEED` repeats a run.
  private static let texts =
    ProcessInfo.processInfo.environment["DIPLE_FORMAT_TEXTS"].flatMap(Int.init) ?? 500

  @Test func `random texts keep their characters and attributes`() throws {
    let seed = SeededGenerator.runSeed
    print("MarkdownConversionTests: seed \(seed), \(Self.texts) texts")
    var random = SeededGenerator(seed: seed)
    for number in 0..<Self.texts {
      let text = try RichMarkdownChecks.text(&random)
      do {
        try RichMarkdownChecks.check(text)
      } catch {
        throw RichMarkdownChecks.Broken(description: "seed \(seed), text \(number): \(error)")
      }
    }
  }

  @Test func `a document is equal after converting it to a text and back`() throws {
    let seed = SeededGenerator.runSeed
    print("MarkdownConversionTests: seed \(seed), \(Self.texts) documents")
    var random = SeededGenerator(seed: seed)
    for number in 0..<Self.texts {
      let markdown = RichMarkdownChecks.markdown(&random)
      let parsed = ParsedDocument(parsing: MarkdownSource(markdown))
      let layer = try RichMarkdownChecks.layer(parsed.text.utf16, &random)
      do {
        try RichMarkdownChecks.check(parsed, layer)
      } catch {
        throw RichMarkdownChecks.Broken(
          description: "seed \(seed), document \(number): \(error)\n\(markdown.debugDescription)")
      }
    }
  }
}
