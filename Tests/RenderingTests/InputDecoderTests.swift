import Rendering
import TestSupport
import Testing

@Suite struct InputDecoderTests {
  private static let known: [(String, [InputEvent])] = [
    ("aß日", [.key(.character("a")), .key(.character("ß")), .key(.character("日"))]),
    ("\r\t\u{7F}", [.key(.enter), .key(.tab), .key(.backspace)]),
    ("\u{3}\u{1A}", [.key(.character("c"), .control), .key(.character("z"), .control)]),
    ("\u{1B}[A\u{1B}OB", [.key(.up), .key(.down)]),
    ("\u{1B}[1;2C", [.key(.right, .shift)]), ("\u{1B}[1;5D", [.key(.left, .control)]),
    ("\u{1B}[1;3D", [.key(.left, .alt)]), ("\u{1B}[Z", [.key(.tab, .shift)]),
    ("\u{1B}[5~\u{1B}[6;5~", [.key(.pageUp), .key(.pageDown, .control)]),
    ("\u{1B}OP\u{1B}[15~", [.key(.function(1)), .key(.function(5))]),
    ("\u{1B}x", [.key(.character("x"), .alt)]),
    (
      "\u{1B}[200~two\r\nlines \u{1B}[31m\u{1B}[201~q",
      [
        .paste("two\r\nlines \u{1B}[31m"), .key(.character("q")),
      ]
    ),
    (
      "\u{1B}[<0;5;3M\u{1B}[<32;6;3M\u{1B}[<0;6;3m",
      [
        .mouse(.init(.press, at: .init(row: 2, column: 4))),
        .mouse(.init(.drag, at: .init(row: 2, column: 5))),
        .mouse(.init(.release, at: .init(row: 2, column: 5))),
      ]
    ),
    (
      "\u{1B}[<2;1;1M\u{1B}[<64;1;1M\u{1B}[<65;1;1M",
      [
        .mouse(.init(.press, .right, at: .init(row: 0, column: 0))),
        .mouse(.init(.wheelUp, at: .init(row: 0, column: 0))),
        .mouse(.init(.wheelDown, at: .init(row: 0, column: 0))),
      ]
    ),
    // Unknown sequences produce no text.
    ("\u{1B}[?62;1cA", [.key(.character("A"))]), ("\u{1B}[99~B", [.key(.character("B"))]),
    ("\u{1B}[<0;0;9MC", [.key(.character("C"))]),
    // Responses between keys.
    (
      "a\u{1B}]11;rgb:ffff/ffff/ffff\u{1B}\\b", keys("a") + [.background(RGB(0xFFFFFF))] + keys("b")
    ),
    ("\u{1B}]11;rgb:1e/0/F\u{7}", [.background(RGB(0x1E00FF))]),
    ("\u{1B}]11;rgba:0000/8080/0000/ffff\u{7}q", [.background(RGB(0x008000))] + keys("q")),
    ("\u{1B}[0nq", [.answered] + keys("q")),
    // An invalid response is skipped, but not the keys after it.
    ("\u{1B}]11;rgb:xx/0/0\u{7}q", keys("q")), ("\u{1B}]10;rgb:0/0/0\u{7}q", keys("q")),
    ("\u{1B}]11;rgb:0/0\u{7}q", keys("q")), ("\u{1B}]52;c;QUJD\u{1B}\\q", keys("q")),
    ("\u{1B}]11;rgb:12345/0/0\u{7}q", keys("q")),
    ("\u{1B}]11;rgb:0/0\rq", [.key(.enter)] + keys("q")),
    ("\u{1B}]x", [.key(.character("]"), .alt), .key(.character("x"))]),
  ]

  private static func keys(_ text: String) -> [InputEvent] { text.map { .key(.character($0)) } }

  @Test func `a response that never ends does not block input`() {
    var decoder = InputDecoder()
    let long = String(repeating: "9", count: 10_000)
    #expect(decoder.feed(Array("\u{1B}]11;\(long)".utf8)).isEmpty && decoder.isWaiting)
    #expect(decoder.flush().isEmpty && !decoder.isWaiting)
    #expect(decoder.feed(Array("q".utf8)) == [.key(.character("q"))])
    #expect(decoder.feed(Array("\u{1B}]11;\(long)\rq".utf8)) == [.key(.enter)] + Self.keys("q"))
    #expect(decoder.feed(Array("\u{1B}]52;c;\(long)\u{1B}\\q".utf8)) == Self.keys("q"))
    #expect(decoder.feed(Array("\u{1B}]11;rgb:".utf8)).isEmpty && decoder.isWaiting)
    #expect(decoder.flush().isEmpty && !decoder.isWaiting)
    #expect(decoder.feed(Array("\u{1B}]".utf8)).isEmpty)
    #expect(decoder.flush() == [.key(.character("]"), .alt)])
  }

