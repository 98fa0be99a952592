import Editing
import MarkdownParse
import Model
import TestSupport
import Testing

@Suite struct ReplacerTests {
  /// Replaces each marked word of a source.
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
  func `replacing keeps the markup`(
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
    ("fox\n\nfox b", "fox", "", "fox\n\nb", 1),
    ("a fox b\n\n*fox*", "fox", "", "a  b\n\n*fox*", 1),
    ("<https://fox.org/>", "fox", "a b", "<https://fox.org/>", 1),
    ("fox fox", "fox", "a\n\nb", "fox fox", 2),
    // A block without text needs no separator.
    ("# fox\n\nb", "fox", "", "# fox\n\nb", 1),
    ("a\n\n# fox\n\nb", "fox", "", "a\n\n# fox\n\nb", 1),
    ("| fox |\n|---|\n\nb", "fox", "", "| fox |\n|---|\n\nb", 1),
  ])
  func `a replacement that would break the markup is rejected`(
    _ markdown: String, _ word: String, _ new: String, _ expected: String, _ refused: Int
  ) {
    let result = replace(word, by: new, in: markdown)
    #expect(result.document.markdown == expected)
    #expect(result.refused.count == refused)
  }

  /// Removes or replaces each marked word.
  @Test(arguments: [
    // Only the label of the link is kept, whatever its position.
    (
      "fox [fox docs][] fox, fox and fox `fox` *fox* fox\n\n[fox docs]: /x\n", "fox", "dog",
      "dog [fox docs][] dog, dog and dog `dog` *dog* dog\n\n[fox docs]: /x\n", 1
    ),
    (
      "- x\n\n  fox, [fox] fox\n\n[Fox]: /x", "fox", "dog", "- x\n\n  dog, [fox] dog\n\n[Fox]: /x",
      1
    ),
    (
      "fox [^1] fox [fox]\n\n[^1]: fox\n\n[fox]: /x", "fox", "dog",
      "dog [^1] dog [fox]\n\n[^1]: dog\n\n[fox]: /x", 1
    ),
    (
      "a fox, fox\nfox and [`fox`][] fox.\n[big fox docs][] for fox.\n\n[big fox docs]: /x\n[`fox`]: /y",
      "fox", "dog",
      "a dog, dog\ndog and [`fox`][] dog.\n[big fox docs][] for dog.\n\n[big fox docs]: /x\n[`fox`]: /y",
      2
    ),
    // Each replacement is written separately.
    (
      "Has foo, foo; see the [foo docs][].\n\n[foo docs]: /x\n", "foo", "fo-o",
      "Has fo-o, fo-o; see the [foo docs][].\n\n[foo docs]: /x\n", 1
    ),
    ("foo and foo", "foo", "1. x", "1\\. x and 1. x", 0),
    ("foo and foo", "foo", "- (x)", "\\- (x) and - (x)", 0),
    ("a foo  foo", "foo", "a|b", "a a|b  a|b", 0),
    ("`foo` foo", "foo", "[x](y)", "`[x](y)` \\[x\\](y)", 0),
    // A cell does not depend on other cells.
    (
      "aaa foo  foo\n\n| foo | b |\n|---|---|\n| `foo` | foo |", "foo", "a|b",
      "aaa a|b  a|b\n\n| a\\|b | b |\n|---|---|\n| `a\\|b` | a\\|b |", 0
    ),
  ])
  func `each replacement is accepted or rejected separately`(
    _ markdown: String, _ word: String, _ new: String, _ expected: String, _ refused: Int
  ) {
    let result = replace(word, by: new, in: markdown)
    #expect(result.document.markdown == expected)
    #expect(result.refused.count == refused)
  }

  @Test(arguments: [
    ("hello fox", "hello"), ("fox hello", "hello"), ("hello fox fox", "hello"),
    ("fox fox hello", "hello"), ("a fox b", "a  b"), ("# hello fox", "# hello"),
    ("hello fox  \nworld", "hello  \nworld"), ("hello fox\nworld", "hello\nworld"),
    ("hello  fox\nworld", "hello\nworld"), ("hello\nfox\nworld", "hello\nworld"),
    ("fox\nworld", "world"), ("hello\nfox", "hello"), ("> hello\n> fox\n> b", "> hello\n> b"),
    ("fox fox\nb fox", "b"), ("*a fox*", "*a*"),
    ("| a fox | fox b |\n|---|---|", "| a | b |\n|---|---|"),
    ("- fox", "- "), ("a\n\n- fox\n- b", "a\n\n- \n- b"), ("- fox\n- fox fox\n\nb", "- \n- \n\nb"),
    ("1. fox\n   - fox\n", "1. \n   - \n"), ("```\na fox\n```", "```\na \n```"),
  ])
  func `a word at the edge of a line can be removed`(_ markdown: String, _ expected: String) {
    let document = ParsedDocument(parsing: MarkdownSource(markdown))
    let result = replace("fox", by: "", in: markdown)
    #expect(result.document.markdown == expected)
    #expect(result.refused.isEmpty)
    #expect(document.text.utf16.applying(result.edits) == result.document.text.utf16)
  }

  @Test(arguments: [
    ("a [fox] b\n\n[fox]: /x", "fox", "dog", ReplacementError.Reason.linkName),
    ("a [fox] b\n\n[fox]: /x\n[dog]: /y", "fox", "dog", .linkName),
    ("a ![fox][] b\n\n[fox]: /x", "fox", "dog", .linkName), ("*fo*x", "fox", "dog", .acrossMarkup),
    ("one\n\ntwo", "one\ntwo", "x", .acrossBlocks), ("<https://fox.org/>", "fox", "a b", .address),
    ("`a` fox", "a", "`", .code), ("fox\n\nb", "fox", "", .emptyBlock),
    ("a *fox*", "fox", "", .emptySpan),
    ("a fox", "fox", "a\n\nb", .lineEnd),
  ])
  func `a rejected replacement has a reason`(
    _ markdown: String, _ word: String, _ new: String, _ reason: ReplacementError.Reason
  ) {
    #expect(replace(word, by: new, in: markdown).refused.map(\.reason) == [reason])
  }

  /// In a block with many matches, of which few cannot be replaced, the amount of parsing is
  /// limited.
  @Test(arguments: [
    ("*fox*", "", 1 << 18, [ReplacementError.Reason.emptySpan]),
    ("`fox`", "a`*b*", 1 << 20, [.code]), ("`fox`", "a`*b*", 1 << 25, [.code]),
    ("[fox]", "a-*b*", 1 << 18, [.linkName]), ("*fox*", "", 1 << 14, [.emptySpan, .untried]),
  ])
  func `a few matches that cannot be replaced are found among many others`(
    _ special: String, _ new: String, _ budget: Int, _ reasons: [ReplacementError.Reason]
  ) {
    let words = (0..<300).map { $0 % 100 == 7 ? "a \(special) and" : "a fox and" }
    let other = String(repeating: "Some other words.\n\n", count: 200)
    let markdown = other + words.joined(separator: "\n") + " more\n\n[fox]: /x\n"
    let document = ParsedDocument(parsing: MarkdownSource(markdown))
    let result = Replacer(document, budget: budget).replace(Self.edits("fox", new, document))
    #expect(result.refused.allSatisfy { reasons.contains($0.reason) })
    #expect(result.edits.count + result.refused.count == 300)
    #expect(result.refused.count == 3 || reasons.contains(.untried))
  }

  /// Inserts text at offsets of the rendered text, which bars mark in the expectation.
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
  func `text is inserted at offsets, and none is removed`(
    _ markdown: String, _ places: [Int], _ new: String, _ expected: String, _ refused: Int
  ) {
    let document = ParsedDocument(parsing: MarkdownSource(markdown))
    let result = Replacer(document).replace(
      places.map { TextEdit(range: TextRange(utf16: $0..<$0), replacement: new) })
    #expect(result.document.markdown == expected)
    #expect(result.refused.count == refused)
  }

  @Test func `random replacements change only the words`() {
    let seed = SeededGenerator.runSeed
    print("seed \(seed)")
    var random = SeededGenerator(seed: seed)
    var generator = GeneratedMarkdown(seed: seed)
    let news = [
      "dog", "", "*x*", "# a", "`", "a | b", "- x", "\\", "<b>", "日本", "[x](y)", " ", "a\nb",
    ]
    var (made, refused, released) = (0, 0, 0)
    for _ in 0..<400 {
      let document = ParsedDocument(parsing: MarkdownSource(generator.document()))
      let word = ["fox", "the", "a", "o", "s it", "*", "日", " "].randomElement(using: &random)!
      let new = news.randomElement(using: &random)!
      let isRemoval = new.isEmpty
      var edits = Self.edits(word, new, document)
      // Insert text before each word, without removing any.
      if Bool.random(using: &random) {
        for index in edits.indices {
          let start = edits[index].range.utf16.lowerBound
          edits[index].range = TextRange(utf16: start..<start)
        }
        edits.removeAll { $0.replacement.isEmpty }
      }
      let result = Replacer(document).replace(edits)
      // A long document is released in the meantime. The result is the same, or the document is
      // restored.
      var held: ParsedDocument? = document
      let long = Replacer.replace(edits, releasing: &held) { $0 == document.text.utf16 }
      if let long {
        released += 1
        #expect(held == nil && long.old == document.text.utf16)
        #expect(long.after.source.bytes == result.document.source.bytes)
        #expect(long.after.text == result.document.text)
        #expect(long.patch == result.patch && long.edits == result.edits)
        #expect(result.refused.isEmpty)
      } else {
        #expect(held?.isSame(as: document) == true)
      }
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
      // All words of an item may be removed, with its paragraph.
      let kinds = [document, result.document].map { document in
        document.blocks.count { $0.kind != .paragraph || !isRemoval }
      }
      #expect(kinds[0] == kinds[1])
      let spans = [document, result.document].map { document in
        document.inlines.count { $0.kind != .softBreak && $0.kind != .hardBreak }
      }
      #expect(spans[0] == spans[1])
      #expect(result.patch.applied(to: document.source.bytes) == result.document.source.bytes)
    }
    print("figures: \(made) replaced, \(refused) left alone")
    #expect(made > refused)
    #expect((50..<400).contains(released), "\(released) documents were released")
  }

  @Test(arguments: [
    ("colour", "color", "color"), ("Colour", "color", "Color"), ("COLOUR", "color", "COLOR"),
    ("colour", "Color", "color"), ("cOlour", "color", "color"), ("cOlour", "Color", "Color"),
    ("A", "the", "The"), ("42", "Answer", "Answer"), ("«Word»", "a word", "A word"),
  ])
  func `the case of the replaced word is kept`(_ old: String, _ new: String, _ expected: String) {
    #expect(new.withCase(of: old) == expected)
  }

  @Test func `a template contains groups by number and name`() throws {
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
  func `a template changes the case of the following text`(_ template: String, _ expected: String)
    throws
  {
    let groups = ["", "über das", "STRAßE", nil]
    #expect(try ReplacementTemplate(template, groups: 3).text { groups[$0] } == expected)
  }
}
