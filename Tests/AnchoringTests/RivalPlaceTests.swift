import Anchoring
import Model
import Strategies
import TestSupport
import Testing

/// Tests searches in texts that contain an edited passage and, elsewhere, its old wording.
@Suite struct RivalPlaceTests {
  private static let verses = """
    Found by stone.
    Of colour with the.
    For closed again sister quiet to market by.
    Market sister in to.
    Window at morning table.
    «The by silver question.»
    The as to spoke.
    Winter reason of garden wrote the it hidden.
    Closed brother never bridge.
    Narrow evening market morning hidden.
    Morning carried answer for village from broken is.
    Turned and river house.
    Doctor at opened of again turned it sister story.
    Answer the never always hidden golden hidden at.
    In answer quiet turned harbour.

    """

  @Test func `a copy of three lines beside the edited original is doubtful`() throws {
    let new = MarkedText(
      Self.verses.replacing("silver question.»", with: "silver Thursday»")
    ).text.replacing(
      "Market sister in to.",
      with: """
        Window at morning table.
        The by silver question.
        The as to spoke.
        Market sister in to.
        """)
    let found = Anchorer.found(Self.verses, in: new, snapshot: false)
    #expect(found.first?.anchor.state == .doubtful)
  }

  /// The text was appended to itself, and the passage in the first half was edited.
  @Test func `a copy is doubtful beside the edited original if the position is unknown`() throws {
    let marked = """
      Village was story closed for broken was doctor is at colour. Table winter under evening.

      A silver house window question turned doctor market winter found table in bridge table.

      Carried doctor again the carried from from early harbour of house. «Turned winter turned \
      bridge opened table captain mountain is captain broken hidden at silver».

      """
    let old = MarkedText(marked)
    let edited = old.text.replacing("turned bridge opened", with: "turned Thursday opened")
    let text = AnchorText(old.text)
    var selector = Selector(
      selecting: try #require(old.ranges.first), in: text, digest: nil, renderVersion: 1)
    selector.position = TextRange(utf16: 0..<selector.exact.utf16.count)
    let anchors = Anchorer.usual.reanchor(
      [AnchorSubject(selector: selector)], from: nil, to: AnchorText(edited + "\n" + old.text))
    #expect(anchors.first?.state == .doubtful)
    // Without the edited original, the match is unique.
    let alone = Anchorer.usual.reanchor(
      [AnchorSubject(selector: selector)], from: nil, to: AnchorText("One.\n\n" + old.text))
    #expect(alone.first?.state == .exact)
  }

  /// A paragraph was moved, and similar text is at its old position. Comparing the texts leaves two
  /// candidates for the first highlight. The second highlight has no last place, so only its quote
  /// is searched for.
  @Test func `a doubtful highlight does not make a highlight with an equal selector doubtful`()
    throws
  {
    let marked = MarkedText(
      """
      The river rises early every spring and floods the fields below the village.

      Nobody in the harbour remembered the old captain. «The silver lantern hung beside the \
      broken window of his narrow house.» His sister kept the key for seven years.

      The bridge was built by two brothers from the mountain and paid with golden coins.

      In autumn the market closes before the evening and the streets are quiet again.

      """)
    let new = """
      The river rises early every spring and floods the fields below the village.

      The silver lantern hung beside the broken door of a house.

      The bridge was built by two brothers from the mountain and paid with golden coins.

      In autumn the market closes before the evening and the streets are quiet again.

      Nobody in the harbour remembered the old captain. The silver lantern hung beside the \
      broken window of his narrow house. His sister kept the key for seven years.

      """
    let old = AnchorText(marked.text)
    let range = try #require(marked.ranges.first)
    let selector = Selector(selecting: range, in: old, digest: nil, renderVersion: 1)
    let subjects = [
      AnchorSubject(selector: selector, last: range), AnchorSubject(selector: selector),
    ]
    let states = Anchorer.usual.reanchor(subjects, from: old, to: AnchorText(new)).map(\.state)
    #expect(states == [.doubtful, .exact])
  }
}