  /// Responses and sequences, with their events.
  private static let answers: [(String, [InputEvent])] = [
    ("\u{1B}]11;rgb:ffff/ffff/ffff\u{1B}\\", [.background(RGB(0xFFFFFF))]),
    ("\u{1B}]11;rgb:1e1e/0000/0f0f\u{7}", [.background(RGB(0x1E000F))]),
    ("\u{1B}]11;#ffffff\u{7}", []), ("\u{1B}]11;rgba:0/0/0/0\u{9C}", [.background(RGB(0))]),
    ("\u{1B}[?62;4;22c", []), ("\u{1B}_Gi=31;OK\u{1B}\\", []), ("\u{1B}P1$r0m\u{1B}\\", []),
    ("\u{1B}[1;5D", [.key(.left, .control)]),
  ]

  @Test(arguments: answers)
  func `a response in two parts is never taken for keys`(
    text: String, events: [InputEvent]
  ) {
    // A terminal sends the 8-bit terminator as one byte.
    let bytes = text.unicodeScalars.map { UInt8($0.value) }
    for cut in 3..<bytes.count {
      var decoder = InputDecoder()
      #expect(decoder.feed(bytes[..<cut]).isEmpty)
      #expect(decoder.flush().isEmpty)
      #expect(!decoder.isWaiting)
      #expect(decoder.feed(bytes[cut...] + Array("q".utf8)) == events + Self.keys("q"), "\(cut)")
    }
  }

  @Test func `keys after an incomplete response are decoded as keys`() {
    for keys in ["q", "bq", "j", "\u{1B}[A", "\r"] {
      var decoder = InputDecoder()
      #expect(decoder.feed(Array("\u{1B}]11;rgb:ff".utf8)).isEmpty)
      #expect(decoder.flush().isEmpty)
      var plain = InputDecoder()
      #expect(decoder.feed(Array(keys.utf8)) == plain.feed(Array(keys.utf8)), "\(keys)")
      #expect(!decoder.isWaiting)
    }
  }

  @Test(arguments: known) func `sequences of terminals are decoded to events`(
    text: String, events: [InputEvent]
  ) {
    var decoder = InputDecoder()
    #expect(decoder.feed(Array(text.utf8)) == events)
    #expect(!decoder.isWaiting)
  }

  @Test(arguments: known)
  func `the events do not depend on how the bytes are divided`(text: String, events: [InputEvent]) {
    var decoder = InputDecoder()
    var found: [InputEvent] = []
    for byte in text.utf8 { found += decoder.feed([byte]) }
    #expect(found == events)
  }

  @Test func `a single escape byte is a key`() {
    var decoder = InputDecoder()
    #expect(decoder.feed([0x1B]).isEmpty && decoder.isWaiting)
    #expect(decoder.flush() == [.key(.escape)])
    #expect(decoder.feed([0x1B, 0x1B]) == [.key(.escape)] && decoder.isWaiting)
    #expect(decoder.flush() == [.key(.escape)] && !decoder.isWaiting)
  }

  @Test func `a paste without an end waits, and its keys trigger nothing`() {
    var decoder = InputDecoder()
    #expect(decoder.feed(Array("\u{1B}[200~q".utf8)).isEmpty)
    #expect(decoder.flush().isEmpty)
    #expect(decoder.feed(Array("q\u{1B}[201".utf8)).isEmpty)
    #expect(decoder.feed(Array("~q".utf8)) == [.paste("qq"), .key(.character("q"))])
  }

  @Test func `random bytes are consumed, and none is kept after a flush`() {
    let seed = SeededGenerator.runSeed
    var random = SeededGenerator(seed: seed)
    for _ in 0..<500 {
      var decoder = InputDecoder()
      let bytes = (0..<Int.random(in: 1..<80, using: &random)).map { _ in
        Bool.random(using: &random)
          ? UInt8.random(in: 0...255, using: &random)
          : [0x1B, 0x5B, 0x3C, 0x3B, 0x31, 0x4D, 0x7E].randomElement(using: &random)!
      }
      _ = decoder.feed(bytes)
      _ = decoder.flush()
      #expect(!decoder.isWaiting, "seed \(seed): \(bytes)")
    }
  }
}
