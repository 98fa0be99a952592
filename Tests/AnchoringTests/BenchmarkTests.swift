import Anchoring
import Foundation
import Model
import Strategies
import TestSupport
import Testing

/// Runs the benchmark of real edits, if its folder is beside the repository or is set by
/// `DIPLE_ANCHOR_BENCH`.
enum Benchmark {
  struct Place: Decodable {
    var start16: Int
    var end16: Int
    var alt16: [[Int]]?
  }

  struct Case: Decodable {
    var old: String
    var new: String
    var old_start16: Int
    var old_end16: Int
    var truth: Place?
  }

  private struct Text: Decodable {
    var rev: String
    var text: String
  }

  static let folder: URL? = {
    let environment = ProcessInfo.processInfo.environment["DIPLE_ANCHOR_BENCH"]
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    let folder =
      environment.map { URL(fileURLWithPath: $0) }
      ?? root.appendingPathComponent("../shared/bench/anchoring")
    let cases = folder.appendingPathComponent("cases.jsonl.gz").path
    return FileManager.default.isReadableFile(atPath: cases) ? folder : nil
  }()

  private static func lines<T: Decodable>(_ name: String, _ type: T.Type) throws -> [T] {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["gzip", "-dc", folder!.appendingPathComponent(name).path]
    let pipe = Pipe()
    process.standardOutput = pipe
    try process.run()
    let data = pipe.fileHandleForReading.readDataToEndOfFile()
    guard try process.end() == 0 else { throw CocoaError(.fileReadCorruptFile) }
    return try data.split(separator: 10).map { try JSONDecoder().decode(T.self, from: $0) }
  }

  struct Score {
    var right = 0, partial = 0, wrong = 0, missed = 0, resurrected = 0, gone = 0
    var confidentlyWrong = 0, confident = 0
    var alive: Int { right + partial + wrong + missed }
    func percent(_ count: Int, of all: Int) -> Double { 100 * Double(count) / Double(max(1, all)) }

    mutating func add(_ test: Case, _ anchor: Anchor) {
      let sure = anchor.state != .doubtful && anchor.state != .orphaned
      guard let truth = test.truth else {
        gone += 1
        if anchor.range != nil { resurrected += 1 }
        return
      }
      guard let range = anchor.range?.utf16 else {
        missed += 1
        return
      }
      let places = [[truth.start16, truth.end16]] + (truth.alt16 ?? [])
      let overlap = places.map { place -> Double in
        let shared = max(0, min(range.upperBound, place[1]) - max(range.lowerBound, place[0]))
        let all = max(range.upperBound, place[1]) - min(range.lowerBound, place[0])
        return Double(shared) / Double(max(1, all))
      }.max()!
      if overlap >= 0.8 { right += 1 } else if overlap > 0 { partial += 1 } else { wrong += 1 }
      if sure { confident += 1 }
      if sure && overlap == 0 { confidentlyWrong += 1 }
    }

    func line(_ name: String) -> String {
      let figures = [
        ("recall", percent(right, of: alive)), ("partial", percent(partial, of: alive)),
        ("wrong", percent(wrong, of: alive)), ("missed", percent(missed, of: alive)),
        ("resurrected", percent(resurrected, of: gone)),
        ("wrong among sure", percent(confidentlyWrong, of: confident)),
      ]
      let shown = figures.map { "\($0.0) \(String(format: "%.2f", $0.1))" }
      return "\(name): " + shown.joined(separator: ", ")
    }
  }

  static func run(snapshot: Bool) throws -> Score {
    let texts = Dictionary(
      uniqueKeysWithValues: try lines("texts.jsonl.gz", Text.self).map {
        ($0.rev, AnchorText($0.text))
      })
    let cases = try lines("cases.jsonl.gz", Case.self)
    let anchorer = Anchorer(strategies: [
      KnownText(), EditMapping(), SnapshotDiff(), QuoteInContext(), Fuzzy(),
    ])
    var score = Score()
    for (_, group) in Dictionary(grouping: cases, by: { $0.old + $0.new }) {
      let old = texts[group[0].old]!
      let subjects = group.map { test -> AnchorSubject in
        let range = TextRange(utf16: test.old_start16..<test.old_end16)
        return AnchorSubject(
          selector: Selector(selecting: range, in: old, digest: nil, renderVersion: 1),
          last: snapshot ? range : nil)
      }
      let anchors = anchorer.reanchor(
        subjects, from: snapshot ? old : nil, to: texts[group[0].new]!)
      for (test, anchor) in zip(group, anchors) { score.add(test, anchor) }
    }
    return score
  }
}

@Suite struct BenchmarkTests {
  @Test(.enabled(if: Benchmark.folder != nil, "the benchmark of real edits is not installed"))
  func `real edits are followed with the previous text`() throws {
    let score = try Benchmark.run(snapshot: true)
    print(score.line("snapshot"))
    #expect(score.percent(score.right, of: score.alive) >= 99.3)
    #expect(score.percent(score.wrong, of: score.alive) <= 0.03)
    #expect(score.percent(score.resurrected, of: score.gone) <= 2.6)
    #expect(score.percent(score.confidentlyWrong, of: score.confident) <= 0.1)
  }

  @Test(.enabled(if: Benchmark.folder != nil, "the benchmark of real edits is not installed"))
  func `real edits are followed with only the quote`() throws {
    let score = try Benchmark.run(snapshot: false)
    print(score.line("quote-only"))
    #expect(score.percent(score.right, of: score.alive) >= 98.3)
    #expect(score.percent(score.wrong, of: score.alive) <= 0.4)
    #expect(score.percent(score.resurrected, of: score.gone) <= 10)
    #expect(score.percent(score.confidentlyWrong, of: score.confident) <= 0.1)
  }
}
