/// Finds raw HTML: the starts and ends of HTML blocks, and inline tags.
enum HTMLScanner {
  /// Returns the kind of the HTML block that begins on a line. The kinds 1 … 7 are those of
  /// CommonMark 4.6. Nil if no HTML block begins.
  static func blockKind(_ bytes: Bytes, at start: Int, end: Int, interruptsParagraph: Bool) -> Int?
  {
    let line = Bytes(rebasing: bytes[start..<end])
    guard line.at(0) == UInt8(ascii: "<") else { return nil }
    for name: StaticString in ["script", "pre", "style", "textarea"]
    where line.startsIgnoringCase(with: name, at: 1) {
      let next = 1 + name.utf8CodeUnitCount
      if next == line.count || line[next].isBlank || line[next] == UInt8(ascii: ">") { return 1 }
    }
    if line.starts(with: "!--", at: 1) { return 2 }
    if line.at(1) == UInt8(ascii: "?") { return 3 }
    if line.at(1) == UInt8(ascii: "!"), line.at(2).isLetter { return 4 }
    if line.starts(with: "![CDATA[", at: 1) { return 5 }
    if isBlockTag(line) { return 6 }
    guard !interruptsParagraph else { return nil }
    let tag = line.at(1) == UInt8(ascii: "/") ? closingTag(line, at: 0) : openTag(line, at: 0)
    guard let tag, line[tag...].allSatisfy(\.isSpace) else { return nil }
    return 7
  }

  /// Whether a line ends an HTML block of the kinds 1 … 5. False for the other kinds.
  static func endsBlock(_ bytes: Bytes, from start: Int, to end: Int, kind: Int) -> Bool {
    let line = Bytes(rebasing: bytes[start..<end])
    switch kind {
    case 1:
      for name: StaticString in ["</script>", "</pre>", "</style>", "</textarea>"] {
        for index in line.indices where line[index] == UInt8(ascii: "<") {
          if line.startsIgnoringCase(with: name, at: index) { return true }
        }
      }
      return false
    case 2: return line.firstIndex(of: "-->", from: 0) != nil
    case 3: return line.firstIndex(of: "?>", from: 0) != nil
    case 4: return line.contains(UInt8(ascii: ">"))
    case 5: return line.firstIndex(of: "]]>", from: 0) != nil
    default: return false
    }
  }

  private static let blockTags: Set<String> = [
    "address", "article", "aside", "base", "basefont", "blockquote", "body", "caption", "center",
    "col", "colgroup", "dd", "details", "dialog", "dir", "div", "dl", "dt", "fieldset",
    "figcaption", "figure", "footer", "form", "frame", "frameset", "h1", "h2", "h3", "h4", "h5",
    "h6", "head", "header", "hr", "html", "iframe", "legend", "li", "link", "main", "menu",
    "menuitem", "nav", "noframes", "ol", "optgroup", "option", "p", "param", "search", "section",
    "summary", "table", "tbody", "td", "tfoot", "th", "thead", "title", "tr", "track", "ul",
  ]

  private static func isBlockTag(_ line: Bytes) -> Bool {
    let start = line.at(1) == UInt8(ascii: "/") ? 2 : 1
    var end = start
    while end < line.count, line[end].isAlphanumeric, end - start < 12 { end += 1 }
    guard end > start else { return false }
    let name = String(decoding: line[start..<end].map(\.lowercased), as: UTF8.self)
    guard blockTags.contains(name) else { return false }
    guard end < line.count else { return true }
    let next = line[end]
    return next.isBlank || next == UInt8(ascii: ">")
      || (next == UInt8(ascii: "/") && line.at(end + 1) == UInt8(ascii: ">"))
  }

  /// Returns the end of the opening tag at an index; nil if it isn't valid.
  static func openTag(_ bytes: Bytes, at start: Int) -> Int? {
    var index = start + 1
    guard bytes.at(index).isLetter else { return nil }
    while bytes.at(index).isAlphanumeric || bytes.at(index) == UInt8(ascii: "-") { index += 1 }
    while true {
      let afterName = index
      while bytes.at(index).isSpace { index += 1 }
      let hadSpace = index > afterName
      switch bytes.at(index) {
      case UInt8(ascii: ">"): return index + 1
      case UInt8(ascii: "/"): return bytes.at(index + 1) == UInt8(ascii: ">") ? index + 2 : nil
      default: break
      }
      guard hadSpace, let end = attribute(bytes, at: index) else { return nil }
      index = end
    }
  }

  /// Returns the end of the attribute at an index; nil if it isn't valid.
  private static func attribute(_ bytes: Bytes, at start: Int) -> Int? {
    var index = start
    let first = bytes.at(index)
    guard first.isLetter || first == UInt8(ascii: "_") || first == UInt8(ascii: ":") else {
      return nil
    }
    while true {
      let byte = bytes.at(index)
      let isName =
        byte.isAlphanumeric || byte == UInt8(ascii: "_") || byte == UInt8(ascii: ":")
        || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "-")
      guard isName else { break }
      index += 1
    }
    let end = index
    while bytes.at(index).isSpace { index += 1 }
    guard bytes.at(index) == UInt8(ascii: "=") else { return end }
    index += 1
    while bytes.at(index).isSpace { index += 1 }
    let quote = bytes.at(index)
    if quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") {
      index += 1
      while index < bytes.count, bytes[index] != quote { index += 1 }
      return index < bytes.count ? index + 1 : nil
    }
    let value = index
    while index < bytes.count {
      switch bytes[index] {
      case UInt8(ascii: "\""), UInt8(ascii: "'"), UInt8(ascii: "="), UInt8(ascii: "<"),
        UInt8(ascii: ">"), UInt8(ascii: "`"):
        return index > value ? index : nil
      case let byte where byte.isSpace: return index > value ? index : nil
      default: index += 1
      }
    }
    return index > value ? index : nil
  }

  /// Returns the end of the closing tag at an index; nil if it isn't valid.
  static func closingTag(_ bytes: Bytes, at start: Int) -> Int? {
    var index = start + 2
    guard bytes.at(start + 1) == UInt8(ascii: "/"), bytes.at(index).isLetter else { return nil }
    while bytes.at(index).isAlphanumeric || bytes.at(index) == UInt8(ascii: "-") { index += 1 }
    while bytes.at(index).isSpace { index += 1 }
    return bytes.at(index) == UInt8(ascii: ">") ? index + 1 : nil
  }
}
