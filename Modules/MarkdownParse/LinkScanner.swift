import Model

/// Parses the parts of links and of link reference definitions.
enum LinkScanner {
  /// A destination: the range of its content without `<` and `>`, and its end with them.
  struct Destination {
    var content: Range<Int>
    var end: Int
  }

  /// The maximum number of bytes between the brackets of a label (CommonMark 4.7).
  static let longestLabel = 999

  /// The maximum nesting of parentheses in a destination, as in the reference implementation.
  /// Deeper nesting makes the destination invalid, which limits the work on hostile input.
  private static let deepestParentheses = 32

  static func destination(_ bytes: Bytes, at start: Int) -> Destination? {
    if bytes.at(start) == UInt8(ascii: "<") {
      var index = start + 1
      while index < bytes.count {
        switch bytes[index] {
        case UInt8(ascii: ">"): return Destination(content: start + 1..<index, end: index + 1)
        case UInt8(ascii: "<"), Byte.lineFeed: return nil
        case UInt8(ascii: "\\") where bytes.at(index + 1).isPunctuation: index += 2
        default: index += 1
        }
      }
      return nil
    }
    var index = start
    var depth = 0
    scan: while index < bytes.count {
      switch bytes[index] {
      case UInt8(ascii: "\\") where bytes.at(index + 1).isPunctuation: index += 2
      case UInt8(ascii: "("):
        depth += 1
        if depth > deepestParentheses { return nil }
        index += 1
      case UInt8(ascii: ")"):
        if depth == 0 { break scan }
        depth -= 1
        index += 1
      case 0...32, 127: break scan
      default: index += 1
      }
    }
    return depth == 0 ? Destination(content: start..<index, end: index) : nil
  }

  /// Returns the end of the title at an index, including its quotes; nil if not found.
  static func title(_ bytes: Bytes, at start: Int) -> Int? {
    let close: UInt8
    switch bytes.at(start) {
    case UInt8(ascii: "\""): close = UInt8(ascii: "\"")
    case UInt8(ascii: "'"): close = UInt8(ascii: "'")
    case UInt8(ascii: "("): close = UInt8(ascii: ")")
    default: return nil
    }
    var index = start + 1
    while index < bytes.count {
      let byte = bytes[index]
      if byte == close { return index + 1 }
      if byte == UInt8(ascii: "("), close == UInt8(ascii: ")") { return nil }
      index += byte == UInt8(ascii: "\\") && bytes.at(index + 1).isPunctuation ? 2 : 1
    }
    return nil
  }

  /// Returns the end of the label that begins with the `[` at an index, after its `]`; nil if not
  /// found.
  static func label(_ bytes: Bytes, at start: Int) -> Int? {
    var index = start + 1
    while index < bytes.count, index - start <= longestLabel + 1 {
      switch bytes[index] {
      case UInt8(ascii: "]"): return index + 1
      case UInt8(ascii: "["): return nil
      case UInt8(ascii: "\\") where bytes.at(index + 1).isPunctuation: index += 2
      default: index += 1
      }
    }
    return nil
  }

  /// Returns a label in the form in which labels are compared: with collapsed whitespace and folded
  /// case. Empty if the label contains only whitespace.
  ///
  /// Case is folded by lower-casing and then upper-casing. Like full case folding, this unifies
  /// `ẞ`, `ß` and `SS`.
  static func normalized(_ label: Bytes) -> String {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(label.count)
    var isASCII = true
    for byte in label {
      if byte.isSpace {
        if let last = bytes.last, last != Byte.space { bytes.append(Byte.space) }
      } else {
        isASCII = isASCII && byte < 0x80
        bytes.append(byte &- 97 < 26 ? byte & 0xDF : byte)
      }
    }
    if bytes.last == Byte.space { bytes.removeLast() }
    let text = String(decoding: bytes, as: UTF8.self)
    return isASCII ? text : text.lowercased().uppercased()
  }

  /// Decodes a destination and a title with its quotes; nil if they contain nothing to decode.
  static func resolved(_ destination: Range<Int>, title: Range<Int>?, of bytes: Bytes)
    -> LinkTable.Resolved?
  {
    let destination = Bytes(rebasing: bytes[destination])
    let title = title.map { Bytes(rebasing: bytes[$0.dropFirst().dropLast()]) }
    // A text of several lines is always decoded, because its source may have block markers between
    // the lines.
    func isPlain(_ bytes: Bytes) -> Bool {
      bytes.allSatisfy {
        $0 != UInt8(ascii: "\\") && $0 != UInt8(ascii: "&") && $0 != Byte.lineFeed
      }
    }
    if isPlain(destination), title.map(isPlain) ?? true { return nil }
    return LinkTable.Resolved(destination: unescaped(destination), title: title.map(unescaped))
  }

  /// Returns some bytes with their backslash escapes and character references decoded.
  static func unescaped(_ bytes: Bytes) -> String {
    guard bytes.contains(where: { $0 == UInt8(ascii: "\\") || $0 == UInt8(ascii: "&") }) else {
      return String(decoding: bytes, as: UTF8.self)
    }
    var result: [UInt8] = []
    var index = 0
    while index < bytes.count {
      if bytes[index] == UInt8(ascii: "\\"), bytes.at(index + 1).isPunctuation {
        result.append(bytes[index + 1])
        index += 2
      } else if bytes[index] == UInt8(ascii: "&"), let entity = Entities.match(bytes, at: index) {
        for scalar in entity.scalars { result.append(contentsOf: UTF8.encode(scalar)!) }
        index += entity.length
      } else {
        result.append(bytes[index])
        index += 1
      }
    }
    return String(decoding: result, as: UTF8.self)
  }
}
