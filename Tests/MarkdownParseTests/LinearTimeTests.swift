import Glibc
import Testing

@testable import MarkdownParse

/// Tests documents for which earlier versions took quadratic time, because they scanned all parts
/// again for each part.
@Suite(.serialized) struct LinearTimeTests {
  /// Returns the shortest of three times in which this thread parses a document, in seconds.
  private static func seconds(_ markdown: String, _ dialect: MarkdownDialect) -> Double {
    let source = MarkdownSource(markdown)
    return (0..<3).map { _ in
      let start = now()
      let document = ParsedDocument(parsing: source, options: dialect.options)
      let end = now()
      return document.blocks.isEmpty ? .infinity : end - start
    }.min() ?? .infinity
  }

  private static func now() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
  }

  // Eight times the size takes eight times as long, or 64 times if the time is quadratic.
  @Test(arguments: [
    ("![[](u)", MarkdownDialect.github), ("[[](u)", .github), ("^[[](u)", .obsidian),
    ("^[[](u)", .pandoc), ("$a `b$` ", .github), ("[$a](b) ", .github),
  ])
  func `parsing takes linear time`(unit: String, dialect: MarkdownDialect) {
    let small = Self.seconds(String(repeating: unit, count: 3_000), dialect)
    let large = Self.seconds(String(repeating: unit, count: 24_000), dialect)
    #expect(large < 24 * small, "\(large / small) times as long for eight times the size")
  }
}
