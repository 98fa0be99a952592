/// One word, or one sign that belongs to none. White space is no token, so that a reflow of lines
/// changes none.
struct Token {
  /// The units of the text it takes.
  var start: Int32
  var end: Int32
  /// A hash of its units; equal tokens have equal hashes, and the reverse is taken for granted
  /// until a place is verified against the quote.
  var hash: UInt64
  /// How many units of words it holds: 0 for punctuation.
  var weight: Int32

  var range: Range<Int> { Int(start)..<Int(end) }
}

/// Divides a text into tokens: runs of letters and digits; single characters of scripts that write
/// no blanks between words; single signs.
enum Tokenizer {
  private enum Kind: UInt8 { case space, word, single, sign }

  static func tokens(of units: ArraySlice<UInt16>) -> [Token] {
    var tokens: [Token] = []
    tokens.reserveCapacity(units.count / 5 + 1)
    units.withUnsafeBufferPointer { buffer in
      let base = units.startIndex
      var index = 0
      while index < buffer.count {
        let (kind, length) = classify(buffer, index)
        let start = index
        index += length
        switch kind {
        case .space: continue
        case .word:
          while index < buffer.count {
            let (next, length) = classify(buffer, index)
            guard next == .word else { break }
            index += length
          }
        case .single, .sign: break
        }
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325  // FNV-1a.
        for unit in buffer[start..<index] { hash = (hash ^ UInt64(unit)) &* 0x100_0000_01B3 }
        tokens.append(
          Token(
            start: Int32(base + start), end: Int32(base + index), hash: mixed(hash),
            weight: kind == .sign ? 0 : Int32(index - start)))
      }
    }
    return tokens
  }

  private static func mixed(_ hash: UInt64) -> UInt64 {
    let hash = (hash ^ (hash >> 32)) &* 0xD6E8_FEB8_6659_FD93
    return hash ^ (hash >> 32)
  }

  private static func classify(_ units: UnsafeBufferPointer<UInt16>, _ index: Int) -> (Kind, Int) {
    let unit = units[index]
    if unit < 0x80 {
      let byte = UInt8(unit)
      if byte <= 32 || byte == 127 { return (.space, 1) }
      let isWord = byte &- 48 < 10 || (byte | 32) &- 97 < 26
      return (isWord ? .word : .sign, 1)
    }
    if unit & 0xFC00 == 0xD800, index + 1 < units.count, units[index + 1] & 0xFC00 == 0xDC00 {
      let value = 0x10000 + (UInt32(unit & 0x3FF) << 10) + UInt32(units[index + 1] & 0x3FF)
      return (kind(of: value), 2)
    }
    return (kind(of: UInt32(unit)), 1)
  }

  private static func kind(of value: UInt32) -> Kind {
    switch value {
    case 0xC0...0x24F: return value == 0xD7 || value == 0xF7 ? .sign : .word
    // Thai, Lao, Khmer, Myanmar; kana, Han, Hangul.
    case 0xE00...0xEFF, 0x1000...0x109F, 0x1780...0x17FF, 0x3040...0x30FF, 0x3400...0x9FFF,
      0xAC00...0xD7A3, 0xF900...0xFAFF, 0x20000...0x3FFFF:
      return .single
    default:
      guard let scalar = Unicode.Scalar(value) else { return .sign }
      let properties = scalar.properties
      if properties.isWhitespace { return .space }
      if properties.isAlphabetic || properties.numericType != nil { return .word }
      switch properties.generalCategory {
      case .nonspacingMark, .spacingMark, .enclosingMark, .format: return .word
      default: return .sign
      }
    }
  }
}
