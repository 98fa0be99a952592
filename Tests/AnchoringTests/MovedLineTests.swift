import Anchoring
import Model
import Strategies
import TestSupport
import Testing

/// Tests short lines that change their position, list or case.
@Suite struct MovedLineTests {
  @Test(arguments: [true, false])
  func `lines that are swapped are both found`(snapshot: Bool) {
    let old = """
      # Books

      Ulysses by James Joyce
      «Emma by Jane Austen»
      «Kim by Rudyard Kipling»

      """
    let new = """
      # Books

      Ulysses by James Joyce
      Kim by Rudyard Kipling
      Emma by Jane Austen

      """
    let places = Anchorer.found(old, in: new, snapshot: snapshot)
    #expect(places.map(\.words) == ["Emma by Jane Austen", "Kim by Rudyard Kipling"])
  }

  @Test func `all items of a reversed numbered list are found`() {
    let titles = ["The Spy", "Poor Folk", "Cousin Betty", "The Gates Ajar"]
    func list(_ titles: [String]) -> String {
      titles.enumerated().map { "\($0 + 1). \($1)\n" }.joined()
    }
    let places = Anchorer.found(list(titles.map { "«\($0)»" }), in: list(titles.reversed()))
    #expect(places.map(\.words) == titles)
    #expect(places.allSatisfy { $0.anchor.score >= Anchorer.sureScore })
  }

  @Test(arguments: [
    "| 1 | «call the plumber» | yes |\n| 2 | pay the rent | no |\n",
    "- [ ] «call the plumber»\n- [x] pay the rent\n",
    "> «call the plumber»\n> pay the rent\n",
  ])
  func `a line that is moved out of its table, list or quote is found`(old: String) {
    let before = "Some words about the house and its garden.\n\n"
    let after = "\n## Later\n\nNothing else is planned.\n"
    let rest = MarkedText(old).text.split(separator: "\n")[1]
    let new = before + rest + "\n" + after + "\ncall the plumber\n"
    let place = Anchorer.found(before + old + after, in: new)[0]
    #expect(place.words == "call the plumber")
  }

  @Test func `a line whose case has changed is found`() {
    let old = "Notes\n\n«He never said that»\nNot before Sunday\nAsk the old captain\n"
    let new = "Notes\n\nNot before Sunday\nAsk the old captain\nHe Never Said That\n"
    for snapshot in [true, false] {
      #expect(Anchorer.found(old, in: new, snapshot: snapshot)[0].words == "He Never Said That")
    }
  }

  @Test func `a deleted line is not found at a similar line`() {
    let old = "# Tasks\n\n- «pack for Lyon»\n- pack for Lund\n- pay the rent\n"
    let new = "# Tasks\n\n- pack for Lund\n- pay the rent\n"
    #expect(Anchorer.found(old, in: new)[0].anchor.state == .orphaned)
  }

  @Test func `the first word of a changed line stays in the passage`() {
    let old = """
      The pearly lustre of the moon went out:
      «The mossy banks and the meandering paths,»
      The happy flowers and the repining trees,
      Were seen no more.

      """
    let new = """
      The pearly lustre of the moon went out:
      The happy flowers and the repining trees,
      Were seen no more.

      They are my ministers, yet I their slave:
      The fresh banks and the meandering paths,

      """
    #expect(Anchorer.found(old, in: new)[0].words?.hasPrefix("The fresh banks") == true)
  }

  @Test func `lines of the source are lines, if the rendered text has blanks between them`() {
    let lines = ["O rose thou art sick", "The invisible worm", "That flies in the night"]
    func text(_ lines: [String]) -> AnchorText {
      let starts = lines.dropLast().reduce(into: [0]) { $0.append($0.last! + $1.utf16.count + 1) }
      return AnchorText(
        utf16: Array(lines.joined(separator: " ").utf16), lineStarts: Array(starts.dropFirst()))
    }
    let (old, new) = (text(lines), text(lines.reversed()))
    let range = TextRange(utf16: 21..<39)
    #expect(old.substring(range) == lines[1])
    let subject = AnchorSubject(
      selector: Selector(
        selecting: TextRange(utf16: 0..<20), in: old, digest: nil, renderVersion: 1),
      last: TextRange(utf16: 0..<20))
    let anchor = Anchorer.usual.reanchor([subject], from: old, to: new)[0]
    #expect(anchor.range.map { new.substring($0) } == lines[0])
  }

