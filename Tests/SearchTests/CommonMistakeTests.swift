import Model
import Search
import Strategies
import TestSupport
import Testing

/// Records all events of a search.
private struct Record: SearchAggregator {
  var matches: [Range<Int>] = []
  var outcomes: [SearchOutcome] = []
  var most = Int.max

  mutating func found(_ match: Match) -> Bool {
    precondition(outcomes.isEmpty, "a match after the end")
    matches.append(match.range.utf16)
    return matches.count < most
  }

  mutating func finished(_ outcome: SearchOutcome) { outcomes.append(outcome) }
}

/// A searcher that violates its requirements in a chosen way.
private struct BadSearcher: TextSearcher {
  var matches: [Range<Int>] = []
  var outcome = SearchOutcome.complete
  var filter: TextFilter { .everything }

  func search(
    _ text: UnsafeBufferPointer<UInt8>, from start: Int, watch: SearchWatch,
    found: (Range<Int>) -> Bool
  ) -> SearchOutcome {
    for match in matches { _ = found(match) }
    return outcome
  }
}

/// A text in pieces of a number of characters.
private struct Pieces: SearchableText {
  var rest: [Character]
  let size: Int

  init(_ text: String, size: Int) { (rest, self.size) = (Array(text), size) }

  mutating func nextChunk() -> SearchChunk {
    let piece = String(rest.prefix(size))
    rest.removeFirst(min(size, rest.count))
    return SearchChunk(utf8: Array(piece.utf8), isLast: rest.isEmpty)
  }
}

/// Tests eight mistakes that programs with a search make again and again, one test for each. `swift
/// test --filter "mistake [1-8]"` runs all of them.
@Suite struct CommonMistakeTests {
  private func run(
    _ strategy: any SearchStrategy, _ query: String, in text: some SearchableText,
    most: Int = .max, watch: SearchWatch = SearchWatch()
  ) throws -> Record {
    var record = Record(most: most)
    SearchRun.run(strategy, try SearchQuery(query), in: text, watch: watch, into: &record)
    return record
  }

  @Test func `mistake 1, an end that is never reported or reported twice`() throws {
    let text = WholeText(utf8: Array("a fox, a fox".utf8))
    #expect(try run(Literal(), "fox", in: text).outcomes == [.complete])
    #expect(try run(Literal(), "dog", in: text).outcomes == [.complete])
    #expect(try run(Literal(), "fox", in: text, most: 1).outcomes == [.cancelled])
    let cancelled = SearchWatch(isCancelled: { true })
    #expect(try run(Literal(), "fox", in: text, watch: cancelled).outcomes == [.cancelled])
    let late = SearchWatch(deadline: .now - .seconds(1))
    #expect(try run(Literal(), "fox", in: text, watch: late).outcomes == [.timedOut])
    let error = try run(Pattern(), "(", in: text)
    #expect(error.outcomes.count == 1 && error.matches.isEmpty)
    guard case .failed(let cause) = error.outcomes[0] else { throw MissingError() }
    #expect(cause.contains("parenthesis"))

    struct Ended: SearchableText {
      mutating func nextChunk() throws -> SearchChunk { throw MissingError() }
    }
    #expect(try run(Literal(), "fox", in: Ended()).outcomes.count == 1)
    for searcher in [
      BadSearcher(matches: [4..<6, 0..<2]), BadSearcher(matches: [2..<2]),
      BadSearcher(matches: [0..<99]), BadSearcher(outcome: .failed("the plugin is gone")),
    ] {
      var record = Record()
      SearchRun.run(searcher, in: text, into: &record)
      guard record.outcomes.count == 1, case .failed = record.outcomes[0] else {
        Issue.record("\(record.outcomes)")
        continue
      }
    }
  }

  private struct MissingError: Error {}

  @Test func `mistake 2, an empty match that does not advance`() throws {
    let text = WholeText(utf8: Array("b😀aa\nb".utf8))
    for (pattern, matches) in [
      ("a*", [3..<5]), ("^", []), ("\\b", []), ("(?=a)", []), ("x?", []), ("(|a)", [3..<4, 4..<5]),
      ("a\\K", []), ("(?<=b)", []), ("$|b", [0..<1, 6..<7]),
    ] {
      let record = try run(Pattern(), pattern, in: text)
      #expect(record.matches == matches && record.outcomes == [.complete], "\(pattern)")
    }
  }

  @Test func `mistake 3, an empty query that matches everywhere`() {
    #expect(throws: PatternError.self) { try SearchQuery("") }
    for strategy in [AllWords(), AnyWord(), NearWords(), FullText()] as [any SearchStrategy] {
      #expect(throws: PatternError.self) { try strategy.searcher(for: SearchQuery("  ")) }
    }
  }

