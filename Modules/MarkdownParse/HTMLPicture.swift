import Model

/// What a picture's tag shows: its description or, where it has none, its file's name.
struct HTMLPicture {
  /// The value of `src`.
  let address: Range<Int>?
  /// What is shown, in the tag; nil where there is nothing.
  let shown: Range<Int>?
  /// Whether that is a description.
  let isDescribed: Bool
  /// Whether a name is shown as it stands.
  let isPlain: Bool

  init(_ tag: Range<Int>, _ bytes: Bytes) {
    address = HTMLTokens.attribute("src", in: tag, of: bytes)
    let description = HTMLTokens.attribute("alt", in: tag, of: bytes)
    if let description, !description.isEmpty {
      (shown, isDescribed, isPlain) = (description, true, true)
      return
    }
    isDescribed = false
    shown = address.flatMap { PictureName.range(in: $0, of: bytes) }
    isPlain = shown.map { PictureName.isPlain(Bytes(rebasing: bytes[$0])) } ?? true
  }
}

/// The name that a picture without a description goes by: the last part of its address.
enum PictureName {
  /// Where the name stands in an address; nil where there is none. On one line, without a query.
  static func range(in address: Range<Int>, of bytes: Bytes) -> Range<Int>? {
    var start = address.lowerBound
    var end = address.upperBound
    if bytes.startsIgnoringCase(with: "data:", at: start), end - start > 5 {
      // The kind of picture; the rest is the picture itself.
      start += 5
      let rest = bytes[start..<end]
      end = rest.firstIndex { ";,".utf8.contains($0) || $0.isSpace } ?? end
      return start < end ? start..<end : nil
    }
    end =
      bytes[start..<end].firstIndex { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") } ?? end
    while end > start, bytes[end - 1] == UInt8(ascii: "/") || bytes[end - 1].isSpace { end -= 1 }
    var index = end
    while index > start, bytes[index - 1] != UInt8(ascii: "/"), bytes[index - 1] != Byte.lineFeed {
      index -= 1
    }
    return index < end ? index..<end : nil
  }

  /// Whether a name is shown as it stands.
  static func isPlain(_ name: Bytes) -> Bool {
    name.allSatisfy { $0 > 32 && $0 != 127 && !"%&\\".utf8.contains($0) }
  }

  /// A name with references, escapes and percent signs resolved. What is no text is U+FFFD.
  static func decoded(_ name: Bytes, isMarkdown: Bool) -> [UInt8] {
    let resolved = isMarkdown ? LinkScanner.unescaped(name) : HTMLTokens.decoded(name)
    var bytes: [UInt8] = []
    var rest = Array(resolved.utf8)[...]
    while let byte = rest.popFirst() {
      if byte == UInt8(ascii: "%"), rest.count >= 2, rest.prefix(2).allSatisfy(\.isHexDigit),
        let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16)
      {
        bytes.append(value)
        rest = rest.dropFirst(2)
      } else {
        bytes.append(byte)
      }
    }
    // It is one line of text, whatever it hides.
    let shown = String(decoding: bytes, as: UTF8.self).unicodeScalars.map { scalar in
      let category = scalar.properties.generalCategory
      let isText =
        category != .control && category != .lineSeparator && category != .paragraphSeparator
      return isText ? scalar : "\u{FFFD}"
    }
    return shown.flatMap { Array(UTF8.encode($0)!) }
  }
}

extension LinkTable {
  /// Adds the link of an attribute's value.
  mutating func append(html value: Range<Int>, _ leaf: LeafText, _ bytes: Bytes) -> Int {
    let content = Bytes(rebasing: bytes[value])
    let isPlain = content.allSatisfy { $0 != UInt8(ascii: "&") && $0 != Byte.lineFeed }
    return append(
      leaf.source(value),
      resolved: isPlain ? nil : Resolved(destination: HTMLTokens.decoded(content)))
  }
}

extension BlockTree {
  /// Keeps the name that a tag gives its place: `id`, or `name` of a link.
  mutating func noteAnchor(
    in tag: Range<Int>, _ element: HTMLElement, _ leaf: LeafText, _ bytes: Bytes
  ) {
    let name =
      HTMLTokens.attribute("id", in: tag, of: bytes)
      ?? (element == .link ? HTMLTokens.attribute("name", in: tag, of: bytes) : nil)
    guard let name, !name.isEmpty else { return }
    anchors.append(
      AnchorName(leaf.source(name).bytes, at: leaf.sourceOffset(tag.lowerBound)))
  }
}
