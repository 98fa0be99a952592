import Foundation
import Model
import TestSupport
import Testing

@Suite struct CanonicalTextTests {
  /// Letters, marks and emoji of several scripts, of which random texts consist.
  private static let pieces = [
    "a", "e", "K", " ", "\n", "\r\n", "é", "e\u{301}", "ệ", "e\u{323}\u{302}", "e\u{302}\u{323}",
    "x\u{302}", "\u{301}", "\u{323}", "Å", "\u{212B}", "\u{2126}", "\u{212A}", "\u{37E}", "각", "가",
    "\u{1100}", "\u{1161}", "\u{11A8}", "が", "か\u{3099}", "क", "\u{94D}", "ष", "\u{93F}",
    "क\u{93C}",
    "\u{958}", "ো", "\u{9C7}\u{9BE}", "北", "\u{F900}", "豈", "👨", "👨‍👩‍👧‍👦", "\u{200D}", "🇩", "👋🏽", "й",
    "и\u{306}", "\u{600}", "\u{E33}", "ก",
  ]

  private func text(_ most: Int, _ random: inout SeededGenerator) -> String {
    (0..<Int.random(in: 0...most, using: &random))
      .map { _ in Self.pieces.randomElement(using: &random)! }.joined()
  }

  @Test func `the normal form is Unicode's, and its ranges are those of equivalent text`() throws {
    let seed = SeededGenerator.runSeed
    print("seed \(seed)")
    var random = SeededGenerator(seed: seed)
    for _ in 0..<3_000 {
      let text = text(12, &random)
      let shown = "seed \(seed): \(text.unicodeScalars.map { String($0.value, radix: 16) })"
      // Equivalent texts have the same form, and it is equivalent to them.
      let normal = Canonical.normalized(text)
      let decomposed = text.decomposedStringWithCanonicalMapping
      #expect(
        normal.unicodeScalars.elementsEqual(Canonical.normalized(decomposed).unicodeScalars),
        "\(shown)")
      #expect(
        normal.decomposedStringWithCanonicalMapping.unicodeScalars.elementsEqual(
          decomposed.unicodeScalars), "\(shown)")
      #expect(normal.unicodeScalars.count <= decomposed.unicodeScalars.count, "\(shown)")
      var bytes = text
      let utf8 = bytes.withUTF8 { CanonicalText($0) }
      let utf16 = CanonicalText(Array(text.utf16))
      #expect((utf8 == nil) == (utf16 == nil))
      guard let utf8, let utf16 else { continue }
      // Each character of the normal form corresponds to equal text of the original.
      let canonical = String(decoding: utf8.units, as: UTF8.self)
      var (byte, unit) = (0, 0)
      for character in canonical {
        let whole = String(character)
        let range = utf8.original(byte..<byte + whole.utf8.count)
        #expect(String(decoding: Array(text.utf8)[range], as: UTF8.self) == whole)
        #expect(utf8.offset(ofOriginal: range.lowerBound) == byte)
        let units = utf16.original(unit..<unit + whole.utf16.count)
        #expect(String(decoding: Array(text.utf16)[units], as: UTF16.self) == whole)
        byte += whole.utf8.count
        unit += whole.utf16.count
      }
    }
  }

  @Test func `a text without other forms is the only one with its normal form`() {
    for text in ["fox", "король", "größe".replacing("ö", with: "o"), "天地", "x", "日本"] {
      #expect(!Canonical.hasOtherForms(text), "\(text)")
    }
    for text in ["é", "K", "Å", "Ω", "豈", "각", "x\u{302}", "й", "が", ";"] {
      #expect(Canonical.hasOtherForms(text), "\(text)")
    }
    // Every scalar that an equivalent text may contain instead is known.
    for value in UInt32(0)...0x2FFFF {
      guard let scalar = Unicode.Scalar(value) else { continue }
      let normal = Canonical.normalized(String(scalar))
      if !normal.unicodeScalars.elementsEqual([scalar]) {
        #expect(Canonical.hasOtherForms(normal), "\(String(value, radix: 16))")
      }
    }
  }

  @Test func `boundaries in UTF-8 are those of Swift characters`() throws {
    let seed = SeededGenerator.runSeed
    print("seed \(seed)")
    var random = SeededGenerator(seed: seed)
    for _ in 0..<3_000 {
      let text = text(16, &random)
      let bytes = Array(text.utf8)
      var borders: Set = [0]
      var place = 0
      for character in text {
        place += character.utf8.count
        borders.insert(place)
      }
      bytes.withUnsafeBufferPointer { bytes in
        var ascending = GraphemeBorders(bytes)
        for offset in 0...bytes.count {
          #expect(ascending.isBorder(offset) == borders.contains(offset), "seed \(seed): \(text)")
        }
        for offset in 0...bytes.count where bytes.indices.contains(offset) {
          guard bytes[offset] & 0xC0 != 0x80 else { continue }
          var widening = GraphemeBorders(bytes)
          let start = borders.filter { $0 <= offset }.max()!
          let end = borders.filter { $0 >= offset }.min()!
          #expect(
            widening.widened(offset..<offset, from: 0) == start..<end, "seed \(seed): \(text)")
        }
        var ranges = GraphemeBorders(bytes)
        for _ in 0..<8 {
          let ends = [
            Int.random(in: 0...bytes.count, using: &random),
            Int.random(in: 0...bytes.count, using: &random),
          ].sorted()
          #expect(
            ranges.surrounds(ends[0]..<ends[1])
              == (borders.contains(ends[0]) && borders.contains(ends[1])), "seed \(seed): \(text)")
        }
      }
    }
  }

  @Test(arguments: ["\u{301}", "👩\u{200D}", "🇩", "\u{1100}", "क\u{94D}", "\u{600}"])
  func `boundaries in a text without any take linear time`(piece: String) {
    let bytes = Array(String(repeating: piece, count: 100_000).utf8)
    let size = piece.unicodeScalars.first!.utf8.count
    let time = ContinuousClock().measure {
      bytes.withUnsafeBufferPointer { bytes in
        var borders = GraphemeBorders(bytes)
        var count = 0
        for start in stride(from: 0, to: bytes.count - size, by: piece.utf8.count)
        where borders.surrounds(start..<start + size) {
          count += 1
        }
        // Only flags, which are divided in pairs, have boundaries inside.
        #expect(count <= 1)
      }
    }
    // A search for each boundary from the start of the text would take minutes.
    #expect(time < .seconds(20))
  }

  @Test func `a text with ever so many marks is normalised in linear time`() {
    let marks = String(repeating: "\u{301}\u{323}", count: 500_000)
    let time = ContinuousClock().measure {
      #expect(CanonicalText(Array(("e" + marks).utf16)) != nil)
    }
    #expect(time < .seconds(20))
  }
}