  @Test func `mistake 4, an endless loop over a text that never ends`() throws {
    struct Endless: SearchableText {
      mutating func nextChunk() -> SearchChunk { SearchChunk(utf8: [], isLast: false) }
    }
    for strategy in [Literal(), Pattern()] as [any SearchStrategy] {
      let outcomes = try run(strategy, "a", in: Endless()).outcomes
      guard outcomes.count == 1, case .failed = outcomes[0] else {
        Issue.record("\(outcomes)")
        continue
      }
    }
  }

  @Test func `mistake 5, a match across two pieces that is lost or found twice`() throws {
    let seed = SeededGenerator.runSeed
    print("seed \(seed)")
    var random = SeededGenerator(seed: seed)
    let letters: [Character] = ["a", "b", "ä", "😀", " ", "e\u{301}", "A"]
    var compared = 0
    for _ in 0..<300 {
      let text = String(
        (0..<random.next() % 600).map { _ in letters.randomElement(using: &random)! })
      let query = String(
        (0..<1 + random.next() % 4).map { _ in letters.randomElement(using: &random)! })
      let size = Int(1 + random.next() % 200)
      for strategy in [Literal(), AnyWord(), ApproximateQuote()] as [any SearchStrategy] {
        for wholeWords in [false, true] {
          guard let asked = try? SearchQuery(query, wholeWords: wholeWords),
            (try? strategy.searcher(for: asked)) != nil
          else { continue }
          compared += 1
          var whole = Record()
          var pieces = Record()
          SearchRun.run(strategy, asked, in: WholeText(utf8: Array(text.utf8)), into: &whole)
          SearchRun.run(strategy, asked, in: Pieces(text, size: size), into: &pieces)
          #expect(
            whole.matches == pieces.matches,
            "seed \(seed): '\(query)' in '\(text)' in pieces of \(size), \(type(of: strategy).id)")
        }
      }
    }
    #expect(compared > 1_000, "seed \(seed): only \(compared) were compared")
  }

  @Test func `mistake 6, old decorations that remain under new ones`() throws {
    let ranges = [0..<2, 5..<7].map { TextRange(utf16: $0) }
    let visible = TextRange(utf16: 0..<10)
    var session = FindSession(
      query: try SearchQuery("ab"), strategy: "literal", matches: ranges)
    session.next()
    #expect(session.decorations(in: visible).map(\.decoration) == [.found, .currentMatch])
    session.replaceMatches([ranges[0]])
    #expect(session.decorations(in: visible).map(\.range) == [ranges[0]])
    #expect(session.decorations(in: visible).map(\.decoration) == [.currentMatch])
    session.replaceMatches([])
    #expect(session.decorations(in: visible).isEmpty)
  }

  @Test func `mistake 7, decorating all of very many matches`() throws {
    let text = String(repeating: "ab ", count: 100_000)
    let found = try run(Literal(), "ab", in: WholeText(utf8: Array(text.utf8)))
    #expect(found.matches.count == 100_000)
    let session = FindSession(
      query: try SearchQuery("ab"), strategy: "literal",
      matches: found.matches.map { TextRange(utf16: $0) })
    let near = session.decorations(in: TextRange(utf16: 150_000..<150_080))
    #expect(
      near.count < 1_500 && near.allSatisfy { 147_990...152_090 ~= $0.range.utf16.lowerBound })
  }

  // `mistake 8, a search that changes files or the library` needs the programs:
  // EndToEnd/SearchTests.

  @Test func `a pattern that backtracks exponentially fails after a number of steps`() throws {
    let text = String(repeating: "a", count: 40) + "b"
    let start = ContinuousClock.now
    let record = try run(Pattern(), "(a+)+$", in: WholeText(utf8: Array(text.utf8)))
    guard record.outcomes.count == 1, case .failed(let cause) = record.outcomes[0] else {
      Issue.record("\(record.outcomes)")
      return
    }
    #expect(cause.contains("too many steps"))
    #expect(ContinuousClock.now - start < .seconds(20))
  }

  @Test func `a slow pattern in a long text times out`() throws {
    // Each position takes fewer steps than the limit, but there are very many positions.
    let text = String(repeating: String(repeating: "a", count: 300) + "b\n", count: 10_000)
    let watch = SearchWatch(deadline: .now + .milliseconds(200))
    let start = ContinuousClock.now
    let record = try run(Pattern(), "a*a*a*c", in: WholeText(utf8: Array(text.utf8)), watch: watch)
    #expect(record.outcomes == [.timedOut])
    #expect(ContinuousClock.now - start < .seconds(20))
  }
}
