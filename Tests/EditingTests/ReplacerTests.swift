import Editing
import MarkdownParse
import Model
import TestSupport
import Testing

@Suite struct ReplacerTests {
  /// Replaces each marked word of a text by another, in the source.
  private func replace(_ word: String, by new: String, in markdown: String) -> Replacer.Result {
    let document = ParsedDocument(parsing: MarkdownSource(markdown))
    return Replacer(document).replace(Self.edits(word, new, document))
  }

  private static func edits(_ word: String, _ new: String, _ document: ParsedDocument)
    -> [TextEdit]
  {
    let (text, units) = (document.text.utf16, Array(word.utf16))
    var edits: [TextEdit] = []
    var index = 0
    while index + units.count <= text.count {
      guard text[index..<index + units.count].elementsEqual(units) else {
        index += 1
        continue
      }
      edits.append(
        TextEdit(range: TextRange(utf16: index..<index + units.count), replacement: new))
      index += units.count
    }
    return edits
  }

  @Test(arguments: [
    ("a fox and *a fox*", "fox", "dog", "a dog and *a dog*"),
    ("`fox` and fox", "fox", "*d*", "`*d*` and \\*d\\*"),
    ("[fox](/fox)", "fox", "dog", "[dog](/fox)"),
    ("fox", "fox", "# fox", "\\# fox"),
    ("fox", "fox", "1. fox", "1\\. fox"),
    ("one\nfox", "fox", "- dog", "one\n\\- dog"),
    (
      "| fox | b |\n|---|---|\n| a | fox |", "fox", "x|y", "| x\\|y | b |\n|---|---|\n| a | x\\|y |"
    ),
    ("a &amp; b", "& b", "and", "a and"),
    ("```\nfox\n```", "fox", "a\nb", "```\na\nb\n```"),
    ("snake_fox_case", "fox", "*", "snake_*_case"),
    ("2 * fox * 4", "fox", "3", "2 * 3 * 4"),
    ("one\ntwo", "one two", "three", "three"),
    ("é fox 😀 fox", "fox", "😀", "é 😀 😀 😀"),
  ])
  func `replacing leaves the markup`(
    _ markdown: String, _ word: String, _ new: String, _ expected: String
  ) {
    let result = replace(word, by: new, in: markdown)
    #expect(result.document.markdown == expected)
    #expect(result.refused.isEmpty)
  }

  @Test(arguments: [
    ("a *fo*x fox", "fox", "dog", "a *fo*x dog", 1),
    ("`a` fox", "a", "`", "`a` fox", 1),
    ("one\n\ntwo", "one\ntwo", "x", "one\n\ntwo", 1),
    ("| a | b |\n|---|---|", "a\tb", "x", "| a | b |\n|---|---|", 1),
    ("*fox* fox", "fox", " ", "*fox* fox", 2),
    ("fox\n\nfox b", "fox", "", "fox\n\nfox b", 2),
    ("a fox b\n\n*fox*", "fox", "", "a  b\n\n*fox*", 1),
    ("<https://fox.org/>", "fox", "a b", "<https://fox.org/>", 1),
    ("fox fox", "fox", "a\n\nb", "fox fox", 2),
    // A block without text is separated from nothing.
    ("# fox\n\nb", "fox", "", "# fox\n\nb", 1),
    ("a\n\n# fox\n\nb", "fox", "", "a\n\n# fox\n\nb", 1),
    ("a\n\n- fox", "fox", "", "a\n\n- fox", 1),
    ("| fox |\n|---|\n\nb", "fox", "", "| fox |\n|---|\n\nb", 1),
  ])
  func `what would break the markup is left alone`(
    _ markdown: String, _ word: String, _ new: String, _ expected: String, _ refused: Int
  ) {
    let result = replace(word, by: new, in: markdown)
    #expect(result.document.markdown == expected)
    #expect(result.refused.count == refused)
  }

  /// Puts text at places of the rendered text that a bar marks in the expectation.
  @Test(arguments: [
    ("a *fox*", [0, 2, 5], "|", "|a |*fox|*", 0),
    ("a _fox_ b", [2, 5], "x", "a _xfoxx_ b", 0),
    ("a\n> b\n> c", [0, 1, 2, 4], "> ", "\\> a\n> \\> b\n> \\> c", 1),
    ("```\na\n\n    b\n```", [0, 2, 3], "> ", "```\n> a\n> \n>     b\n```", 0),
    ("    a\n\n    b", [0, 3], "# ", "    # a\n\n    # b", 0),
    ("| a |  |\n|---|---|", [0, 1, 2], "x", "| xax |  |\n|---|---|", 1),
    ("`a` b", [0, 1, 2], "*", "`*a*` *b", 0),
    ("a &amp; b", [2, 3], "-", "a -&amp;- b", 0), ("a\n\nb", [1, 2], ";", "a;\n\n;b", 0),
    ("# a", [1], " ", "# a", 1), ("a  \nb", [1, 2], "!", "a!  \n!b", 0),
    ("", [0], "x", "", 1),
  ])
  func `text is put at places without text`(
    _ markdown: String, _ places: [Int], _ new: String, _ expected: String, _ refused: Int
  ) {
    let document = ParsedDocument(parsing: MarkdownSource(markdown))
    let result = Replacer(document).replace(
      places.map { TextEdit(range: TextRange(utf16: $0..<$0), replacement: new) })
    #expect(result.document.markdown == expected)
    #expect(result.refused.count == refused)
  }

