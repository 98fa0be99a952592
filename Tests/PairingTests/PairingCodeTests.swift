import Testing

@testable import Pairing

/// Tests codes with a clock that the test sets.
@Suite struct PairingCodeTests {
  var codes = PairingCode()
  var random = SystemRandomNumberGenerator()

  private func wrong(_ code: String) -> String {
    code.dropLast() + (code.hasSuffix("A") ? "B" : "A")
  }

  @Test mutating func `a code has only letters that are not easily confused`() {
    var seen = Set<Character>()
    for _ in 0..<500 {
      let code = codes.make(now: 0, by: &random)
      #expect(code.count == 8)
      seen.formUnion(code)
    }
    #expect(seen == Set("ABCDEFGHJKMNPRSTWXYZ"))
    #expect(PairingCode.spaced("ABCDEFGH") == "ABCD EFGH")
  }

  @Test mutating func `a code is valid once, with any spacing and case`() {
    let code = codes.make(now: 1_000, by: &random)
    let typed = " \(code.prefix(4).lowercased())-\(code.dropFirst(4)) "
    #expect(codes.take(typed, from: "a", now: 2_000) == .right)
    #expect(codes.take(code, from: "a", now: 2_000) == .none)
  }

  @Test mutating func `a code is valid for five minutes`() {
    let code = codes.make(now: 1_000, by: &random)
    #expect(codes.take(wrong(code), from: "a", now: 300_999) == .wrong(left: 4))
    #expect(codes.take(code, from: "a", now: 301_000) == .none)
    // Even if the clock went back, an expired code would not become valid again.
    #expect(codes.take(code, from: "a", now: 2_000) == .none)
    let other = codes.make(now: 1_000, by: &random)
    #expect(codes.take(other, from: "a", now: 300_999) == .right)
  }

  @Test mutating func `a client is blocked after five wrong codes, until there is a new code`() {
    let code = codes.make(now: 0, by: &random)
    for left in [4, 3, 2, 1, 0] {
      #expect(codes.take(wrong(code), from: "a", now: 1) == .wrong(left: left))
    }
    #expect(codes.take(code, from: "a", now: 1) == .blocked)
    #expect(codes.take(wrong(code), from: "a", now: 1) == .blocked)
    let next = codes.make(now: 2, by: &random)
    #expect(codes.take(code, from: "a", now: 3) == (code == next ? .right : .wrong(left: 4)))
  }

  @Test mutating func `attempts of one client do not count for another`() {
    let code = codes.make(now: 0, by: &random)
    for _ in 0..<1_000 { _ = codes.take(wrong(code), from: "a", now: 1) }
    #expect(codes.take(wrong(code), from: "b", now: 1) == .wrong(left: 4))
    #expect(codes.take(code, from: "b", now: 1) == .right)
  }

  @Test mutating func `a code expires after a hundred wrong codes of all clients`() {
    let code = codes.make(now: 0, by: &random)
    for number in 0..<99 {
      #expect(codes.take(wrong(code), from: "\(number)", now: 1) == .wrong(left: 4))
    }
    #expect(codes.take(wrong(code), from: "99", now: 1) == .expired)
    #expect(codes.take(code, from: "100", now: 1) == .none)
  }

  @Test mutating func `a text that cannot be a code is not an attempt`() {
    #expect(codes.take("ABCDEFGH", from: "a", now: 0) == .none)
    let code = codes.make(now: 0, by: &random)
    for text in [
      "", "ABCDEFG", "ABCDEFGHJ", "ABCDEFG0", "ABCDEFGI", "ÄBCDEFGH", "ABCDEFG\u{301}H",
      String(repeating: "A", count: 100_000), "ＡＢＣＤＥＦＧＨ", "ABCD\u{0}EFGH",
    ] {
      for _ in 0..<10 {
        #expect(codes.take(text, from: "a", now: 1) == .malformed, "\(text.prefix(20))")
      }
    }
    #expect(codes.take(code, from: "a", now: 1) == .right)
  }

  @Test mutating func `a new code replaces the previous one`() {
    let first = codes.make(now: 0, by: &random)
    let second = codes.make(now: 1, by: &random)
    #expect(first != second)
    #expect(codes.take(first, from: "a", now: 2) == .wrong(left: 4))
    #expect(codes.take(second, from: "a", now: 2) == .right)
  }
}
