/// Divides HTML into tags and the text between them, as tolerantly as browsers do. There are no
/// errors: an invalid tag is text. O(bytes), because a failed search isn't repeated.
struct HTMLTokens {
  /// A piece of HTML.
  struct Token {
    enum Kind {
      case text
      case open(HTMLElement)
      case close(HTMLElement)
      /// A comment, a declaration, a processing instruction, or an element that is never shown.
      case hidden
    }

    var kind: Kind
    var range: Range<Int>
  }

  private let bytes: Bytes
  private var position = 0
  /// Whether a tag with an unclosed quote was found. Quotes are ignored from then on.
  private var ignoresQuotes = false
  /// Whether no `>` follows.
  private var hasNoTags = false
  /// Whether an element that is hidden by an attribute of its tag is returned as one token.
  private var skipsUnseen = true
  /// The number of failed searches for the ends of hidden elements that are still allowed. At 0,
  /// the scanner no longer searches for them.
  private var vainSearches = 8
  /// The tag after the text that was just returned.
  private var next: Token?

  init(_ bytes: Bytes) { self.bytes = bytes }

  /// Returns the next token; nil at the end.
  mutating func token() -> Token? {
    if let token = next {
      next = nil
      return token
    }
    guard position < bytes.count else { return nil }
    let start = position
    while position < bytes.count {
      let angle = bytes.firstIndex(of: UInt8(ascii: "<"), from: position)
      guard angle < bytes.count else {
        position = angle
        break
      }
      guard let token = markup(at: angle) else {
        position = angle + 1
        continue
      }
      position = token.range.upperBound
      guard angle > start else { return token }
      next = token
      return Token(kind: .text, range: start..<angle)
    }
    return Token(kind: .text, range: start..<bytes.count)
  }

  private mutating func markup(at start: Int) -> Token? {
    let first = bytes.at(start + 1)
    if first == UInt8(ascii: "!") || first == UInt8(ascii: "?") {
      return hidden(start..<hiddenEnd(at: start))
    }
    let isClosing = first == UInt8(ascii: "/")
    let name = start + (isClosing ? 2 : 1)
    guard bytes.at(name).isLetter || isClosing && bytes.at(name) == UInt8(ascii: ">"),
      let end = tagEnd(from: name)
    else { return nil }
    let element = HTMLElement(bytes, name..<Self.nameEnd(bytes, from: name))
    if isClosing { return Token(kind: .close(element), range: start..<end) }
    let isEmpty = bytes[end - 2] == UInt8(ascii: "/")
    guard element == .hidden, !isEmpty else {
      if skipsUnseen, Self.isUnseen(start..<end, bytes),
        let close = unseenEnd(
          of: name..<Self.nameEnd(bytes, from: name), element, from: end, isEmpty)
      {
        return hidden(start..<close)
      }
      return Token(kind: .open(element), range: start..<end)
    }
    return hidden(start..<closingTagEnd(of: name..<Self.nameEnd(bytes, from: name), from: end))
  }

  /// Whether the attributes of a tag hide its element. O(tag).
  static func isUnseen(_ tag: Range<Int>, _ bytes: Bytes) -> Bool {
    // A shorter tag can't have an attribute that hides its element.
    guard tag.count > 10 else { return false }
    if let value = attribute("hidden", in: tag, of: bytes) {
      return value.first.map { bytes[$0] != UInt8(ascii: "{") } ?? true
    }
    guard let style = attribute("style", in: tag, of: bytes) else { return false }
    let rules = bytes[style].filter { !$0.isSpace }.map(\.lowercased)
    return rules.split(separator: UInt8(ascii: ";")).contains {
      $0.elementsEqual("display:none".utf8) || $0.elementsEqual("display:none!important".utf8)
    }
  }

  /// Returns the end of a hidden element; nil if it isn't closed, or if too many searches failed.
  private mutating func unseenEnd(
    of name: Range<Int>, _ element: HTMLElement, from start: Int, _ isEmpty: Bool
  ) -> Int? {
    if isEmpty || element == .image || element == .lineBreak || element == .rule { return start }
    guard vainSearches > 0 else { return nil }
    var tokens = self
    (tokens.position, tokens.skipsUnseen, tokens.next) = (start, false, nil)
    var depth = 1
    while let token = tokens.token() {
      let inner: Int
      let change: Int
      switch token.kind {
      case .open where bytes[token.range.upperBound - 2] != UInt8(ascii: "/"):
        (inner, change) = (1, 1)
      case .close: (inner, change) = (2, -1)
      default: continue
      }
      let first = token.range.lowerBound + inner
      let other = first..<Self.nameEnd(bytes, from: first)
      guard other.count == name.count,
        bytes[other].elementsEqual(bytes[name], by: { $0.lowercased == $1.lowercased })
      else { continue }
      depth += change
      if depth == 0 { return token.range.upperBound }
    }
    vainSearches -= 1
    return nil
  }

  /// Returns a hidden token without the whitespace at the end of an unclosed element.
  private func hidden(_ range: Range<Int>) -> Token {
    var end = range.upperBound
    while end > range.lowerBound, bytes[end - 1].isSpace { end -= 1 }
    return Token(kind: .hidden, range: range.lowerBound..<end)
  }

