import MarkdownParse
import Model
import TestSupport
import Testing

@testable import Editing

private let markdown = """
  # Intro

  The **quick** fox. The lazy dog.

  ## Next *part*

  Last words, e\u{301}nd 👋🏽.
  """

private func select(_ spec: String) throws -> String {
  let document = ParsedDocument(parsing: MarkdownSource(markdown))
  return document.text.substring(try SelectionSpec(parsing: spec).resolve(in: document))
}

@Suite struct SelectionSpecTests {
  @Test(arguments: ["106", "10^6", "10⁶"])
  func `a quote finds superscripts`(quote: String) throws {
    let document = ParsedDocument(parsing: MarkdownSource("About 10<sup>6</sup> and 10^9."))
    var spec = try SelectionSpec(parsing: "\"\(quote)\"")
    spec.allowsOtherMarks = true
    let range = try spec.resolve(in: document)
    #expect(document.text.substring(range) == "10⁶")
    let difference = quote == "10⁶" ? nil : "with raised or lowered letters"
    #expect(spec.difference(from: range, in: document) == difference)
  }

  @Test(arguments: ["👨", "🇩"])
  func `a part of a character is not found, also not as a similar passage`(quote: String) throws {
    let document = ParsedDocument(parsing: MarkdownSource("The 👨‍👩‍👧‍👦 and 🇩🇪 here."))
    var spec = try SelectionSpec(parsing: "\"\(quote)\"")
    spec.allowsOtherMarks = true
    #expect(throws: SelectionError.self) { try spec.resolve(in: document) }
  }

  @Test(arguments: [
    ("word:2", "The"), ("words:2..4", "The quick fox"), ("words:2-4", "The quick fox"),
    ("line:3", "The quick fox. The lazy dog."),
    ("lines:1..3", "Intro\nThe quick fox. The lazy dog."),
    ("para:2", "The quick fox. The lazy dog."),
    ("paras:1..2", "Intro\nThe quick fox. The lazy dog."),
    ("heading:\"next part\"", "Next part"), ("heading:Intro", "Intro"),
    ("section:\"Next part\"", "Next part\nLast words, e\u{301}nd 👋🏽."),
    ("\"quick fox\"", "quick fox"), ("“quick fox”", "quick fox"), ("quick fox", "quick fox"),
    ("\"The\"#2", "The"), ("\"quick\"…\"lazy\"", "quick fox. The lazy"),
    ("\"quick\"...\"lazy\"", "quick fox. The lazy"),
    ("u16:6-9", "The"), ("u16:6..9", "The"), ("\"quick\n  fox\"", "quick fox"), ("👋🏽", "👋🏽"),
  ])
  func `a SPEC selects its passage`(spec: String, passage: String) throws {
    #expect(try select(spec) == passage)
  }

  @Test func `all selects everything, and hl selects a highlight's range`() throws {
    let document = ParsedDocument(parsing: MarkdownSource(markdown))
    #expect(try SelectionSpec(parsing: "all").resolve(in: document).count == document.text.count)
    let range = try SelectionSpec(parsing: "hl:42").resolve(in: document) {
      $0 == "42" ? TextRange(utf16: 1..<3) : nil
    }
    #expect(range == TextRange(utf16: 1..<3))
  }

  @Test(arguments: [
    ("", "the selection is empty", 0), ("\"open", "the quotation mark is not closed", 0),
    ("\"\"", "there is nothing between the quotation marks", 0),
    ("word:x", "a number is missing", 5),
    ("word:0", "counting begins with 1", 5),
    ("u16:5-3", "the end is before the start; write u16:3-5", 4),
    ("words:4-2", "the end is before the start; write words:2..4", 6),
    ("lines:3..1", "the end is before the start; write lines:1..3", 6),
    ("wrod:3", "did you mean 'word:'?", 0), ("word:3x", "unexpected 'x'", 6),
    ("\"a\"#0", "counting begins with 1", 4), ("match:/a/#0", "counting begins with 1", 10),
    ("match:a", "between slashes", 6), ("match:/a", "the slash after", 6),
    ("match://", "there is no pattern", 6), ("match:/a/x", "only '#'", 9),
    ("hl:", "a highlight's id is missing", 3),
    ("\"a\"…", "only #2 or …\"words\" can follow", 3), ("\"a\"#x", "a number is missing", 4),
  ])
  func `a syntax error contains its position`(spec: String, cause: String, place: Int) {
    do {
      _ = try SelectionSpec(parsing: spec)
      Issue.record("'\(spec)' was read")
    } catch {
      #expect(error.cause.contains(cause), "\(error)")
      #expect(error.position == place, "\(error)")
    }
  }

