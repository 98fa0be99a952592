/// The lines or the sentences of a text, to be compared as wholes before their tokens are.
struct Parts {
  /// A line or a sentence.
  struct Part {
    /// Its tokens.
    var tokens: Range<Int>
    /// A hash of them.
    var hash: UInt64
    /// How many letters it holds.
    var weight: Int
  }

  /// The kinds of parts that are compared, larger ones first.
  enum Kind: CaseIterable { case line, sentence }

  let all: [Part]

  /// Divides a text. O(tokens).
  init(_ tokens: [Token], _ kind: Kind) {
    var all: [Part] = []
    var part = Part(tokens: 0..<0, hash: Self.seed, weight: 0)
    for (index, token) in tokens.enumerated() {
      if index > part.tokens.lowerBound, Self.begins(token, kind) {
        all.append(part)
        part = Part(tokens: index..<index, hash: Self.seed, weight: 0)
      }
      part.tokens = part.tokens.lowerBound..<index + 1
      part.hash = (part.hash ^ token.hash) &* 0x9E37_79B9_7F4A_7C15
      part.hash ^= part.hash >> 29
      part.weight += Int(token.weight)
    }
    if !part.tokens.isEmpty { all.append(part) }
    self.all = all
  }

  private static let seed: UInt64 = 0xCBF2_9CE4_8422_2325

  private static func begins(_ token: Token, _ kind: Kind) -> Bool {
    switch kind {
    case .line: token.boundary >= .line
    // A line that begins with a sign may be an item; another one goes on with the sentence.
    case .sentence:
      token.boundary == .sentence || token.beginsBlock
    }
  }
}
