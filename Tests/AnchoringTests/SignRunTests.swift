import Anchoring
import Model
import Strategies
import TestSupport
import Testing

/// Tests rules, underlines and table borders, which formatters extend at will.
@Suite struct SignRunTests {
  private let anchorer = Anchorer(strategies: [
    KnownText(), EditMapping(), SnapshotDiff(), QuoteInContext(), Fuzzy(),
  ])

  private func check(_ old: String, _ new: String, snapshot: Bool) {
    let old = MarkedText(old)
    let new = MarkedText(new)
    let text = AnchorText(old.text)
    let range = old.ranges[0]
    let subject = AnchorSubject(
      selector: Selector(selecting: range, in: text, digest: nil, renderVersion: 1),
      last: snapshot ? range : nil)
    let anchor = anchorer.reanchor(
      [subject], from: snapshot ? text : nil, to: AnchorText(new.text))[0]
    #expect(anchor.range == new.ranges[0], "\(anchor)")
  }

  @Test(arguments: [true, false])
  func `a highlight is found if it ends in a table whose border grew`(snapshot: Bool) {
    let before = "Each call keeps what it computed, but the «cache is a detail that no other code "
    let after = "factorial» here calls itself, but that makes no difference to what is kept. |\n"
    let line = String(repeating: "-", count: 180)
    let blank = String(repeating: " ", count: 170)
    check(
      before + "sees.\n\n| NOTE: |\n| :--- |\n| " + after,
      before + "sees.\n\n| NOTE: " + blank + "|\n| :" + line + " |\n| " + after,
      snapshot: snapshot)
  }

  @Test func `a highlight is found if it begins within a rule that is shorter now`() {
    check(
      "One.\n\n--------«---\n\nThe second part begins here»\n===\n\nTwo.\n",
      "One.\n\n---«-\n\nThe second part begins here»\n=======\n\nTwo.\n", snapshot: true)
  }
}
