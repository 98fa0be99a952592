import Testing

@testable import Anchoring

@Suite struct TokenKindTests {
  @Test func `a frequent character is of the kind that its properties say`() {
    for value: UInt32 in 0x80...0xFFFF {
      let (quick, slow) = (Tokenizer.kind(of: value), Tokenizer.kindByProperties(of: value))
      #expect(quick == slow, "U+\(String(value, radix: 16))")
    }
  }
}
