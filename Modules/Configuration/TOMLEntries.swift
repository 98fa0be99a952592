/// Where each key of a TOML text stands, which no parser tells: for messages with a line, and to change
/// one value and nothing else. Only for texts that a parser has accepted.
struct TOMLEntries {
  /// A key with its value.
  struct Entry: Hashable {
    /// The names from the outermost table on.
    var path: [String]
    /// The names of the table that the line stands in.
    var table: [String]
    /// The line that it begins on, from 1.
    var line: Int
    /// The bytes of the value.
    var value: Range<Int>
  }

  /// A table that begins with a line of its own.
  struct Header: Hashable {
    var path: [String]
    var line: Int
    /// The first byte of its line, and the first one after it.
    var bytes: Range<Int>
    /// Whether it is one of several of its name.
    var isArray: Bool
  }

  private(set) var entries: [Entry] = []
  private(set) var headers: [Header] = []

  private let bytes: [UInt8]
  private var place = 0
  private var line = 1

  /// Reads a text. O(bytes).
  init(_ text: String) {
    bytes = Array(text.utf8)
    var table: [String] = []
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { place = 3 }
    while true {
      skipBlanks()
      guard place < bytes.count else { return }
      if byte == "[" {
        let (start, first) = (place, line)
        let isArray = place + 1 < bytes.count && bytes[place + 1] == UInt8(ascii: "[")
        place += isArray ? 2 : 1
        table = path(until: "]")
        skipLine()
        headers.append(
          Header(path: table, line: first, bytes: start..<place, isArray: isArray))
      } else {
        let first = line
        let own = path(until: "=")
        place += 1
        skipSpaces()
        let start = place
        skipValue()
        var end = place
        while end > start, [0x20, 0x09].contains(bytes[end - 1]) { end -= 1 }
        entries.append(Entry(path: table + own, table: table, line: first, value: start..<end))
        skipLine()
      }
    }
  }

  /// The first byte after the line that a byte stands on.
  func lineEnd(after offset: Int) -> Int {
    let end = bytes[offset...].firstIndex(of: 0x0A)
    return end.map { $0 + 1 } ?? bytes.count
  }

  // MARK: - Letters

  private var byte: Unicode.Scalar? {
    place < bytes.count ? Unicode.Scalar(bytes[place]) : nil
  }

  /// One byte further, with the lines counted.
  private mutating func advance() {
    if byte == "\n" { line += 1 }
    place += 1
  }

  private mutating func skipSpaces() {
    while byte == " " || byte == "\t" { place += 1 }
  }

  /// To the next line that says something.
  private mutating func skipBlanks() {
    while let byte {
      switch byte {
      case " ", "\t", "\r", "\n": advance()
      case "#": skipLine()
      default: return
      }
    }
  }

  /// Behind the end of this line.
  private mutating func skipLine() {
    while place < bytes.count, byte != "\n" { place += 1 }
    advance()
    place = min(place, bytes.count)
  }

  /// Names with dots between them, up to a sign.
  private mutating func path(until end: Unicode.Scalar) -> [String] {
    var names: [String] = []
    while let byte, byte != end {
      switch byte {
      case " ", "\t", ".": place += 1
      case "\"", "'":
        let start = place
        skipString(byte)
        names.append(String(decoding: bytes[start + 1..<max(start + 1, place - 1)], as: UTF8.self))
      default:
        let start = place
        while let byte = self.byte, byte != end, ![" ", "\t", "."].contains(byte) { place += 1 }
        names.append(String(decoding: bytes[start..<place], as: UTF8.self))
      }
    }
    return names
  }

  /// Behind a string, of one line or several.
  private mutating func skipString(_ quote: Unicode.Scalar) {
    let isLong =
      place + 2 < bytes.count && bytes[place + 1] == quote.value && bytes[place + 2] == quote.value
    place += isLong ? 3 : 1
    while let byte {
      if byte == "\\" && quote == "\"" {
        place += 1
        if place < bytes.count { advance() }
        continue
      }
      if byte == quote {
        var count = 0
        while self.byte == quote, count < (isLong ? 5 : 1) {
          place += 1
          count += 1
        }
        // One or two quotation marks may stand in a long string, also right before its end.
        if !isLong || count >= 3 { return }
        continue
      }
      advance()
    }
  }

  /// Behind a value, before the comment or the end of the line.
  private mutating func skipValue() {
    var depth = 0
    while let byte {
      switch byte {
      case "\"", "'":
        skipString(byte)
        continue
      case "[", "{": depth += 1
      case "]", "}": depth -= 1
      case "#":
        if depth == 0 { return }
        skipLine()
        continue
      case "\r", "\n": if depth <= 0 { return }
      default: break
      }
      advance()
    }
  }
}