  @Test func `random replacements change the words and nothing else`() {
    let seed = SeededGenerator.runSeed
    print("seed \(seed)")
    var random = SeededGenerator(seed: seed)
    var generator = GeneratedMarkdown(seed: seed)
    let news = [
      "dog", "", "*x*", "# a", "`", "a | b", "- x", "\\", "<b>", "日本", "[x](y)", " ", "a\nb",
    ]
    var (made, refused) = (0, 0)
    for _ in 0..<400 {
      let document = ParsedDocument(parsing: MarkdownSource(generator.document()))
      let word = ["fox", "the", "a", "o", "s it", "*", "日", " "].randomElement(using: &random)!
      var edits = Self.edits(word, news.randomElement(using: &random)!, document)
      // Text is put in front of each word, and nothing removed.
      if Bool.random(using: &random) {
        for index in edits.indices {
          let start = edits[index].range.utf16.lowerBound
          edits[index].range = TextRange(utf16: start..<start)
        }
        edits.removeAll { $0.replacement.isEmpty }
      }
      let result = Replacer(document).replace(edits)
      made += result.edits.count
      refused += result.refused.count
      #expect(result.edits.count + result.refused.count == edits.count)
      var expected: [UInt16] = []
      var position = 0
      for edit in result.edits {
        expected += document.text.utf16[position..<edit.range.utf16.lowerBound]
        expected += edit.replacement.utf16
        position = edit.range.utf16.upperBound
      }
      expected += document.text.utf16[position...]
      #expect(result.document.text.utf16 == expected, "\(word) in \(document.markdown)")
      #expect(result.document.blocks.count == document.blocks.count)
      let spans = [document, result.document].map { document in
        document.inlines.count { $0.kind != .softBreak && $0.kind != .hardBreak }
      }
      #expect(spans[0] == spans[1])
      #expect(result.patch.applied(to: document.source.bytes) == result.document.source.bytes)
    }
    print("figures: \(made) replaced, \(refused) left alone")
    #expect(made > refused)
  }

  @Test(arguments: [
    ("colour", "color", "color"), ("Colour", "color", "Color"), ("COLOUR", "color", "COLOR"),
    ("colour", "Color", "color"), ("cOlour", "color", "color"), ("cOlour", "Color", "Color"),
    ("A", "the", "The"), ("42", "Answer", "Answer"), ("«Word»", "a word", "A word"),
  ])
  func `capitals are kept`(_ old: String, _ new: String, _ expected: String) {
    #expect(new.withCase(of: old) == expected)
  }

  @Test func `a template names groups`() throws {
    let groups = ["all", "one", nil]
    func text(_ template: String, _ count: Int = 2) throws -> String {
      try ReplacementTemplate(template, groups: count, names: ["year": 1]).text { groups[$0] }
    }
    #expect(try text("<$1> ${year} $0 $2!") == "<one> one all !")
    #expect(try text("$$1 costs 5$ $") == "$1 costs 5$ $")
    #expect(try text("$10") == "one0")
    #expect(try text("$1\\n\\t\\\\ \\* ${1") == "one\n\t\\ \\* ${1")
    #expect(ReplacementTemplate(literal: "$1").text { _ in "x" } == "$1")
    #expect(throws: TemplateError.self) { try text("$3") }
    #expect(throws: TemplateError.self) { try text("${month}") }
  }

  @Test(arguments: [
    (#"\U$1\E $1"#, "ÜBER DAS über das"), (#"\u$1"#, "Über das"), (#"\u\L$2"#, "Straße"),
    (#"\L\u$2"#, "Straße"), (#"\U$2 x"#, "STRASSE X"), (#"\l$2!"#, "sTRAßE!"), (#"\u"#, ""),
    (#"\u$3$1"#, "Über das"), (#"a\Ub\Lc\uD\Ee"#, "aBcDe"),
  ])
  func `a template changes the case of what follows`(_ template: String, _ expected: String) throws
  {
    let groups = ["", "über das", "STRAßE", nil]
    #expect(try ReplacementTemplate(template, groups: 3).text { groups[$0] } == expected)
  }
}
