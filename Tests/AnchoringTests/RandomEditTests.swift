import Anchoring
import Model
import Strategies
import TestSupport
import Testing

/// Tests random edits with known results.
@Suite struct RandomEditTests {
  private let anchorer = Anchorer(strategies: [
    KnownText(), EditMapping(), SnapshotDiff(), QuoteInContext(), Fuzzy(),
  ])

  /// A text of numbered words, each with its original index.
  private struct Words {
    var items: [(word: String, origin: Int)]

    init(_ count: Int, of vocabulary: Int, _ random: inout SeededGenerator) {
      let letters = ["ka", "lo", "mi", "né", "ру", "ti", "ŝa", "vo", "we", "zu"]
      items = (0..<count).map { index in
        var number = Int.random(in: 0..<vocabulary, using: &random)
        var word = ""
        repeat {
          word += letters[number % letters.count]
          number /= letters.count
        } while number > 0
        return (word, index)
      }
    }

    var text: String { items.map(\.word).joined(separator: " ") }

    /// Returns the UTF-16 range of some words.
    func range(_ words: Range<Int>) -> TextRange {
      let start = items[..<words.lowerBound].reduce(0) { $0 + $1.word.utf16.count + 1 }
      let length = items[words].reduce(-1) { $0 + $1.word.utf16.count + 1 }
      return TextRange(utf16: start..<start + length)
    }
  }

  private func subject(_ range: TextRange, _ text: AnchorText, _ hasSnapshot: Bool) -> AnchorSubject
  {
    AnchorSubject(
      selector: Selector(selecting: range, in: text, digest: nil, renderVersion: 1),
      last: hasSnapshot ? range : nil)
  }

  @Test(arguments: [true, false])
  func `edits in and around a passage keep its first and last word`(
    hasSnapshot: Bool
  ) {
    let seed = SeededGenerator.runSeed
    print("seed \(seed)")
    var random = SeededGenerator(seed: seed)
    for round in 0..<60 {
      let old = Words(500, of: 2_000, &random)
      let start = Int.random(in: 0..<470, using: &random)
      let passage = start..<start + Int.random(in: 10...28, using: &random)
      var new = old
      for _ in 0..<12 {
        // Edit one word inside and several outside. The ends and their neighbours are unchanged.
        let isInside = Int.random(in: 0..<12, using: &random) == 0
        let place = new.items.indices.randomElement(using: &random)!
        let origin = new.items[place].origin
        let isFree =
          origin >= 0
          && (isInside
            ? origin > passage.lowerBound + 2 && origin < passage.upperBound - 3
            : origin < passage.lowerBound - 3 || origin > passage.upperBound + 3)
        guard isFree else { continue }
        switch Int.random(in: 0..<3, using: &random) {
        case 0: new.items.remove(at: place)
        case 1: new.items[place] = ("changed", -1)
        default: new.items.insert(("added", -1), at: place)
        }
      }
      let first = new.items.firstIndex { $0.origin == passage.lowerBound }!
      let last = new.items.firstIndex { $0.origin == passage.upperBound - 1 }!
      let text = AnchorText(old.text)
      let found = anchorer.reanchor(
        [subject(old.range(passage), text, hasSnapshot)], from: hasSnapshot ? text : nil,
        to: AnchorText(new.text))[0]
      #expect(found.range == new.range(first..<last + 1), "seed \(seed), round \(round)")
    }
  }

  @Test func `a passage in a moved block is found`() {
    let seed = SeededGenerator.runSeed
    print("seed \(seed)")
    var random = SeededGenerator(seed: seed)
    for round in 0..<40 {
      let old = Words(600, of: 3_000, &random)
      let block =
        Int.random(in: 100..<200, using: &random)..<Int.random(in: 230..<280, using: &random)
      let passage = block.lowerBound + 8..<block.lowerBound + 16
      var new = old
      let moved = Array(new.items[block])
      new.items.removeSubrange(block)
      new.items.insert(contentsOf: moved, at: 400)
      let start = new.items.firstIndex { $0.origin == passage.lowerBound }!
      let text = AnchorText(old.text)
      let found = anchorer.reanchor(
        [subject(old.range(passage), text, true)], from: text, to: AnchorText(new.text))[0]
      #expect(
        found.range == new.range(start..<start + passage.count), "seed \(seed), round \(round)")
    }
  }

  @Test func `a deleted passage is orphaned, whatever else has changed`() {
    let seed = SeededGenerator.runSeed
    print("seed \(seed)")
    var random = SeededGenerator(seed: seed)
    for round in 0..<40 {
      let old = Words(400, of: 3_000, &random)
      let passage = 150..<165
      var new = old
      new.items.removeSubrange(140..<175)
      for _ in 0..<10 { new.items.remove(at: Int.random(in: 0..<new.items.count, using: &random)) }
      for hasSnapshot in [true, false] {
        let text = AnchorText(old.text)
        let found = anchorer.reanchor(
          [subject(old.range(passage), text, hasSnapshot)], from: hasSnapshot ? text : nil,
          to: AnchorText(new.text))[0]
        #expect(found == .orphan, "seed \(seed), round \(round), snapshot \(hasSnapshot)")
      }
    }
  }

  @Test func `equal text far before and after does not change any anchor`() {
    let seed = SeededGenerator.runSeed
    print("seed \(seed)")
    var random = SeededGenerator(seed: seed)
    for round in 0..<20 {
      let old = Words(300, of: 1_500, &random)
      var new = old
      for _ in 0..<30 {
        let place = Int.random(in: 0..<new.items.count, using: &random)
        if Bool.random(using: &random) {
          new.items.remove(at: place)
        } else {
          new.items.insert(("added", -1), at: place)
        }
      }
      let before = Words(900, of: 100_000, &random).text + " "
      let after = " " + Words(900, of: 100_000, &random).text
      let shift = before.utf16.count
      let places = (0..<10).map { _ in
        let start = Int.random(in: 20..<260, using: &random)
        return old.range(start..<start + Int.random(in: 1...15, using: &random))
      }
      func found(_ before: String, _ after: String) -> [Range<Int>?] {
        let text = AnchorText(before + old.text + after)
        let shift = before.utf16.count
        let subjects = places.map { place in
          subject(
            TextRange(utf16: place.utf16.lowerBound + shift..<place.utf16.upperBound + shift), text,
            true)
        }
        return anchorer.reanchor(
          subjects, from: text, to: AnchorText(before + new.text + after)
        ).map { $0.range?.utf16 }
      }
      // The anchorer compares less text around the edits than this margin, so it cuts the longer
      // texts.
      let margin = Words(300, of: 100_000, &random).text + " "
      let near = found(margin, after)
      let far = found(before + margin, after + after)
      #expect(
        far == near.map { $0.map { $0.lowerBound + shift..<$0.upperBound + shift } },
        "seed \(seed), round \(round)")
    }
  }

  @Test func `a passage that begins in equal text and ends in changed text is followed completely`()
  {
    var random = SeededGenerator(seed: 5)
    let old = Words(3_000, of: 100_000, &random)
    var new = old
    new.items.insert(("added", -1), at: 2_500)
    new.items.remove(at: 2_520)
    let text = AnchorText(old.text)
    for hasSnapshot in [true, false] {
      let found = anchorer.reanchor(
        [subject(old.range(100..<2_800), text, hasSnapshot)], from: hasSnapshot ? text : nil,
        to: AnchorText(new.text))[0]
      #expect(found.range == new.range(100..<2_800))
      #expect(found.state == .edited)
    }
  }
}
