/// The lines or the sentences of a text, which are compared as wholes before their tokens are
/// compared.
struct Parts {
  /// A line, a piece of a long line, or a sentence.
  struct Part {
    /// The indices of its tokens.
    var tokens: Range<Int>
    var hash: UInt64
    /// The number of its letters, as the sum of the tokens' weights.
    var weight: Int

    fileprivate mutating func add(_ token: Token, at index: Int) {
      tokens = tokens.lowerBound..<index + 1
      hash = (hash ^ token.hash) &* 0x9E37_79B9_7F4A_7C15
      hash ^= hash >> 29
      weight += Int(token.weight)
    }
  }

  /// The kinds of parts that are compared, in this order.
  enum Kind: CaseIterable { case line, sentence }

  let all: [Part]

  /// Divides a text into parts. O(tokens).
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

  /// The number of tokens above which a line is divided into chunks. Long lines exist because
  /// rendering joins the lines of a paragraph, for example those of a log.
  private static let longLine = 200
  /// The number of tokens on each side among which a token must have the lowest hash to begin a
  /// chunk.
  private static let window = 4

  /// Divides a line into chunks whose borders depend only on the nearby tokens, so that an
  /// insertion changes only the chunk around it (content-defined chunking, Muthitacharoen 2001).
  /// Any text has such borders (winnowing, Schleimer 2003).
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
    // A line that begins with punctuation may be a list item; any other line continues the
    // sentence.
    case .sentence:
      token.boundary == .sentence || token.beginsBlock
    }
  }
}
