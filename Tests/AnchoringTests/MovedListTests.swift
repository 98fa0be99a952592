import Anchoring
import Model
import Strategies
import TestSupport
import Testing

/// Tests sorted lists, swapped items and moved paragraphs.
@Suite struct MovedListTests {
  private func check(
    _ old: String, _ new: String, _ states: Set<AnchorState> = [.exact, .moved],
    snapshot: Bool = true, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let old = MarkedText(old)
    let new = MarkedText(new)
    let anchors = Anchorer.usual.anchors(of: old, in: AnchorText(new.text), snapshot: snapshot)
    let found = anchors.compactMap(\.range).sorted { $0.lowerBound < $1.lowerBound }
    #expect(found == new.ranges, sourceLocation: sourceLocation)
    let words = { (text: String, range: TextRange) in AnchorText(text).substring(range) }
    for (range, anchor) in zip(old.ranges, anchors) {
      #expect(
        anchor.range.map { words(new.text, $0) } == words(old.text, range),
        sourceLocation: sourceLocation)
      #expect(states.contains(anchor.state), "\(anchor)", sourceLocation: sourceLocation)
    }
  }

  @Test func `similar items keep their highlights when they are sorted`() {
    let items = ["width", "color", "theme", "pager"].map {
      "«- `--\($0) WHEN`: when to use \($0)s; one of auto, always, never.»"
    }
    let head = "# Options\n\nThese are the options that each command takes.\n\n"
    check(
      head + items.joined(separator: "\n") + "\n",
      head + items.sorted().joined(separator: "\n") + "\n")
  }

  @Test func `a line that was edited in place is not moved to a copy`() {
    let head = "How it is built:\n\nFirst fetch all the sources that the build needs,\n"
    let tail = "and install what it made for everybody.\n\nAfter that nothing else is to be done.\n"
    let line = "then run the build with four jobs in the release mode,\n"
    check(
      head + "then «run the build» with four jobs in the release mode,\n" + tail,
      head + "then «run the build» with two jobs in the release mode,\n" + tail
        + "\nOn the server fetch only what is new,\n" + line
        + "and copy what it made to the others.\n")
  }

  @Test func `similar lines keep their highlights when they are sorted`() {
    let lines = ["Persuasion", "Emma", "Dracula", "Middlemarch"].map { "«\($0) by Jane Austen»" }
    check(lines.joined(separator: "\n"), lines.sorted().joined(separator: "\n"))
  }

  @Test func `two adjacent items keep their highlights when they are swapped`() {
    let text = "- «text frames — hold text data of any length, in UTF-8»"
    let binary = "- «binary frames — hold binary data of any length, as it is»"
    let (head, tail) = ("Kinds of frames:\n\n", "\n\nAll others are reserved.\n")
    check(head + text + "\n" + binary + tail, head + binary + "\n" + text + tail)
  }

  @Test func `a moved sentence keeps its first word`() {
    let rest = [
      "The list below was made by hand.", "Nobody has read it since the autumn.",
      "It may be wrong in every one of its lines.",
    ]
    let sentence = "«The asterisk marks a good line.»"
    check(
      (rest + [sentence]).joined(separator: " "),
      ([rest[0], sentence] + rest[1...]).joined(separator: " "))
  }

  @Test func `words at the end of a moved paragraph move with it`() {
    let moved = "Each request is answered in the order in which it came, and logged for «the user»."
    let others = (1...4).map { "Paragraph \($0) speaks of other things, number \($0) of them." }
    check(
      ([moved] + others).joined(separator: "\n\n"), (others + [moved]).joined(separator: "\n\n"))
  }

  @Test func `short Chinese items keep their highlights when they move`() {
    let items = ["«机器间延迟较低»", "1000 万用户", "缓存有内存限制", "每个月 100 亿次查询"].map { "* \($0)" }
    check(
      "### 假设\n\n" + items.joined(separator: "\n") + "\n",
      "### 假设\n\n" + items.reversed().joined(separator: "\n") + "\n")
  }

  @Test func `a deleted item is not found at a similar one`() {
    let old = MarkedText(
      """
      First list:

      - «open the door and look outside»
      - close the window

      Second list:

      - open the door and look outside
      - sit down again
      """)
    let new =
      "First list:\n\n- close the window\n\nSecond list:\n\n"
      + "- open the door and look outside\n- sit down again\n"
    let text = AnchorText(old.text)
    let anchor = Anchorer.usual.reanchor(
      [
        AnchorSubject(
          selector: Selector(selecting: old.range, in: text, digest: nil, renderVersion: 1),
          last: old.range)
      ], from: text, to: AnchorText(new))[0]
    #expect(anchor == .orphan)
  }

  @Test func `a heading inserted above a line that begins with the same word stays outside`() {
    let old = MarkedText(
      "Blocks come first.\n\n«Functions within external blocks are declared.» End.")
    let new = MarkedText(
      "Blocks come first.\n\nFunctions\n\n«Functions within all external blocks are declared.» End."
    )
    let text = AnchorText(old.text)
    let anchor = Anchorer.usual.reanchor(
      [
        AnchorSubject(
          selector: Selector(selecting: old.range, in: text, digest: nil, renderVersion: 1),
          last: old.range)
      ], from: text, to: AnchorText(new.text))[0]
    #expect(anchor.range == new.range)
  }

  @Test(arguments: [true, false])
  func `a Korean sentence with other endings is edited`(hasSnapshot: Bool) {
    let old = MarkedText(
      "첫 문단은 그대로입니다.\n\n«외부 코드는 여전히 이름에 바로 접근할 수 있을지 모릅니다.»\n\n마지막 문단도 그대로입니다.")
    let new = MarkedText(
      "첫 문단은 그대로입니다.\n\n«외부 코드에서 여전히 이름을 바로 접근할 수 있습니다.»\n\n마지막 문단도 그대로입니다.")
    let text = AnchorText(old.text)
    let anchor = Anchorer.usual.reanchor(
      [
        AnchorSubject(
          selector: Selector(selecting: old.range, in: text, digest: nil, renderVersion: 1),
          last: hasSnapshot ? old.range : nil)
      ], from: hasSnapshot ? text : nil, to: AnchorText(new.text))[0]
    #expect(anchor.range.map { $0.overlaps(new.range) } == true)
    #expect(anchor.state == .edited)
  }

  @Test func `a quote in a moved and edited paragraph is found without the old text`() {
    let old = MarkedText(
      """
      The harbour was closed in the winter of that year, since the ice had come early and lay
      thick upon the water.

      In addition to defining the berth «for particular vessels, certain rules are set across the
      whole quay»:

      The pilots met on the first of May, when the last of the ice had gone out to sea and the
      buoys were laid again.

      Nobody remembered a spring like it. The merchants wrote to their partners in the south.
      """)
    let new = MarkedText(
      """
      The harbour was closed in the winter of that year, since the ice had come early and lay
      thick upon the water.

      The pilots met on the first of May, when the last of the ice had gone out to sea and the
      buoys were laid again.

      Nobody remembered a spring like it. The merchants wrote to their partners in the south.

      In addition to defining the berth «for particular vessels, other rules are set across the
      whole quay» here:
      """)
    let selector = Selector(
      selecting: old.ranges[0], in: AnchorText(old.text), digest: nil, renderVersion: 1)
    let anchor = Anchorer.usual.reanchor(
      [AnchorSubject(selector: selector)], from: nil, to: AnchorText(new.text))[0]
    #expect(anchor.range == new.ranges[0])
  }

  @Test func `a quote whose context occurs at two positions is doubtful`() {
    let note =
      "> This feature is in trial. The form of it may change without notice, and nobody "
      + "should build upon it in «a lasting work». See the policy of the project for details."
    let plain = note.filter { !"«»".contains($0) }
    let before = "The first chapter ends with these words, which are all its own.\n\n"
    let other = "Another chapter ends in this way and says no more about it!!!!!\n\n"
    let after = "\n\nWhat a function is for «should be told by its name», if it has any use at all."
    let end = "\n\nThe listing shows three forms, of which the last is the newest one by far."
    let old = MarkedText(before + note + after + "\n\n" + other + plain + end + "\n")
    let new = MarkedText(other + plain + after + "\n\n" + before + plain + end + "\n")
    // The second highlight shows where the first would be expected.
    let subjects = old.ranges.map {
      AnchorSubject(
        selector: Selector(
          selecting: $0, in: AnchorText(old.text), digest: nil, renderVersion: 1))
    }
    let anchors = Anchorer.usual.reanchor(subjects, from: nil, to: AnchorText(new.text))
    #expect(anchors[1].range == new.range && anchors[1].state == .exact)
    let anchor = anchors[0]
    #expect(anchor.state == .doubtful, "\(anchor)")
  }
}
