import Model
import TestSupport
import Testing

/// Tests that strings of UTF-16 units equal those of the standard library.
@Suite struct StringUnitsTests {
  @Test(arguments: ["", "a", "éß", "漢字かな", "👩‍👩‍👧 🇩🇪", "a\u{0301}\u{FFFD}", "x\u{10FFFF}y\u{FFFF}"])
  func `a text is returned as it was encoded`(text: String) {
    #expect(String(units: Array(text.utf16)) == text)
    #expect(String(units: Array(("ab" + text + "c").utf16)[2...].dropLast()) == text)
  }

  @Test func `random units, also halves of pairs, are decoded as by the standard library`() {
    let seed = SeededGenerator.runSeed
    print("StringUnitsTests: seed \(seed)")
    var random = SeededGenerator(seed: seed)
    for _ in 0..<2_000 {
      let units = (0..<Int.random(in: 0..<20, using: &random)).map { _ -> UInt16 in
        switch Int.random(in: 0..<4, using: &random) {
        case 0: UInt16.random(in: 0..<0x80, using: &random)
        case 1: UInt16.random(in: 0x80..<0x900, using: &random)
        case 2: UInt16.random(in: 0xD7F0..<0xE010, using: &random)
        default: UInt16.random(in: 0..<0xFFFF, using: &random)
        }
      }
      #expect(
        Array(String(units: units).utf8) == Array(String(decoding: units, as: UTF16.self).utf8))
    }
  }
}
