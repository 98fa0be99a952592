import Anchoring
import Model
import Strategies
import TestSupport
import Testing

/// Tests the built-in strategies with their examples.
private let strategies: [any AnchorStrategy] = [
  KnownText(), EditMapping(), SnapshotDiff(), QuoteInContext(), Fuzzy(),
]

/// One example of one strategy.
struct AnchorCase: CustomTestStringConvertible {
  var strategy: any AnchorStrategy
  var example: AnchorExample
  var testDescription: String { "\(type(of: strategy).id): \(example.title)" }
}

private func cases(of strategy: some AnchorStrategy) -> [AnchorCase] {
  type(of: strategy).examples.map { AnchorCase(strategy: strategy, example: $0) }
}

@Suite struct AnchorExampleTests {
  @Test(arguments: strategies.flatMap { cases(of: $0) })
  func `a strategy finds the anchor of its example`(_ test: AnchorCase) {
    let old = MarkedText(test.example.old)
    let new = MarkedText(test.example.new)
    let oldText = AnchorText(old.text)
    let selector = Selector(
      selecting: old.range, in: oldText, digest: nil, renderVersion: 1)
    let known =
      test.example.isKnown
      ? new.ranges.first.map { Anchor(range: $0, state: .exact, score: 1, method: "marked") } : nil
    let subject = AnchorSubject(
      selector: selector, last: test.example.hasSnapshot ? old.range : nil, known: known)
    let anchor = Anchorer(strategies: [test.strategy]).reanchor(
      [subject], from: test.example.hasSnapshot ? oldText : nil, to: AnchorText(new.text),
      edits: test.example.edits)[0]
    #expect(anchor.range == new.ranges.first, "\(anchor)")
    if anchor.range != nil { #expect(anchor.method == type(of: test.strategy).id) }
  }

  @Test(arguments: strategies.map { type(of: $0).id })
  func `each strategy has a summary, an example with an anchor and one without`(
    id: String
  ) {
    let strategy = strategies.first { type(of: $0).id == id }!
    let examples = type(of: strategy).examples
    #expect(!type(of: strategy).summary.isEmpty)
    #expect(examples.contains { MarkedText($0.new).ranges.count == 1 })
    #expect(examples.contains { MarkedText($0.new).ranges.isEmpty })
  }
}
