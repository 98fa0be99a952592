import Anchoring
import Model
import Strategies
import TestSupport
import Testing

/// Tests texts with repeated lines: logs, lists of equal tasks, tables.
@Suite struct RepetitiveTextTests {
  private let anchorer = Anchorer(strategies: [
    KnownText(), EditMapping(), SnapshotDiff(), QuoteInContext(), Fuzzy(),
  ])

  /// Inserts and deletes lines of a text with many equal ones, and expects that a number of
  /// highlighted lines is found at the new position.
  private func check(lines count: Int, edits: Int, least: Int) {
    let seed = SeededGenerator.runSeed
    print("seed \(seed)")
    var random = SeededGenerator(seed: seed)
    let names = ["Ann", "Bob", "Eve"]
    var lines = (0..<count).map { index in
      let name = names[index % names.count]
      let mark = index % 5 == 0 ? "x" : " "
      return (text: "- [\(mark)] call \(name) about the invoice", origin: index)
    }
    let marked = stride(from: 10, to: count - 10, by: count / 30).map { $0 }
    let old = AnchorText(lines.map(\.text).joined(separator: "\n"))
    let places = Self.places(lines.map(\.text))
    let ranges = marked.map { TextRange(utf16: places[$0]) }
    for number in 0..<edits {
      let place = Int.random(in: 0..<lines.count, using: &random)
      if number % 2 == 0 {
        lines.insert(("- [ ] task \(number) that is new", -1), at: place)
      } else if !marked.contains(lines[place].origin) {
        lines.remove(at: place)
      }
    }
    let new = AnchorText(lines.map(\.text).joined(separator: "\n"))
    let newPlaces = Self.places(lines.map(\.text))
    let subjects = ranges.map {
      AnchorSubject(
        selector: Selector(selecting: $0, in: old, digest: nil, renderVersion: 1), last: $0)
    }
    let found = anchorer.reanchor(subjects, from: old, to: new)
    let right = zip(marked, found).count { mark, anchor in
      let index = lines.firstIndex { $0.origin == mark }!
      return anchor.range?.utf16 == newPlaces[index]
    }
    #expect(right >= least, "seed \(seed): \(right) of \(marked.count)")
  }

  private static func places(_ lines: [String]) -> [Range<Int>] {
    var start = 0
    return lines.map { line in
      defer { start += line.utf16.count + 1 }
      return start..<start + line.utf16.count
    }
  }

  @Test(arguments: [["1", "2", "3"], ["A", "B", "C"], ["I", "II", "III"], ["v1", "v2", "v3"]])
  func `a sentence that was copied to all sections is at its section or doubtful`(names: [String]) {
    let sentence = "The quick brown fox jumps."
    let old = AnchorText("\(names[0])\nSomething new here now.\n\(names[1])\n\(sentence)")
    let new = AnchorText(names.map { "\($0)\n\(sentence)" }.joined(separator: "\n"))
    func range(_ occurrence: Int, _ text: AnchorText) -> TextRange {
      let string = String(decoding: text.units, as: UTF16.self)
      let starts = string.ranges(of: "brown fox").map { $0.lowerBound.utf16Offset(in: string) }
      return TextRange(utf16: starts[occurrence]..<starts[occurrence] + 9)
    }
    let last = range(0, old)
    let subject = AnchorSubject(
      selector: Selector(selecting: last, in: old, digest: nil, renderVersion: 1), last: last)
    let anchor = anchorer.reanchor([subject], from: old, to: new)[0]
    #expect(
      anchor.range == range(1, new) || anchor.state == .doubtful && anchor.runnerUp > 0,
      "\(anchor)")
  }

  @Test func `in a list of 600 tasks at least 27 highlights survive 20 edits`() {
    check(lines: 600, edits: 20, least: 27)
  }

  @Test func `in a megabyte of tasks at least 27 highlights survive 240 edits`() {
    check(lines: 30_000, edits: 240, least: 27)
  }

  /// A log in one line in which entries were deleted, inserted and changed. The highlighted
  /// entries are kept.
  @Test func `a highlighted entry of a log is found with certainty only at its own position`() {
    let kinds = (0..<3).map { "INFO worker-\($0) GET /index.html 200 12ms" }
    var wrong = 0
    var sure = 0
    for seed in UInt64(1)...8 {
      var random = SeededGenerator(seed: seed)
      var entries = (0..<240).map { (text: kinds[$0 % 3], origin: $0) }
      let old = AnchorText(entries.map(\.text).joined(separator: " "))
      let places = Self.places(entries.map(\.text))
      let marked = Array(stride(from: 4, to: 236, by: 8))
      for _ in 0..<10 {
        let place = Int.random(in: 0..<entries.count, using: &random)
        let isMarked = marked.contains(entries[place].origin)
        switch Int.random(in: 0..<3, using: &random) {
        case 0 where !isMarked: entries.remove(at: place)
        case 1 where !isMarked: entries[place].text += " changed"
        default: entries.insert((kinds[Int.random(in: 0..<3, using: &random)], -1), at: place)
        }
      }
      let newPlaces = Self.places(entries.map(\.text))
      let subjects = marked.map { index in
        let range = TextRange(utf16: places[index])
        return AnchorSubject(
          selector: Selector(selecting: range, in: old, digest: nil, renderVersion: 1), last: range)
      }
      let new = AnchorText(entries.map(\.text).joined(separator: " "))
      for (mark, anchor) in zip(marked, anchorer.reanchor(subjects, from: old, to: new))
      where anchor.score >= 0.95 {
        sure += 1
        let index = entries.firstIndex { $0.origin == mark }!
        if anchor.range?.utf16 != newPlaces[index] { wrong += 1 }
      }
    }
    #expect(wrong == 0 && sure > 120, "\(wrong) of \(sure)")
  }
}
