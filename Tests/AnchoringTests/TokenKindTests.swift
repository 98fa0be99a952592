import Testing

@testable import Anchoring

@Suite struct TokenKindTests {
  @Test func `the fast classification of characters equals that by Unicode properties`() {
    for value: UInt32 in 0x80...0xFFFF {
      let (quick, slow) = (Tokenizer.kind(of: value), Tokenizer.kindByProperties(of: value))
      #expect(quick == slow, "U+\(String(value, radix: 16))")
    }
  }
}

@Suite struct WordHashTests {
  private static func hashes(_ text: String) -> [UInt64] {
    let units = Array(text.utf16)
    var tokenizer = Tokenizer()
    return tokenizer.tokens(of: units, in: units.indices).map {
      LineContents.hashOfWord($0, of: units)
    }
  }

  /// Words of all lengths, because four letters at a time are hashed.
  @Test(arguments: ["a", "ab", "abc", "cafe", "cafes", "cafe12", "cafeteria", "cafeteria9"])
  func `words that differ in case and diacritics have equal hashes`(_ word: String) {
    let all = [
      word, word.uppercased(), word.replacing("a", with: "à"),
      word.uppercased().replacing("E", with: "É"), word.replacing("e", with: "e\u{301}"),
    ]
    #expect(Set(all.flatMap(Self.hashes)).count == 1)
    #expect(all.allSatisfy { Self.hashes($0).count == 1 })
  }

  @Test func `different words have different hashes`() {
    let words = [
      "a", "aa", "aaa", "aaaa", "aaaaa", "baaaa", "aaaab", "aaba", "abaa", "école", "ecolo",
    ]
    #expect(Set(words.flatMap(Self.hashes)).count == words.count)
  }
}
