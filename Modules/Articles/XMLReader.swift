/// Parses the XML of e-book containers: elements, attributes and text. O(bytes).
///
/// ```swift
/// let tree = try XMLReader.read(Array("<package><title>Walden</title></package>".utf8))
/// tree.first("title").map { tree.text(of: $0) }  // "Walden"
/// ```
///
/// Namespace prefixes are removed. Entity declarations are ignored, so that a document cannot grow
/// by expansion.
package struct XMLReader {
  /// A syntax error.
  package struct Problem: Error, Hashable {
    /// A description of the error, for the user.
    package var description: String
  }

  private let bytes: [UInt8]
  private var position = 0
  private var tree = MarkupTree()
  private var open: [(name: String, node: Int)] = []

  private init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// Parses a document in UTF-8.
  ///
  /// - Throws: `Problem` if a tag is not closed, closes nothing or has no name, if the document has
  ///   no element, or if it is nested more than 1,000 levels deep.
  package static func read(_ bytes: [UInt8]) throws(Problem) -> MarkupTree {
    var reader = XMLReader(bytes)
    try reader.read()
    return reader.tree
  }

  /// Returns markup with an end tag after each empty element (`<a/>` becomes `<a></a>`), so that an
  /// HTML parser can read it. The chapters of books are XML, but often not well formed.
  package static func withoutEmptyElements(_ bytes: [UInt8]) -> [UInt8] {
    var result: [UInt8] = []
    result.reserveCapacity(bytes.count + bytes.count / 16)
    var reader = XMLReader(bytes)
    var copied = 0
    while let start = reader.find(UInt8(ascii: "<")) {
      if reader.skipUnread(at: start) { continue }
      guard start + 1 < bytes.count, bytes[start + 1].isNameByte,
        let end = reader.tagEnd(from: start + 1)
      else {
        reader.position = start + 1
        continue
      }
      reader.position = end
      guard bytes[end - 2] == UInt8(ascii: "/") else { continue }
      let name = bytes[(start + 1)...].prefix { $0.isNameByte }
      guard !voidNames.contains(String(decoding: name, as: UTF8.self).lowercased()) else {
        continue
      }
      result += bytes[copied..<(end - 2)]
      result += Array("></".utf8) + name + Array(">".utf8)
      copied = end
    }
    result += bytes[copied...]
    return result
  }

  private static let voidNames: Set<String> = [
    "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source",
    "track", "wbr",
  ]

  private mutating func read() throws(Problem) {
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { position = 3 }
    while position < bytes.count {
      let start = find(UInt8(ascii: "<")) ?? bytes.count
      if start > position, let node = open.last?.node {
        tree.append(text: Self.resolved(bytes[position..<start]), to: node)
      }
      guard start < bytes.count else { break }
      try readMarkup(at: start)
    }
    guard open.isEmpty else { throw Problem(description: "<\(open.last!.name)> has no end tag") }
    guard tree.nodes.count > 1 else { throw Problem(description: "it has no element") }
  }

  private mutating func readMarkup(at start: Int) throws(Problem) {
    if bytes[start...].starts(with: "<![CDATA[".utf8) {
      let end = find("]]>", from: start + 9) ?? bytes.count
      if let node = open.last?.node {
        tree.append(text: String(decoding: bytes[(start + 9)..<end], as: UTF8.self), to: node)
      }
      position = min(end + 3, bytes.count)
      return
    }
    if skipUnread(at: start) { return }
    guard let end = tagEnd(from: start + 1) else {
      throw Problem(description: "a tag is not closed")
    }
    position = end
    if bytes[start + 1] == UInt8(ascii: "/") {
      let name = Self.localName(bytes[(start + 2)..<end].prefix { $0.isNameByte })
      guard open.last?.name == name else {
        throw Problem(description: "</\(name)> ends an element that is not open")
      }
      open.removeLast()
      return
    }
    guard bytes[start + 1].isNameByte else {
      throw Problem(description: "a tag has no name")
    }
    let tag = bytes[(start + 1)..<(end - 1)]
    let name = Self.localName(tag.prefix { $0.isNameByte })
    let attributes = Self.attributes(tag.drop { $0.isNameByte })
    let isEmpty = tag.last == UInt8(ascii: "/")
    guard open.count < 1000 else { throw Problem(description: "it is nested too deeply") }
    let node = tree.append(element: name, attributes, to: open.last?.node ?? MarkupTree.root)
    if !isEmpty { open.append((name, node)) }
  }

  /// Skips a comment, a CDATA section, an instruction or a declaration. Returns false if none of
  /// these begins at `start`.
  private mutating func skipUnread(at start: Int) -> Bool {
    let rest = bytes[start...]
    let end: Int?
    if rest.starts(with: "<!--".utf8) {
      end = find("-->", from: start + 4).map { $0 + 3 }
    } else if rest.starts(with: "<![CDATA[".utf8) {
      end = find("]]>", from: start + 9).map { $0 + 3 }
    } else if rest.starts(with: "<?".utf8) {
      end = find("?>", from: start + 2).map { $0 + 2 }
    } else if rest.starts(with: "<!".utf8) {
      end = declarationEnd(from: start + 2)
    } else {
      return false
    }
    position = end ?? bytes.count
    return true
  }

  private func declarationEnd(from start: Int) -> Int? {
    var depth = 0
    for index in start..<bytes.count {
      switch bytes[index] {
      case UInt8(ascii: "["): depth += 1
      case UInt8(ascii: "]"): depth -= 1
      case UInt8(ascii: ">") where depth <= 0: return index + 1
      default: continue
      }
    }
    return nil
  }

  private func find(_ byte: UInt8) -> Int? { bytes[position...].firstIndex(of: byte) }

  private func find(_ text: String, from start: Int) -> Int? {
    let wanted = Array(text.utf8)
    var index = start
    while index + wanted.count <= bytes.count {
      guard let found = bytes[index...].firstIndex(of: wanted[0]) else { return nil }
      if bytes[found...].starts(with: wanted) { return found }
      index = found + 1
    }
    return nil
  }

  /// Returns the position after the `>` of a tag, ignoring those in quoted values; nil if the tag
  /// has no end.
  private func tagEnd(from start: Int) -> Int? {
    var quote: UInt8?
    for index in start..<bytes.count {
      let byte = bytes[index]
      if let open = quote {
        if byte == open { quote = nil }
      } else if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
        quote = byte
      } else if byte == UInt8(ascii: ">") {
        return index + 1
      } else if byte == UInt8(ascii: "<") {
        return nil
      }
    }
    return nil
  }

  private static func localName(_ bytes: ArraySlice<UInt8>) -> String {
    let name = bytes.split(separator: UInt8(ascii: ":")).last ?? bytes
    return String(decoding: name, as: UTF8.self).lowercased()
  }

  private static func attributes(_ bytes: ArraySlice<UInt8>) -> [MarkupTree.Attribute] {
    var rest = bytes
    var result: [MarkupTree.Attribute] = []
    while let start = rest.firstIndex(where: \.isNameByte), result.count < 64 {
      let name = rest[start...].prefix { $0.isNameByte }
      rest = rest[name.endIndex...].drop { $0.isXMLSpace }
      guard rest.first == UInt8(ascii: "=") else { continue }
      rest = rest.dropFirst().drop { $0.isXMLSpace }
      guard let quote = rest.first, quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'")
      else { continue }
      let value = rest.dropFirst().prefix { $0 != quote }
      rest = rest[value.endIndex...].dropFirst()
      // Without prefixes, two attributes may have the same name. `MarkupTree` uses the first.
      result.append(MarkupTree.Attribute(localName(name), resolved(value)))
    }
    return result
  }

  /// Returns a text with its character references replaced.
  private static func resolved(_ bytes: ArraySlice<UInt8>) -> String {
    guard bytes.contains(UInt8(ascii: "&")) else { return String(decoding: bytes, as: UTF8.self) }
    var result: [UInt8] = []
    var rest = bytes
    while let byte = rest.popFirst() {
      let name = rest.prefix(12).prefix { $0 != UInt8(ascii: ";") }
      guard byte == UInt8(ascii: "&"), name.endIndex < rest.endIndex,
        rest[name.endIndex] == UInt8(ascii: ";"),
        let character = character(named: String(decoding: name, as: UTF8.self))
      else {
        result.append(byte)
        continue
      }
      result += character.utf8
      rest = rest[(name.endIndex + 1)...]
    }
    return String(decoding: result, as: UTF8.self)
  }

  private static func character(named name: String) -> String? {
    switch name {
    case "amp": return "&"
    case "lt": return "<"
    case "gt": return ">"
    case "quot": return "\""
    case "apos": return "'"
    case "nbsp": return "\u{A0}"
    default:
      guard name.hasPrefix("#") else { return nil }
      let digits = name.dropFirst()
      let value =
        digits.hasPrefix("x") || digits.hasPrefix("X")
        ? UInt32(digits.dropFirst(), radix: 16) : UInt32(digits)
      return value.flatMap(Unicode.Scalar.init).map { String($0) }
    }
  }
}

extension UInt8 {
  fileprivate var isXMLSpace: Bool { self == 0x20 || (9...13).contains(self) }
  fileprivate var isNameByte: Bool {
    self >= 0x80 || self == UInt8(ascii: ":") || self == UInt8(ascii: "-")
      || self == UInt8(ascii: ".") || self == UInt8(ascii: "_")
      || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self)
      || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self | 0x20)
  }
}