  @Test func `a line that was moved out of a passage does not take the passage with it`() {
    let old = """
      {
          "path": "«artifact.a",
          "headerPaths": ["include"],
          "supportedTriples": ["aarch64-unknown-linux-gnu»"]
      }
      """
    let new = """
      {
          "path": "libExample.a",
          "supportedTriples": ["aarch64-unknown-linux-gnu"],
          "staticLibraryMetadata": {
              "headerPaths": ["include"],
              "moduleMapPath": "include/example.modulemap"
          }
      }
      """
    let words = Anchorer.found(old, in: new)[0].words
    #expect(words?.hasSuffix("aarch64-unknown-linux-gnu") == true, "\(words ?? "nothing")")
    #expect(words?.contains("headerPaths") == false)
  }

  @Test func `a passage whose halves were separated is doubtful`() {
    let old = """
      # Setup

      The server listens on one port.
      «Its log lies in the home folder.
      Clients connect by name and wait» for an answer.
      Nothing else is needed.
      """
    let new = """
      # Setup

      Clients connect by name and wait for an answer.
      The server listens on one port.
      Its log lies in the home folder.
      Nothing else is needed.
      """
    let place = Anchorer.found(old, in: new)[0]
    #expect(place.words != nil)
    #expect(place.anchor.score < Anchorer.sureScore)
  }

  @Test func `a line that ends with a number is found although its case has changed`() {
    let old = "# Team\n\nNils Hobbs\nEditor\n14196 Turin\n«Tel. 996 4238»\n\nMore is on the site.\n"
    let new = "# Team\n\nNils Hobbs\nEditor\n14196 Turin\n\nMore is on the site.\n\nTEL. 996 4238\n"
    #expect(Anchorer.found(old, in: new)[0].words == "TEL. 996 4238")
  }

  /// Returns the state and words of a passage after each of several successive texts.
  private func followed(_ marked: String, through texts: [String]) -> [(Anchor, String?)] {
    let old = MarkedText(marked)
    var last = AnchorText(old.text)
    let selector = Selector(selecting: old.ranges[0], in: last, digest: nil, renderVersion: 1)
    var range: TextRange? = old.ranges[0]
    return texts.map { new in
      let text = AnchorText(new)
      let anchor = Anchorer.usual.reanchor(
        [AnchorSubject(selector: selector, last: range)], from: last, to: text)[0]
      if anchor.range != nil { (last, range) = (text, anchor.range) }
      return (anchor, anchor.range.map { text.substring($0) })
    }
  }

  @Test func `a line that is edited, then restored while it moves, is found`() {
    let found = followed(
      "Settings\n\nhost: db1\n«port: 5432»\nuser: reader\nretries: three times\n",
      through: [
        "Settings\n\nhost: db1\nquux: 5432\nuser: reader\nretries: three times\n",
        "Settings\n\nhost: db1\nuser: reader\nretries: three times\nport: 5432\n",
      ])
    #expect(found[0].0.state == .edited)
    #expect(found[1].1 == "port: 5432")
  }

  @Test func `a word that is misspelt, then restored while its line moves, is found completely`() {
    let line = "Dickens: Bleak House (1853)"
    let found = followed(
      "Books\n\n«\(line)»\nAusten: Emma (1815)\nMelville: Typee (1846)\n",
      through: [
        "Books\n\nDikkens: Bleak House (1853)\nAusten: Emma (1815)\nMelville: Typee (1846)\n",
        "Books\n\nAusten: Emma (1815)\nMelville: Typee (1846)\n\(line)\n",
      ])
    #expect(found[1].1 == line)
  }

  @Test func `if one of two similar lines is deleted, the edited other is doubtful or orphaned`() {
    let old = """
      # Todo

      «Pay rent for January»
      Pay rent for February
      Call the plumber

      """
    let places = Anchorer.found(old, in: "# Todo\n\nPay rent for March\nCall the plumber\n")
    #expect(places.allSatisfy { [.doubtful, .orphaned].contains($0.anchor.state) })
    // If only one task was in the old text, it is certain which line was edited.
    let alone = Anchorer.found(
      old.replacing("Pay rent for February\n", with: ""),
      in: "# Todo\n\nPay rent for March\nCall the plumber\n")
    #expect(alone.map(\.anchor.state) == [.edited])
  }
}
