/// A value of a Lua table as stored by programs: `return { ["key"] = "value", [1] = { … } }`. It is
/// parsed and never run: variables, calls and expressions are errors.
indirect enum LuaValue {
  case none
  case flag(Bool)
  case number(Double)
  case text(String)
  case table([Key: LuaValue])

  /// A key of a table.
  enum Key: Hashable {
    case number(Int)
    case text(String)
  }

  /// An error, with its position.
  struct Problem: Error {
    /// The number of the line, from 1.
    var line: Int
    var reason: String
  }

  /// Parses a file. O(bytes).
  ///
  /// - Throws: `Problem` if the file isn't a `return` statement with a table.
  init(reading bytes: [UInt8]) throws(Problem) {
    var reader = LuaReader(bytes)
    self = try reader.file()
  }

  /// The value of a key; `none` if the key is missing or this isn't a table.
  subscript(name: String) -> LuaValue {
    if case .table(let table) = self { table[.text(name)] ?? .none } else { .none }
  }

  /// The values with integer keys, in the order of their keys.
  var values: [LuaValue] { numbered.map(\.value) }

  /// The values with integer keys, together with the keys, in ascending order.
  var numbered: [(number: Int, value: LuaValue)] {
    guard case .table(let table) = self else { return [] }
    return table.compactMap { key, value in
      if case .number(let number) = key { (number, value) } else { nil }
    }.sorted { $0.0 < $1.0 }
  }

  /// A string, or a number as a string; empty for anything else.
  var text: String {
    switch self {
    case .text(let text): text
    case .number(let number): Int64(exactly: number).map(String.init) ?? String(number)
    default: ""
    }
  }

  var isTable: Bool { if case .table = self { true } else { false } }
  /// Whether the value is `true`.
  var flag: Bool { if case .flag(let flag) = self { flag } else { false } }
}

