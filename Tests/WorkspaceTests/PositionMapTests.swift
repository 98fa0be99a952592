import MarkdownParse
import Model
import TestSupport
import Testing

@testable import Workspace

@Suite struct PositionMapTests {
  /// Markdown fragments that are rendered literally, as other characters or not at all.
  private static let pieces = [
    "word", "größe", "😀", "&amp;", "&copy;", "\\*", "*em*", "**st**", "`co de`", "[l](u)", "<b>",
    "\n", "\n\n",
    "\r\n", "\r", "  \n", "# ", "> ", "- ", "1. ", "```\n", "| a | b |\n|--|--|\n| c | d |\n", " ",
    "\t", "\u{0}",
    "![i](p)", "![](a%20b)", "![][x]", "[x]: /a%20b.png\n", "&nGt;", "<br>", "<img src=a&amp;b>",
    "<https://a.example>", "[^1]", "[^1]: note\n", "$x$", "    ", "e\u{301}", "\u{FEFF}",
  ]

  @Test func `a position map returns the same positions as the document's map`() {
    let seed = SeededGenerator.runSeed
    print("seed \(seed)")
    var random = SeededGenerator(seed: seed)
    for _ in 0..<1_500 {
      let source = (0..<random.next() % 24).map { _ in Self.pieces.randomElement(using: &random)! }
        .joined()
      let parsed = ParsedDocument(parsing: MarkdownSource(source))
      let lines = parsed.sourceLines
      // A match never begins within a surrogate pair.
      let offsets = parsed.text.utf16.indices.filter {
        !UTF16.isTrailSurrogate(parsed.text.utf16[$0])
      }
      let expected = offsets.map {
        lines.position(of: parsed.map.sourceOffset(of: TextOffset(utf16: $0), bias: .trailing))
      }
      let found = PositionMap(bytes: PositionMap(parsed.mapped).bytes).positions(of: Array(offsets))
      let wrong = offsets.indices.first { found[$0] != expected[$0] }
      #expect(
        wrong == nil,
        "seed \(seed): \(source.debugDescription) at \(wrong.map { (offsets[$0], found[$0], expected[$0]) }!)"
      )
    }
  }

  @Test func `a position map is small, and a damaged one is decoded safely`() {
    let source = String(repeating: "A line of *some* words, and [more](of) them.\n\n", count: 500)
    let parsed = ParsedDocument(parsing: MarkdownSource(source))
    let bytes = PositionMap(parsed.mapped).bytes
    #expect(bytes.count * 2 < source.utf8.count)
    for cut in [0, 1, 7, bytes.count - 1] {
      #expect(PositionMap(bytes: Array(bytes.prefix(cut))).positions(of: [0, 9, 99]).count == 3)
    }
    #expect(PositionMap(bytes: [UInt8](repeating: 0xFF, count: 40)).positions(of: [5]).count == 1)
  }
}
