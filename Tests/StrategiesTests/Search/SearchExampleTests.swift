import Model
import Search
import Strategies
import TestSupport
import Testing

private let strategies: [any SearchStrategy] = [
  Literal(), Pattern(), AllWords(), AnyWord(), NearWords(), FullText(), ApproximateQuote(),
]

@Suite struct SearchExampleTests {
  @Test(arguments: strategies.map { type(of: $0).id })
  func `each strategy finds the matches of its examples`(id: String) throws {
    let strategy = strategies.first { type(of: $0).id == id }!
    #expect(!type(of: strategy).examples.isEmpty)
    for example in type(of: strategy).examples {
      let text = MarkedText(example.text)
      let query = try SearchQuery(
        example.query, ignoresDiacritics: example.ignoresDiacritics,
        wholeWords: example.wholeWords)
      let found = try strategy.matches(query, in: Array(text.text.utf16)).map(\.range)
      #expect(found == text.ranges, "\(example.title)")
    }
  }

  @Test func `an empty query is an error`() {
    #expect(throws: PatternError.self) { try SearchQuery("") }
  }

  @Test(arguments: strategies.map { type(of: $0).id })
  func `a cancelled search reports no more matches`(id: String) throws {
    let strategy = strategies.first { type(of: $0).id == id }!
    var count = 0
    let outcome = try strategy.search(try SearchQuery("a"), in: Array("a a a a".utf16)) { _ in
      count += 1
      return count < 2
    }
    #expect(outcome == .cancelled && count == 2)
    #expect(try strategy.search(try SearchQuery("a"), in: []) { _ in true } == .complete)
  }
}
