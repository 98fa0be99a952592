import Model

/// The text shown for an image's tag: its description or, if it has none, its file name.
struct HTMLPicture {
  /// The range of the value of `src`; nil if absent.
  let address: Range<Int>?
  /// The range of the text to show, a part of the tag; nil if absent.
  let shown: Range<Int>?
  /// Whether that text is a description.
  let isDescribed: Bool
  /// Whether a file name needs no decoding.
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

/// The name shown for an image without a description: the last part of its address.
enum PictureName {
  /// Returns the range of the name in an address, without a query and on one line; nil if not
  /// found.
  static func range(in address: Range<Int>, of bytes: Bytes) -> Range<Int>? {
    var start = address.lowerBound
    var end = address.upperBound
    if bytes.startsIgnoringCase(with: "data:", at: start), end - start > 5 {
      // The name of a data URL is its media type. The rest is image data.
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

  /// Whether a name needs no decoding.
  static func isPlain(_ name: Bytes) -> Bool {
    name.allSatisfy { $0 > 32 && $0 != 127 && !"%&\\".utf8.contains($0) }
  }

  /// Decodes the character references, escapes and percent-encoded bytes of a name. Invalid UTF-8
  /// and control characters become U+FFFD.
  static func decoded(_ name: Bytes, isMarkdown: Bool) -> [UInt8] {
    let resolved = isMarkdown ? LinkScanner.unescaped(name) : HTMLTokens.decoded(name)
    let bytes = PercentEncoding.decoded(resolved).bytes
    // The name must be a single line of text, even if it contains encoded control characters.
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
  /// Adds a link whose address is an attribute's value. Returns its index.
  mutating func append(html value: Range<Int>, _ leaf: LeafText, _ bytes: Bytes) -> Int {
    let content = Bytes(rebasing: bytes[value])
    let isPlain = content.allSatisfy { $0 != UInt8(ascii: "&") && $0 != Byte.lineFeed }
    return append(
      leaf.source(value),
      resolved: isPlain ? nil : Resolved(destination: HTMLTokens.decoded(content)))
  }
}

extension BlockTree {
  /// Records the anchor that a tag defines with `id`, or a link with `name`.
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
