extension BlockParser {
  /// Takes the attributes from the end of a heading's text: `{#name .class key=value}`, as Pandoc and
  /// kramdown write them. False when there are none.
  ///
  /// - Parameters:
  ///   - start: where the text begins.
  ///   - end: where it ends, without blanks; then where it ends without attributes and blanks.
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
    // Right behind a word only a name is meant so.
    guard bytes[open - 1].isBlank || attributes.isNameAlone else { return false }
    note(.headingAttributes, of: heading, open..<end)
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
  /// The longest list of attributes behind a span or in a line, in bytes.
  private static let longestAttributes = 256

  /// Where the attributes end that begin with a brace at an index; nil where none begin. O(1).
  ///
  /// - Parameter areAlone: whether they are to stand in a line of their own.
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
    // Python's Markdown takes a word alone for an attribute, Pandoc does not.
    let allowsWords = hasColon || colonAttributes && !areAlone
    guard end < limit,
      HeadingAttributes(Bytes(rebasing: bytes[start + 1..<end]), allowsWords: allowsWords) != nil
    else { return nil }
    return end + 1
  }
}

/// A list of attributes between braces. O(bytes).
struct HeadingAttributes {
  /// The name after `#`, the first one.
  private(set) var name: Range<Int>?
  /// How many attributes there are.
  private var count = 0

  /// Whether there is a name and nothing else.
  var isNameAlone: Bool { name != nil && count == 1 }

  /// Reads what stands between the braces; nil when it is no list of attributes.
  ///
  /// - Parameter allowsWords: whether words alone are attributes too, `{:toc}`.
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
        // Pandoc's sign for a heading without a number.
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
