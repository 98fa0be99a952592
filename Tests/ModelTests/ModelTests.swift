import Foundation
import Model
import Testing

@Suite struct ModelTests {
  @Test func `a dot is parsed from its description only`() {
    let dot = Dot(replica: ReplicaID(rawValue: 0xAB), sequence: 42)
    #expect(dot.description == "42-00000000000000ab")
    #expect(Dot(dot.description) == dot)
    for text in ["", "42", "42-ab", "0-00000000000000ab", "x-00000000000000ab", "42-00-ab"] {
      #expect(Dot(text) == nil, "\(text)")
    }
  }

  @Test func `timestamps increase even if the wall clock is set back`() {
    let first = Timestamp(milliseconds: 1_000)
    let second = first.next(wallMilliseconds: 500)
    #expect(second > first && second.milliseconds == 1_000 && second.counter == 1)
    #expect(second.next(wallMilliseconds: 2_000) == Timestamp(milliseconds: 2_000))
  }

  @Test func `a timestamp far in the future is replaced by the wall clock`() {
    let minutes: Int64 = 60_000
    let stuck = Timestamp(milliseconds: 11 * minutes, counter: 3)
    #expect(stuck.next(wallMilliseconds: 0) == Timestamp(milliseconds: 0))
    #expect(stuck.next(wallMilliseconds: -5) == Timestamp(milliseconds: 0))
    let near = Timestamp(milliseconds: 10 * minutes, counter: 3)
    #expect(near.next(wallMilliseconds: 0) == Timestamp(milliseconds: 10 * minutes, counter: 4))
    let last = Timestamp(milliseconds: 1 << 47 - 1)
    #expect(last.next(wallMilliseconds: minutes) == Timestamp(milliseconds: minutes))
  }

  @Test func `a digest has 64 hexadecimal digits`() {
    let text = String(repeating: "0f", count: 32)
    #expect(ContentDigest(text)?.description == text)
    #expect(ContentDigest(String(text.dropLast())) == nil)
    #expect(ContentDigest(String(text.dropLast()) + "g") == nil)
  }

  @Test func `a range that ends before its start is rejected`() throws {
    let good = try JSONDecoder().decode(TextRange.self, from: Data(#"{"start":1,"end":3}"#.utf8))
    #expect(good == TextRange(utf16: 1..<3))
    #expect(throws: DecodingError.self) {
      try JSONDecoder().decode(TextRange.self, from: Data(#"{"start":3,"end":1}"#.utf8))
    }
  }

  @Test func `an operation is equal after encoding as JSON`() throws {
    let dot = Dot(replica: ReplicaID(rawValue: 9), sequence: 2)
    let values: [Model.Operation.Value] = [
      .none, .flag(true), .text("a"), .reference(dot),
      .selector(
        Selector(
          exact: "é", prefix: "", suffix: "x", position: TextRange(utf16: 0..<1), textDigest: nil,
          renderVersion: 1)),
    ]
    for value in values {
      let operation = Model.Operation(
        dot: dot, time: Timestamp(milliseconds: 1), group: 2, record: .highlight(.init(dot)),
        field: .tag("a"), value: value, previous: .none)
      let data = try JSONEncoder().encode(operation)
      #expect(try JSONDecoder().decode(Model.Operation.self, from: data) == operation)
    }
  }

  private struct Fork: Strategy {
    static let id = "fork"
    static let summary = "s"
    static let examples = [0]
  }

  @Test func `an unknown strategy is reported with the known ones and the nearest`() {
    var registry = Registry<Int>(kind: "tool")
    registry.register(1, as: Fork.self)
    #expect(throws: UnknownStrategyError(kind: "tool", id: "frok", known: ["fork"])) {
      try registry.strategy("frok")
    }
    #expect(
      UnknownStrategyError(kind: "tool", id: "fort", known: ["fork", "knife"]).description
        == "no tool 'fort'; did you mean 'fork'? There are: fork, knife")
    #expect(
      UnknownStrategyError(kind: "tool", id: "spoon", known: ["fork", "knife"]).description
        == "no tool 'spoon'. There are: fork, knife")
  }
}

@Suite struct GraphemeTests {
  @Test(arguments: [
    "", "a", "ab\r\ncd\n\n", "e\u{301}x\u{301}\u{302}", "a👨‍👩‍👧‍👦b🇩🇪🇫🇷🇪🇸c", "\u{600}1a", "क्षि नि",
    String(repeating: "\u{301}", count: 300) + "a", "각각", "a\u{200D}\u{200D}b",
  ])
  func `grapheme boundaries are those of Swift characters`(text: String) {
    let units = Array(text.utf16)
    var borders = [0]
    for character in text { borders.append(borders[borders.count - 1] + character.utf16.count) }
    for offset in 0...units.count {
      #expect(
        Graphemes.border(at: offset, orBefore: units) == borders.last { $0 <= offset })
      #expect(
        Graphemes.border(at: offset, orAfter: units) == borders.first { $0 >= offset })
      #expect(
        Graphemes.border(after: offset, in: units) == borders.first { $0 > offset } ?? units.count)
      #expect(Graphemes.border(before: offset, in: units) == borders.last { $0 < offset } ?? 0)
      #expect(Graphemes.whole([0..<offset], in: units).isEmpty != borders.contains(offset))
    }
  }
}

@Suite struct TextFoldingTests {
  @Test func `ASCII folds by Unicode properties`() {
    for value in UInt32(0)..<0x80 {
      let scalar = Unicode.Scalar(value)!
      let (folded, kind) = TextFolding.fold(value)
      #expect(String(Unicode.Scalar(folded)!) == scalar.properties.lowercaseMapping)
      let isWord = scalar.properties.isAlphabetic || scalar.properties.numericType != nil
      #expect(kind == (isWord || scalar == "_" ? .word : .separator), "\(value)")
    }
  }

  @Test func `characters that differ only in case or diacritics fold to the same scalars`() {
    func forms(_ text: String) -> [UInt32] {
      text.unicodeScalars.map { TextFolding.fold($0.value) }.filter { $0.kind != .mark }
        .map(\.scalar)
    }
    for (one, other) in [
      ("Café", "cafe\u{301}"), ("ſ", "S"), ("\u{212A}", "k"), ("Σ", "ς"), ("Ångström", "angstrom"),
    ] {
      #expect(forms(one) == forms(other), "\(one) \(other)")
    }
    #expect(TextFolding.fold(0x5317).kind == .single && TextFolding.fold(0x301).kind == .mark)
  }
}
