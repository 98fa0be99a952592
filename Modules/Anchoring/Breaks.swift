/// Detects the ends of sentences, lines and paragraphs in a sequence of tokens and white space.
struct Breaks {
  private var lines = 0
  private var hasSpace = false
  /// Whether the last token, not counting closing quotes and brackets, may end a sentence.
  private var isAfterEnd = false
  /// Whether that token ends a sentence even if no space follows.
  private var needsNoSpace = false

  /// Creates a detector.
  ///
  /// - Parameter isAtStart: whether the first token begins the text.
  init(_ isAtStart: Bool) { lines = isAtStart ? 2 : 0 }

  /// Processes a unit of white space.
  @inline(__always)
  mutating func space(_ unit: UInt16) {
    hasSpace = true
    if unit == 10 || unit == 0x2028 { lines += 1 }
    if unit == 0x2029 { lines += 2 }
  }

  /// Processes a word and returns the boundary before it, as `next` does.
  @inline(__always)
  mutating func word() -> Token.Boundary {
    let ended = isAfterEnd && (hasSpace || needsNoSpace)
    let boundary: Token.Boundary =
      lines > 1 ? .paragraph : lines == 1 ? .line : ended ? .sentence : .none
    (isAfterEnd, lines, hasSpace) = (false, 0, false)
    return boundary
  }

  /// Processes a token and returns the boundary before it.
  ///
  /// - Parameter sign: the token if it is a punctuation mark or symbol; nil if it is a word.
  @inline(__always)
  mutating func next(_ sign: UInt16?) -> Token.Boundary {
    let isClosing = sign.map(Self.isClosing) ?? false
    let ended = isAfterEnd && (hasSpace || (needsNoSpace && !isClosing))
    let boundary: Token.Boundary =
      lines > 1 ? .paragraph : lines == 1 ? .line : ended ? .sentence : .none
    let isEnd = sign.map(Self.isEnd) ?? false
    isAfterEnd = isEnd || (isAfterEnd && isClosing && !hasSpace)
    if isEnd { needsNoSpace = sign.map { $0 >= 0x3000 } ?? false }
    (lines, hasSpace) = (0, false)
    return boundary
  }

  private static func isEnd(_ unit: UInt16) -> Bool {
    switch unit {
    // . ! ? … । 。 ！ ？ ｡
    case 0x2E, 0x21, 0x3F, 0x2026, 0x0964, 0x3002, 0xFF01, 0xFF1F, 0xFF61: true
    default: false
    }
  }

  private static func isClosing(_ unit: UInt16) -> Bool {
    switch unit {
    // " ' ) * ] _ ` » ’ ” 」 』 ）
    case 0x22, 0x27, 0x29, 0x2A, 0x5D, 0x5F, 0x60, 0xBB, 0x2019, 0x201D, 0x300D, 0x300F, 0xFF09:
      true
    default: false
    }
  }
}
