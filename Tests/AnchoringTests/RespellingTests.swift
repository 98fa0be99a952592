import Anchoring
import Model
import Strategies
import TestSupport
import Testing

/// Tests passages of one or a few words whose spelling changed, while the adjacent words did not.
@Suite struct RespellingTests {
  private static let changes: [(old: String, new: String, words: String)] = [
    ("It was in the «margin» of the book.", "It was in the margins of the book.", "margins"),
    ("The old «colour» of the wide sea.", "The old color of the wide sea.", "color"),
    ("At noon the «sea» was calm again.", "At noon the seas was calm again.", "seas"),
    (
      "He knew the «colour of the sea» at dawn and at dusk.",
      "He knew the color of the seas at dawn and at dusk.", "color of the seas"
    ),
    (
      "She saw a «lighthouse» and its tower.", "She saw a light-house and its tower.", "light-house"
    ),
    ("In March an «e-mail» came from her.", "In March an email came from her.", "email"),
    ("They drank in the «café» at the corner.", "They drank in the cafe at the corner.", "cafe"),
    ("The «Core Team» decided to accept it.", "The core team decided to accept it.", "core team"),
    ("He read the «recieved» letter twice.", "He read the received letter twice.", "received"),
    (
      "«Introduction» to the whole of it all.", "Introductions to the whole of it all.",
      "Introductions"
    ),
    ("昨日は東京の「«図書舘»」に行きました。とても静かでした。", "昨日は東京の「図書館」に行きました。とても静かでした。", "図書館"),
    ("All of it came to an «ending»", "All of it came to an endings", "endings"),
    (
      "She wrote un«believ»able things to him.", "She wrote unbelieveable things to him.", "believe"
    ),
  ]

  @Test(arguments: changes.indices)
  func `a respelled word is found, with the state edited`(_ index: Int) throws {
    let (old, new, words) = Self.changes[index]
    let found = Anchorer.found(old, in: new)
    #expect(found[0].words == words)
    #expect(found[0].anchor.state == .edited)
  }

  // The last two changes are omitted, because their quotes are parts of words, which the anchorer
  // cannot know without the old text.
  @Test(arguments: changes.indices.dropLast(2))
  func `a respelled word is also found without the old text`(_ index: Int) throws {
    let (old, new, words) = Self.changes[index]
    let found = Anchorer.found(old, in: new, snapshot: false)
    #expect(found[0].words == words)
    #expect([.edited, .doubtful].contains(found[0].anchor.state))
  }

  @Test func `a respelled word beside a changed word is doubtful`() {
    let found = Anchorer.found(
      "On Monday the old «margin» was full of her notes.",
      in: "On Monday the new margins was full of her notes.")
    #expect(found[0].words == "margins" && found[0].anchor.state == .doubtful)
  }

  @Test(arguments: [
    ("He sat in the «margin» of the page.", "He sat in the corner of the page."),
    ("He sat in the «margin» of the page.", "He sat in the of the page."),
    ("He sat in the «margin» of the page.", "Nothing of this is there. They spoke of margins."),
    ("It holds «3» of them at most.", "It holds 4 of them at most."),
  ])
  func `a highlight whose word was replaced is orphaned`(_ old: String, _ new: String) {
    for snapshot in [true, false] {
      #expect(Anchorer.found(old, in: new, snapshot: snapshot)[0].anchor.state == .orphaned)
    }
  }

  @Test func `the replacement is a candidate for review`() {
    let marked = MarkedText("He sat in the «margin» of the page, and wrote in it for days.")
    let text = AnchorText(marked.text)
    let subject = AnchorSubject(
      selector: Selector(selecting: marked.ranges[0], in: text, digest: nil, renderVersion: 1))
    let target = AnchorText("He sat in the corner of the page, and wrote in it for days.")
    let places = Anchorer.usual.candidates(for: subject, from: nil, to: target, limit: 5)
    #expect(places.map { target.substring($0.range) } == ["corner"])
    #expect(places[0].score < Anchorer.doubtfulScore)
  }

  @Test func `several respelled words in one line are all found`() {
    let found = Anchorer.found(
      """
      A second paragraph about a «lighthouse» and its keeper. An «e-mail» came. He «paid» for it.
      """,
      in: "A second paragraph about a light-house and its guard. An email came. He payed for it.")
    #expect(found.map(\.words) == ["light-house", "email", "payed"])
  }

  @Test func `an unrelated occurrence of a similar word is not accepted`() {
    let found = Anchorer.found(
      "In the «margin» of it.\n\nThe end came in the evening.",
      in: "In the margins of it.\n\nThe end came in the margin.")
    #expect(found[0].anchor.state != .edited)
  }

  @Test func `each highlight of a text with many similar long words gets an anchor`() {
    let word = String(repeating: "a", count: 30)
    let old = (0..<4_000).map { "\(word)x\($0)" }.joined(separator: " b ")
    let new = (0..<4_000).map { "\(word)y\($0)" }.joined(separator: " b ")
    let text = AnchorText(old)
    var subjects: [AnchorSubject] = []
    var start = 0
    for part in old.split(separator: " ", omittingEmptySubsequences: false) {
      let range = start..<start + part.utf16.count
      if part.count > 1 {
        let place = TextRange(utf16: range)
        subjects.append(
          AnchorSubject(
            selector: Selector(selecting: place, in: text, digest: nil, renderVersion: 1),
            last: place))
      }
      start = range.upperBound + 1
    }
    let anchors = Anchorer.usual.reanchor(subjects, from: text, to: AnchorText(new))
    #expect(anchors.count == subjects.count)
  }
}
