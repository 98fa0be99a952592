/// A syntax error in TOML.
struct TOMLError: Error, Hashable {
  /// The line number, from 1.
  var line: Int
  var message: String
}

/// The keys and values of a TOML 1.0.0 text with their positions, for messages with a line and for
/// changing a single value.
///
/// Settings are flags, integers and texts. All other values are checked only roughly and are
/// `other`. Parsing takes O(bytes) and a bounded stack for any text.
struct TOMLEntries {
  /// A value by its type.
  enum Value: Hashable {
    case flag(Bool)
    case number(Int)
    case text(String)
    /// A fraction, a date, a time or an array.
    case other
  }

  /// A line with a key and its value. Keys in inline tables have no entries.
  struct Entry: Hashable {
    /// The names of the key, from the outermost table.
    var path: [String]
    /// The names of the table that contains the line.
    var table: [String]
    /// The line of the key, from 1.
    var line: Int
    /// The bytes of the value.
    var value: Range<Int>
  }

  /// The header of a table.
  struct Header: Hashable {
    var path: [String]
    var line: Int
    /// The bytes of its line, including the line feed.
    var bytes: Range<Int>
    /// Whether it is an element of an array of tables.
    var isArray: Bool
  }

  /// A value that isn't a table, with its names from the outermost table.
  struct Leaf: Hashable {
    var path: [String]
    var value: Value
    /// The line of its key, from 1.
    var line: Int
  }

  private(set) var entries: [Entry] = []
  private(set) var headers: [Header] = []
  /// All values in the order of the text, including those of inline tables.
  private(set) var leaves: [Leaf] = []

  /// The maximum nesting of arrays and inline tables, and the maximum number of names in a key.
  private static let depthLimit = 32

  private var scanner: TOMLScanner
  private var names = TOMLNames()

  /// Parses a text.
  ///
  /// - Throws: `TOMLError` for the first error.
  init(_ text: String) throws(TOMLError) {
    scanner = TOMLScanner(text)
    var table: [String] = []
    // Values in an element of an array of tables are not settings.
    var isInArray = false
    while true {
      try scanner.skipBlanks()
      guard let byte = scanner.byte else { return }
      let (start, line) = (scanner.place, scanner.line)
      if byte == UInt8(ascii: "[") {
        let isArray = scanner.next == UInt8(ascii: "[")
        scanner.advance(isArray ? 2 : 1)
        table = try path()
        for _ in 0..<(isArray ? 2 : 1) { try scanner.expect("]") }
        try scanner.endLine()
        let isNew = isArray ? try names.openElement(table, line) : true
        if isArray {
          if isNew { leaves.append(Leaf(path: table, value: .other, line: line)) }
        } else {
          try names.open(table, line)
        }
        isInArray = names.isBelowArray(table)
        headers.append(
          Header(path: table, line: line, bytes: start..<scanner.place, isArray: isArray))
      } else {
        let key = try path()
        try scanner.expect("=")
        scanner.skipSpaces()
        try names.define(key, in: table, line)
        let first = scanner.place
        let found = try value(table + key, line, depth: 0)
        entries.append(
          Entry(path: table + key, table: table, line: line, value: first..<scanner.place))
        if !isInArray { leaves += found }
        try scanner.endLine()
      }
    }
  }

  /// Returns the byte offset of the line that follows the line with the byte at `offset`; the size
  /// of the text if there is no such line.
  func lineEnd(after offset: Int) -> Int { scanner.lineEnd(after: offset) }

  /// Parses names that are separated by dots.
  ///
  /// - Throws: `TOMLError` if a name is invalid or there are more than `depthLimit`.
  private mutating func path() throws(TOMLError) -> [String] {
    var names: [String] = []
    while true {
      scanner.skipSpaces()
      names.append(try scanner.name())
      guard names.count <= Self.depthLimit else {
        throw scanner.problem("a key has too many names")
      }
      scanner.skipSpaces()
      guard scanner.byte == UInt8(ascii: ".") else { return names }
      scanner.advance()
    }
  }

  /// Parses the value of a key. Returns the value, or the values of all keys of an inline table.
  ///
  /// - Throws: `TOMLError` if the value is invalid or nested too deeply.
  private mutating func value(_ path: [String], _ line: Int, depth: Int) throws(TOMLError)
    -> [Leaf]
  {
    guard depth < Self.depthLimit else {
      throw scanner.problem("values are nested too deeply")
    }
    switch scanner.byte {
    case UInt8(ascii: "["):
      try array(path, line, depth)
      return [Leaf(path: path, value: .other, line: line)]
    case UInt8(ascii: "{"): return try inlineTable(path, line, depth)
    default: return [Leaf(path: path, value: try scanner.simpleValue(), line: line)]
    }
  }

