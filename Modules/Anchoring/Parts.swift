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

    fileprivate mutating func add(_ token: Token, at index: Int) {
      tokens = tokens.lowerBound..<index + 1
      hash = (hash ^ token.hash) &* 0x9E37_79B9_7F4A_7C15
      hash ^= hash >> 29
      weight += Int(token.weight)
    }
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
      part.add(token, at: index)
    }
    if !part.tokens.isEmpty { all.append(part) }
    self.all =
      kind == .line
      ? all.flatMap { $0.tokens.count > Self.longLine ? Self.chunks(of: $0, tokens) : [$0] } : all
  }

  /// A line of more tokens is divided: the lines of a log become one when they are rendered.
  private static let longLine = 200
  /// A chunk begins with a token whose hash is the least among so many on either side.
  private static let window = 4

  /// The chunks of a line, whose borders depend on what stands there alone, so that what is put in
  /// changes only the chunk around it (content-defined chunking, Muthitacharoen 2001), and of which
  /// there are some in any text (winnowing, Schleimer 2003).
  private static func chunks(of line: Part, _ tokens: [Token]) -> [Part] {
    var chunks: [Part] = []
    var chunk = Part(tokens: line.tokens.lowerBound..<line.tokens.lowerBound, hash: seed, weight: 0)
    for index in line.tokens {
      if index > chunk.tokens.lowerBound, isLeast(index, in: line.tokens, tokens) {
        chunks.append(chunk)
        chunk = Part(tokens: index..<index, hash: seed, weight: 0)
      }
      chunk.add(tokens[index], at: index)
    }
    return chunks + [chunk]
  }

  private static func isLeast(_ index: Int, in line: Range<Int>, _ tokens: [Token]) -> Bool {
    let hash = tokens[index].hash
    let before = max(line.lowerBound, index - window)..<index
    let after = index + 1..<min(line.upperBound, index + window + 1)
    return before.allSatisfy { tokens[$0].hash > hash }
      && after.allSatisfy { tokens[$0].hash >= hash }
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
