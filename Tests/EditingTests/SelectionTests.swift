import MarkdownParse
import Model
import TestSupport
import Testing

@testable import Editing

@Suite struct SelectionTests {
  /// Returns the units of a document.
  private func units(_ source: String) -> TextUnits {
    TextUnits(ParsedDocument(parsing: MarkdownSource(source)))
  }

  /// Returns the offset of the first occurrence of some words.
  private func place(of words: String, in units: TextUnits) throws -> TextOffset {
    let text = units.document.text.string
    let range = try #require(text.firstRange(of: words), "no '\(words)' in '\(text)'")
    return TextOffset(utf16: text.utf16.distance(from: text.startIndex, to: range.lowerBound))
  }

  private func text(_ range: TextRange?, _ units: TextUnits) -> String? {
    range.map { units.document.text.substring($0) }
  }

  private static let article = """
    Before any heading.

    # Signs

    The *quick* brown fox. It jumps over “the lazy dog”!\\
    A second line of it.

    - one item
    - another item

    > quoted words

    ## Deeper

    | a | b c |
    |---|-----|
    | d | e   |

    # Others

    The end.
    """

  @Test(arguments: [
    (TextUnit.character, "q"), (.word, "quick"), (.sentence, "The quick brown fox."),
    (.line, "The quick brown fox. It jumps over “the lazy dog”!"),
    (
      .paragraph,
      "The quick brown fox. It jumps over “the lazy dog”!\nA second line of it."
    ),
  ])
  func `each unit at an offset has its text`(unit: TextUnit, expected: String) throws {
    let units = units(Self.article)
    let place = try place(of: "quick", in: units)
    #expect(text(units.unit(unit, at: place), units) == expected)
  }

