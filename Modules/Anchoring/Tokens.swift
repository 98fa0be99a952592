import Model

/// A word, or a character outside words, such as a punctuation mark or an emoji. White space isn't
/// a token, so reflowing lines changes no tokens.
struct Token {
  /// The range of UTF-16 units in the text.
  var start: Int32
  var end: Int32
  /// A hash of its characters. Canonically equivalent tokens, such as é as one scalar or as two,
  /// have equal hashes. Tokens with equal hashes are assumed to be equal until a place is verified
  /// against the quote.
  var hash: UInt64
  /// The number of letters; 0 for a punctuation mark or symbol. A character that is a whole
  /// syllable or word counts as several letters.
  var weight: Int32
  /// The boundary before it.
  var boundary: Boundary

  var range: Range<Int> { Int(start)..<Int(end) }
  /// The weight of the token as evidence: 4 for each letter, 1 for a punctuation mark or symbol.
  var evidenceWeight: Int { max(1, Int(weight) * 4) }

  /// Whether it begins a paragraph, or a line that may be a list item.
  var beginsBlock: Bool { boundary == .paragraph || (boundary == .line && weight == 0) }

  /// Boundaries between larger parts of a text, in ascending order.
  enum Boundary: UInt8, Comparable {
    case none, sentence, line, paragraph

    static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }
  }

  /// Returns whether another token may be a different spelling of this one: both are words of
  /// similar length.
  func isLike(_ other: Token) -> Bool {
    weight > 0 && other.weight > 0 && abs(weight - other.weight) * 4 <= max(weight, other.weight)
  }
}

extension [Token] {
  /// Returns the indices of the tokens that overlap a range of UTF-16 units. O(log count).
  func touched(by range: Range<Int>) -> Range<Int> {
    let start = partition { Int($0.end) > range.lowerBound }
    return start..<Swift.max(start, partition { Int($0.start) >= range.upperBound })
  }
}