  @Test(
    arguments: [
      ("match:/f.x/", "f.x", nil), ("match:/f.x/#2", "f.x", 2),
      ("match:/a\\/b\\.c/", "a/b\\.c", nil),
      ("match:/#1/", "#1", nil), ("match:/\\\\/", "\\\\", nil),
    ] as [(String, String, Int?)])
  func `a match SPEC passes its pattern to the search`(
    spec: String, pattern: String, number: Int?
  ) throws {
    let document = ParsedDocument(parsing: MarkdownSource(markdown))
    let found = [TextRange(utf16: 1..<3), TextRange(utf16: 4..<6)]
    var asked: [String] = []
    let read = try SelectionSpec(parsing: spec)
    do {
      let range = try read.resolve(
        in: document,
        matches: { (pattern) throws(SelectionError) in
          asked.append(pattern)
          return found
        })
      #expect(range == found[(number ?? 1) - 1] && number != nil)
    } catch {
      guard case .ambiguous(let name, let candidates, _, _) = error else { throw error }
      #expect(number == nil && name.hasPrefix("match:/") && candidates.map(\.range) == found)
    }
    #expect(asked == [pattern])
  }

  @Test func `an invalid or missing pattern is reported`() throws {
    let document = ParsedDocument(parsing: MarkdownSource(markdown))
    let spec = try SelectionSpec(parsing: "match:/(/")
    #expect(throws: SelectionError.badPattern("no")) {
      try spec.resolve(
        in: document, matches: { (_) throws(SelectionError) in throw .badPattern("no") })
    }
    #expect(throws: SelectionError.notFound("match:/(/ is not in the text")) {
      try spec.resolve(in: document, matches: { (_) throws(SelectionError) in [] })
    }
  }

  @Test func `a passage that cannot be selected is reported`() {
    #expect(throws: SelectionError.notFound("'cat' is not in the text")) { try select("\"cat\"") }
    #expect(throws: SelectionError.notFound("there is no word 99: the last is 13")) {
      try select("word:99")
    }
    #expect(throws: SelectionError.self) { try select("u16:0-9999") }
    do {
      _ = try select("\"The\"")
      Issue.record("an ambiguous quote was accepted")
    } catch let error as SelectionError {
      guard case .ambiguous(_, let candidates, count: 2, _) = error else {
        Issue.record("\(error)")
        return
      }
      #expect(
        candidates.map(\.position) == [
          LinePosition(line: 3, column: 1), LinePosition(line: 3, column: 20),
        ])
    } catch { Issue.record("\(error)") }
  }

  @Test func `a range inside a grapheme is rejected with the nearest complete range`() throws {
    let document = ParsedDocument(parsing: MarkdownSource("a👋🏽b"))
    #expect(throws: SelectionError.outOfBounds("u16:2-3 divides a character; u16:1-5 does not")) {
      try SelectionSpec(parsing: "u16:2-3").resolve(in: document)
    }
  }

  @Test func `positions are units, or line and column`() throws {
    let document = ParsedDocument(parsing: MarkdownSource(markdown))
    #expect(
      try PositionSpec(parsing: "3").resolve(in: document)
        == PositionSpec(parsing: "3:1").resolve(in: document))
    #expect(
      try PositionSpec(parsing: "line:3").resolve(in: document)
        == PositionSpec(parsing: "3:1").resolve(in: document))
    #expect(
      try PositionSpec(parsing: "para:2").resolve(in: document)
        == SelectionSpec(parsing: "para:2").resolve(in: document).lowerBound)
    #expect(throws: SelectionSyntaxError.self) { try PositionSpec(parsing: "0") }
    #expect(try PositionSpec(parsing: "u16:7").resolve(in: document).utf16 == 7)
    // Column 7 of line 3 is the q after the two asterisks.
    #expect(try PositionSpec(parsing: "3:7").resolve(in: document).utf16 == 10)
    #expect(throws: SelectionSyntaxError.self) { try PositionSpec(parsing: "x") }
    #expect(throws: SelectionError.self) { try PositionSpec(parsing: "99:1").resolve(in: document) }
  }
}

@Suite struct TextSegmenterTests {
  private func words(_ marked: String) -> (found: [TextRange], expected: [TextRange]) {
    let text = MarkedText(marked)
    return (PropertySegmenter().words(in: Array(text.text.utf16)), text.ranges)
  }

  @Test(arguments: [
    "«The» «quick»  «fox»", "«can't» «stop»", "«3.14» «and» «1,000»", "«größe»\u{A0}«naïve»",
    "«日»«本»«語»", "(«a»)—«b»", "«👋🏽» «hi»", "«snake_case»", "«e\u{301}te\u{301}».", "",
  ])
  func `words have their exact ranges`(marked: String) {
    let (found, expected) = words(marked)
    #expect(found == expected)
  }

  @Test(arguments: [
    "«It rained.» «We stayed!»", "«Dr. Who came.» «He left.»", "«\"Why?\" she said.»",
    "«今日は。»«明日も。»", "«One»\n«Two»",
  ])
  func `sentences end at their punctuation`(marked: String) {
    let text = MarkedText(marked)
    #expect(PropertySegmenter().sentences(in: Array(text.text.utf16)) == text.ranges)
  }