  @Test func `blocks and sections contain their content`() throws {
    let units = units(Self.article)
    #expect(
      text(units.unit(.block, at: try place(of: "one item", in: units)), units)
        == "one item\nanother item")
    #expect(
      text(units.unit(.section, at: try place(of: "b c", in: units)), units)
        == "Deeper\na\tb c\nd\te")
    #expect(text(units.unit(.section, at: TextOffset(utf16: 3)), units) == "Before any heading.")
    let signs = try #require(units.unit(.section, at: try place(of: "quoted", in: units)))
    #expect(text(signs, units)?.hasPrefix("Signs\n") == true)
    #expect(text(signs, units)?.hasSuffix("e") == true)
    #expect(text(units.unit(.all, at: TextOffset(utf16: 0)), units)?.hasSuffix("The end.") == true)
  }

  @Test func `a word at punctuation is nil, but its neighbour is found`() throws {
    let units = units("One, two 👍🏽 (three)")
    let comma = try place(of: ",", in: units)
    #expect(units.unit(.word, at: comma) == nil)
    #expect(text(units.wordOrNeighbour(at: comma), units) == "One")
    #expect(text(units.wordOrNeighbour(at: try place(of: "(", in: units)), units) == "(")
    let emoji = try place(of: "👍🏽", in: units)
    for inside in 0..<4 {
      let offset = TextOffset(utf16: emoji.utf16 + inside)
      #expect(text(units.wordOrNeighbour(at: offset), units) == "👍🏽")
    }
    let end = TextOffset(utf16: units.document.text.count)
    #expect(text(units.wordOrNeighbour(at: end), units) == ")")
  }

  @Test func `words of scripts without blanks are found with dictionaries`() {
    for (source, words) in [
      ("日本語の文章です", ["日本語", "の", "文章", "です"]), ("ภาษาไทยง่าย", ["ภาษา", "ไทย", "ง่าย"]),
      ("中文分词很难", ["中文", "分词", "很", "难"]),
      ("Can't 3.14 snake_case", ["Can't", "3.14", "snake_case"]),
      ("한국어 문장", ["한국어", "문장"]), ("a 👨‍👩‍👧‍👦 b ❤️", ["a", "👨‍👩‍👧‍👦", "b", "❤️"]),
    ] {
      let units = Array(source.utf16)
      let found = DictionarySegmenter().words(in: units).map {
        String(decoding: units[$0.utf16], as: UTF16.self)
      }
      #expect(found == words)
    }
  }

  @Test func `a selection by word contains everything between two words, in either order`() throws {
    let units = units(Self.article)
    let (first, last) = (
      try place(of: "uick", in: units), try place(of: "econd", in: units)
    )
    let forward = Selection(from: first, to: last, by: .word, in: units)
    let backward = Selection(from: last, to: first, by: .word, in: units)
    let expected = "quick brown fox. It jumps over “the lazy dog”!\nA second"
    #expect(text(forward.range, units) == expected)
    #expect(text(backward.range, units) == expected)
    #expect(forward.head == forward.range.upperBound)
    #expect(backward.head == backward.range.lowerBound)
  }

  @Test func `extending by words keeps the word of the double click`() throws {
    let units = units(Self.article)
    var selection = try #require(
      Selection(.word, at: try place(of: "brown", in: units), in: units))
    selection.extend(to: try place(of: "jumps", in: units), in: units)
    #expect(text(selection.range, units) == "brown fox. It jumps")
    selection.extend(to: try place(of: "quick", in: units), in: units)
    #expect(text(selection.range, units) == "quick brown")
    #expect(selection.head == selection.range.lowerBound)
  }

  @Test func `ends are adjusted by units and never cross`() throws {
    let units = units(Self.article)
    var selection = try #require(
      Selection(.word, at: try place(of: "brown", in: units), in: units))
    selection.adjust(.end, by: 2, .word, in: units)
    #expect(text(selection.range, units) == "brown fox. It")
    selection.adjust(.start, by: -1, .word, in: units)
    #expect(text(selection.range, units) == "quick brown fox. It")
    selection.adjust(.end, by: -1, .word, in: units)
    #expect(text(selection.range, units) == "quick brown fox")
    selection.adjust(.end, by: 1, .sentence, in: units)
    #expect(text(selection.range, units) == "quick brown fox.")
    selection.adjust(.end, by: -99, .character, in: units)
    #expect(selection.isCaret)
    selection.adjust(.start, by: 5, .word, in: units)
    #expect(selection.isCaret)
  }

  @Test func `a selection grows unit by unit up to the whole text`() throws {
    let units = units(Self.article)
    var selection = Selection(caretAt: try place(of: "azy", in: units), in: units)
    var sizes: [TextUnit] = []
    while let larger = selection.grown(in: units) {
      #expect(larger.range.count > selection.range.count)
      sizes.append(larger.unit)
      selection = larger
    }
    #expect(sizes == [.character, .word, .sentence, .line, .paragraph, .section, .all])
    #expect(selection.range == TextRange(utf16: 0..<units.document.text.count))
  }

  @Test func `a selection is mapped to a changed text, or nil`() throws {
    let before = units("One two three.")
    let selection = try #require(
      Selection(.word, at: try place(of: "two", in: before), in: before))
    let after = units("Zero. One two three.")
    let moved = selection.remapped(in: after) {
      TextRange(utf16: $0.utf16.lowerBound + 6..<$0.utf16.upperBound + 6)
    }
    #expect(text(moved?.range, after) == "two")
    #expect(selection.remapped(in: after) { _ in nil } == nil)
    #expect(selection.remapped(in: units("x")) { $0 } == nil)
  }

  @Test func `nothing can be selected in an empty text`() {
    let units = units("")
    #expect(Selection(.word, at: TextOffset(utf16: 0), in: units) == nil)
    #expect(Selection(.all, at: TextOffset(utf16: 5), in: units) == nil)
    let caret = Selection(caretAt: TextOffset(utf16: 9), in: units)
    #expect(caret.isCaret && caret.range == TextRange(utf16: 0..<0))
    #expect(caret.grown(in: units) == nil)
  }

  @Test func `random operations never divide a grapheme or exceed the text`() {
    let seed = SeededGenerator.runSeed
    print("selection seed: \(seed)")
    var random = SeededGenerator(seed: seed)
    let pieces = [
      "word", " ", "\n\n", "👋🏽", "🇩🇪🇫🇷", "e\u{301}", "日本語", "*em*", "\u{200D}", "- item\n", "# H\n",
      "\r\n", "ไทย", "`c`", ". ", "👨‍👩‍👧‍👦", "\u{FE0F}",
    ]
    for _ in 0..<150 {
      let source = (0..<Int.random(in: 0..<20, using: &random)).map { _ in
        pieces.randomElement(using: &random)!
      }.joined()
      let units = units(source)
      let count = units.document.text.count
      var borders: Set<Int> = [0]
      var position = 0
      for character in units.document.text.string {
        position += character.utf16.count
        borders.insert(position)
      }
      var selection = Selection(
        caretAt: TextOffset(utf16: .random(in: 0...count, using: &random)), in: units)
      for _ in 0..<25 {
        let unit = TextUnit.allCases.randomElement(using: &random)!
        let offset = TextOffset(utf16: .random(in: 0...count + 1, using: &random))
        let steps = Int.random(in: -3...3, using: &random)
        switch Int.random(in: 0..<6, using: &random) {
        case 0: selection = Selection(unit, at: offset, in: units) ?? selection
        case 1: selection.extend(to: offset, in: units)
        case 2: selection.extend(by: steps, unit, in: units)
        case 3:
          let edge = TextUnits.Edge.allCases.randomElement(using: &random)!
          selection.adjust(edge, by: steps, unit, in: units)
        case 4: selection = selection.grown(in: units) ?? selection
        default: selection = Selection(from: selection.head, to: offset, by: unit, in: units)
        }
        let range = selection.range.utf16
        #expect(range.upperBound <= count, "\(source.debugDescription)")
        #expect(
          borders.contains(range.lowerBound) && borders.contains(range.upperBound),
          "\(selection.range) in \(source.debugDescription)")
        #expect(selection.origin.utf16.clamped(to: range) == selection.origin.utf16)
      }
    }
  }
}
