import Model

/// Finds the parts of links and of link reference definitions.
enum LinkScanner {
  /// A destination: its bytes without `<` and `>`, and where it ends with them.
  struct Destination {
    var content: Range<Int>
    var end: Int
  }

  /// The most bytes between a label's brackets (CommonMark 4.7).
  static let longestLabel = 999

  /// How deep parentheses may nest in a destination; this bounds the work on hostile input, as in
  /// the reference implementation.
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

  /// The end of the title that begins at an index, with its quotes; nil when there is none.
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

  /// The end of the label that begins at an index where a `[` stands, after its `]`; nil when
  /// there is none.
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

  /// A label in the form in which labels are compared: white space collapsed, case folded. Empty
  /// for a blank one.
  ///
  /// Folding is lower case, then upper case: that joins `ẞ`, `ß` and `SS` as full folding does.
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

  /// What a destination and a title, with its quotes, stand for; nil when that is what they are.
  static func resolved(_ destination: Range<Int>, title: Range<Int>?, of bytes: Bytes)
    -> LinkTable.Resolved?
  {
    let destination = Bytes(rebasing: bytes[destination])
    let title = title.map { Bytes(rebasing: bytes[$0.dropFirst().dropLast()]) }
    // Lines are joined without the markers between them.
    func isPlain(_ bytes: Bytes) -> Bool {
      bytes.allSatisfy {
        $0 != UInt8(ascii: "\\") && $0 != UInt8(ascii: "&") && $0 != Byte.lineFeed
      }
    }
    if isPlain(destination), title.map(isPlain) ?? true { return nil }
    return LinkTable.Resolved(destination: unescaped(destination), title: title.map(unescaped))
  }

  /// Some bytes with backslash escapes and character references resolved.
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
