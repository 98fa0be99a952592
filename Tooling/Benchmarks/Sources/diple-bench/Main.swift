import Anchoring
import Foundation
import MarkdownParse
import Model
import Strategies

/// Measures operations that are too short to be measured as a process, such as parsing.
/// usage: diple-bench FILE…                                               parses the joined files
///        diple-bench reading FILE…                                       see ReadingBenchmark
///        diple-bench search|scan …                                      see SearchBenchmark
///        diple-bench storage PATH [DOCUMENTS [HIGHLIGHTS]]              see StorageBenchmark
///        diple-bench sync [DIR [HIGHLIGHTS [FLUSHES]]]                   see SyncBenchmark
///        diple-bench anchoring [DIR] [OPTION…]                           see AnchoringBenchmark
///        diple-bench survival DIR                                        see SurvivalBenchmark
@main
enum Main {
  static func main() async throws {
    let words = Array(CommandLine.arguments.dropFirst())
    if words.count == 3, ["search", "scan"].contains(words[0]) {
      return try await SearchBenchmark.run(words)
    }
    if words.first == "sync" { return try await SyncBenchmark(Array(words.dropFirst())).run() }
    if words.first == "storage" {
      var benchmark = StorageBenchmark(Array(words.dropFirst()))
      return try benchmark.run()
    }
    if words.count == 2, words[0] == "survival" {
      return try await SurvivalBenchmark().run(URL(fileURLWithPath: words[1]))
    }
    if words.first == "anchoring" {
      var benchmark = AnchoringBenchmark()
      return try benchmark.run(AnchoringBenchmark.Options(Array(words.dropFirst())))
    }
    var bytes: [UInt8] = []
    let isReading = CommandLine.arguments.dropFirst().first == "reading"
    for path in CommandLine.arguments.dropFirst(isReading ? 2 : 1) {
      bytes += Array(try Data(contentsOf: URL(fileURLWithPath: path)))
    }
    if isReading { return ReadingBenchmark().run(bytes) }
    let source = MarkdownSource(bytes)
    let clock = ContinuousClock()
    func best(_ runs: Int, _ body: () -> Void) -> Double {
      (0..<runs).map { _ in
        let time = clock.measure(body)
        return Double(time.components.seconds) + Double(time.components.attoseconds) * 1e-18
      }.min() ?? 0
    }
    var parsed = ParsedDocument(parsing: source)
    let parse = best(5) { parsed = ParsedDocument(parsing: source) }
    // A single pass over the bytes, which is the minimum of work for any parser.
    var sum = 0
    let scan = best(5) { sum = bytes.reduce(into: 0) { $0 &+= Int($1) } }
    let size = Double(bytes.count) / 1e6
    print(
      String(
        format:
          "parse %.1f MB with text and map: %.0f MB/s (summing the bytes: %.0f MB/s, ratio %.3f; %d)",
        size, size / parse, size / scan, scan / parse, sum & 1))

    let old = AnchorText(utf16: parsed.text.utf16)
    let edited = parsed.text.string.replacing(" the ", with: " that ", maxReplacements: 500)
    let new = AnchorText(edited)
    let step = max(200, old.units.count / 1_000)
    let subjects = stride(from: 0, to: old.units.count - 100, by: step).map { start in
      let range = TextRange(utf16: start..<start + 80)
      return AnchorSubject(
        selector: Selector(selecting: range, in: old, digest: nil, renderVersion: 1), last: range)
    }
    let anchorer = Anchorer(strategies: [SnapshotDiff(), QuoteInContext(), Fuzzy()])
    var found: [Anchor] = []
    let anchoring = best(3) { found = anchorer.reanchor(subjects, from: old, to: new) }
    print(
      String(
        format:
          "re-anchor %d highlights in %.1f MB after 500 edits: %.0f ms, %.4f ms each, %d placed",
        subjects.count, Double(old.units.count) / 1e6, anchoring * 1e3,
        anchoring * 1e3 / Double(subjects.count), found.count { $0.range != nil }))
  }
}
