import Model

/// Parses BibTeX and BibLaTeX: entries, `@string`, and values in braces, in quotation marks or
/// bare, joined by `#`.
///
/// Text outside of entries is a comment. An entry with a syntax error is reported in `problems`,
/// and parsing continues directly after its type.
struct BibTeXReader {
  private(set) var sources: [Source] = []
  private(set) var problems: [Bibliography.Problem] = []

  private let bytes: [UInt8]
  private var position = 0
  private var line = 1
  private var strings = Self.months
  /// The entries in file order, for resolving `crossref`.
  private var entries: [(kind: String, key: String, fields: [String: String])] = []

  /// Parses a text; returns nil if it contains neither an entry nor a malformed one. Linear in its
  /// length.
  static func read(_ text: String) -> BibTeXReader? {
    var reader = BibTeXReader(bytes: Array(text.utf8))
    reader.readEntries()
    guard !reader.entries.isEmpty || !reader.problems.isEmpty else { return nil }
    let byKey = Dictionary(
      reader.entries.map { ($0.key.lowercased(), $0) }, uniquingKeysWith: { first, _ in first })
    for entry in reader.entries {
      var fields = entry.fields
      if let parent = fields["crossref"].flatMap({ byKey[$0.lowercased()] }) {
        for (name, value) in parent.fields where fields[name] == nil {
          // The parent's title is the title of the book that contains this entry.
          if name != "title" { fields[name] = value }
        }
        fields["booktitle"] = fields["booktitle"] ?? parent.fields["title"]
      }
      fields["crossref"] = nil
      reader.sources.append(BibTeXFields.source(entry.kind, key: entry.key, fields))
    }
    return reader
  }

  private init(bytes: [UInt8]) { self.bytes = bytes }

  /// The number of errors after which parsing stops, so that a file of another kind is not scanned
  /// over and over.
  private static let mostProblems = 100

  /// The maximum number of bytes that expanded abbreviations may add, in addition to four times the
  /// size of the file.
  private static let mostExpansion = 1 << 20
  private var expansion = 0

  private struct Mistake: Error { var message: String }

  private mutating func readEntries() {
    while let start = nextEntry() {
      let line = self.line
      guard problems.count < Self.mostProblems else {
        problems.append(
          .init(line: line, message: "reading stopped here, after \(problems.count) mistakes"))
        return
      }
      position = start + 1
      let kind = word().lowercased()
      let mark = position
      do {
        try readEntry(kind)
      } catch {
        problems.append(.init(line: line, message: (error as? Mistake)?.message ?? "\(error)"))
        // Parsing continues after the entry's type.
        self.line = line
        position = mark
      }
    }
  }

  /// Returns the position of the next `@` that is followed by a name and an opening brace or
  /// parenthesis. Lines that start with `%` are skipped.
  private mutating func nextEntry() -> Int? {
    var isComment = false
    var isLineStart = position == 0
    while position < bytes.count {
      let byte = bytes[position]
      if byte == UInt8(ascii: "\n") {
        line += 1
        isComment = false
        isLineStart = true
      } else if isLineStart, byte == UInt8(ascii: "%") {
        isComment = true
      } else if byte == UInt8(ascii: "@"), !isComment,
        // In an e-mail address, a name precedes the `@`.
        position == 0 || !bytes[position - 1].isNameByte
      {
        var end = position + 1
        while end < bytes.count, bytes[end].isNameByte { end += 1 }
        let name = end
        while end < bytes.count, bytes[end].isBlankByte { end += 1 }
        if name > position + 1, end < bytes.count,
          bytes[end] == UInt8(ascii: "{") || bytes[end] == UInt8(ascii: "(")
        {
          return position
        }
      } else if !byte.isBlankByte {
        isLineStart = false
      }
      position += 1
    }
    return nil
  }

