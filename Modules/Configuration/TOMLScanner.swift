/// A position in the bytes of a TOML text, with functions that parse names, values, blanks and line
/// ends.
struct TOMLScanner {
  private let bytes: [UInt8]
  private(set) var place = 0
  /// The line number, from 1.
  private(set) var line = 1

  init(_ text: String) {
    bytes = Array(text.utf8)
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { place = 3 }
  }

  /// The current byte; nil at the end.
  var byte: UInt8? { place < bytes.count ? bytes[place] : nil }
  /// The byte after the current one; nil at the end.
  var next: UInt8? { place + 1 < bytes.count ? bytes[place + 1] : nil }

  func problem(_ message: String) -> TOMLError { TOMLError(line: line, message: message) }

  func lineEnd(after offset: Int) -> Int {
    let end = bytes[min(offset, bytes.count)...].firstIndex(of: 0x0A)
    return end.map { $0 + 1 } ?? bytes.count
  }

  /// Skips bytes and counts line feeds.
  mutating func advance(_ count: Int = 1) {
    for _ in 0..<count where place < bytes.count {
      if bytes[place] == 0x0A { line += 1 }
      place += 1
    }
  }

  mutating func skipSpaces() {
    while byte == 0x20 || byte == 0x09 { place += 1 }
  }

  /// Skips blanks, line ends and comments.
  mutating func skipBlanks() throws(TOMLError) {
    while let byte {
      switch byte {
      case 0x20, 0x09, 0x0A: advance()
      case 0x0D where next == 0x0A: advance(2)
      case UInt8(ascii: "#"): try skipComment()
      default: return
      }
    }
  }

  private mutating func skipComment() throws(TOMLError) {
    while let byte, byte != 0x0A, !(byte == 0x0D && next == 0x0A) {
      guard Self.isPrintable(byte) else { throw problem("a comment has a control character") }
      place += 1
    }
  }

  /// Skips the rest of the line, which may only be a comment.
  mutating func endLine() throws(TOMLError) {
    skipSpaces()
    if byte == UInt8(ascii: "#") { try skipComment() }
    switch byte {
    case nil: return
    case 0x0A: advance()
    case 0x0D where next == 0x0A: advance(2)
    default: throw problem("expected the end of the line")
    }
  }

  mutating func expect(_ sign: Unicode.Scalar) throws(TOMLError) {
    guard byte == UInt8(ascii: sign) else { throw problem("\(sign) is missing") }
    place += 1
  }

  private static func isPrintable(_ byte: UInt8) -> Bool {
    byte >= 0x20 && byte != 0x7F || byte == 0x09
  }

  private static func isBare(_ byte: UInt8) -> Bool {
    UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte | 0x20
      || UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte
      || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
  }

