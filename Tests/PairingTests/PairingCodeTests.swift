import Testing

@testable import Pairing

/// Codes, by a clock of the test's own.
@Suite struct PairingCodeTests {
  var codes = PairingCode()
  var random = SystemRandomNumberGenerator()

  private func wrong(_ code: String) -> String {
    code.dropLast() + (code.hasSuffix("A") ? "B" : "A")
  }

  @Test mutating func `a code has letters that nobody takes for others`() {
    var seen = Set<Character>()
    for _ in 0..<500 {
      let code = codes.make(now: 0, by: &random)
      #expect(code.count == 8)
      seen.formUnion(code)
    }
    #expect(seen == Set("ABCDEFGHJKMNPRSTWXYZ"))
    #expect(PairingCode.spaced("ABCDEFGH") == "ABCD EFGH")
  }

  @Test mutating func `it is good once, however it is typed`() {
    let code = codes.make(now: 1_000, by: &random)
    let typed = " \(code.prefix(4).lowercased())-\(code.dropFirst(4)) "
    #expect(codes.take(typed, from: "a", now: 2_000) == .right)
    #expect(codes.take(code, from: "a", now: 2_000) == .none)
  }

  @Test mutating func `it is good for five minutes`() {
    let code = codes.make(now: 1_000, by: &random)
    #expect(codes.take(wrong(code), from: "a", now: 300_999) == .wrong(left: 4))
    #expect(codes.take(code, from: "a", now: 301_000) == .none)
    // A clock does not go back, but nothing would come back with it.
    #expect(codes.take(code, from: "a", now: 2_000) == .none)
    let other = codes.make(now: 1_000, by: &random)
    #expect(codes.take(other, from: "a", now: 300_999) == .right)
  }

  @Test mutating func `five wrong ones are all there are`() {
    let code = codes.make(now: 0, by: &random)
    for left in [4, 3, 2, 1, 0] {
      #expect(codes.take(wrong(code), from: "a", now: 1) == .wrong(left: left))
    }
    #expect(codes.take(code, from: "a", now: 1) == .blocked)
    #expect(codes.take(wrong(code), from: "a", now: 1) == .blocked)
    let next = codes.make(now: 2, by: &random)
    #expect(codes.take(code, from: "a", now: 3) == (code == next ? .right : .wrong(left: 4)))
  }

  @Test mutating func `one client does not use up the tries of another`() {
    let code = codes.make(now: 0, by: &random)
    for _ in 0..<1_000 { _ = codes.take(wrong(code), from: "a", now: 1) }
    #expect(codes.take(wrong(code), from: "b", now: 1) == .wrong(left: 4))
    #expect(codes.take(code, from: "b", now: 1) == .right)
  }

  @Test mutating func `a hundred wrong ones of all clients are all there are`() {
    let code = codes.make(now: 0, by: &random)
    for number in 0..<99 {
      #expect(codes.take(wrong(code), from: "\(number)", now: 1) == .wrong(left: 4))
    }
    #expect(codes.take(wrong(code), from: "99", now: 1) == .expired)
    #expect(codes.take(code, from: "100", now: 1) == .none)
  }

  @Test mutating func `what can be no code is no try`() {
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

  @Test mutating func `a new code takes the place of the one before`() {
    let first = codes.make(now: 0, by: &random)
    let second = codes.make(now: 1, by: &random)
    #expect(first != second)
    #expect(codes.take(first, from: "a", now: 2) == .wrong(left: 4))
    #expect(codes.take(second, from: "a", now: 2) == .right)
  }
}
