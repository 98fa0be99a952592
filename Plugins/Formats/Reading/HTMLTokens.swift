/// Divides HTML or XML into tags and the text between them. It tolerates errors, skips comments, and neither
/// runs nor loads anything. All tokens together take O(length).
struct HTMLTokens: Sequence, IteratorProtocol {
  /// A part of the page.
  enum Token {
    /// The text up to the next tag, with its character references.
    case text(Substring)
    /// A start tag: its name in lower case, and its first 1000 characters without the brackets.
    case start(String, Substring)
    /// The name of an end tag in lower case.
    case end(String)
  }

  private var rest: Substring

  init(_ text: String) { rest = text[...] }

  mutating func next() -> Token? {
    while !rest.isEmpty {
      guard rest.hasPrefix("<") else {
        // Without a further tag, the rest of a page is not text that a browser would show.
        guard let start = rest.firstIndex(of: "<") else {
          rest = ""
          return nil
        }
        defer { rest = rest[start...] }
        return .text(rest[..<start])
      }
      if rest.hasPrefix("<!--") {
        guard let end = rest.firstRange(of: "-->") else {
          rest = ""
          return nil
        }
        rest = rest[end.upperBound...]
        continue
      }
      guard let end = rest.firstIndex(of: ">") else {
        rest = ""
        return nil
      }
      var tag = rest[rest.index(after: rest.startIndex)..<end].prefix(1000)
      rest = rest[rest.index(after: end)...]
      let isEnd = tag.hasPrefix("/")
      if isEnd { tag = tag.dropFirst() }
      let name = tag.prefix { $0.isLetter || $0.isNumber || $0 == ":" }.lowercased()
      return isEnd ? .end(name) : .start(name, tag)
    }
    return nil
  }

  /// Returns the value of an attribute of a start tag, without its quotation marks; nil if the tag
  /// lacks it.
  static func attribute(_ name: String, of tag: Substring) -> String? {
    var rest = tag.drop { !$0.isWhitespace }
    while true {
      rest = rest.drop { $0.isWhitespace || $0 == "/" }
      if rest.isEmpty { return nil }
      let key = rest.prefix { !$0.isWhitespace && $0 != "=" }
      rest = rest[key.endIndex...].drop(while: \.isWhitespace)
      guard rest.first == "=" else {
        // A sign of equality without a name would otherwise not be passed.
        if key.isEmpty { rest = rest.dropFirst() }
        continue
      }
      rest = rest.dropFirst().drop(while: \.isWhitespace)
      let value: Substring
      if let mark = rest.first, mark == "\"" || mark == "'" {
        value = rest.dropFirst().prefix { $0 != mark }
        rest = rest[value.endIndex...].dropFirst()
      } else {
        value = rest.prefix { !$0.isWhitespace }
        rest = rest[value.endIndex...]
      }
      if key.lowercased() == name { return HTMLScan.unescaped(value) }
    }
  }
}