  private mutating func readEntry(_ kind: String) throws {
    passBlanks()
    let isRound = bytes[position] == UInt8(ascii: "(")
    let close = UInt8(ascii: isRound ? ")" : "}")
    position += 1
    switch kind {
    case "comment", "preamble": return try passGroup(to: close)
    case "string":
      let (name, value) = try field()
      strings[name] = value
      passBlanks()
      return try pass(close, in: "@string")
    default: break
    }
    passBlanks()
    var key: [UInt8] = []
    while position < bytes.count, bytes[position] != UInt8(ascii: ","), bytes[position] != close,
      !bytes[position].isBlankByte
    {
      key.append(bytes[position])
      position += 1
    }
    let name = String(decoding: key, as: UTF8.self)
    passBlanks()
    var fields: [String: String] = [:]
    while position < bytes.count, bytes[position] == UInt8(ascii: ",") {
      position += 1
      passBlanks()
      guard position < bytes.count, bytes[position] != close else { break }
      let (field, value) = try field()
      // Of two equal fields, the first is used, as in BibTeX.
      if fields[field] == nil { fields[field] = value }
      passBlanks()
    }
    try pass(close, in: name.isEmpty ? "@\(kind)" : "'\(name)'")
    entries.append((kind, name, fields))
  }

  private mutating func field() throws -> (name: String, value: String) {
    passBlanks()
    let name = word().lowercased()
    passBlanks()
    guard !name.isEmpty, position < bytes.count, bytes[position] == UInt8(ascii: "=") else {
      throw Mistake(message: "expected NAME = VALUE in line \(line)")
    }
    position += 1
    var value = try self.value()
    passBlanks()
    while position < bytes.count, bytes[position] == UInt8(ascii: "#") {
      position += 1
      value += try self.value()
      passBlanks()
    }
    return (name, value)
  }

  private mutating func value() throws -> String {
    passBlanks()
    guard position < bytes.count else { throw Mistake(message: "the file ends inside an entry") }
    switch bytes[position] {
    case UInt8(ascii: "{"):
      position += 1
      let start = position
      try passGroup(to: UInt8(ascii: "}"))
      return String(decoding: bytes[start..<position - 1], as: UTF8.self)
    case UInt8(ascii: "\""):
      position += 1
      let start = position
      try passGroup(to: UInt8(ascii: "\""))
      return String(decoding: bytes[start..<position - 1], as: UTF8.self)
    default:
      let word = word()
      guard !word.isEmpty else { throw Mistake(message: "a value is missing in line \(line)") }
      guard let text = strings[word.lowercased()] else { return word }
      // An abbreviation may consist of others, so that a short file could expand to a very long
      // text.
      expansion += text.utf8.count
      guard expansion <= Self.mostExpansion + 4 * bytes.count else {
        throw Mistake(message: "its abbreviations expand to a text that is too long")
      }
      return text
    }
  }

  /// Advances past the end of a value and the balanced braces inside it.
  private mutating func passGroup(to close: UInt8) throws {
    let start = line
    var depth = 0
    while position < bytes.count {
      let byte = bytes[position]
      if byte == close, depth == 0 {
        position += 1
        return
      }
      switch byte {
      case UInt8(ascii: "\\"):
        // An escaped character neither opens nor closes a group.
        position += 1
        if position < bytes.count, bytes[position] == UInt8(ascii: "\n") { line += 1 }
      case UInt8(ascii: "{"): depth += 1
      case UInt8(ascii: "}"): depth -= 1
      case UInt8(ascii: "\n"): line += 1
      default: break
      }
      guard depth >= 0 else { throw Mistake(message: "unexpected } in line \(line)") }
      position += 1
    }
    throw Mistake(message: "the value or entry that begins in line \(start) is never closed")
  }

  private mutating func pass(_ close: UInt8, in name: String) throws {
    guard position < bytes.count, bytes[position] == close else {
      throw Mistake(
        message: position < bytes.count
          ? "a comma or the end of \(name) is missing in line \(line)" : "\(name) is never closed")
    }
    position += 1
  }

  private mutating func passBlanks() {
    while position < bytes.count, bytes[position].isBlankByte {
      if bytes[position] == UInt8(ascii: "\n") { line += 1 }
      position += 1
    }
  }

  /// Returns the name at the position and advances past it.
  private mutating func word() -> String {
    let start = position
    while position < bytes.count, bytes[position].isNameByte { position += 1 }
    return String(decoding: bytes[start..<position], as: UTF8.self)
  }

  private static let months: [String: String] = Dictionary(
    uniqueKeysWithValues: BibTeXFields.monthNames.enumerated().map { ($1, "\($0 + 1)") })
}

extension UInt8 {
  fileprivate var isBlankByte: Bool { [0x20, 0x09, 0x0A, 0x0D].contains(self) }

  /// Whether the byte can be part of the name of an entry, a field or a string.
  fileprivate var isNameByte: Bool {
    self > 0x20 && self != 0x7F && !"\"#%'(),={}@\\".utf8.contains(self)
  }
}
