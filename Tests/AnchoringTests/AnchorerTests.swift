import Anchoring
import Model
import Strategies
import TestSupport
import Testing

private let anchorer = Anchorer(strategies: [
  KnownText(), EditMapping(), SnapshotDiff(), QuoteInContext(), Fuzzy(),
])

private func anchors(_ old: String, _ new: String, snapshot: Bool = true) -> [Anchor] {
  let old = MarkedText(old)
  let text = AnchorText(old.text)
  let subjects = old.ranges.map {
    AnchorSubject(
      selector: Selector(selecting: $0, in: text, digest: nil, renderVersion: 1),
      last: snapshot ? $0 : nil)
  }
  return anchorer.reanchor(subjects, from: snapshot ? text : nil, to: AnchorText(new))
}

@Suite struct AnchorerTests {
  private static let article = """
    A diple is the mark that ancient readers set in the margin beside a passage worth noticing.
    It looks like an arrow head. «Aristarchus used it in his edition of Homer», and after him many
    others did. The plain diple says only: look here. The dotted one says: I do not agree with what
    another scholar has said of this line. Both kept the text itself clean.
    """

  private func check(
    _ marked: String, _ edit: (String) -> String, _ expected: AnchorState,
    _ words: String?, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let new = edit(MarkedText(marked).text)
    for snapshot in [true, false] {
      let anchor = anchors(marked, new, snapshot: snapshot)[0]
      #expect(anchor.state == expected, "snapshot: \(snapshot)", sourceLocation: sourceLocation)
      let found = anchor.range.map { AnchorText(new).units[$0.utf16] }
      #expect(
        found.map { String(decoding: $0, as: UTF16.self) } == words, "snapshot: \(snapshot)",
        sourceLocation: sourceLocation)
    }
  }

  private let quote = "Aristarchus used it in his edition of Homer"

  @Test func `in an unchanged text each highlight is exact`() {
    check(Self.article, { $0 }, .exact, quote)
  }

  @Test func `text inserted before a passage shifts it`() {
    check(Self.article, { "# On signs\n\nSome words first.\n\n" + $0 }, .exact, quote)
  }

  @Test func `a changed word in a passage makes it edited`() {
    check(
      Self.article, { $0.replacing("his edition of", with: "his great edition of") }, .edited,
      "Aristarchus used it in his great edition of Homer")
  }

  @Test(
    arguments: [
      ("a «red fox» ran", [(2..<5, "blue"), (9..<9, "es")], "blue foxes"),
      ("a «red fox» ran", [(2..<2, "infra"), (6..<9, "wolf")], "infrared wolf"),
      ("a r«ed fo»x ran", [(6..<6, "old ")], "ed old fo"),
      ("去年の«赤い狐»は走る", [(4..<5, "くない"), (6..<6, "火")], "赤くない狐"),
    ] as [(String, [(Range<Int>, String)], String)])
  func `an edited passage does not end inside a word that was whole`(
    marked: String, edits: [(Range<Int>, String)], expected: String
  ) throws {
    let old = MarkedText(marked)
    let range = try #require(old.ranges.first)
    let text = AnchorText(old.text)
    var units = text.units
    for (range, replacement) in edits.reversed() {
      units.replaceSubrange(range, with: replacement.utf16)
    }
    let new = AnchorText(String(decoding: units, as: UTF16.self))
    let subject = AnchorSubject(
      selector: Selector(selecting: range, in: text, digest: nil, renderVersion: 1), last: range)
    let anchor = anchorer.reanchor(
      [subject], from: text, to: new,
      edits: edits.map { TextEdit(range: TextRange(utf16: $0.0), replacement: $0.1) })[0]
    #expect(anchor.state == .edited)
    #expect(anchor.range.map(new.substring) == expected)
  }

  @Test(arguments: [
    ("Here «the quick fox» jumps.", "Here the quick foxes jumps.", "the quick foxes"),
    ("Here «the quick fox».", "Here the quick foxes.", "the quick foxes"),
    ("Here «quickest brown fox» jumps.", "Here quicker brown fox jumps.", "quicker brown fox"),
    ("A «colour, then white» wall.", "A color, then white wall.", "color, then white"),
    ("It «was unwise of them» to go.", "It was wise of them to go.", "was wise of them"),
    // Another word behind it, and a word that was inserted.
    ("Here «the quick fox» jumps.", "Here the quick foxes run.", "the quick"),
    ("Here «the quick fox» jumps.", "Here the quick fox foxes jumps.", "the quick fox"),
  ])
  func `the edited first or last word of a passage stays in it if its neighbours agree`(
    old: String, new: String, words: String
  ) {
    let range = anchors(old, new)[0].range
    #expect(range.map { AnchorText(new).substring($0) } == words)
  }

  @Test func `changed line breaks leave a passage exact`() {
    check(
      Self.article, { $0.replacing("\n", with: " ").replacing(" used it", with: "\nused it") },
      .exact, "Aristarchus\nused it in his edition of Homer")
  }

  @Test func `a deleted sentence is orphaned`() {
    check(
      Self.article,
      {
        $0.replacing(
          "Aristarchus used it in his edition of Homer, and after him many\nothers did. ",
          with: "")
      }, .orphaned, nil)
  }

  @Test func `in an empty text a passage is orphaned`() {
    check(Self.article, { _ in "" }, .orphaned, nil)
  }

  @Test func `a passage that was cut and pasted has the state moved`() {
    let old = """
      First comes a paragraph about the sea and the ships that sail on it in every weather.

      «The second paragraph tells of mountains, of snow and of the long way down to the valley.»

      Then a third one about cities, their streets and the people who walk there at night.

      At last a fourth, on nothing in particular, which ends the whole text without a moral.
      """
    let text = MarkedText(old).text
    var parts = text.components("\n\n")
    parts.append(parts.remove(at: 1))
    let new = parts.joined(separator: "\n\n")
    let anchor = anchors(old, new)[0]
    #expect(anchor.state == .moved)
    #expect(
      anchor.range.map { AnchorText(new).units[$0.utf16].count } == MarkedText(old).range.count)
  }

  @Test func `highlights of repeated words keep their order`() {
    let old = "one «two» three «two» four «two» five"
    let new = "zero one two three and two four two five"
    let found = anchors(old, new).map(\.range)
    #expect(found == MarkedText("zero one «two» three and «two» four «two» five").ranges)
  }

  @Test func `overlapping and equal highlights are anchored together`() {
    let old = "the ««quick «brown»» fox» jumps over the lazy dog by the river"
    let new = "and so the quick brown fox jumps over the lazy dog by the river"
    #expect(
      anchors(old, new).map(\.range)
        == MarkedText("and so the ««quick «brown»» fox» jumps over the lazy dog by the river")
        .ranges)
  }

  @Test func `highlights at the start and the end of the text stay there`() {
    let old = "«Alpha» beta gamma delta epsilon zeta eta theta «omega»"
    let new = "«Alpha» beta gamma delta and epsilon zeta eta theta «omega»"
    #expect(anchors(old, MarkedText(new).text).map(\.range) == MarkedText(new).ranges)
  }

  @Test func `an anchor never divides a grapheme`() {
    let old = "We say Hello «👋🏽» world, and 👨‍👩‍👧‍👦 «e\u{301}te\u{301}» is summer."
    let new = "We do say Hello 👋🏽 world, and 👨‍👩‍👧‍👦 e\u{301}te\u{301} is summer."
    let found = anchors(old, new).compactMap(\.range).map {
      String(decoding: AnchorText(new).units[$0.utf16], as: UTF16.self)
    }
    #expect(found == ["👋🏽", "e\u{301}te\u{301}"])
  }

  @Test func `a passage is found in text without blanks between words`() {
    let old = "吾輩は猫である。名前はまだ無い。「どこで生れたかとんと見当がつかぬ。」何でも薄暗い所で泣いていた。"
      .replacing("「", with: "«").replacing("」", with: "»")
    let new = "序。吾輩は猫である。名前はまだ無い。どこで生れたかとんと見当がつかぬ。何でも薄暗い所で泣いていた。"
    let anchor = anchors(old, new)[0]
    #expect(anchor.state == .exact)
    #expect(
      anchor.range.map { String(decoding: AnchorText(new).units[$0.utf16], as: UTF16.self) }
        == "どこで生れたかとんと見当がつかぬ。")
  }

  @Test(arguments: [
    String(repeating: "a", count: 200_000), String(repeating: "a ", count: 100_000),
    String(repeating: "the same line again\n", count: 10_000),
  ])
  func `repetitive texts get valid anchors`(text: String) {
    let old = AnchorText(text)
    let range = TextRange(utf16: 1_000..<1_019)
    let subject = AnchorSubject(
      selector: Selector(selecting: range, in: old, digest: nil, renderVersion: 1), last: range)
    let shifted = AnchorText("b " + text.dropLast(100))
    let anchor = anchorer.reanchor([subject], from: old, to: shifted)[0]
    if let found = anchor.range { #expect(found.utf16.upperBound <= shifted.units.count) }
    #expect(anchorer.reanchor([subject], from: old, to: old)[0].range == range)
  }

  @Test(arguments: [
    "the same line again and again\n", "a ", "word, ",
  ])
  func `in a repetitive text a small edit elsewhere keeps each passage`(line: String) {
    let old = String(repeating: line, count: 9_000)
    let length = line.utf16.count
    // An insertion at the start and a deletion at the end: the texts share neither beginning nor
    // end.
    let new = "New: " + old.dropLast(3 * length) + "end"
    let text = AnchorText(old)
    let ranges = [2_000, 4_500, 7_000].map { line in
      TextRange(utf16: line * length..<(line + 2) * length - 1)
    }
    let subjects = ranges.map {
      AnchorSubject(
        selector: Selector(selecting: $0, in: text, digest: nil, renderVersion: 1), last: $0)
    }
    let found = anchorer.reanchor(subjects, from: text, to: AnchorText(new))
    #expect(
      found.map(\.range)
        == ranges.map { TextRange(utf16: $0.utf16.lowerBound + 5..<$0.utf16.upperBound + 5) })
  }

  @Test func `a sentence whose second half remains in a rewritten text is doubtful`() {
    let old = """
      Before.

      «The committee decided that the bridge should be painted green in summer.»

      After.

      """
    let new = """
      Other.

      Later the committee agreed that a bridge should be painted red in winter.

      End.

      """
    let anchor = anchors(old, new)[0]
    #expect(anchor.state == .doubtful)
    #expect(
      anchor.range.map { AnchorText(new).substring($0) }?.contains("bridge should be painted")
        == true)
  }

  @Test func `the words of a removed address are not found in a new one`() {
    let old = """
      # Compiler directives

      * Proposal: [SE-NNNN](«https»://github.com/ada/engine/blob/main/proposals/NNNN-name.md)
      * Author: [Ada](https://github.com/ada)
      * Review manager: to be named
      * Status: **Awaiting review**

      ## Introduction

      We want to suggest directives with which an author can warn readers.
      """
    let new = """
      # Compiler directives

      * Proposal: [SE-0196](0196-compiler-directives.md)
      * Author: [Ada](https://github.com/ada)
      * Review manager: [Ted](https://github.com/ted)
      * Implementation: [ada/engine#14048](https://github.com/ada/engine/pull/14048)
      * Status: **Active review (January 9 to 14)**

      ## Introduction

      We want to suggest directives with which an author can warn readers.
      """
    #expect(anchors(old, new)[0].state == .orphaned)
  }

  @Test func `random edits elsewhere keep each highlight at its words`() {
    let seed = SeededGenerator.runSeed
    print("seed \(seed)")
    var random = SeededGenerator(seed: seed)
    let words = (0..<3_000).map { "word\($0)" }
    var wrong = 0
    for _ in 0..<40 {
      var tokens = (0..<400).map { _ in words.randomElement(using: &random)! }
      let first = Int.random(in: 0..<380, using: &random)
      let length = Int.random(in: 4...12, using: &random)
      let quote = tokens[first..<first + length].joined(separator: " ")
      let before = tokens[..<first].map { $0 + " " }.joined()
      let old = tokens.joined(separator: " ")
      let range = TextRange(
        utf16: before.utf16.count..<before.utf16.count + quote.utf16.count)
      var start = first
      for _ in 0..<12 {
        let place = Int.random(in: 0..<tokens.count, using: &random)
        if (start..<start + length).contains(place) { continue }
        if Bool.random(using: &random) {
          tokens.insert(words.randomElement(using: &random)!, at: place)
          if place <= start { start += 1 }
        } else {
          tokens.remove(at: place)
          if place < start { start -= 1 }
        }
      }
      let prefix = tokens[..<start].map { $0 + " " }.joined().utf16.count
      let text = AnchorText(old)
      let subject = AnchorSubject(
        selector: Selector(selecting: range, in: text, digest: nil, renderVersion: 1), last: range)
      let found = anchorer.reanchor(
        [subject], from: text, to: AnchorText(tokens.joined(separator: " ")))[0]
      if found.range?.utf16 != prefix..<prefix + quote.utf16.count { wrong += 1 }
    }
    #expect(wrong == 0)
  }
}

extension String {
  fileprivate func components(_ separator: String) -> [String] {
    var result: [String] = []
    var rest = self[...]
    while let found = rest.firstRange(of: separator) {
      result.append(String(rest[..<found.lowerBound]))
      rest = rest[found.upperBound...]
    }
    return result + [String(rest)]
  }

  @Test func `a stored orphan of a text is used when the text returns`() {
    let old = MarkedText("One. «The river rises in spring and floods the fields.» Two.")
    let text = AnchorText(old.text)
    let selector = Selector(selecting: old.range, in: text, digest: nil, renderVersion: 1)
    let new = AnchorText("Zero. The river rises in spring and floods the fields. Three.")
    let anchorer = Anchorer(strategies: [
      KnownText(), EditMapping(), SnapshotDiff(), QuoteInContext(), Fuzzy(),
    ])
    func anchor(known: Anchor?) -> Anchor {
      let subject = AnchorSubject(selector: selector, last: old.range, known: known)
      return anchorer.reanchor([subject], from: text, to: new)[0]
    }
    #expect(anchor(known: nil).range != nil)
    #expect(anchor(known: .orphan).state == .orphaned)
  }
}
