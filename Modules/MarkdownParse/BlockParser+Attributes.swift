extension BlockParser {
  /// Removes the attributes at the end of a heading's text: `{#name .class key=value}`, as in
  /// Pandoc and kramdown. Returns false if it ends without attributes.
  ///
  /// - Parameters:
  ///   - start: the start of the heading's text.
  ///   - end: the end of the text, without trailing spaces. It is moved to the end of the text
  ///     before the attributes and spaces.
  mutating func takeAttributes(of heading: Int, from start: Int, to end: inout Int) -> Bool {
    guard options.headingAttributes, end > start, bytes[end - 1] == UInt8(ascii: "}") else {
      return false
    }
    var open = end - 2
    while open > start, bytes[open] != UInt8(ascii: "{") {
      if bytes[open] == UInt8(ascii: "}") { return false }
      open -= 1
    }
    guard open > start, bytes[open] == UInt8(ascii: "{"), bytes[open - 1] != UInt8(ascii: "\\"),
      let attributes = HeadingAttributes(Bytes(rebasing: bytes[open + 1..<end - 1]))
    else { return false }
    // Directly after a word, braces are attributes only if their only content is a name.
    guard bytes[open - 1].isBlank || attributes.isNameAlone else { return false }
    recordPart(.headingAttributes, of: heading, open..<end)
    if let name = attributes.name {
      tree.anchors.append(
        AnchorName(
          open + 1 + name.lowerBound..<open + 1 + name.upperBound, at: tree.nodes[heading].start))
    }
    end = open
    while end > start, bytes[end - 1].isBlank { end -= 1 }
    return true
  }
}

extension MarkdownOptions {
  /// The maximum length of the attributes after a span or on a line, in bytes.
  private static let longestAttributes = 256

  /// Returns the end of the attributes that begin with a brace at an index; nil if not found. O(1).
  ///
  /// - Parameter areAlone: whether the attributes must be the only content of a line.
  func attributesEnd(_ bytes: Bytes, at start: Int, areAlone: Bool = false) -> Int? {
    let hasColon = bytes.at(start + 1) == UInt8(ascii: ":")
    guard bytes.at(start) == UInt8(ascii: "{"), attributes || colonAttributes && hasColon else {
      return nil
    }
    let limit = min(bytes.count, start + Self.longestAttributes)
    var end = start + 1
    while end < limit, bytes[end] != UInt8(ascii: "}") {
      if bytes[end] == UInt8(ascii: "{") || bytes[end] == Byte.lineFeed { return nil }
      end += 1
    }
    // A word without `=` is an attribute in Python-Markdown, but not in Pandoc.
    let allowsWords = hasColon || colonAttributes && !areAlone
    guard end < limit,
      HeadingAttributes(Bytes(rebasing: bytes[start + 1..<end]), allowsWords: allowsWords) != nil
    else { return nil }
    return end + 1
  }
}

/// A list of attributes between braces.
struct HeadingAttributes {
  /// The first name after `#`; nil if absent.
  private(set) var name: Range<Int>?
  /// The number of attributes.
  private var count = 0

  /// Whether the only attribute is a name.
  var isNameAlone: Bool { name != nil && count == 1 }

  /// Parses the text between the braces; nil if it isn't a list of attributes. O(bytes).
  ///
  /// - Parameter allowsWords: whether a word without a value is an attribute, as in `{:toc}`.
  init?(_ bytes: Bytes, allowsWords: Bool = false) {
    var index = bytes.at(0) == UInt8(ascii: ":") ? 1 : 0
    while true {
      while bytes.at(index).isBlank { index += 1 }
      guard index < bytes.count else { break }
      let start = index
      let mark = bytes[index]
      if mark == UInt8(ascii: "#") || mark == UInt8(ascii: ".") {
        index = Self.wordEnd(bytes, from: index + 1)
        guard index > start + 1 else { return nil }
        if mark == UInt8(ascii: "#"), name == nil { name = start + 1..<index }
      } else if mark == UInt8(ascii: "-") {
        // In Pandoc, `-` turns off the heading's number.
        index += 1
      } else {
        guard mark.isLetter || mark == UInt8(ascii: "_") else { return nil }
        index = Self.wordEnd(bytes, from: index)
        if bytes.at(index) == UInt8(ascii: "=") {
          guard let end = Self.valueEnd(bytes, from: index + 1) else { return nil }
          index = end
        } else if !allowsWords {
          return nil
        }
      }
      guard index == bytes.count || bytes[index].isBlank else { return nil }
      count += 1
    }
    if count == 0 { return nil }
  }

  private static func wordEnd(_ bytes: Bytes, from start: Int) -> Int {
    var end = start
    while end < bytes.count,
      bytes[end].isAlphanumeric || bytes[end] >= 0x80 || "-_:.".utf8.contains(bytes[end])
    { end += 1 }
    return end
  }

  private static func valueEnd(_ bytes: Bytes, from start: Int) -> Int? {
    let quote = bytes.at(start)
    if quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") {
      let end = bytes.firstIndex(of: quote, from: start + 1)
      return end < bytes.count ? end + 1 : nil
    }
    var end = start
    while end < bytes.count, !bytes[end].isBlank, !"\"'<>=`".utf8.contains(bytes[end]) { end += 1 }
    return end > start ? end : nil
  }
}
