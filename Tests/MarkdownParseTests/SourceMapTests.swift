import MarkdownChecks
import Model
import TestSupport
import Testing

@testable import MarkdownParse

@Suite struct SourceMapTests {
  @Test func `generated documents satisfy the parser's guarantees`() throws {
    let seed = SeededGenerator.runSeed
    print("seed \(seed)")
    var documents = DocumentGenerator(seed: seed)
    for _ in 0..<12_000 {
      let bytes = documents.next()
      do { try DocumentCheck.run(bytes) } catch {
        Issue.record("\(error) in \(String(decoding: bytes, as: UTF8.self).debugDescription)")
      }
    }
  }

  @Test(arguments: [
    "2<sub>日本#> </sub></h1> </p>[<sub></tr>==a", "a<sup>q </sup></b> c",
    "x <sub>Ω </sub><!-- --> y",
  ])
  func `a blank at the end of a subscript precedes its bracket`(_ text: String) throws {
    try DocumentCheck.run(Array(text.utf8))
  }

  @Test func `no byte has two kinds`() {
    let seed = SeededGenerator.runSeed
    print("seed \(seed)")
    var documents = DocumentGenerator(seed: seed)
    for _ in 0..<3_000 {
      let bytes = documents.next()
      var owners = [SourceSegment.Kind?](repeating: nil, count: bytes.count)
      ParsedDocument(parsing: MarkdownSource(bytes)).eachClaim { range, kind in
        for index in range {
          #expect(
            owners[index] == nil, "byte \(index) of \(bytes) is \(owners[index]!) and \(kind)")
          owners[index] = kind
        }
      }
    }
  }

  @Test func `markup before a passage does not shift its source`() throws {
    let document = ParsedDocument(parsing: MarkdownSource("**a** b"))
    #expect(document.text.string == "a b")
    let source = document.map.source(of: TextRange(utf16: 2..<3))
    #expect(source == [SourceRange(bytes: 6..<7)])
    #expect(document.map.source(of: TextRange(utf16: 0..<3)).map(\.bytes) == [2..<3, 5..<7])
  }

  @Test(arguments: [
    ("Hello 👋 world", "Hello 👋 world"), ("a\nb  \nc", "a b\nc"), ("# T\n\np", "T\np"),
    ("| a | b |\n|--|--|\n| 1 | |\n", "a\tb\n1\t"), ("- [x] done\n- two", "done\ntwo"),
    ("---\ntitle: x\n---\nhi", "hi"), ("a[^1]\n\n[^1]: note", "a[1]\nnote"),
    ("==m== $x^2$", "m x^2"),
    ("```\na\n\n\tb\n```\nc", "a\n\n\tb\nc"), ("![alt *x*](u)", "alt x"),
    (
      "a![^1] b.[^f] [^no]\n\n[^o]:       no code\n\n[^c]:\n        code\n\n[^1]: Some *x*\n\n"
        + "[^f]:\n    > q\n\n        more code\n\n    para\n",
      "a![1] b.[f] [^no]\nno code\ncode\nSome x\nq\nmore code\npara"
    ), ("_http://a.b/_c_", "http://a.b/_c"), ("[^1\n]\n\n[^1]: a", "[^1 ]\na"),
    ("| a |\n|-|\n    b", "a\nb"), ("|a|\n|-|\n<b>\n", "a"),
    ("|www.a.bc/\\|d|\n|-|", "www.a.bc/|d"),
    ("a <b>c</b>", "a c"),
    ("&copy; \\* &#0;", "© * \u{FFFD}"), ("> a\n> b", "a b"), ("<div>\nx\n</div>\n\ny", "x\ny"),
    ("", ""),
    ("$5 and $10", "$5 and $10"), ("| `a\\|b` |\n|-|\n", "a|b"),
    // An escaped bar is recognised before all other escapes, as by GitHub.
    ("|a \\\\| b|\n|-|", "a | b"), ("|a \\\\\\| b|\n|-|", "a \\| b"), ("a \\\\| b", "a \\| b"),
    ("|`a\\\\|b`|\n|-|", "a\\|b"),
    ("- [ ] \n  M\n", "M"), ("- [x]  \n- a", "a"), ("- [ ]\n  M", "[ ] M"),
  ])
  func `the rendered text follows its rules`(markdown: String, text: String) {
    #expect(ParsedDocument(parsing: MarkdownSource(markdown)).text.string == text)
  }

  // `Tooling/bench-parse` measures the speed. The limit is for endless loops only, because it
  // includes the time of other tests.
  @Test(.timeLimit(.minutes(60)), arguments: PathologicalInputs.all)
  func `hostile inputs are parsed`(input: PathologicalInputs.Input) {
    let document = ParsedDocument(parsing: MarkdownSource(input.make(8_000)))
    #expect(document.map.runs.last?.text.utf16.upperBound ?? 0 == document.text.count)
  }

  @Test func `all pairs of delimiters satisfy the parser's guarantees`() throws {
    for input in PathologicalInputs.compositions {
      try DocumentCheck.run(Array(input.make(12).utf8))
    }
  }

  @Test func `half a character maps to all its bytes`() {
    let document = ParsedDocument(parsing: MarkdownSource("a 👋 b"))
    for range in [2..<3, 3..<4, 2..<4] {
      #expect(document.map.source(of: TextRange(utf16: range)).map(\.bytes) == [2..<6])
    }
  }

  @Test(arguments: [
    ("https://a.bc/d');", "https://a.bc/d"), ("https://a.bc/d;;", "https://a.bc/d"),
    ("https://a.bc/d&amp;", "https://a.bc/d"), ("http://。", nil), ("http://-a.b", nil),
    ("http://日本.jp/", "http://日本.jp/"),
  ])
  func `an address ends before the punctuation of the sentence`(text: String, address: String?) {
    let document = ParsedDocument(parsing: MarkdownSource(text))
    let link = document.inlines.first { if case .link = $0.kind { true } else { false } }
    #expect(link.map { document.text.substring($0.text) } == address)
  }

  @Test(arguments: PathologicalInputs.all)
  func `hostile inputs satisfy the parser's guarantees`(input: PathologicalInputs.Input) throws {
    try DocumentCheck.run(Array(input.make(200).utf8))
  }

  @Test func `nesting a hundred thousand levels deep does not overflow the stack`() {
    let document = ParsedDocument(
      parsing: MarkdownSource(String(repeating: "> ", count: 100_000) + "a"))
    #expect(document.text.string == "a" && document.blocks.count == 100_002)
  }

  @Test func `positions are converted to bytes and back`() {
    let document = ParsedDocument(parsing: MarkdownSource("a\r\né👋b\rc\n"))
    let lines = document.sourceLines
    for (byte, line, column) in [(0, 1, 1), (3, 2, 1), (5, 2, 2), (9, 2, 4), (11, 3, 1)] {
      let position = LinePosition(line: line, column: column)
      #expect(lines.position(of: byte) == position)
      #expect(lines.byte(at: position) == byte)
    }
    let marked = ParsedDocument(parsing: MarkdownSource("\u{FEFF}ab\nc")).sourceLines
    #expect(marked.position(of: 0) == LinePosition(line: 1, column: 1))
    #expect(
      marked.position(of: 4) == LinePosition(line: 1, column: 2), "a byte order mark is no column")
    #expect(marked.byte(at: LinePosition(line: 1, column: 2)) == 4)
    #expect(lines.byte(at: LinePosition(line: 9, column: 1)) == nil)
    #expect(lines.byte(at: LinePosition(line: 1, column: 5)) == nil)
  }
}