extension Array {
  /// Returns the first index whose element passes a test, found by binary search; `count` if no
  /// element passes. All elements before it must fail the test, and all after it must pass. O(log
  /// count).
  func partition(where test: (Element) -> Bool) -> Int {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if test(self[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}

/// Divides texts into tokens. A token is a run of letters and digits, or a single punctuation mark
/// or symbol. Each character is a separate token in scripts without spaces between words, and in
/// scripts whose words have endings, such as Korean. In a run of more than two equal marks, the
/// third token contains the rest of the run. A combining mark belongs to the preceding token.
///
/// Texts that are compared with each other need the same tokenizer.
struct Tokenizer {
  /// The kinds of characters. A `tail` continues a syllable that is written with several letters.
  enum Kind: UInt8 { case space, word, single, symbol, mark, tail }
  private var spellings = Spellings()

  /// Returns the tokens of a range of a text, whose source lines count as lines. The offsets refer
  /// to the whole text. O(units).
  mutating func tokens(of text: AnchorText, in range: Range<Int>) -> [Token] {
    var tokens = tokens(of: text.units, in: range)
    let lineStarts = text.lineStarts
    var index = 0
    for start in lineStarts[lineStarts.partition { $0 >= range.lowerBound }...] {
      while index < tokens.count, tokens[index].start < start { index += 1 }
      guard index < tokens.count else { break }
      tokens[index].boundary = max(tokens[index].boundary, .line)
    }
    return tokens
  }

  /// Returns the tokens of a range of a text. The offsets refer to the whole text. O(units).
  mutating func tokens(of units: [UInt16], in range: Range<Int>) -> [Token] {
    var tokens: [Token] = []
    tokens.reserveCapacity(range.count / 4 + 1)
    units.withUnsafeBufferPointer { all in
      let buffer = UnsafeBufferPointer(rebasing: all[..<range.upperBound])
      var index = range.lowerBound
      var breaks = Breaks(range.lowerBound == 0)
      while index < buffer.count {
        let start = index
        // Most tokens are words in ASCII.
        while index < buffer.count, Self.isWord(buffer[index]) { index += 1 }
        if index > start, index == buffer.count || buffer[index] < 0x80 {
          tokens.append(
            Token(
              start: Int32(start), end: Int32(index),
              hash: Self.mixed(Self.hash(of: buffer, start, index)), weight: Int32(index - start),
              boundary: breaks.word()))
          continue
        }
        index = start
        let (kind, length) = Self.classify(buffer, index)
        index += length
        if kind == .space {
          breaks.space(buffer[start])
          continue
        }
        var mayVary = buffer[start] >= 0x80 && Self.mayVary(buffer[start])
        if kind == .word {
          while index < buffer.count, Self.isWord(buffer[index]) { index += 1 }
        }
        // Characters outside ASCII may belong to the token too.
        while index < buffer.count, buffer[index] >= 0x80 || (kind == .word && mayVary) {
          let (next, length) = Self.classify(buffer, index)
          guard next == .mark || next == .tail || (next == .word && kind == .word) else { break }
          for unit in buffer[index..<index + length] {
            mayVary = mayVary || Self.mayVary(unit)
          }
          index += length
          mayVary = mayVary || next == .mark || next == .tail
        }
        var hash = Self.hash(of: buffer, start, index)
        if kind == .symbol { index = Self.endOfRun(buffer, start, index, from: range.lowerBound) }
        if mayVary { hash = spellings.hash(hash, of: buffer[start..<index]) }
        tokens.append(
          Token(
            start: Int32(start), end: Int32(index), hash: Self.mixed(hash),
            weight: Self.weight(kind, index - start),
            boundary: breaks.next(kind == .symbol ? buffer[start] : nil)))
      }
    }
    return tokens
  }

  /// Returns the end of a punctuation mark or symbol. The third mark of a run of equal ones
  /// includes the rest of the run, because the length of rules, underlines and table borders is
  /// arbitrary.
  @inline(__always)
  private static func endOfRun(
    _ units: UnsafeBufferPointer<UInt16>, _ start: Int, _ next: Int, from first: Int
  ) -> Int {
    let sign = units[start]
    guard next == start + 1, next < units.count, units[next] == sign, start >= first + 2,
      units[start - 1] == sign, units[start - 2] == sign
    else { return next }
    return units[next...].firstIndex { $0 != sign } ?? units.count
  }

  /// The number of letters that a character counts as if it is a whole syllable or word.
  private static let weightOfSingle: Int32 = 2

  @inline(__always)
  private static func weight(_ kind: Kind, _ length: Int) -> Int32 {
    switch kind {
    case .symbol: 0
    case .single: weightOfSingle
    default: Int32(length)
    }
  }

  /// Returns a hash of a range of units, computed four units at a time (after FNV-1a).
  @inline(__always)
  private static func hash(of units: UnsafeBufferPointer<UInt16>, _ start: Int, _ end: Int)
    -> UInt64
  {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    let bytes = UnsafeRawPointer(units.baseAddress!)
    var index = start
    while index + 4 <= end {
      hash = (hash ^ bytes.loadUnaligned(fromByteOffset: 2 * index, as: UInt64.self)) &* multiplier
      hash ^= hash >> 29
      index += 4
    }
    var rest: UInt64 = UInt64(truncatingIfNeeded: end - start) << 48
    while index < end {
      rest = rest << 16 ^ UInt64(units[index])
      index += 1
    }
    return (hash ^ rest) &* multiplier
  }

  private static let multiplier: UInt64 = 0x9E37_79B9_7F4A_7C15

  @inline(__always)
  private static func isWord(_ unit: UInt16) -> Bool {
    unit &- 48 < 10 || (unit | 32) &- 97 < 26
  }

  private static func mixed(_ hash: UInt64) -> UInt64 {
    let hash = (hash ^ (hash >> 32)) &* 0xD6E8_FEB8_6659_FD93
    return hash ^ (hash >> 32)
  }

  /// Returns whether a character outside ASCII may have another canonical spelling. Han characters
  /// and general punctuation, by far the most frequent, have none.
  private static func mayVary(_ unit: UInt16) -> Bool {
    !(0x3400...0x9FFF ~= unit || 0x2000...0x206F ~= unit)
  }

  @inline(__always)
  private static func classify(_ units: UnsafeBufferPointer<UInt16>, _ index: Int) -> (Kind, Int) {
    let unit = units[index]
    if unit < 0x80 {
      let byte = UInt8(unit)
      if isWord(unit) { return (.word, 1) }
      return (byte <= 32 || byte == 127 ? .space : .symbol, 1)
    }
    if unit & 0xFC00 == 0xD800, index + 1 < units.count, units[index + 1] & 0xFC00 == 0xDC00 {
      let value = 0x10000 + (UInt32(unit & 0x3FF) << 10) + UInt32(units[index + 1] & 0x3FF)
      return (kind(of: value), 2)
    }
    return (kind(of: UInt32(unit)), 1)
  }

  static func kind(of value: UInt32) -> Kind {
    switch value {
    // Latin, and the basic letters of Greek and Cyrillic.
    case 0xC0...0x24F: return value == 0xD7 || value == 0xF7 ? .symbol : .word
    case 0x391...0x3A1, 0x3A3...0x3CE, 0x410...0x44F: return .word
    // Han, kana, Korean.
    case 0x3400...0x9FFF, 0x20000...0x3FFFF, 0xAC00...0xD7A3, 0x1100...0x115F, 0x3041...0x3096,
      0x30A1...0x30FA:
      return .single
    // Dashes, quotation marks, box drawing, and Chinese and Japanese punctuation.
    case 0x2010...0x2027, 0x2030...0x205E, 0x2500...0x257F, 0x3001...0x3003, 0x3008...0x301B,
      0xFF01...0xFF0F:
      return .symbol
    // The vowel and the final consonant of a decomposed Korean syllable.
    case 0x1160...0x11FF: return .tail
    default: return kindByProperties(of: value)
    }
  }

  /// Returns the kind of a scalar from its Unicode properties, without the table of frequent
  /// characters.
  static func kindByProperties(of value: UInt32) -> Kind {
    switch value {
    case 0x3400...0x9FFF, 0x20000...0x3FFFF, 0xAC00...0xD7A3, 0x1100...0x115F: return .single
    case 0x1160...0x11FF: return .tail
    default:
      guard let scalar = Unicode.Scalar(value) else { return .symbol }
      let properties = scalar.properties
      switch properties.generalCategory {
      case .nonspacingMark, .spacingMark, .enclosingMark, .format: return .mark
      default: break
      }
      if properties.isWhitespace { return .space }
      guard properties.isAlphabetic || properties.numericType != nil else { return .symbol }
      switch value {
      // Thai, Lao, Myanmar, Khmer; kana, Han.
      case 0xE00...0xEFF, 0x1000...0x109F, 0x1780...0x17FF, 0x3040...0x30FF, 0xF900...0xFAFF:
        return .single
      default: return .word
      }
    }
  }
}

/// Assigns the same hash to canonically equivalent spellings of a token: the hash of the spelling
/// that occurred first.
private struct Spellings {
  private var known: [UInt64: UInt64] = [:]
  private var first: [String: UInt64] = [:]

  /// Returns the common hash for a spelling whose own hash is `hash`. O(1) expected for a known
  /// spelling.
  mutating func hash(_ hash: UInt64, of units: Slice<UnsafeBufferPointer<UInt16>>) -> UInt64 {
    if let known = known[hash] { return known }
    // Strings are equal if they are canonically equivalent.
    let text = String(units: UnsafeBufferPointer(rebasing: units))
    let result = first[text] ?? hash
    first[text] = result
    known[hash] = result
    return result
  }
}