  /// Parses one name of a key.
  mutating func name() throws(TOMLError) -> String {
    if let byte, byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
      return try line(in: byte)
    }
    let start = place
    while let byte, Self.isBare(byte) { place += 1 }
    guard place > start else { throw problem("a name is missing") }
    return String(decoding: bytes[start..<place], as: UTF8.self)
  }

  // MARK: - Values

  /// Parses a value that isn't an array or a table.
  mutating func simpleValue() throws(TOMLError) -> TOMLEntries.Value {
    if let byte, byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
      return .text(try text(in: byte))
    }
    let start = place
    while let byte, Self.isBare(byte) || "+.:".utf8.contains(byte) { place += 1 }
    // A date and a time may have a blank between them.
    if byte == 0x20, place - start == 10, Self.isDate(bytes[start..<place]), let next,
      UInt8(ascii: "0")...UInt8(ascii: "9") ~= next
    {
      place += 1
      while let byte, Self.isBare(byte) || "+.:".utf8.contains(byte) { place += 1 }
    }
    let word = String(decoding: bytes[start..<place], as: UTF8.self)
    switch word {
    case "": throw problem("a value is missing")
    case "true": return .flag(true)
    case "false": return .flag(false)
    default: break
    }
    if let number = Self.number(word) { return .number(number) }
    guard Self.isOther(word) else { throw problem("invalid value '\(word.prefix(40))'") }
    return .other
  }

  private static func isDate(_ bytes: ArraySlice<UInt8>) -> Bool {
    bytes.count >= 10 && bytes[bytes.startIndex + 4] == UInt8(ascii: "-")
      && bytes[bytes.startIndex + 7] == UInt8(ascii: "-")
  }

  /// Parses an integer; nil if it isn't valid or exceeds 64 bits.
  private static func number(_ word: String) -> Int? {
    let signLength = word.hasPrefix("+") || word.hasPrefix("-") ? 1 : 0
    var digits = word.dropFirst(signLength)
    var radix = 10
    for (prefix, base) in [("0x", 16), ("0o", 8), ("0b", 2)]
    where signLength == 0 && digits.hasPrefix(prefix) {
      digits = digits.dropFirst(2)
      radix = base
    }
    let groups = digits.split(separator: "_", omittingEmptySubsequences: false)
    guard groups.allSatisfy({ !$0.isEmpty && $0.allSatisfy(\.isHexDigit) }) else { return nil }
    let plain = groups.joined()
    if radix == 10, plain.count > 1, plain.hasPrefix("0") { return nil }
    return Int((word.hasPrefix("-") ? "-" : "") + plain, radix: radix)
  }

  /// Whether a word looks like a fraction, a date or a time. The exact syntax isn't checked.
  private static func isOther(_ word: String) -> Bool {
    if ["inf", "+inf", "-inf", "nan", "+nan", "-nan"].contains(word) { return true }
    let first = word.utf8.first { $0 != UInt8(ascii: "+") && $0 != UInt8(ascii: "-") }
    guard let first, UInt8(ascii: "0")...UInt8(ascii: "9") ~= first else { return false }
    return word.utf8.allSatisfy { byte in
      UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte || "+-.:_eETtZz ".utf8.contains(byte)
    } && (word.contains { ".:eE".contains($0) } || isDate(Array(word.utf8)[...]))
  }

  private mutating func text(in quote: UInt8) throws(TOMLError) -> String {
    guard next == quote, place + 2 < bytes.count, bytes[place + 2] == quote else {
      return try line(in: quote)
    }
    return try lines(in: quote)
  }

  /// Parses a text on one line.
  private mutating func line(in quote: UInt8) throws(TOMLError) -> String {
    place += 1
    var result: [UInt8] = []
    while let byte, byte != 0x0A {
      if byte == quote {
        place += 1
        return String(decoding: result, as: UTF8.self)
      }
      if byte == UInt8(ascii: "\\"), quote == UInt8(ascii: "\"") {
        result += try escape()
        continue
      }
      guard Self.isPrintable(byte) else { throw problem("a string has a control character") }
      result.append(byte)
      place += 1
    }
    throw problem("a string is not closed on its line")
  }

  /// Parses a text on several lines.
  private mutating func lines(in quote: UInt8) throws(TOMLError) -> String {
    let begin = line
    place += 3
    if byte == 0x0D, next == 0x0A { place += 1 }
    if byte == 0x0A { advance() }
    var result: [UInt8] = []
    while let byte {
      if byte == quote {
        var count = 0
        while self.byte == quote, count < 5 {
          place += 1
          count += 1
        }
        // One or two quotation marks may be in the text, also directly before its end.
        result += Array(repeating: quote, count: count >= 3 ? count - 3 : count)
        if count >= 3 { return String(decoding: result, as: UTF8.self) }
      } else if byte == UInt8(ascii: "\\"), quote == UInt8(ascii: "\"") {
        if !skipFold() { result += try escape() }
      } else {
        let isLineEnd = byte == 0x0A || byte == 0x0D && next == 0x0A
        guard isLineEnd || Self.isPrintable(byte) else {
          throw problem("a string has a control character")
        }
        result.append(byte)
        advance()
      }
    }
    throw TOMLError(line: begin, message: "a string is not closed")
  }

  /// Skips a backslash at the end of a line with all blanks after it. Returns false if the
  /// backslash is not at the end of its line.
  private mutating func skipFold() -> Bool {
    var end = place + 1
    while end < bytes.count, [0x20, 0x09, 0x0D].contains(bytes[end]) { end += 1 }
    guard end < bytes.count, bytes[end] == 0x0A else { return false }
    while end < bytes.count, [0x20, 0x09, 0x0D, 0x0A].contains(bytes[end]) { end += 1 }
    advance(end - place)
    return true
  }

  /// Parses an escape sequence.
  private mutating func escape() throws(TOMLError) -> [UInt8] {
    place += 1
    guard let byte else { throw problem("a string is not closed") }
    place += 1
    switch byte {
    case UInt8(ascii: "b"): return [0x08]
    case UInt8(ascii: "t"): return [0x09]
    case UInt8(ascii: "n"): return [0x0A]
    case UInt8(ascii: "f"): return [0x0C]
    case UInt8(ascii: "r"): return [0x0D]
    case UInt8(ascii: "\""), UInt8(ascii: "\\"): return [byte]
    case UInt8(ascii: "u"), UInt8(ascii: "U"):
      let digits = bytes[place..<min(bytes.count, place + (byte == UInt8(ascii: "u") ? 4 : 8))]
      guard digits.count == (byte == UInt8(ascii: "u") ? 4 : 8),
        digits.allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit }),
        let value = UInt32(String(decoding: digits, as: UTF8.self), radix: 16),
        let scalar = Unicode.Scalar(value)
      else { throw problem("invalid \\u escape in a string") }
      place += digits.count
      return Array(String(Character(scalar)).utf8)
    default: throw problem("invalid escape in a string")
    }
  }
}