  private mutating func array(_ path: [String], _ line: Int, _ depth: Int) throws(TOMLError) {
    scanner.advance()
    while true {
      try scanner.skipBlanks()
      if scanner.byte == UInt8(ascii: "]") { return scanner.advance() }
      _ = try value(path, line, depth: depth + 1)
      try scanner.skipBlanks()
      if scanner.byte == UInt8(ascii: ",") {
        scanner.advance()
      } else if scanner.byte != UInt8(ascii: "]") {
        throw scanner.problem("an array needs , or ] here")
      }
    }
  }

  private mutating func inlineTable(_ path: [String], _ line: Int, _ depth: Int)
    throws(TOMLError) -> [Leaf]
  {
    scanner.advance()
    scanner.skipSpaces()
    var found: [Leaf] = []
    var innerNames = TOMLNames()
    if scanner.byte == UInt8(ascii: "}") {
      scanner.advance()
      return []
    }
    while true {
      let inner = try self.path()
      try innerNames.define(inner, in: [], scanner.line)
      try scanner.expect("=")
      scanner.skipSpaces()
      found += try value(path + inner, line, depth: depth + 1)
      scanner.skipSpaces()
      if scanner.byte == UInt8(ascii: "}") {
        scanner.advance()
        return found
      }
      guard scanner.byte == UInt8(ascii: ",") else {
        throw scanner.problem("an inline table needs , or } here")
      }
      scanner.advance()
    }
  }
}

/// The names that a TOML text has defined, to detect duplicates.
struct TOMLNames {
  private enum Kind { case value, implicit, dotted, table, array }

  private var kinds: [[String]: Kind] = [:]
  /// The number of elements so far of each array of tables. Names are unique within an element.
  private var counts: [[String]: Int] = [:]

  /// Returns a path with the index of the element after the name of each array.
  private func full(_ path: [String]) -> [String] {
    var result: [String] = []
    for name in path {
      result.append(name)
      if let count = counts[result] { result.append("\u{0}\(count)") }
    }
    return result
  }

  /// Whether a path is an element of an array of tables, or below one.
  func isBelowArray(_ path: [String]) -> Bool { full(path).count > path.count }

  /// Defines a table. Throws `TOMLError` if the name is already in use.
  mutating func open(_ path: [String], _ line: Int) throws(TOMLError) {
    try enter(path.dropLast(), line)
    let key = full(path)
    guard counts[full(Array(path.dropLast())) + path.suffix(1)] == nil,
      kinds[key] == nil || kinds[key] == .implicit
    else { throw twice(path, line) }
    kinds[key] = .table
  }

  /// Adds an element to an array of tables. Throws `TOMLError` if the name is already in use.
  ///
  /// - Returns: true for the first element of an array that isn't inside another array.
  mutating func openElement(_ path: [String], _ line: Int) throws(TOMLError) -> Bool {
    try enter(path.dropLast(), line)
    let key = full(Array(path.dropLast())) + path.suffix(1)
    guard kinds[key] == nil || kinds[key] == .array else { throw twice(path, line) }
    kinds[key] = .array
    counts[key, default: 0] += 1
    return counts[key] == 1 && key.count == path.count
  }

  /// Defines a value in a table. Throws `TOMLError` if the name is already in use.
  mutating func define(_ path: [String], in table: [String], _ line: Int) throws(TOMLError) {
    let base = full(table)
    for length in path.indices.dropFirst() {
      let key = base + path[..<length]
      switch kinds[key] {
      case nil: kinds[key] = .dotted
      case .dotted: break
      default: throw twice(table + path, line)
      }
    }
    guard kinds[base + path] == nil else { throw twice(table + path, line) }
    kinds[base + path] = .value
  }

  private mutating func enter(
    _ path: ArraySlice<String>, _ line: Int
  ) throws(TOMLError) {
    for length in path.indices.map({ $0 + 1 }) {
      let key = full(Array(path[..<length]))
      if kinds[key] == .value { throw twice(Array(path), line) }
      if kinds[key] == nil { kinds[key] = .implicit }
    }
  }

  private func twice(_ path: [String], _ line: Int) -> TOMLError {
    TOMLError(line: line, message: "'\(path.joined(separator: "."))' is defined already")
  }
}
