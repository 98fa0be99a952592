import Rendering
import TestSupport
import Testing

/// Tests which parts of a text are written to a terminal.
@Suite struct TerminalTextTests {
  @Test(arguments: [
    ("plain", "plain"), ("a\u{1B}[31mb", "a␛[31mb"), ("a\u{7F}b", "a␡b"), ("a\u{9B}31mb", "a�31mb"),
    ("a\tb\nc\rd", "a b c d"), ("a\u{0}b", "a␀b"), ("a\u{202E}b\u{202C}", "a�b�"),
    ("a\u{2066}b\u{2069}", "a�b�"), ("a\u{2028}b\u{2029}", "a�b�"),
    ("a\u{E0041}\u{E007F}b", "a��b"), ("héllo 👋🏽 世界", "héllo 👋🏽 世界"),
    ("👨‍👩‍👧‍👦", "👨‍👩‍👧‍👦"), ("ن\u{200F}ص", "ن\u{200F}ص"),
  ])
  func `control characters are replaced by visible ones`(text: String, shown: String) {
    #expect(text.sanitizedForTerminal == shown)
  }

  @Test func `the tag characters of a region's flag are kept`() {
    let flag = "\u{1F3F4}\u{E0067}\u{E0062}\u{E0073}\u{E0063}\u{E0074}\u{E007F}"
    #expect("x\(flag)y".sanitizedForTerminal == "x\(flag)y")
    #expect(Character(flag).sanitizedForTerminal == Character(flag))
  }

  @Test func `characters and texts are sanitised equally, and no control character remains`() {
    let seed = SeededGenerator.runSeed
    print("seed \(seed)")
    var random = SeededGenerator(seed: seed)
    let spoilers: [UInt32] = [
      0x1B, 0x07, 0x7F, 0x9B, 0x2028, 0x202E, 0x2066, 0xE0041, 0x0D, 0x1F3F4, 0x65, 0x301, 0x200D,
    ]
    for _ in 0..<2_000 {
      var text = ""
      for _ in 0..<8 {
        let value =
          Bool.random(using: &random)
          ? spoilers.randomElement(using: &random)!
          : UInt32.random(in: 0...0x10FFFF, using: &random)
        if let scalar = Unicode.Scalar(value) { text.unicodeScalars.append(scalar) }
      }
      let shown = text.sanitizedForTerminal
      #expect(!shown.unicodeScalars.contains(where: Self.isSteering), "\(text.debugDescription)")
      for character in text {
        let one = character.sanitizedForTerminal
        #expect(
          !one.unicodeScalars.contains(where: Self.isSteering), "\(character.debugDescription)")
      }
      #expect(shown.sanitizedForTerminal == shown)
    }
  }

  private static func isSteering(_ scalar: Unicode.Scalar) -> Bool {
    scalar.value < 0x20 || (0x7F..<0xA0).contains(scalar.value)
      || (0x2028...0x2029).contains(scalar.value) || (0x202A...0x202E).contains(scalar.value)
      || (0x2066...0x2069).contains(scalar.value)
  }
}
