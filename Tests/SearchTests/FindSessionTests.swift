import Model
import Search
import Testing

@Suite struct FindSessionTests {
  private func session(_ starts: [Int], from place: Int? = nil) throws -> FindSession {
    FindSession(
      query: try SearchQuery("ab"), strategy: "literal",
      matches: starts.map { TextRange(utf16: $0..<$0 + 2) },
      from: place.map { TextOffset(utf16: $0) })
  }

  @Test func `next and previous are cyclic and report wrapping`() throws {
    var session = try session([1, 5, 9])
    #expect(session.position == "1 of 3" && session.match?.utf16 == 1..<3)
    session.previous()
    #expect(session.position == "3 of 3" && session.hasWrapped)
    session.previous()
    #expect(session.position == "2 of 3" && !session.hasWrapped)
    session.next()
    session.next()
    #expect(session.position == "1 of 3" && session.hasWrapped)
  }

  @Test func `the first match is that at or after the caret`() throws {
    #expect(try session([1, 5, 9], from: 4).position == "2 of 3")
    #expect(try session([1, 5, 9], from: 10).position == "1 of 3")
  }

  @Test func `without a match next and previous are nil`() throws {
    var session = try session([])
    #expect(session.next() == nil && session.previous() == nil && session.match == nil)
    #expect(session.position == "none")
    #expect(session.decorations(in: TextRange(utf16: 0..<100)).isEmpty)
  }

  @Test func `one match is current, and only matches near the visible part are decorated`() throws {
    var session = try session(Array(stride(from: 0, to: 1_000_000, by: 10)))
    session.next()
    let near = session.decorations(in: TextRange(utf16: 0..<100))
    #expect(near.count { $0.decoration == .currentMatch } == 1)
    #expect(near[1].decoration == .currentMatch && near[0].decoration == .found)
    #expect(near.allSatisfy { $0.range.utf16.lowerBound < 100 + FindSession.overdraw })
    #expect(near.count == (100 + FindSession.overdraw) / 10)
    let far = session.decorations(in: TextRange(utf16: 500_000..<500_100))
    #expect(far.allSatisfy { $0.decoration == .found })
    #expect(far.count == (100 + 2 * FindSession.overdraw) / 10)
  }

  @Test func `changed matches keep the current position`() throws {
    var session = try session([1, 5, 9])
    session.next()
    session.replaceMatches([0, 7, 20].map { TextRange(utf16: $0..<$0 + 2) })
    #expect(session.position == "2 of 3" && session.match?.utf16 == 7..<9)
    session.replaceMatches([])
    #expect(session.match == nil)
  }
}
