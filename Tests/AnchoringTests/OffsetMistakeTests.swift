import Anchoring
import MarkdownParse
import Model
import Strategies
import TestSupport
import Testing

/// Tests mistakes with offsets that an earlier program made. The codes are those of its list.
@Suite struct OffsetMistakeTests {
  private let anchorer = Anchorer(strategies: [
    KnownText(), EditMapping(), SnapshotDiff(), QuoteInContext(), Fuzzy(),
  ])

  private func subject(_ range: TextRange, _ text: AnchorText, last: TextRange?) -> AnchorSubject {
    AnchorSubject(
      selector: Selector(selecting: range, in: text, digest: nil, renderVersion: 1), last: last)
  }

  private func words(_ anchor: Anchor, _ text: AnchorText) -> String? {
    anchor.range.map { String(decoding: text.units[$0.utf16], as: UTF16.self) }
  }

  @Test func `L8: texts with exchanged halves are not taken for the same text`() {
    let halves = [
      "The «first half» speaks of ships and of the sea in all its weathers.\n\n",
      "The second half speaks of mountains and of the long way down from them.\n\n",
    ]
    let old = MarkedText(halves[0] + halves[1])
    let text = AnchorText(old.text)
    let new = MarkedText(halves[1] + halves[0])
    let anchor = anchorer.reanchor(
      [subject(old.range, text, last: old.range)], from: text, to: AnchorText(new.text))[0]
    #expect(anchor.range == new.range)
    #expect(anchor.range != old.range)
  }

  @Test(arguments: [true, false])
  func `L22: offsets are UTF-16 units, not characters`(hasSnapshot: Bool) {
    let old = MarkedText("A 👨‍👩‍👧‍👦 family, 𝔘𝔫𝔦 and «the words» after them stay in their place.")
    let new = MarkedText("🏳️‍🌈 A 👨‍👩‍👧‍👦 family, 𝔘𝔫𝔦 and «the words» after them stay in their place.")
    let text = AnchorText(old.text)
    let anchor = anchorer.reanchor(
      [subject(old.range, text, last: hasSnapshot ? old.range : nil)],
      from: hasSnapshot ? text : nil, to: AnchorText(new.text))[0]
    #expect(anchor.range == new.range)
    #expect(anchor.state == .exact)
  }

  @Test func `L23: a range outside the text is ignored, and the quote is searched for`() {
    let old = MarkedText(
      "Long ago the «old mill by the stream» was burnt down by nobody knows whom.")
    let text = AnchorText(old.text)
    let beyond = TextRange(utf16: 5_000..<5_010)
    let known = Anchor(range: beyond, state: .exact, score: 1, method: "marked")
    var stale = subject(old.range, text, last: beyond)
    stale.known = known
    let found = anchorer.reanchor([stale], from: text, to: text)[0]
    #expect(found.range.map { $0.utf16.upperBound <= text.units.count } ?? true)
    stale.last = nil
    #expect(anchorer.reanchor([stale], from: nil, to: text)[0].range == old.range)
  }

  @Test(arguments: [true, false])
  func `L24: of several occurrences the first is not chosen by default`(hasSnapshot: Bool) {
    let old = MarkedText(
      """
      The river rose in spring. Nobody had seen the like. Then the «river» fell again, and those who
      had fled came back to their fields.
      """)
    let new = MarkedText(
      """
      A river is a river. The river rose in spring. Nobody had seen the like. Then the «river» fell
      again, and those who had fled came back to their fields.
      """)
    let text = AnchorText(old.text)
    let anchor = anchorer.reanchor(
      [subject(old.range, text, last: hasSnapshot ? old.range : nil)],
      from: hasSnapshot ? text : nil, to: AnchorText(new.text))[0]
    #expect(anchor.range == new.range)
  }

  @Test(arguments: [true, false])
  func `L25: a passage that is not found is returned as orphaned, not omitted`(hasSnapshot: Bool) {
    let old = MarkedText("One «lost passage that nobody will miss» and «another one» were here.")
    let text = AnchorText(old.text)
    let anchors = anchorer.reanchor(
      old.ranges.map { subject($0, text, last: hasSnapshot ? $0 : nil) },
      from: hasSnapshot ? text : nil, to: AnchorText("Nothing of the kind."))
    #expect(anchors == [.orphan, .orphan])
  }

  @Test func `L35: the quote is that of the rendered text, whatever markup precedes it`() {
    let parsed = ParsedDocument(parsing: MarkdownSource("**a** b *c* `d` the words\n"))
    let text = AnchorText(utf16: parsed.text.utf16)
    let marked = MarkedText("a b c d «the words»")
    #expect(parsed.text.string.hasPrefix(marked.text))
    let selector = Selector(selecting: marked.range, in: text, digest: nil, renderVersion: 1)
    #expect(selector.exact == "the words")
    #expect(selector.prefix == "a b c d ")
    // The same words with other markup are the same text.
    let other = ParsedDocument(parsing: MarkdownSource("a **b** c `d` *the* words\n"))
    let anchor = anchorer.reanchor(
      [AnchorSubject(selector: selector)], from: nil, to: AnchorText(utf16: other.text.utf16))[0]
    #expect(anchor.range == marked.range)
    #expect(anchor.state == .exact)
  }

  @Test func `L37: a first heading is part of the text, and deleting it only shifts the rest`() {
    let body = "Some words about the thing, then «the passage that counts», then some more of them."
    let source = MarkedText("# The title\n\n\(body)\n")
    let old = ParsedDocument(parsing: MarkdownSource(source.text))
    let range = MarkedText("The title\n\(body)").range
    let text = AnchorText(utf16: old.text.utf16)
    #expect(old.text.substring(range) == "the passage that counts")
    let new = ParsedDocument(parsing: MarkdownSource(MarkedText(body).text + "\n"))
    let anchor = anchorer.reanchor(
      [subject(range, text, last: range)], from: text, to: AnchorText(utf16: new.text.utf16))[0]
    #expect(anchor.range == MarkedText(body).range)
    #expect(anchor.state == .exact)
  }

  @Test(arguments: [
    "one  two\t\tthree\n\n\nfour «five   six» seven eight nine ten eleven twelve",
    "one\u{A0}two\u{3000}three four «five\u{2003}six» seven eight nine ten eleven twelve",
    "one two\r\nthree\r\nfour «five\r\nsix» seven eight\r\nnine ten eleven twelve",
  ])
  func `R12: runs of white space of any kind count with their actual lengths`(marked: String) {
    let old = MarkedText(marked)
    let text = AnchorText(old.text)
    let new = MarkedText("zero one two three\nfour «five six» seven eight nine ten eleven twelve")
    for (from, to, start, place) in [
      (text, AnchorText(new.text), old.range, new.range),
      (AnchorText(new.text), text, new.range, old.range),
    ] {
      for last in [start, nil] {
        let anchor = anchorer.reanchor(
          [subject(start, from, last: last)], from: last == nil ? nil : from, to: to)[0]
        #expect(anchor.range == place, "last: \(String(describing: last))")
        #expect(anchor.state == .exact)
      }
    }
  }
}