  /// Returns the end of a comment, a declaration, a processing instruction or a CDATA section.
  private func hiddenEnd(at start: Int) -> Int {
    func end(_ text: StaticString, from index: Int) -> Int {
      bytes.firstIndex(of: text, from: index).map { $0 + text.utf8CodeUnitCount } ?? bytes.count
    }
    if bytes.starts(with: "<!--", at: start) {
      if bytes.starts(with: ">", at: start + 4) { return start + 5 }
      if bytes.starts(with: "->", at: start + 4) { return start + 6 }
      return end("-->", from: start + 4)
    }
    if bytes.starts(with: "<![CDATA[", at: start) { return end("]]>", from: start + 9) }
    if bytes.starts(with: "<?", at: start) { return end("?>", from: start + 2) }
    return end(">", from: start + 2)
  }

  /// Returns the end of a tag's name.
  static func nameEnd(_ bytes: Bytes, from start: Int) -> Int {
    var end = start
    while end < bytes.count, !bytes[end].isSpace, bytes[end] != UInt8(ascii: "/"),
      bytes[end] != UInt8(ascii: ">")
    { end += 1 }
    return end
  }

  /// Returns the end of a tag, its first `>` outside quotes; nil if not found.
  private mutating func tagEnd(from start: Int) -> Int? {
    if hasNoTags { return nil }
    var index = start
    var last: UInt8 = 0
    while !ignoresQuotes, index < bytes.count {
      let byte = bytes[index]
      if byte == UInt8(ascii: ">") { return index + 1 }
      if last == UInt8(ascii: "="), byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
        index = bytes.firstIndex(of: byte, from: index + 1)
      }
      if !byte.isSpace { last = byte }
      index += 1
    }
    ignoresQuotes = true
    let end = bytes.firstIndex(of: UInt8(ascii: ">"), from: start)
    hasNoTags = end == bytes.count
    return hasNoTags ? nil : end + 1
  }

  /// Returns the end of a hidden element, after its closing tag; the end of the bytes if it isn't
  /// closed.
  private func closingTagEnd(of name: Range<Int>, from start: Int) -> Int {
    var index = bytes.firstIndex(of: UInt8(ascii: "<"), from: start)
    while index < bytes.count {
      let inside = index + 2
      if bytes.at(index + 1) == UInt8(ascii: "/"), inside + name.count <= bytes.count,
        (0..<name.count).allSatisfy({
          bytes[inside + $0].lowercased == bytes[name.lowerBound + $0].lowercased
        }), !bytes.at(inside + name.count).isAlphanumeric
      {
        let end = bytes.firstIndex(of: UInt8(ascii: ">"), from: inside)
        return min(end + 1, bytes.count)
      }
      index = bytes.firstIndex(of: UInt8(ascii: "<"), from: index + 1)
    }
    return bytes.count
  }

  /// Returns the value of an attribute in a tag, without quotes and surrounding whitespace; nil if
  /// the tag doesn't have it. The first attribute with the name is used. O(tag).
  static func attribute(_ name: StaticString, in tag: Range<Int>, of bytes: Bytes) -> Range<Int>? {
    let end = tag.upperBound - 1
    var index = nameEnd(bytes, from: tag.lowerBound + 1)
    while index < end {
      while index < end, bytes[index].isSpace || bytes[index] == UInt8(ascii: "/") { index += 1 }
      let start = index
      while index < end, !bytes[index].isSpace, bytes[index] != UInt8(ascii: "=") || index == start,
        bytes[index] != UInt8(ascii: "/")
      { index += 1 }
      let isWanted =
        index - start == name.utf8CodeUnitCount && bytes.startsIgnoringCase(with: name, at: start)
      var value = index..<index
      var after = index
      while after < end, bytes[after].isSpace { after += 1 }
      if after < end, bytes[after] == UInt8(ascii: "=") {
        after += 1
        while after < end, bytes[after].isSpace { after += 1 }
        let quote = after < end ? bytes[after] : 0
        if quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") {
          let close = min(bytes.firstIndex(of: quote, from: after + 1), end)
          value = after + 1..<max(close, after + 1)
          index = close + 1
        } else {
          index = after
          while index < end, !bytes[index].isSpace { index += 1 }
          value = after..<index
        }
      }
      if isWanted { return trimmed(value, bytes) }
    }
    return nil
  }

  private static func trimmed(_ range: Range<Int>, _ bytes: Bytes) -> Range<Int> {
    var (start, end) = (range.lowerBound, range.upperBound)
    while start < end, bytes[start].isSpace { start += 1 }
    while end > start, bytes[end - 1].isSpace { end -= 1 }
    return start..<end
  }

  /// Decodes the character references in an attribute's value, and removes line endings.
  static func decoded(_ value: Bytes) -> String {
    var result: [UInt8] = []
    var index = 0
    while index < value.count {
      if value[index] == UInt8(ascii: "&"), let entity = Entities.match(value, at: index) {
        for scalar in entity.scalars { result.append(contentsOf: UTF8.encode(scalar)!) }
        index += entity.length
        continue
      }
      if value[index] != Byte.lineFeed { result.append(value[index]) }
      index += 1
    }
    return String(decoding: result, as: UTF8.self)
  }
}
