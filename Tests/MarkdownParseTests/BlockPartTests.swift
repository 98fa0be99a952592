import Model
import TestSupport
import Testing

@testable import MarkdownParse

@Suite struct BlockPartTests {
  /// Tests the parts of a document with marks in its source, which is ASCII.
  private func check(_ source: String, _ kinds: [BlockPart.Kind], sourceLocation: SourceLocation) {
    let marked = MarkedText(source)
    let document = ParsedDocument(parsing: MarkdownSource(marked.text))
    #expect(document.parts.map(\.kind) == kinds, sourceLocation: sourceLocation)
    #expect(
      document.parts.map(\.source.bytes) == marked.ranges.map(\.utf16),
      sourceLocation: sourceLocation)
  }

  @Test(
    arguments: [
      ("«##» T «##» \n", [.headingMarker, .headingClosing]), ("«#»\n", [.headingMarker]),
      ("T\nU\n «==» \n", [.headingUnderline]),
      ("«>» «>» a\n«>»\n«>» b", [.quoteMarker, .quoteMarker, .quoteMarker, .quoteMarker]),
      ("«-» «[x]» a\n«12)» b\n", [.listMarker, .taskMarker, .listMarker]),
      ("«```» «a b» \nx\n «````» \n", [.fence, .infoString, .closingFence]),
      ("«~~~»\nx\n", [.fence]), (" «* * *» \n", [.thematicBreak]),
      ("| a |\n «|:-|» \n| b |\n", [.delimiterRow]),
      ("«[^a]:» b\n", [.footnoteMarker]),
      (
        "[«a»]: <«b»> «'c'»\n",
        [.definitionLabel, .definitionDestination, .definitionTitle]
      ),
      (
        "«>» [«a»]:\n«>» «b»\n«>» c\n",
        [.quoteMarker, .definitionLabel, .quoteMarker, .definitionDestination, .quoteMarker]
      ),
    ] as [(String, [BlockPart.Kind])])
  func `block markers and their values have the right bytes`(
    source: String, kinds: [BlockPart.Kind]
  ) {
    check(source, kinds, sourceLocation: #_sourceLocation)
  }

  @Test func `a block contains only its own parts`() {
    let document = ParsedDocument(parsing: MarkdownSource("> - a\n> - b\n"))
    let items = document.blocks.indices.filter { document.blocks[$0].kind == .listItem(task: nil) }
    #expect(items.map { document.parts(of: $0).map(\.source.bytes) } == [[2..<3], [8..<9]])
    #expect(document.parts(of: 1).map(\.source.bytes) == [0..<1, 6..<7])
    #expect(document.parts(of: 0) == [])
  }

  @Test(arguments: [
    ("**a** [b](c)  \nd", "dd t dd t d t dddd dd t t".replacing(" ", with: "")),
    ("> a\n", "mbtb"), ("[a]: b\n", "ffffffb"), ("---\na\n---\nb", "yyyyyyyyybt"),
    ("a <b>c", "tthhht"), ("|a|b|\n|-|\n", "tttttttttb"), ("|a|\n|-|\n|b|c|", "mtmbmmmbmtmhm"),
    ("\u{FEFF}a", "bbbt"), ("&amp;\\*", "ttttttt"), ("`` ` ``", "ddbtbdd"),
  ])
  func `each byte has one kind`(source: String, kinds: String) {
    let letters: [SourceSegment.Kind: Character] = [
      .blank: "b", .text: "t", .delimiter: "d", .blockMarker: "m", .definition: "f",
      .frontMatter: "y", .hidden: "h",
    ]
    let segments = ParsedDocument(parsing: MarkdownSource(source)).sourceSegments()
    let found = segments.map { String(repeating: letters[$0.kind]!, count: $0.source.count) }
    #expect(found.joined() == kinds)
  }
}
