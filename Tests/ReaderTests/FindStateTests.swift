import Model
import TestSupport
import Testing

@testable import Reader

@Suite struct FindStateTests {
  /// Returns the occurrences of a text, from left to right.
  private func search(_ query: String, _ text: [UInt16]) -> [TextRange] {
    let letters = Array(query.utf16)
    var (found, place) = ([TextRange](), 0)
    while place + letters.count <= text.count {
      let end = place + letters.count
      if text[place..<end].elementsEqual(letters) {
        found.append(TextRange(utf16: place..<end))
        place = end
      } else {
        place += 1
      }
    }
    return found
  }

  @Test func `searching in slices finds the same matches as a search of the whole text`() {
    let seed = SeededGenerator.runSeed
    print("seed \(seed)")
    var random = SeededGenerator(seed: seed)
    for _ in 0..<400 {
      let text = Array(
        (0..<Int.random(in: 0..<700, using: &random)).map { _ in
          ["a", "b", "ab", " ", "\n", "日", "😀"].randomElement(using: &random)!
        }.joined().utf16)
      // None of the queries can overlap itself.
      let query = ["ab", "a", "b 日", "😀", "ab ab b", "aab", "x"].randomElement(using: &random)!
      let start = Int.random(in: 0...text.count, using: &random)
      // An offset between two words, because the caret is never in a match.
      let place = text[..<start].lastIndex { $0 == 10 || $0 == 32 }.map { $0 + 1 } ?? 0
      var state = FindState(query, from: place, slice: Int.random(in: 1...90, using: &random))
      var steps = 0
      var first: TextRange?
      while state.stage != .finished {
        state.advance(in: text, search)
        if first == nil, let found = state.matches.first {
          first = found
          state.current = 0
        }
        steps += 1
        guard steps < 5_000 else {
          Issue.record("it never ends")
          return
        }
      }
      let whole = search(query, text)
      #expect(
        state.matches == whole,
        "\(query) in \(String(decoding: text, as: UTF16.self).debugDescription) from \(place)")
      let wanted = whole.first { $0.utf16.lowerBound >= place } ?? whole.first
      #expect(state.current.map { state.matches[$0] } == wanted, "the first after the place")
    }
  }

  @Test func `matches never overlap`() {
    let text = Array(String(repeating: "a", count: 999).utf16)
    for slice in [1, 7, 64, 1_000] {
      var state = FindState("aa", from: 333, slice: slice)
      while state.stage != .finished { state.advance(in: text, search) }
      #expect(
        zip(state.matches, state.matches.dropFirst()).allSatisfy { $0.upperBound <= $1.lowerBound })
      #expect(state.matches.count >= 498)
    }
  }
}
