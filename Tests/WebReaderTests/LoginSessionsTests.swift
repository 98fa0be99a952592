import Testing

@testable import WebReader

/// Tests codes and tokens with a clock that the test sets.
@Suite struct LoginDeskTests {
  var desk = LoginSessions()
  var random = SystemRandomNumberGenerator()

  @Test mutating func `a code is valid once and for a minute`() {
    let code = desk.newCode(now: 1_000, by: &random)
    #expect(code.count == 32)
    #expect(desk.enter(with: "", now: 1_000, by: &random) == nil)
    let token = desk.enter(with: code, now: 60_999, by: &random)
    #expect(token?.count == 64)
    #expect(token.map(desk.knows) == true)
    #expect(desk.enter(with: code, now: 2_000, by: &random) == nil)
    let other = desk.newCode(now: 1_000, by: &random)
    #expect(code != other)
    #expect(desk.enter(with: other, now: 61_000, by: &random) == nil)
    #expect(!desk.knows(""))
    #expect(!desk.knows(code))
  }

  @Test mutating func `a new code replaces the previous one`() {
    let codes = (0..<3).map { _ in desk.newCode(now: 1_000, by: &random) }
    #expect(desk.enter(with: codes[0], now: 1_001, by: &random) == nil)
    #expect(desk.enter(with: codes[1], now: 1_001, by: &random) == nil)
    #expect(desk.enter(with: codes[2], now: 1_001, by: &random) != nil)
  }

  @Test mutating func `a token is invalid after logging out, and others stay valid`() throws {
    let tokens = try (0..<2).map { _ in
      try #require(desk.enter(with: desk.newCode(now: 0, by: &random), now: 1, by: &random))
    }
    desk.leave(tokens[0])
    #expect(!desk.knows(tokens[0]) && desk.knows(tokens[1]))
  }

  @Test mutating func `if there are more than 64 tokens, the oldest ones are invalid`() {
    var tokens: [String] = []
    for _ in 0..<100 {
      let code = desk.newCode(now: 0, by: &random)
      if let token = desk.enter(with: code, now: 1, by: &random) { tokens.append(token) }
    }
    #expect(tokens.count == 100)
    #expect(tokens.filter(desk.knows).count == 64)
    #expect(desk.knows(tokens[99]))
  }
}