private struct LuaReader {
  private let bytes: [UInt8]
  private var index = 0
  private var depth = 0
  /// The maximum nesting depth of tables.
  private static let depthLimit = 64

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { index = 3 }
  }

  mutating func file() throws(LuaValue.Problem) -> LuaValue {
    try skipBlanks()
    guard skip("return") else { throw problem("'return' is missing") }
    let value = try value()
    try skipBlanks()
    _ = skip(";")
    try skipBlanks()
    guard index == bytes.count else { throw problem("something follows the table") }
    guard value.isTable else { throw problem("not a table") }
    return value
  }

  private func problem(_ reason: String) -> LuaValue.Problem {
    LuaValue.Problem(line: 1 + bytes[..<min(index, bytes.count)].count { $0 == 10 }, reason: reason)
  }

  private var byte: UInt8? { index < bytes.count ? bytes[index] : nil }

  private mutating func skip(_ word: StaticString) -> Bool {
    let count = word.utf8CodeUnitCount
    guard bytes.count - index >= count else { return false }
    for offset in 0..<count where bytes[index + offset] != word.utf8Start[offset] { return false }
    index += count
    return true
  }

  /// Skips white space and comments.
  private mutating func skipBlanks() throws(LuaValue.Problem) {
    while let byte {
      if [9, 10, 11, 12, 13, 32].contains(byte) {
        index += 1
      } else if skip("--") {
        if try longText() == nil { while index < bytes.count, bytes[index] != 10 { index += 1 } }
      } else {
        return
      }
    }
  }

  private mutating func value() throws(LuaValue.Problem) -> LuaValue {
    try skipBlanks()
    guard let byte else { throw problem("the file ends inside a table") }
    switch byte {
    case UInt8(ascii: "{"): return try table()
    case UInt8(ascii: "\""), UInt8(ascii: "'"): return .text(try quoted(byte))
    case UInt8(ascii: "["):
      if let text = try longText() { return .text(text) }
    case UInt8(ascii: "-"), UInt8(ascii: "."), 0x30...0x39: return .number(try number())
    default:
      if skip("true") { return .flag(true) }
      if skip("false") { return .flag(false) }
      if skip("nil") { return .none }
    }
    throw problem("a value is missing")
  }

  private mutating func table() throws(LuaValue.Problem) -> LuaValue {
    index += 1
    depth += 1
    defer { depth -= 1 }
    guard depth <= Self.depthLimit else { throw problem("tables are nested too deeply") }
    var table: [LuaValue.Key: LuaValue] = [:]
    var next = 1
    while true {
      try skipBlanks()
      if skip("}") { return .table(table) }
      var key: LuaValue.Key?
      if byte == UInt8(ascii: "["), !isLongText {
        index += 1
        switch try value() {
        case .text(let text): key = .text(text)
        case .number(let number):
          guard let whole = Int(exactly: number) else {
            throw problem("a key is not a whole number")
          }
          key = .number(whole)
        default: throw problem("a key is neither a text nor a number")
        }
        try skipBlanks()
        guard skip("]") else { throw problem("a key is not closed") }
      } else if let name = name() {
        key = .text(name)
      }
      if key != nil {
        try skipBlanks()
        guard skip("=") else { throw problem("a key has no value") }
      }
      let value = try value()
      if let key {
        table[key] = value
      } else {
        table[.number(next)] = value
        next += 1
      }
      try skipBlanks()
      if skip(",") || skip(";") { continue }
      guard byte == UInt8(ascii: "}") else { throw problem("a table is not closed") }
    }
  }

  /// Parses a name that is followed by `=`. Returns nil without consuming anything if there is no
  /// such name.
  private mutating func name() -> String? {
    var end = index
    while end < bytes.count, Self.isOfName(bytes[end], isFirst: end == index) { end += 1 }
    guard end > index else { return nil }
    var after = end
    while after < bytes.count, [9, 10, 13, 32].contains(bytes[after]) { after += 1 }
    guard after < bytes.count, bytes[after] == UInt8(ascii: "=") else { return nil }
    defer { index = after }
    return String(decoding: bytes[index..<end], as: UTF8.self)
  }

  private static func isOfName(_ byte: UInt8, isFirst: Bool) -> Bool {
    switch byte {
    case 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "_"): true
    case 0x30...0x39: !isFirst
    default: false
    }
  }

  private mutating func number() throws(LuaValue.Problem) -> Double {
    let start = index
    while let byte, "+-.0123456789abcdefABCDEFxXpP".utf8.contains(byte) {
      // A plus or minus is at the beginning or follows an exponent's letter.
      if index > start, byte == UInt8(ascii: "-") || byte == UInt8(ascii: "+"),
        !"eEpP".utf8.contains(bytes[index - 1])
      {
        break
      }
      index += 1
    }
    guard index - start <= 64,
      let number = Double(String(decoding: bytes[start..<index], as: UTF8.self))
    else { throw problem("a number cannot be read") }
    return number
  }

  // MARK: - Texts

  private mutating func quoted(_ mark: UInt8) throws(LuaValue.Problem) -> String {
    index += 1
    var text: [UInt8] = []
    while let byte {
      index += 1
      if byte == mark { return String(decoding: text, as: UTF8.self) }
      if byte == 10 { break }
      guard byte == UInt8(ascii: "\\") else {
        text.append(byte)
        continue
      }
      guard let next = self.byte else { break }
      index += 1
      switch next {
      case UInt8(ascii: "n"), 10: text.append(10)
      case UInt8(ascii: "r"): text.append(13)
      case 13:
        if self.byte == 10 { index += 1 }
        text.append(10)
      case UInt8(ascii: "t"): text.append(9)
      case UInt8(ascii: "a"): text.append(7)
      case UInt8(ascii: "b"): text.append(8)
      case UInt8(ascii: "f"): text.append(12)
      case UInt8(ascii: "v"): text.append(11)
      case UInt8(ascii: "x"):
        let digits = String(decoding: bytes[index..<min(index + 2, bytes.count)], as: UTF8.self)
        guard let value = UInt8(digits, radix: 16) else { throw problem("an escape is wrong") }
        text.append(value)
        index += 2
      case UInt8(ascii: "z"):
        while let blank = self.byte, [9, 10, 13, 32].contains(blank) { index += 1 }
      case 0x30...0x39:
        index -= 1
        let digits = bytes[index...].prefix(3).prefix { (0x30...0x39).contains($0) }
        let value = digits.reduce(0) { $0 * 10 + Int($1 - 0x30) }
        guard value < 256 else { throw problem("an escape is wrong") }
        text.append(UInt8(value))
        index += digits.count
      case UInt8(ascii: "\\"), UInt8(ascii: "\""), UInt8(ascii: "'"): text.append(next)
      default: throw problem("an escape is wrong")
      }
    }
    throw problem("a text is not closed")
  }

  /// Whether a string in long brackets begins at the position: `[[` or `[==[`.
  private var isLongText: Bool {
    guard byte == UInt8(ascii: "[") else { return false }
    let rest = bytes[(index + 1)...].drop { $0 == UInt8(ascii: "=") }
    return rest.first == UInt8(ascii: "[") && rest.startIndex - index < 16
  }

  /// Parses a string in long brackets. Returns nil without consuming anything if none begins at the
  /// position.
  private mutating func longText() throws(LuaValue.Problem) -> String? {
    guard isLongText else { return nil }
    var start = index + 1
    while bytes[start] == UInt8(ascii: "=") { start += 1 }
    let level = start - index - 1
    start += 1
    if start < bytes.count, bytes[start] == 13 { start += 1 }
    if start < bytes.count, bytes[start] == 10 { start += 1 }
    let end =
      [UInt8(ascii: "]")] + [UInt8](repeating: UInt8(ascii: "="), count: level)
      + [UInt8(ascii: "]")]
    var place = start
    while place + end.count <= bytes.count {
      if bytes[place] == UInt8(ascii: "]"), bytes[place..<place + end.count].elementsEqual(end) {
        index = place + end.count
        return String(decoding: bytes[start..<place], as: UTF8.self)
      }
      place += 1
    }
    throw problem("a text is not closed")
  }
}
