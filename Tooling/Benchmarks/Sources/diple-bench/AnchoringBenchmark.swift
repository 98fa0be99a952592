import AnchorStrategies
import Anchoring
import Foundation
import Model

/// `diple-bench anchoring [DIR]`: how many highlights are found again in the real edits of a set,
/// and how long that takes there, in large texts and in texts that repeat themselves.
/// `--failures FILE` writes a line for each highlight that is not placed right, `--no-times`
/// leaves out the times.
struct AnchoringBenchmark {
  private let anchorer = Anchorer(strategies: [
    KnownText(), EditMapping(), SnapshotDiff(), QuoteInContext(), Fuzzy(),
  ])
  private var failures = ""

  mutating func run(folder: URL?, failures file: String?, skipsTimes: Bool) throws {
    if let folder {
      for rendered in [false, true] {
        let set = try AnchorSet(folder: folder, rendered: rendered)
        for snapshot in [true, false] { score(set, rendered: rendered, snapshot: snapshot) }
      }
      if let file { try failures.write(toFile: file, atomically: true, encoding: .utf8) }
    } else {
      print("No set of real edits was named: only times follow.\n")
    }
    if !skipsTimes { AnchoringTimes(anchorer: anchorer).print() }
  }

  private mutating func score(_ set: AnchorSet, rendered: Bool, snapshot: Bool) {
    var scores: [String: AnchorScore] = [:]
    var together = (time: 0.0, count: 0)
    var alone = (time: 0.0, count: 0)
    let mode = "\(rendered ? "rendered" : "source"), \(snapshot ? "snapshot" : "quote-only")"
    for pair in set.pairs {
      let subjects = pair.cases.map { test in
        let range = TextRange(utf16: test.range)
        return AnchorSubject(
          selector: Selector(selecting: range, in: pair.old, digest: nil, renderVersion: 1),
          last: snapshot ? range : nil)
      }
      let old = snapshot ? pair.old : nil
      var anchors: [Anchor] = []
      let time = processorTime { anchors = anchorer.reanchor(subjects, from: old, to: pair.new) }
      if subjects.count >= 10 {
        together.time += time
        together.count += subjects.count
      }
      if let first = subjects.first {
        alone.time += processorTime { _ = anchorer.reanchor([first], from: old, to: pair.new) }
        alone.count += 1
      }
      for (test, anchor) in zip(pair.cases, anchors) {
        let outcome = AnchorScore.outcome(test, anchor)
        for group in ["all"] + test.groups {
          scores[group, default: AnchorScore()].add(outcome, anchor)
        }
        if outcome != .right, outcome != .orphan {
          let found = anchor.range.map { "\($0.utf16.lowerBound) \($0.utf16.upperBound)" } ?? "- -"
          let truth = test.truth.first.map { "\($0.lowerBound) \($0.upperBound)" } ?? "- -"
          failures +=
            "\(mode)\t\(test.id)\t\(outcome.rawValue)\t\(anchor.state.rawValue)\t\(anchor.method)\t"
            + String(format: "%.3f", anchor.score) + "\t\(found)\t\(truth)\n"
        }
      }
    }
    func each(_ sum: (time: Double, count: Int)) -> String {
      String(format: "%.4f ms", sum.time / Double(max(1, sum.count)))
    }
    print("### \(mode)\n")
    print(AnchorScore.header)
    let names = ["all"] + scores.keys.filter { $0 != "all" }.sorted()
    for name in names { print(scores[name]!.row(name)) }
    print("\nA highlight takes the processor \(each(together)) in documents with ten or more,")
    print("\(each(alone)) when it is the only one of a document.")
    if set.unrendered > 0 {
      print("\(set.unrendered) passages render to nothing and are left out.")
    }
    print()
  }
}
