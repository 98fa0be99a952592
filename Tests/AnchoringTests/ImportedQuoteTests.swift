import Anchoring
import Model
import Strategies
import TestSupport
import Testing

/// Tests quotes of other programs, which have little or no context.
@Suite struct ImportedQuoteTests {
  private let anchorer = Anchorer(strategies: [
    KnownText(), EditMapping(), SnapshotDiff(), QuoteInContext(), Fuzzy(),
  ])

  private static let text = MarkedText(
    """
    It was a cold day in the office, and the officer's "final" report -- the one about finance -- was
    late. «Nobody knew where the affluent traveller had gone after dinner», or with whom; they looked
    for him everywhere, in the garden, on the roof and in the cellar... At last they gave up.
    """)

  private func anchor(
    _ quote: String, prefix: String = "", suffix: String = "", at position: TextRange? = nil,
    in text: String = text.text
  ) -> Anchor {
    anchorer.reanchor(
      [subject(quote, prefix: prefix, suffix: suffix, at: position)], from: nil,
      to: AnchorText(text))[0]
  }

  private func subject(
    _ quote: String, prefix: String = "", suffix: String = "", at position: TextRange? = nil
  ) -> AnchorSubject {
    AnchorSubject(
      selector: Selector(
        exact: quote, prefix: prefix, suffix: suffix,
        position: position ?? TextRange(utf16: 0..<quote.utf16.count), textDigest: nil,
        renderVersion: 1))
  }

  @Test(arguments: [true, false])
  func `an exact quote without context that occurs once is found`(hasPosition: Bool) {
    for words in ["everywhere", "the garden", "on the roof and in the cellar"] {
      let first = Self.text.text.firstRange(of: words)!
      let start = Self.text.text[..<first.lowerBound].utf16.count
      let range = TextRange(utf16: start..<start + words.utf16.count)
      let found = anchor(words, at: hasPosition ? range : nil)
      #expect(found.range == range)
      #expect(found.state == .exact)
    }
  }

  @Test func `a repeated quote is found by its context, even if prefix and suffix are exchanged`()
    throws
  {
    let text = """
      The captain of the first ship looked at the harbour. He saw the old lamp, and was glad of it.

      The doctor of the second ship looked at the village. She saw the old lamp, and went on board.

      The keeper of the lighthouse looked at the water. Nobody saw the old lamp, and it went out.
      """
    let units = AnchorText(text)
    for (number, range) in text.ranges(of: "the old lamp").enumerated() {
      let start = text[..<range.lowerBound].utf16.count
      let whole = Selector(
        selecting: TextRange(utf16: start..<start + 12), in: units, digest: nil, renderVersion: 1)
      let found = anchor("the old lamp", prefix: whole.suffix, suffix: whole.prefix, in: text)
      #expect(found.range == whole.position && found.state == .exact, "\(number): \(found)")
    }
  }

  @Test func `a quote that occurs several times is doubtful, with all matches as candidates`() {
    let text = "Past the river. A bridge over the river. Boats on the river. Nothing else."
    let found = anchor("the river", in: text)
    #expect(found.state == .doubtful)
    #expect(found.range != nil)
    let places = anchorer.candidates(
      for: subject("the river"), from: nil, to: AnchorText(text), limit: 5)
    #expect(places.count == 3)
  }

  @Test func `each of twelve equal sentences is found at its own position`() {
    let line = "This line is the same.\n"
    let text = AnchorText(String(repeating: line, count: 12))
    let ranges = (0..<12).map { TextRange(utf16: $0 * 23..<$0 * 23 + 22) }
    let subjects = ranges.map {
      AnchorSubject(selector: Selector(selecting: $0, in: text, digest: nil, renderVersion: 1))
    }
    let found = anchorer.reanchor(subjects, from: nil, to: text)
    // The first quote is skipped: its position is 0, as in a quote without a position, so only its
    // context could identify it.
    #expect(found.dropFirst().map(\.range) == ranges.dropFirst().map { $0 })
    #expect(found.dropFirst().allSatisfy { $0.state == .exact })
  }

