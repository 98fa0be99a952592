import Model
import TestSupport
import Testing

@testable import MarkdownParse

@Suite struct SourceMapTests {
  /// Checks what must hold for any document.
  private func check(_ bytes: [UInt8], _ options: MarkdownOptions = .standard) {
    let document = ParsedDocument(parsing: MarkdownSource(bytes), options: options)
    let shown = String(decoding: bytes, as: UTF8.self)
    var text = 0
    var source = 0
    var rebuilt: [UInt16] = []
    for run in document.map.runs {
      #expect(run.text.utf16.lowerBound == text, "a gap in the text of \(shown)")
      #expect(run.source.bytes.lowerBound >= source, "the source goes back in \(shown)")
      text = run.text.utf16.upperBound
      source = run.source.bytes.upperBound
      let slice = bytes[run.source.bytes]
      switch run.kind {
      case .verbatim:
        let units = Array(String(decoding: slice, as: UTF8.self).utf16)
        #expect(units.count == run.text.count, "a slice is not its text in \(shown)")
        rebuilt += units
      case .atomic:
        #expect(!slice.isEmpty || run.text.isEmpty)
        rebuilt += document.text.utf16[run.text.utf16]
      case .synthetic:
        #expect(slice.isEmpty)
        rebuilt += document.text.utf16[run.text.utf16]
      }
    }
    #expect(text == document.text.count && rebuilt == document.text.utf16, "in \(shown)")
    #expect(document.text.string.utf16.elementsEqual(document.text.utf16))
    for run in document.map.runs where run.kind != .synthetic && !run.text.isEmpty {
      let byte = document.map.sourceOffset(of: run.text.lowerBound, bias: .trailing)
      #expect(byte == run.source.bytes.lowerBound, "in \(shown)")
      #expect(
        document.map.textOffset(ofSource: byte, bias: .trailing) == run.text.lowerBound,
        "in \(shown)")
    }
    for block in document.blocks {
      #expect(block.text.utf16.upperBound <= document.text.count)
      #expect(block.source.bytes.upperBound <= bytes.count)
    }
    for inline in document.inlines {
      #expect(inline.open.bytes.upperBound <= inline.close.bytes.lowerBound || inline.close.isEmpty)
      #expect(inline.source.bytes.upperBound <= bytes.count)
    }
  }

  @Test func `the map of generated documents is exact`() {
    let seed = SeededGenerator.runSeed
    print("seed \(seed)")
    var random = SeededGenerator(seed: seed)
    let pieces: [[UInt8]] =
      [
        "a", "word", " ", "  ", "\n", "\n\n", "\r\n", "\r", "\t", "*", "**", "_", "`", "``", "[",
        "](", ")",
        "]", "![", "<", ">", "> ", "- ", "1. ", "#", "# ", "===", "---", "```\n", "~~", "==", "$",
        "|",
        "|-|-|\n", "&amp;", "&nGt;", "&#x1F44B;", "\\", "\\*", "👋🏽", "日本", "é", "[a]: /b\n", "[^1]",
        "[^1]: ",
        "www.a.bc", "http://x.y", "a@b.cd", "<b>", "<!--", "-->", "- [ ] ", "    ", "\u{FEFF}",
      ].map { Array($0.utf8) } + [[0], [0xFF], [0xE2, 0x82], [0xC3]]
    for _ in 0..<4_000 {
      let count = Int.random(in: 1...24, using: &random)
      check((0..<count).flatMap { _ in pieces.randomElement(using: &random)! })
    }
  }

  @Test func `markup before a passage does not shift it`() throws {
    let document = ParsedDocument(parsing: MarkdownSource("**a** b"))
    #expect(document.text.string == "a b")
    let source = document.map.source(of: TextRange(utf16: 2..<3))
    #expect(source == [SourceRange(bytes: 6..<7)])
    #expect(document.map.source(of: TextRange(utf16: 0..<3)).map(\.bytes) == [2..<3, 5..<7])
  }

  @Test(arguments: [
    ("Hello 👋 world", "Hello 👋 world"), ("a\nb  \nc", "a b\nc"), ("# T\n\np", "T\np"),
    ("| a | b |\n|--|--|\n| 1 | |\n", "a\tb\n1\t"), ("- [x] done\n- two", "done\ntwo"),
    ("---\ntitle: x\n---\nhi", "hi"), ("a[^1]\n\n[^1]: note", "a\nnote"), ("==m== $x^2$", "m x^2"),
    ("```\na\n\n\tb\n```\nc", "a\n\n\tb\nc"), ("![alt *x*](u)", "alt x"), ("a <b>c</b>", "a c"),
    ("&copy; \\* &#0;", "© * \u{FFFD}"), ("> a\n> b", "a b"), ("<div>\nx\n</div>\n\ny", "y"),
    ("", ""),
    ("$5 and $10", "$5 and $10"), ("| `a\\|b` |\n|-|\n", "a|b"),
  ])
  func `the rendered text follows its rules`(markdown: String, text: String) {
    #expect(ParsedDocument(parsing: MarkdownSource(markdown)).text.string == text)
  }

  @Test func `hostile inputs are answered`() {
    let n = 10_000
    let inputs = [
      String(repeating: ">", count: n), String(repeating: "- ", count: n),
      String(repeating: "[", count: n),
      String(repeating: "*a **a ", count: n), String(repeating: "[a](<b\n", count: n),
      String(repeating: "[a](b \"c\n", count: n), String(repeating: "a <![CDATA[", count: n),
      String(repeating: "`a``b", count: n), String(repeating: "<!--", count: n),
      String(repeating: "![", count: n) + "a" + String(repeating: "](b)", count: n),
      (1..<200).map { "e" + String(repeating: "`", count: $0) }.joined(),
      String(repeating: "$a ", count: n),
      String(repeating: "a@", count: n), String(repeating: "www.", count: n),
    ]
    for input in inputs {
      let document = ParsedDocument(parsing: MarkdownSource(input + "\n"))
      #expect(document.map.runs.last?.text.utf16.upperBound ?? 0 == document.text.count)
    }
  }

  @Test func `nesting a hundred thousand deep overflows nothing`() {
    let document = ParsedDocument(
      parsing: MarkdownSource(String(repeating: "> ", count: 100_000) + "a"))
    #expect(document.text.string == "a" && document.blocks.count == 100_002)
  }

  @Test func `lines and columns go to bytes and back`() {
    let document = ParsedDocument(parsing: MarkdownSource("a\r\né👋b\rc\n"))
    let lines = document.sourceLines
    for (byte, line, column) in [(0, 1, 1), (3, 2, 1), (5, 2, 2), (9, 2, 4), (11, 3, 1)] {
      let position = LinePosition(line: line, column: column)
      #expect(lines.position(of: byte) == position)
      #expect(lines.byte(at: position) == byte)
    }
    #expect(lines.byte(at: LinePosition(line: 9, column: 1)) == nil)
    #expect(lines.byte(at: LinePosition(line: 1, column: 5)) == nil)
  }
}