  @Test(arguments: [
    ("The Quick fox", "the quick fox", "in another case"),
    ("don't say \"so\"", "don’t say “so”", "with other quotation marks and apostrophes"),
    ("Don't say", "don’t say", "in another case and with other apostrophes"),
    ("**quick** [fox](a.md)", "quick fox", "without the marks of Markdown"),
    ("the quick brown dog ran", "the quick brown fox ran", "with 'fox' instead of 'dog'"),
    ("the quick fox ran home", "the quick fox jumps home", "with 'jumps' instead of 'ran'"),
    ("the obelsu marks", "The obelus marks", "with 'obelus' instead of 'obelsu'"),
    ("obelsu marks", "obelus marks", "with 'obelus' instead of 'obelsu'"),
    ("teh obelsu", "The obelus", "with 'The obelus' instead of 'teh obelsu'"),
    ("cafe cremes", "café crème", "with 'café crème' instead of 'cafe cremes'"),
    (
      "teh naiev resume", "The naïve résumé",
      "with 'The naïve résumé' instead of 'teh naiev resume'"
    ),
  ])
  func `the nearest passage of a quote is found with the difference`(
    quote: String, there: String, difference: String
  ) throws {
    let filler = "Other words stand here, one after another.\n\n"
    let document = ParsedDocument(parsing: MarkdownSource("\(filler)So \(there) 🦊.\n\n\(filler)"))
    let near = try #require(NearPassage(to: quote, in: document))
    #expect(document.text.substring(near.range) == there)
    #expect(near.difference == difference)
  }

  @Test(arguments: [
    ("Dont stop", "Don’t stop", "with apostrophes"),
    ("dont stop", "Don't stop", "in another case and with apostrophes"),
    ("said Yes now", "said “Yes” now", "with quotation marks"),
    ("it's time", "its time", "without apostrophes"),
    ("the dogs tail", "the dogs’ tail", "with apostrophes"),
    ("l'homme est", "l’homme est", "with other apostrophes"),
  ])
  func `a quote is found without its apostrophes and quotation marks`(
    quote: String, there: String, difference: String
  ) throws {
    let filler = "Other words stand here, one after another. "
    let document = ParsedDocument(parsing: MarkdownSource("\(filler)So \(there) 🦊. \(filler)"))
    var spec = try SelectionSpec(parsing: "\"\(quote)\"")
    #expect(throws: SelectionError.self) { try spec.resolve(in: document) }
    spec.allowsOtherMarks = true
    let range = try spec.resolve(in: document)
    #expect(document.text.substring(range) == there)
    #expect(spec.difference(from: range, in: document) == difference)
  }

