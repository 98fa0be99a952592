import Foundation
import Model
import Testing

@testable import Interchange

/// Tests that written texts contain no active syntax, also if a combining mark follows a special
/// character.
@Suite struct HarmlessTextTests {
  @Test(arguments: [
    "[\u{301}a](javascript:alert(1))", "[a](javascript:alert(1))", "![\u{301}](data:text/html,x)",
    "[a]: file:///etc/passwd", "[\u{301}a]:\u{A0}vbscript:x", "[a](&#106;avascript:x)",
    "> [a](\n> file:x)", "> > [a]:\n> > file:x", "![a](/etc/passwd)", "![a](../x.png)",
    "![a][b]\n\n[b]: ../x.png", "[a](/etc/passwd)",
  ])
  func `Markdown of a note contains no unsafe link`(note: String) {
    let text = note.harmlessMarkdown
    let bytes = Array(text.utf8)
    for index in bytes.indices where bytes[index] == UInt8(ascii: "[") {
      #expect(index > 0 && bytes[index - 1] == UInt8(ascii: "\\"), "\(text)")
    }
  }

  @Test func `Markdown of a note keeps harmless markup`() {
    for note in [
      "[a](https://example.org) *b* `c`", "1. one\n2. two: three\n- *four*", "a:b",
      "[a](../b.md) and [c](https://example.org/?once=1)",
      "![a](pictures/b.png)", "a < b, x <= y, i <3 u", "$\\alpha_{i=1} \\frac{a}{b}$", "a ---- b",
    ] {
      #expect(note.harmlessMarkdown == note)
    }
  }

  @Test func `special characters of LaTeX are escaped, also before a combining mark`() {
    for sign in "\\{}$&#_%^~" {
      let text = LaTeXText.escaped("a\(sign)\u{301}b")
      #expect(text.hasPrefix("a\\"), "\(text)")
    }
    #expect(LaTeXText.escaped("}\u{301}") == "\\}\u{301}")
  }

  @Test func `a bibliography contains no commands and no unknown fields`() {
    var source = Source()
    source[.title] = .text("}\u{301}\n}@preamble{\"\\input{/etc/passwd}\"}")
    source[.url] = .text("https://example.org/}\u{301}^^5cinput")
    source[Source.Variable(rawValue: "custom")!] = .object([
      "bibtex": .object([
        "a": .text("\\input{/etc/passwd}"), "b": .text("^^5cinput{x}"), "c": .text("\\'{e}t\\'e"),
        "d": .text("}\u{301}{"), "e = {}}\n@preamble{x": .text("x"), "f": .text("$\\write18{x}$"),
      ])
    ])
    let text = BibTeXWriter.entry(source, key: "k}\u{301}@preamble{x")
    #expect(
      !text.contains("\\input") && !text.contains("^^") && !text.contains("\\write"), "\(text)")
    #expect(text.contains("c = {\\'{e}t\\'e}"), "\(text)")
    // Nothing closes the entry before its end.
    var depth = 0
    var isEscaped = false
    let bytes = Array(text.utf8)
    for (index, byte) in bytes.enumerated() {
      if isEscaped {
        isEscaped = false
      } else if byte == UInt8(ascii: "\\") {
        isEscaped = true
      } else if byte == UInt8(ascii: "{") {
        depth += 1
      } else if byte == UInt8(ascii: "}") {
        depth -= 1
        #expect(depth > 0 || index == bytes.count - 2, "\(text)")
      }
    }
    #expect(depth == 0)
  }
}
