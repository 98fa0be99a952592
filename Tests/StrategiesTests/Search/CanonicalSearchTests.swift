import Editing
import Foundation
import MarkdownParse
import Model
import Search
import Strategies
import TestSupport
import Testing

/// Tests searches in texts whose letters are encoded in different ways.
@Suite struct CanonicalSearchTests {
  private static let letters = [
    "a", "b", "é", "e", "ệ", "Å", "Ω", "x\u{302}", "각", "가", "が", "か", "क", "क्ष", "कि", "ko\u{323}",
    "ো", "北", "豈", "👨", "👨‍👩‍👧‍👦", "🇩🇪", "🇪🇸", " ", "k", "K", "ё", "İ",
  ]

  /// Encodes a letter in one of its forms.
  private func form(_ letter: String, _ random: inout SeededGenerator) -> String {
    switch Int.random(in: 0..<4, using: &random) {
    case 0: letter.decomposedStringWithCanonicalMapping
    case 1: ["Å": "\u{212B}", "Ω": "\u{2126}", "豈": "\u{F900}", "K": "\u{212A}"][letter] ?? letter
    case 2: letter == "ệ" ? "e\u{302}\u{323}" : letter
    default: letter
    }
  }

  private func text(_ most: Int, _ random: inout SeededGenerator) -> String {
    (0..<Int.random(in: 1...most, using: &random)).map { _ in
      form(Self.letters.randomElement(using: &random)!, &random)
    }.joined()
  }

  /// Returns the matches by comparing characters, which Swift does by canonical equivalence.
  private func matches(of wanted: String, in text: String) -> [Range<Int>] {
    let (text, wanted) = (Array(text), Array(wanted))
    var starts = [0]
    for character in text { starts.append(starts[starts.count - 1] + character.utf16.count) }
    var found: [Range<Int>] = []
    var index = 0
    while index + wanted.count <= text.count {
      if text[index..<index + wanted.count].elementsEqual(wanted) {
        found.append(starts[index]..<starts[index + wanted.count])
        index += wanted.count
      } else {
        index += 1
      }
    }
    return found
  }

  @Test func `searches, patterns and quotes find what Swift's comparison of characters finds`()
    throws
  {
    let seed = SeededGenerator.runSeed
    print("seed \(seed)")
    var random = SeededGenerator(seed: seed)
    for _ in 0..<4_000 {
      let (text, wanted) = (text(24, &random), text(3, &random))
      let expected = matches(of: wanted, in: text)
      let units = Array(text.utf16)
      let query = try SearchQuery(wanted, ignoresCase: false)
      for strategy in [Literal(), Pattern()] as [any SearchStrategy] {
        let found = try strategy.matches(query, in: units).map(\.range.utf16)
        #expect(
          found == expected,
          "seed \(seed): \(type(of: strategy).id) '\(wanted)' in '\(text)'")
      }
      var captured: [Range<Int>] = []
      _ = try Pattern().capture(query, in: Array(text.utf8)) {
        captured.append($0.range.utf16)
        return true
      }
      #expect(captured == expected, "seed \(seed): '\(wanted)' in '\(text)'")
      // A quote also has overlapping occurrences.
      let document = ParsedDocument(parsing: MarkdownSource("`" + text + "`"))
      guard document.text.string == text, !wanted.contains(" ") else { continue }
      let quoted = document.occurrences(of: wanted).map(\.utf16)
      #expect(
        expected.allSatisfy(quoted.contains) && (!quoted.isEmpty || expected.isEmpty),
        "seed \(seed): quote '\(wanted)' in '\(text)'")
      for range in quoted { #expect(String(decoding: units[range], as: UTF16.self) == wanted) }
    }
  }

  @Test func `no strategy divides a character`() throws {
    let seed = SeededGenerator.runSeed
    print("seed \(seed)")
    var random = SeededGenerator(seed: seed)
    let strategies: [any SearchStrategy] = [
      Literal(), Pattern(), AllWords(), AnyWord(), NearWords(), FullText(), ApproximateQuote(),
    ]
    for _ in 0..<1_000 {
      let (text, wanted) = (text(16, &random), text(4, &random))
      var borders: Set = [0]
      var place = 0
      for character in text {
        place += character.utf16.count
        borders.insert(place)
      }
      for strategy in strategies {
        for ignoresDiacritics in [false, true] {
          let query = try SearchQuery(
            wanted, ignoresCase: true, ignoresDiacritics: ignoresDiacritics)
          guard let searcher = try? strategy.searcher(for: query) else { continue }
          _ = searcher.search(Array(text.utf8)) { match in
            let range = match.range.utf16
            #expect(
              borders.contains(range.lowerBound) && borders.contains(range.upperBound),
              "seed \(seed): \(type(of: strategy).id) '\(wanted)' in '\(text)'")
            return true
          }
        }
      }
    }
  }

  @Test func `a rejected match does not hide one that overlaps it`() throws {
    let text = "👨‍👩👩👩"
    let found = try Literal().matches(SearchQuery("👩👩"), in: Array(text.utf16)).map(\.range.utf16)
    #expect(found == [5..<9])
  }

  @Test func `without accents, a letter matches with all its marks`() throws {
    for text in ["e\u{301}", "é", "e\u{301}\u{323}", "e"] {
      let query = try SearchQuery("e", ignoresDiacritics: true)
      #expect(
        try Literal().matches(query, in: Array(text.utf16)).map(\.range.utf16)
          == [0..<text.utf16.count])
    }
    #expect(try Literal().matches(SearchQuery("e"), in: Array("e\u{301}e\u{323}".utf16)).isEmpty)
  }

  @Test func `groups have the ranges of the original text`() throws {
    let text = Array("ne\u{301} \u{1112}\u{1161}\u{11AB}글 e".utf8)
    var groups: [[Range<Int>?]] = []
    _ = try Pattern().capture(SearchQuery("(n.) (한)글 (?<x>e)"), in: text) {
      groups.append([$0.range.utf16] + $0.groups.map { $0?.utf16 })
      return true
    }
    #expect(groups == [[0..<10, 0..<3, 4..<7, 9..<10]])
  }
}