  @Test(arguments: [
    "Nobody knew   where the affluent\ntraveller had gone after dinner",
    "Nobody knew where the aﬄuent traveller had gone after dinner",
    "Nobody knew where the affluent trav\u{AD}eller had gone after dinner",
    "Nobody knew where the affluent travel-\nler had gone after dinner",
    "Nobody knew where the affluent traveller12 had gone after dinner",
    "Nobody knevv where the affluent traveller had gone after dinner",
    "NOBODY KNEW WHERE THE AFFLUENT TRAVELLER HAD GONE AFTER DINNER",
    "Nobody knew where the … had gone after dinner",
  ])
  func `a quote is found despite other blanks, ligatures and hyphens`(quote: String) {
    let found = anchor(quote)
    #expect(found.range == Self.text.range, "\(found)")
    #expect(found.score >= Anchorer.sureScore)
  }

  @Test func `a quote is found despite typographic quotation marks and dashes`() {
    let expected = MarkedText(
      """
      It was a cold day in the «office, and the officer's "final" report -- the one about finance -- was
      late». Nobody
      """)
    let found = anchor("ofﬁce, and the ofﬁcer’s “ﬁnal” report — the one about ﬁnance — was late")
    #expect(found.range == expected.range)
  }

  @Test func `a quote that does not occur is orphaned`() {
    #expect(anchor("Everybody went home early because of the rain that fell") == .orphan)
  }

  @Test func `a quote in the two halves of a doubled text is doubtful`() {
    let half = (1...30).map {
      "Sentence \($0) of this text says something about subject \($0 * 7)."
    }
    .joined(separator: " ")
    let text = AnchorText(half + "\n\n" + half)
    let start = half.utf16.count / 2
    let range = TextRange(utf16: start..<start + 40)
    var selector = Selector(selecting: range, in: text, digest: nil, renderVersion: 1)
    let edited = half.replacing("Sentence 9 of", with: "Sentence nine of")
    let changed = "New: " + edited + "\n\n" + half
    selector.textDigest = nil
    let found = anchorer.reanchor(
      [AnchorSubject(selector: selector)], from: nil, to: AnchorText(changed))[0]
    #expect(found.state == .doubtful || found.score < 0.95, "\(found)")
  }

  @Test(arguments: [
    ("Nobody knew where the", "affluent traveller", "had gone after dinner"),
    ("the one about finance -- was late.", "Nobody", "knew where"),
    ("looked for him everywhere, in the", "garden", ""),
    ("", "affluent traveller", "had gone"),
  ])
  func `context without its outer blanks does not shorten the quote`(
    prefix: String, quote: String, suffix: String
  ) {
    let found = anchor(quote, prefix: prefix, suffix: suffix)
    #expect(found.range.map { AnchorText(Self.text.text).substring($0) } == quote, "\(found)")
  }

  @Test func `a quote that begins within a word keeps its extent`() {
    let old = MarkedText("They were very un«happy about the weather of that long» day in May.")
    let selector = Selector(
      selecting: old.range, in: AnchorText(old.text), digest: nil, renderVersion: 1)
    let new = AnchorText(
      "In short: they were very unhappy about the weather of that long day in May.")
    let found = anchorer.reanchor([AnchorSubject(selector: selector)], from: nil, to: new)[0]
    #expect(found.range.map { new.substring($0) } == "happy about the weather of that long")
  }

  @Test(arguments: ["traveller", "affluent traveller", "Nobody knew where the affluent traveller"])
  func `a unique quote with a wrong context is found`(quote: String) {
    let contexts = [
      ("Completely other words stand before it here and ", " there are others after it as well."),
      ("had gone after dinner", "Nobody knew where the "), ("xxx", "yyy"),
      ("", " never seen words"),
    ]
    for (prefix, suffix) in contexts {
      let found = anchor(quote, prefix: prefix, suffix: suffix)
      #expect(
        found.range.map { AnchorText(Self.text.text).substring($0) } == quote,
        "\(prefix) \(suffix): \(found)")
    }
  }

  @Test func `a line beside a deleted line is not taken for the deleted line`() {
    let old = MarkedText(
      "| 65 | order new filters | later |\n| 15 | «pack for Lyon» | no |\n| 26 | pack for Lund | no |\n"
        + "| 34 | buy oat milk | no |\n")
    let selector = Selector(
      selecting: old.range, in: AnchorText(old.text), digest: nil, renderVersion: 1)
    let new =
      "| 65 | order new filters | later |\n| 26 | pack for Lund | no |\n| 34 | buy oat milk | no |\n"
    let found = anchorer.reanchor(
      [AnchorSubject(selector: selector)], from: nil, to: AnchorText(new))[0]
    #expect(found == .orphan)
  }
}
