import Anchoring
import Foundation
import Model
import Strategies

/// `diple-bench anchoring [DIR]`: measures how many highlights are found again in a set of edits,
/// or in each set in a folder. Also measures the time, in these texts, in large ones and in
/// repetitive ones.
///
/// `--failures FILE` writes a line for each highlight that isn't placed right, and `--answers FILE`
/// one for each highlight, to compare two versions. `--no-times` omits the times and `--source` the
/// rendered texts. `--readme FILE` updates the sentence of the README with the figures of the real
/// edits, for highlights whose old text is known.
struct AnchoringBenchmark {
  /// The options of the command line.
  struct Options {
    var folder: URL?
    var failures: String?
    var answers: String?
    var readme: String?
    var skipsTimes = false
    var skipsRendered = false

    init(_ words: [String]) {
      var words = words[...]
      while let word = words.popFirst() {
        switch word {
        case "--failures": failures = words.popFirst()
        case "--answers": answers = words.popFirst()
        case "--readme": readme = words.popFirst()
        case "--no-times": skipsTimes = true
        case "--source": skipsRendered = true
        default: folder = URL(fileURLWithPath: word)
        }
      }
    }
  }

  private let anchorer = Anchorer(strategies: [
    KnownText(), EditMapping(), SnapshotDiff(), QuoteInContext(), Fuzzy(),
  ])
  private var failures = ""
  private var answers = ""
  /// The sentence for the README; nil until the set of real edits was measured.
  private var sentence: String?

  mutating func run(_ options: Options) throws {
    let sets = try options.folder.map(Self.sets) ?? []
    for folder in sets {
      print("## \(folder.lastPathComponent)\n")
      for rendered in options.skipsRendered ? [false] : [false, true] {
        let set = try AnchorSet(folder: folder, rendered: rendered)
        for snapshot in [true, false] {
          score(set, folder.lastPathComponent, rendered: rendered, snapshot: snapshot)
        }
        if rendered {
          let pairs = AnchorImports.pairs(of: set)
          if pairs.isEmpty {
            print("### no imported quotes: no document has \(AnchorImports.leastWords) words\n")
          } else {
            print("### quotes imported into these documents, \(pairs.count) pairs\n")
            score(AnchorSet(pairs: pairs), "imports", rendered: true, snapshot: false)
          }
        }
      }
      if let goal = AnchorGoal.of(folder.lastPathComponent) {
        print("Other programs on similar sets: \(goal.peers)\n")
      }
    }
    if let file = options.failures {
      try failures.write(toFile: file, atomically: true, encoding: .utf8)
    }
    if let file = options.answers {
      try answers.write(toFile: file, atomically: true, encoding: .utf8)
    }
    if let file = options.readme, let sentence { try Self.publish(sentence, in: file) }
    if sets.isEmpty { print("No set of edits was passed, so only times are measured.\n") }
    if !options.skipsTimes { AnchoringTimes(anchorer: anchorer).print() }
  }

  /// Returns the folder if it contains a set, or else its subfolders that contain one.
  private static func sets(in folder: URL) throws -> [URL] {
    func holdsSet(_ folder: URL) -> Bool {
      FileManager.default.isReadableFile(
        atPath: folder.appendingPathComponent("cases.jsonl.gz").path)
    }
    if holdsSet(folder) { return [folder] }
    return try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
      .filter(holdsSet).sorted { $0.lastPathComponent < $1.lastPathComponent }
  }

  private mutating func score(_ set: AnchorSet, _ name: String, rendered: Bool, snapshot: Bool) {
    var scores: [String: AnchorScore] = [:]
    var together = (time: 0.0, count: 0)
    var alone = (time: 0.0, count: 0)
    let mode = "\(rendered ? "rendered" : "source"), \(snapshot ? "snapshot" : "quote-only")"
    for pair in set.pairs {
      let subjects = pair.cases.map { test in
        let range = TextRange(utf16: test.range)
        return AnchorSubject(
          selector: test.selector
            ?? Selector(selecting: range, in: pair.old, digest: nil, renderVersion: 1),
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
        for group in ["all", test.kind] + test.groups {
          scores[group, default: AnchorScore()].add(outcome, anchor)
        }
        let found = anchor.range.map { "\($0.utf16.lowerBound) \($0.utf16.upperBound)" } ?? "- -"
        let truth = test.truth.first.map { "\($0.lowerBound) \($0.upperBound)" } ?? "- -"
        let answer =
          "\(name)\t\(mode)\t\(test.kind)\t\(test.id)\t\(outcome.rawValue)\t"
          + "\(anchor.state.rawValue)\t\(anchor.method)\t"
          + String(format: "%.3f", anchor.score) + "\t\(found)\t\(truth)\n"
        answers += answer
        if outcome != .right, outcome != .orphan { failures += answer }
      }
    }
    report(scores, set, mode, AnchorGoal.of(name), snapshot: snapshot)
    if name == "anchoring", !rendered, snapshot { sentence = scores["all"]?.sentence }
    func each(_ sum: (time: Double, count: Int)) -> String {
      String(format: "%.4f ms", sum.time / Double(max(1, sum.count)))
    }
    print("CPU time for a highlight: \(each(together)) in documents with at least ten highlights,")
    print("\(each(alone)) for a document's only highlight.\n")
  }

  private func report(
    _ scores: [String: AnchorScore], _ set: AnchorSet, _ mode: String, _ goal: AnchorGoal?,
    snapshot: Bool
  ) {
    print("### \(mode)\n")
    print(AnchorScore.header)
    for name in ["all"] + scores.keys.filter({ $0 != "all" }).sorted() {
      print(scores[name]!.row(name))
    }
    print("\n" + (scores["all"]?.calibration ?? ""))
    let goals = goal.map { snapshot ? $0.snapshot : $0.quoteOnly } ?? []
    let lines = (goals + AnchorGoal.ofEverySet).compactMap { line -> String? in
      guard let found = scores[line.group]?.share(line.figure) else { return nil }
      let verdict = line.isMet(by: found) ? "met" : "NOT met"
      let figure = String(format: "%.2f", found)
      return "\(line.group) \(line.figure) \(figure) (\(line.value)) \(verdict)"
    }
    print("Goals: " + lines.joined(separator: "; ") + ".")
    if set.unrendered > 0 {
      print("\(set.unrendered) passages are not visible in the rendered text, and were skipped.")
    }
  }

  /// Replaces the sentence about the real edits in a file.
  private static func publish(_ sentence: String, in file: String) throws {
    let text = try String(contentsOfFile: file, encoding: .utf8)
    let known =
      /[\d,]+ highlights through real edits, [\d.]+ % are found and \w+ (?:is|are) placed wrongly/
    guard text.contains(known) else { throw CocoaError(.fileReadCorruptFile) }
    let changed = text.replacing(known, with: sentence)
    if changed != text { try changed.write(toFile: file, atomically: true, encoding: .utf8) }
  }
}
