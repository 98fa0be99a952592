import Anchoring
import Model
import Strategies
import TestSupport
import Testing

/// Tests long texts with few changes far apart. Equal parts are not compared, but passages in them,
/// at their edges and across them are anchored.
@Suite struct LongTextTests {
  private let anchorer = Anchorer(strategies: [
    KnownText(), EditMapping(), SnapshotDiff(), QuoteInContext(), Fuzzy(),
  ])

  /// Returns lines of numbered words. With `repeats`, some lines are equal.
  private static func lines(
    _ count: Int, repeats: Bool, _ random: inout SeededGenerator
  ) -> [(text: String, origin: Int)] {
    let words = "river stone lamp winter garden letter 水車 été silver morning table road".split(
      separator: " ")
    return (0..<count).map { index in
      if repeats, index % 7 == 0 { return ("| --- | --- | the same row in every table |", index) }
      let line = (0..<8).map { _ in String(words.randomElement(using: &random)!) }
      return (line.joined(separator: " ") + " \(index).", index)
    }
  }

  private static func starts(_ lines: [(text: String, origin: Int)]) -> [Int] {
    lines.reduce(into: [0]) { $0.append($0.last! + $1.text.utf16.count + 1) }
  }

  @Test(arguments: [false, true])
  func `passages follow their lines`(repeats: Bool) {
    let seed = SeededGenerator.runSeed
    print("seed \(seed)")
    var random = SeededGenerator(seed: seed)
    for _ in 0..<5 {
      let old = Self.lines(2_400, repeats: repeats, &random)
      var new = old
      // A section is moved. Lines are inserted, deleted and changed in a few places.
      let section = Array(new[300..<330])
      new.removeSubrange(300..<330)
      new.insert(contentsOf: section, at: 1_600)
      for number in 0..<6 {
        let place = Int.random(in: 40..<2_300, using: &random)
        switch number % 3 {
        case 0: new.insert(("A line that is new, number \(number).", -1), at: place)
        case 1: new.remove(at: place)
        default: new[place].text += " It was changed."
        }
      }
      let oldText = AnchorText(old.map(\.text).joined(separator: "\n"))
      let newText = AnchorText(new.map(\.text).joined(separator: "\n"))
      let (oldStarts, newStarts) = (Self.starts(old), Self.starts(new))
      var cases: [(old: TextRange, new: TextRange)] = []
      // Not every random passage has a known position.
      for _ in 0..<1_000 where cases.count < 100 {
        let first = Int.random(in: 0..<old.count, using: &random)
        // Most passages are one or two lines long. Some contain equal parts.
        let count = Int.random(in: 0..<8, using: &random) == 0 ? 180 : 2
        let last = min(old.count - 1, first + count - 1)
        guard let start = new.firstIndex(where: { $0.origin == first }),
          let end = new.firstIndex(where: { $0.origin == last }), start <= end,
          // Both ends are unchanged and in order, and nothing was moved into or out of the passage.
          new[start].text == old[first].text, new[end].text == old[last].text,
          abs((end - start) - (last - first)) <= 6,
          !repeats || (first % 7 != 0 && last % 7 != 0)
        else { continue }
        cases.append(
          (
            TextRange(utf16: oldStarts[first]..<oldStarts[last] + old[last].text.utf16.count),
            TextRange(utf16: newStarts[start]..<newStarts[end] + new[end].text.utf16.count)
          ))
      }
      #expect(cases.count == 100)
      let anchors = anchorer.reanchor(
        cases.map {
          AnchorSubject(
            selector: Selector(selecting: $0.old, in: oldText, digest: nil, renderVersion: 1),
            last: $0.old)
        }, from: oldText, to: newText)
      for (test, anchor) in zip(cases, anchors) { #expect(anchor.range == test.new) }
    }
  }

  @Test func `a deleted passage is orphaned although an unchanged copy exists`() {
    var random = SeededGenerator(seed: 5)
    var lines = Self.lines(2_400, repeats: false, &random).map(\.text)
    let copy = "Install the package with the command that the manual names."
    lines[100] = copy
    lines[300] = copy
    let old = AnchorText(lines.joined(separator: "\n"))
    let start = lines[..<100].reduce(0) { $0 + $1.utf16.count + 1 }
    let passage = TextRange(utf16: start..<start + copy.utf16.count)
    lines.remove(at: 100)
    lines[2_300] = "Another line."
    let anchor = anchorer.reanchor(
      [
        AnchorSubject(
          selector: Selector(selecting: passage, in: old, digest: nil, renderVersion: 1),
          last: passage)
      ], from: old, to: AnchorText(lines.joined(separator: "\n")))[0]
    #expect(anchor.range == nil)
  }

  /// Only the changed parts, which are far apart, are searched for copies.
  @Test func `a passage is doubtful if a copy is added far away and its surroundings are replaced`()
  {
    var random = SeededGenerator(seed: 28)
    let old = Self.lines(4_000, repeats: false, &random).map(\.text)
    let sentence = "A heron stood motionless beside the weir."
    func replaced(_ name: String) -> [String] {
      (0..<40).map { $0 == 20 ? sentence : "Another \(name) paragraph, \(name) \($0)." }
    }
    var before = old
    before[1_000] = sentence
    var after = before
    after.replaceSubrange(980..<1_020, with: replaced("first"))
    after.insert(contentsOf: replaced("second"), at: 3_000)
    let (oldText, newText) = (
      AnchorText(before.joined(separator: "\n")), AnchorText(after.joined(separator: "\n"))
    )
    let start = before[..<1_000].reduce(0) { $0 + $1.utf16.count + 1 }
    let last = TextRange(utf16: start..<start + sentence.utf16.count)
    let subject = AnchorSubject(
      selector: Selector(selecting: last, in: oldText, digest: nil, renderVersion: 1), last: last)
    let anchor = anchorer.reanchor([subject], from: oldText, to: newText)[0]
    #expect(anchor.state == .doubtful && anchor.runnerUp > 0, "\(anchor)")
  }
}