  @Test func `the exact words precede words with an apostrophe, and parts of words are not found`()
    throws
  {
    let document = ParsedDocument(parsing: MarkdownSource("We'll go. All is well. The art'ists."))
    var spec = try SelectionSpec(parsing: "\"well\"")
    spec.allowsOtherMarks = true
    #expect(document.text.substring(try spec.resolve(in: document)) == "well")
    #expect(
      NearPassage.occurrences(withoutQuotesOf: "artist", keepingCase: true, in: document) == [])
    #expect(NearPassage.occurrences(withoutQuotesOf: "'”", keepingCase: true, in: document) == [])
  }

  @Test func `of similar words, one with two exchanged letters is the nearest`() throws {
    let document = ParsedDocument(
      parsing: MarkdownSource("The obels, critical marks. Some obelsk marks. Then obelus marks."))
    let word = try #require(NearPassage(to: "obelsu", in: document))
    #expect(document.text.substring(word.range) == "obelus")
    let words = try #require(NearPassage(to: "obelsu marks", in: document))
    #expect(document.text.substring(words.range) == "obelus marks")
    #expect(words.difference == "with 'obelus' instead of 'obelsu'")
    #expect(Spelling.nearest(to: "obelsu", among: ["obels", "obelsk", "obelus"]) == "obelus")
    #expect(Spelling.nearest(to: "--ntoe", among: ["--no", "--node", "--note"]) == "--note")
    #expect(Spelling.nearest(to: "zebra", among: ["obelus"]) == nil)
    #expect(Spelling.nearest(to: "md", among: ["html", "markdown", "my-domain"]) == "markdown")
    let others = ["my domain", "adm", "multidimensional"]
    #expect(Spelling.nearest(to: "md", among: others) == nil)
    // More than half of the words must occur, or half of them beside similar words.
    let other = ParsedDocument(parsing: MarkdownSource("The book is available from this link."))
    #expect(NearPassage(to: "command line", in: other) == nil)
    #expect(NearPassage(to: "form thsi", in: other) != nil)
  }

  @Test func `a quote without accents is found if it occurs once, and listed otherwise`() throws {
    let text =
      "The café is open. A naïve résumé. Cafe\u{301} once more. A Résumé: re\u{301}sume\u{301}."
    let found = try taken("\"cafe is\"", in: text)
    #expect(found.words == "café is" && found.1 == "with other accents")
    #expect(try taken("\"cafe once\"", in: text).words == "Cafe\u{301} once")
    #expect(try taken("\"naíve\"", in: text).words == "naïve")
    #expect(try taken("\"resume\"#2", in: text).words == "Résumé")
    #expect(try refusal("\"resume\"", in: text).contains("occurs 3 times"))
    // If the quote is found with its accents, other accents are not accepted. Accents in another
    // encoding are the same.
    #expect(try refusal("\"résumé\"", in: text).contains("occurs twice"))
    #expect(try taken("\"naïve\"", in: text + " A naive one.").words == "naïve")
    #expect(try taken("\"is it\"", in: "is it, ís it").words == "is it")
    // Without `allowsOtherMarks` only exact matches are accepted. Of several matches in another
    // case, none is chosen.
    let document = ParsedDocument(parsing: MarkdownSource(text))
    #expect(throws: SelectionError.self) {
      try SelectionSpec(parsing: "\"cafe is\"").resolve(in: document)
    }
    #expect(throws: SelectionError.self) { try taken("\"IT\"", in: "It, it and ít.") }
  }

  @Test(arguments: ["zebra", "nothing of this stands there", "Wörter die es nicht gibt"])
  func `a quote without a similar passage has no nearest passage`(quote: String) {
    let document = ParsedDocument(parsing: MarkdownSource("the quick brown fox\n"))
    #expect(NearPassage(to: quote, in: document) == nil)
  }

  @Test func `a span whose end is before its start is refused with the right order`() throws {
    let text = "First one, then two."
    #expect(try taken("\"one\"…\"two\"", in: text).words == "one, then two")
    #expect(
      try refusal("\"two\"…\"one\"", in: text)
        == "'one' is only before 'two'; write \"one\"…\"two\"")
    #expect(try refusal("\"t\"…\"First\"", in: text).contains("write \"First\"…\"t\""))
  }

  @Test func `a quote of whole words is found only between word boundaries`() throws {
    let document = ParsedDocument(
      parsing: MarkdownSource("heart, the art of hear’s; art-work and Art’s arts"))
    var spec = try SelectionSpec(parsing: "\"art\"#2")
    spec.wholeWords = true
    #expect(try spec.resolve(in: document) == TextRange(utf16: 26..<29))
    spec = try SelectionSpec(parsing: "ear")
    spec.wholeWords = true
    #expect(
      throws: SelectionError.notFound(
        "'ear' occurs twice, but never as whole words")
    ) { try spec.resolve(in: document) }
  }

  @Test func `many matches are reported with a limited list, their headings and the count`() throws
  {
    let parts = (1...6).map { "## Part \($0)\n\n" + String(repeating: "a fox. ", count: 5) }
    let document = ParsedDocument(
      parsing: MarkdownSource(parts.joined(separator: "\n\n")))
    do {
      _ = try SelectionSpec(parsing: "fox").resolve(in: document)
      Issue.record("an ambiguous quote was accepted")
    } catch let error as SelectionError {
      guard case .ambiguous(_, let candidates, let count, _) = error else {
        Issue.record("\(error)")
        return
      }
      #expect(count == 30 && candidates.count == 20)
      #expect(Set(candidates.map(\.section)) == ["Part 1", "Part 2", "Part 3", "Part 4"])
    } catch { Issue.record("\(error)") }
  }

  @Test(arguments: [
    ("“Good morning” she", "“Good morning” she"), ("\"Good morning\" she", "“Good morning” she"),
    ("\"said “Good\"", "said “Good"), ("\"she said \"so\" then\"", "she said “so” then"),
    ("“she said “so” then”", "she said “so” then"),
    ("\"Good morning\" she said \"so\"", "“Good morning” she said “so”"),
    ("said \"so\" then", "said “so” then"),
  ])
  func `a passage with quotation marks is found as it was copied`(spec: String, words: String)
    throws
  {
    let text = "It began.\n\n“Good morning” she said “so” then. He said “Good”.\n"
    #expect(try taken(spec, in: text).words == words)
  }

  // MARK: - Quotes with small differences

  private func taken(_ spec: String, in text: String) throws -> (words: String, String?) {
    let document = ParsedDocument(parsing: MarkdownSource(text))
    var spec = try SelectionSpec(parsing: spec)
    spec.allowsOtherMarks = true
    let range = try spec.resolve(in: document)
    return (document.text.substring(range), spec.difference(from: range, in: document))
  }

  @Test(arguments: [
    ("\"don't say \\\"so\\\"\"", "They don’t say “so” here.", "don’t say “so”"),
    ("\"non-breaking a b\"", "A non\u{2011}breaking a\u{A0}b.", "non\u{2011}breaking a\u{A0}b"),
    (
      "\"the _stack_ and the _heap_\"", "On The Stack and the heap; the *stack* and the *heap*.",
      "the stack and the heap"
    ),
    ("\"a -- b\"", "It is a -- b.", "a -- b"),
    ("\"wait... what\"", "Wait; wait… what?", "wait… what"),
    (
      "\"in [a frame](http://x.y) … and\"", "It is in [a frame](http://x.y) ... and so on.",
      "in a frame ... and"
    ),
    ("\"Second PART\"", "The second part of it.", "second part"),
    ("\"ÜBER **Straßen**\"", "Ein Wort über *Straßen*.", "über Straßen"),
    ("\"don't\"…\"THE END\"", "They don’t. It is the end.", "don’t. It is the end"),
    ("heading:\"Factory Method\"", "# 🏭 Factory Method\n\n# Factory", "🏭 Factory Method"),
    ("heading:\"what s new\"", "# What’s new?\n\n# Other", "What’s new?"),
    ("heading:\"C\"", "# C++\n\n# C\n", "C"),
  ])
  func `a quote with other punctuation marks is found if it occurs once`(
    spec: String, text: String, words: String
  ) throws {
    #expect(try taken(spec, in: text).words == words)
  }

  private static let loosened = """
    # On **Memory** &amp; `free_list`

    Use `my_var_name` and **bold** words with `a*b*c` here.

    A [link](https://example.org/x) and a note[^1] and 5 &lt; 6 :rocket: done.

    [^1]: The note.
    """

  @Test(arguments: [
    ("\"`my_var_name` and **bold**\"", "my_var_name and bold", "without the marks of Markdown"),
    ("\"**bold** words with a*b*c\"", "bold words with a*b*c", "without the marks of Markdown"),
    ("\"words with `a*b*c` here\"", "words with a*b*c here", "without the marks of Markdown"),
    ("\"a*b*c **here**\"", "a*b*c here", "without the marks of Markdown"),
    ("\"5 &lt; 6 :rocket:\"", "5 < 6 🚀", "with characters in place of their names"),
    ("\"link[2] and a note[1] and\"", "link and a note[1] and", "without the numbers of links"),
    (
      "\"A [link](https://example.org/x) and a note[^1] and\"", "A link and a note[1] and",
      "without the marks of Markdown"
    ),
    (
      "\"**link**[2] and a note and 5 &lt; 6\"", "link and a note[1] and 5 < 6",
      "with the numbers of notes and with characters in place of their names, without the numbers "
        + "of links and without the marks of Markdown"
    ),
    (
      "heading:\"On **Memory** &amp; free_list\"", "On Memory & free_list",
      "with characters in place of their names and without the marks of Markdown"
    ),
    (
      "heading:\"On **Memory** & `free_list`\"", "On Memory & free_list",
      "without the marks of Markdown"
    ),
    ("heading:\"on memory & free_list\"", "On Memory & free_list", "in another case"),
    ("heading:\"On Memory free_list!\"", "On Memory & free_list", "with other punctuation"),
  ])
  func `a quote as in the source or on a page is accepted, and the difference is reported`(
    spec: String, words: String, difference: String
  ) throws {
    let document = ParsedDocument(
      parsing: MarkdownSource(Self.loosened), options: MarkdownDialect.github.options)
    var spec = try SelectionSpec(parsing: spec)
    spec.allowsOtherMarks = true
    let range = try spec.resolve(in: document)
    #expect(document.text.substring(range) == words)
    #expect(spec.difference(from: range, in: document) == difference)
  }

  @Test func `quotes with markup are compared with passages without it`() throws {
    let document = ParsedDocument(
      parsing: MarkdownSource(Self.loosened), options: MarkdownDialect.github.options)
    let near = try #require(
      NearPassage(to: "Use `my_var_name` and **bald** words with", in: document))
    #expect(document.text.substring(near.range) == "Use my_var_name and bold words with")
    #expect(near.difference == "with 'bold' instead of 'bald'")
  }

  @Test func `the difference is reported, and nil for an exact match`() throws {
    #expect(
      try taken("\"don't\"", in: "They don’t.").1 == "with other apostrophes")
    #expect(try taken("\"_a_ b\"", in: "Say *a* b.").1 == "without the marks of Markdown")
    #expect(try taken("\"a b\"", in: "Say a\nb.").1 == nil)
    #expect(throws: SelectionError.self) { try taken("\"don't\"", in: "don’t and don‘t") }
    #expect(try taken("\"It IS\"", in: "So it is.").1 == "in another case")
    #expect(try taken("\"a b\"…\"It's\"", in: "a b, it’s, It’s.").1 == "with other apostrophes")
    // A match in the same case is preferred. Of several matches in another case, none is chosen.
    // Without `allowsOtherMarks`, other quotation marks are not accepted.
    #expect(try taken("\"it\"", in: "It is it.").words == "it")
    #expect(throws: SelectionError.self) { try taken("\"IT\"", in: "It is it.") }
    let document = ParsedDocument(parsing: MarkdownSource("They don’t."))
    #expect(throws: SelectionError.self) {
      try SelectionSpec(parsing: "\"don't\"").resolve(in: document)
    }
  }

  @Test(arguments: [
    ("\"So, it rained! and we stayed\"", "So it rained, and we stayed"),
    ("\"it rained and — we stayed.\"", "it rained, and we stayed"),
    ("\"Emma, 1815\"", "Emma\t1815"),
  ])
  func `a quote with other punctuation or table bars is accepted if it is unique`(
    spec: String, words: String
  ) throws {
    let text = """
      So it rained, and we stayed at home.

      | name | year | town |
      |---|---|---|
      | Emma | 1815 | London |
      | Kim | 1901 | London |

      """
    let found = try taken(spec, in: text)
    #expect(found.words == words && found.1?.contains("punctuation") == true)
    // If two passages have the same words, neither is chosen. Short words match only with their
    // symbols.
    #expect(throws: SelectionError.self) { try taken(spec, in: "\(text)\n\(text)") }
    #expect(try taken("\"Kim!\"", in: text).words == "Kim")
    #expect(throws: SelectionError.self) { try taken("\"at++\"", in: text) }
  }

  /// A text with the marks that a typed or pasted quote lacks.
  private static let pasted = """
    “Call me Ishmael,” he began. ‘Twas said,’ she thought, ‘never again,’ and left it — the \
    writers’ way. Dr. Smith’s price is *high*, says the phrase — don’t forget.

    ’Tis a well-known the-cat case; the cat. See the text.[^1] An exam&shy;ple of U.S. law.

    - item one
    - **item** two

    1. first step
    2. second step

    | a | b |
    |---|---|
    | c1 | d1 |

    中文一
    换行继续。他读《红楼梦》这本书。한국어 문장
    이다.

    [^1]: The note.
    """

  @Test(arguments: [
    (
      "\"\"Call me Ishmael,\" he began.\"", "“Call me Ishmael,” he began.",
      "with other quotation marks"
    ),
    ("\"Call me Ishmael,\" he began", "“Call me Ishmael,” he began", "with other quotation marks"),
    ("\"Call me Ishmael", "“Call me Ishmael", "with other quotation marks"),
    ("Call me Ishmael, he began", "“Call me Ishmael,” he began", "with quotation marks"),
    ("'never again,' and left", "‘never again,’ and left", "with other quotation marks"),
    ("never again and left its the writers", "never again,’ and left it", nil),
    ("Dr Smiths price is", "Dr. Smith’s price is", "with apostrophes and punctuation"),
    ("phrase dont forget", "phrase — don’t forget", "with apostrophes and dashes"),
    ("Tis a wellknown", "’Tis a well-known", "with apostrophes and hyphens"),
    ("well known the cat case", "well-known the-cat case", "with hyphens"),
    ("exam-\nple of US law", "exam\u{AD}ple of U.S. law", "with punctuation and without hyphens"),
    ("换行继续", "换行继续", nil), ("中文一换行继续", "中文一 换行继续", "with other blanks"),
    ("读「红楼梦」这", "读《红楼梦》这", "with other punctuation"),
    ("한국어 문장이다", "한국어 문장 이다", "with other blanks"),
  ])
  func `a quote with several small differences is found, and each of them is named`(
    quote: String, words: String, others: String?
  ) throws {
    guard let others else {
      if quote == words { #expect(try taken(quote, in: Self.pasted).words == words) }
      return
    }
    let found = try taken(quote, in: Self.pasted)
    #expect(found.words == words && found.1 == others, "\(found)")
  }

  @Test(arguments: [
    ("See the text.[^1]", "See the text.", "without the marks of Markdown"),
    ("| c1 | d1 |", "c1\td1", "without the marks of Markdown"),
    ("- item one", "item one", "without the marks of Markdown"),
    ("- **Item** two", "item two", "in another case and without the marks of Markdown"),
    ("2. second step", "second step", "without the marks of Markdown"),
    (
      "Price is *High*, says", "price is high, says",
      "in another case and without the marks of Markdown"
    ),
    ("DONT forget", "don’t forget", "in another case and with apostrophes"),
    ("the text. An", "the text.[1] An", "with the numbers of notes"),
  ])
  func `a quote of Markdown may also differ from the text in other ways`(
    quote: String, words: String, difference: String
  ) throws {
    let found = try taken(quote, in: Self.pasted)
    #expect(found.words == words && found.1 == difference, "\(found)")
  }

  @Test(arguments: [
    // Other kinds of quotation marks at an end, with the punctuation beside them.
    ("\"It was \"fine\".\"", "It was ‘fine’.", "with other quotation marks"),
    ("\"said 'yes' and 'no'.\"", "said 'yes' and “no”.", "with other quotation marks"),
    ("“maybe” came", "'maybe' came", "with other quotation marks"),
    ("\"and \"no.\"\"", "and “no”.", "with other quotation marks"),
    ("\"a rest!\"", "A rest.", "in another case and with other punctuation"),
    ("\"of 100%\"", "of 100 %", nil), ("\"100% of\"", "100 % of", nil),
    ("\"5 * 3 is\"", "5 × 3 is", "with other symbols"),
    ("\"$5 fee\"", "5 fee", "without symbols"),
    ("\"the printer`s\"", "the printer’s", "with other apostrophes"),
    ("\"'A rest'\"", "A rest", "without quotation marks"),
    ("\"a fine line\"", "a ﬁne line", nil), ("\"has jumped over\"", "has jum- ped over", nil),
    ("[x] task done", "task done", "without the marks of Markdown"),
  ])
  func `marks and symbols at the ends of a quote stay with it`(
    quote: String, words: String, difference: String?
  ) throws {
    let text = """
      It was ‘fine’. He said 'yes' and “no”. A rest. Now of 100 % of 5 × 3 is, €5 fee, the printer’s
      a ﬁne line has jum-
      ped over. Then
      'maybe' came.

      - [x] task done
      """
    let found = try taken(quote, in: text)
    #expect(found.words == words, "\(found)")
    if let difference { #expect(found.1 == difference) }
  }

  @Test(arguments: [
    ("\"Yes\".", "“Yes.”", "with other quotation marks and punctuation"),
    ("said: \"Yes\".", "said: “Yes.”", "with other quotation marks and punctuation"),
    (
      "SAID: \"YES\"", "said: “Yes.”",
      "in another case, with other quotation marks and with punctuation"
    ),
    ("and “nobody noticed”.", "and “nobody noticed.”", "with other punctuation"),
    // One mark of a pair brings no other.
    ("nobody noticed.\"", "nobody noticed.”", "with other quotation marks"),
    ("nobody noticed.”", "nobody noticed.”", nil),
    ("\"nobody noticed", "“nobody noticed", "with other quotation marks"),
    (
      "he said: Yes", "He said: “Yes.”",
      "in another case and with quotation marks and punctuation"
    ),
    ("the teachers' club", "the teachers’ club", "with other apostrophes"),
    ("the teachers'", "the teachers’", "with other apostrophes"),
    ("'never' again", "‘never’ again", "with other quotation marks"),
    ("an editor", "an edi- tor", "with hyphens"),
    ("unused", "un-used", "with hyphens"),
    ("well-known", "well known", "without hyphens"),
    ("left 🎉", "left", "without symbols"),
    ("\"left\" alone", "left alone", "without quotation marks"),
  ])
  func `a pair of quotation marks stays whole, and notices tell what is more or less`(
    quote: String, words: String, difference: String?
  ) throws {
    let text = """
      He said: “Yes.” She went, and “nobody noticed.” All left alone; the teachers’ club, and
      ‘never’ again; an edi-
      tor of an un-used one is well known.
      """
    let found = try taken(quote, in: text)
    #expect(found.words == words && found.1 == difference, "\(found)")
  }

  @Test func `of spans that begin with the same words, one is selected by its number`() throws {
    let text = "The tide came once. The tide went. Then once more the tide."
    #expect(
      try refusal("\"tide\"…\"once\"", in: text) == "'tide'…'once' occurs twice")
    #expect(try taken("\"tide\"#2…\"once\"", in: text).words == "tide went. Then once")
    #expect(try taken("\"tide\"…\"once\"#2", in: text).words == "tide went. Then once")
    #expect(try taken("\"tide\" #1 ... \"once\"", in: text).words == "tide came once")
    #expect(try taken("\"went\"…\"went\"", in: text + " It went.").words.hasSuffix("It went"))
    #expect(try taken("\"went\"…\"went\"", in: text).words == "went")
    #expect(
      try refusal("\"tide\"#4…\"once\"", in: text)
        == "there is no #4: 'tide' occurs 3 times")
    let document = ParsedDocument(parsing: MarkdownSource(text))
    do {
      _ = try SelectionSpec(parsing: "\"tide\"…\"once\"").resolve(in: document)
    } catch SelectionError.ambiguous(_, let candidates, _, _) {
      #expect(candidates.map(\.spec) == ["\"tide\"#1…\"once\"", "\"tide\"#2…\"once\""])
    }
    do {
      _ = try SelectionSpec(parsing: "\"tide\"#9").resolve(in: document)
    } catch SelectionError.noSuchOccurrence(_, let candidates, _) {
      #expect(candidates.map(\.spec) == ["\"tide\"#1", "\"tide\"#2", "\"tide\"#3"])
    }
  }

  @Test(arguments: ["nowhere", "therapist", "1000", "201920", "15 of"])
  func `a quote is not found in words or numbers that are divided otherwise`(quote: String) throws {
    let text = "It was no where. The rapist. 1,000 in 2019-20, 1.5 of it."
    #expect(throws: SelectionError.self) { try taken("\"\(quote)\"", in: text) }
  }

  @Test func `inexact passages at several places are listed`() throws {
    let text = "So the cat, The Cat; then the cat."
    #expect(try refusal("\"the-cat\"", in: text) == "a passage like 'the-cat' occurs twice")
    #expect(try taken("\"the-cat\"#2", in: text).words == "the cat")
    // The nearest passage is chosen.
    #expect(try taken("\"the-cat\"", in: text + " The the—cat.").words == "the—cat")
  }

  @Test func `quotes of repeated letters are searched in bounded time`() throws {
    let text = String(repeating: "a", count: 40_000) + " " + String(repeating: "a ", count: 9_000)
    let quote = String(repeating: "a", count: 2_000) + " a." + String(repeating: "a", count: 9)
    #expect(throws: SelectionError.self) { try taken("\"\(quote)\"", in: text) }
  }

  private func refusal(_ spec: String, in text: String) throws -> String {
    do { return try taken(spec, in: text).words } catch let error as SelectionError {
      if case .unquoted(_, let meant) = error { return "meant: \(meant)" }
      guard case .misquoted(_, let near, _) = error else { return error.description }
      return error.description + "; " + near.difference
    } catch { return "\(error)" }
  }

  @Test(arguments: [
    ("onwership", "On ownership.", "with 'ownership' instead of 'onwership'"),
    ("\"manages\" memroy", "It manages memory.", "with 'manages memory' instead of"),
    (
      "\"manages\" quickly", "It has memory.",
      "nor is it a valid SPEC: after a quote, only #2 or …\"words\" can follow"
    ),
    ("foo:3", "foo:3", "the kinds are word, words, line"),
    ("heading:Ownership", "# Ownership Rules\n\n# Other", "there is \"Ownership Rules\""),
    ("heading:Owership", "# Ownership\n\n# Other", "there is \"Ownership\""),
    (
      "heading:Nope", "# A\n\n# B\n\n# C\n\n# D\n\n# E",
      "there are \"A\", \"B\", \"C\" and 2 more"
    ),
    ("heading:Nope", "Nothing.", "the text has no headings"),
    ("the cat#2", "The cat, the cat and the cat.", "meant: \"the cat\"#2"),
    ("the cat...the end", "Now the cat, at the end.", "meant: \"the cat\"…\"the end\""),
    ("the dog#2", "The dog.", "'the dog#2' is not in the text"),
    ("line: 4", "Some lines.", "write line:4, without a blank"),
    ("lamp #2", "A lamp, a lamp.", "meant: \"lamp\"#2"),
    (
      "romm went quite", "The room went quiet.",
      "with 'room' instead of 'romm' and other differences"
    ),
    (
      "which wasn't hers - or so it semed", "It was a house which wasn’t hers — or so it seemed.",
      "with 'seemed' instead of 'semed'"
    ),
    (
      "\"So there,\" he sad, and he left", "“So there,” he said, and he left.",
      "with 'said,' instead of 'sad,'"
    ),
    ("words:1,3", "Some words here.", "a range is words:1..3"),
    ("the 🎉", "The end of the line, and the one.", "'the 🎉' is not in the text"),
    ("the", "The cat, the dog and the end.", "occurs twice"),
    ("the", "The cat, the dog and the end.", "(3 ignoring case)"),
  ])
  func `a frequent mistake in a SPEC is explained`(spec: String, text: String, message: String)
    throws
  {
    let refused = try refusal(spec, in: text)
    #expect(refused.contains(message), "\(refused)")
  }

  @Test func `half of the words of a quote are not near`() throws {
    let text = "There is nothing is a passage."
    #expect(try refusal("nothing here", in: text) == "'nothing here' is not in the text")
    #expect(try refusal("a pasagge", in: text).contains("with 'passage' instead of 'pasagge'"))
    #expect(try refusal("is nothing here", in: text).contains("instead of 'here'"))
  }

  @Test(arguments: ["", " "])
  func `an empty SPEC is not quoted`(spec: String) {
    let error = #expect(throws: SelectionSyntaxError.self) { try SelectionSpec(parsing: spec) }
    #expect(error?.description == "the selection is empty")
  }

  @Test(arguments: ["line:99", "word:99", "para:99", "u16:0-99"])
  func `a passage beyond the text is not found, like words that it lacks`(spec: String) throws {
    let document = ParsedDocument(parsing: MarkdownSource("A cat and a dog."))
    let spec = try SelectionSpec(parsing: spec)
    let error = #expect(throws: SelectionError.self) { try spec.resolve(in: document) }
    guard case .notFound = error else {
      Issue.record("\(String(describing: error))")
      return
    }
  }

  @Test(arguments: [
    ("\"A\" … \"B\"", "A c B"), ("  \"A\"...\"B\"  ", "A c B"), (" \"c\" ", "c"),
  ])
  func `blanks around quotes and their dots are ignored`(spec: String, words: String) throws {
    #expect(try taken(spec, in: "Here A c B ends.").words == words)
  }

  @Test func `words before a colon in a quote are not taken for a keyword`() throws {
    #expect(try taken("std:vec", in: "Use std:vec.").words == "std:vec")
    #expect(try taken("Note: 3 of it", in: "Note: 3 of it.").words == "Note: 3 of it")
  }
}
