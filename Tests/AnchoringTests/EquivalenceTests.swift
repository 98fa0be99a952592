import Anchoring
import Foundation
import Model
import Strategies
import TestSupport
import Testing

/// Tests that canonically equivalent texts are the same words: é may be one scalar or two.
@Suite struct EquivalenceTests {
  private let anchorer = Anchorer(strategies: [SnapshotDiff(), QuoteInContext(), Fuzzy()])

  private static let texts = [
    "Là où l’été s’achève, «l’hôtel était fermé» jusqu’à la Noël, et personne n’y entrait.",
    "옛날에 어느 산골 마을에 «나무꾼이 살고 있었다» 그는 날마다 숲에서 나무를 했다 그리고 밤에는 잤다",
    "むかしむかし、あるところに、「«おじいさんが、がけのうえで»」ぼんやりとそらをながめていました。",
    "Жил-был король, «который ёлку любил», и его йодный запах, и ещё много чего на свете.",
  ]

  @Test(arguments: texts, [true, false])
  func `a passage whose text was normalized is exact`(
    marked: String, hasSnapshot: Bool
  ) throws {
    let composed = MarkedText(marked.precomposedStringWithCanonicalMapping)
    let decomposed = MarkedText(marked.decomposedStringWithCanonicalMapping)
    #expect(composed.text.utf16.count != decomposed.text.utf16.count)
    for (old, new) in [(composed, decomposed), (decomposed, composed)] {
      let text = AnchorText(old.text)
      let subject = AnchorSubject(
        selector: Selector(selecting: old.range, in: text, digest: nil, renderVersion: 1),
        last: hasSnapshot ? old.range : nil)
      let anchor = anchorer.reanchor(
        [subject], from: hasSnapshot ? text : nil, to: AnchorText(new.text))[0]
      #expect(anchor.range == new.range)
      #expect(anchor.state == .exact)
    }
  }
}
