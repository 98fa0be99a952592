import Testing

@testable import WebReader

/// Codes and tokens, by a clock of the test's own.
@Suite struct LoginDeskTests {
  var desk = LoginDesk()
  var random = SystemRandomNumberGenerator()

  @Test mutating func `a code is good once and for a minute`() {
    let code = desk.newCode(now: 1_000, by: &random)
    #expect(code.count == 32)
    #expect(desk.enter(with: "", now: 1_000, by: &random) == nil)
    let other = desk.newCode(now: 1_000, by: &random)
    #expect(code != other)
    let token = desk.enter(with: code, now: 60_999, by: &random)
    #expect(token?.count == 64)
    #expect(token.map(desk.knows) == true)
    #expect(desk.enter(with: code, now: 2_000, by: &random) == nil)
    #expect(desk.enter(with: other, now: 61_000, by: &random) == nil)
    #expect(!desk.knows(""))
    #expect(!desk.knows(code))
  }

  @Test mutating func `old codes and tokens go when there are many`() {
    let codes = (0..<20).map { _ in desk.newCode(now: 0, by: &random) }
    #expect(desk.enter(with: codes[0], now: 1, by: &random) == nil)
    #expect(desk.enter(with: codes[19], now: 1, by: &random) != nil)
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
