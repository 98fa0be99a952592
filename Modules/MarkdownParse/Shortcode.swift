import Model

/// A Hugo shortcode on one line: `{{< name arguments >}}` or `{{% /name %}}`.
struct Shortcode {
  /// The range of the shortcode, including its braces.
  let range: Range<Int>
  /// The range of its name.
  let name: Range<Int>
  /// The range between the name and the closing delimiter.
  let arguments: Range<Int>
  /// Whether it closes an earlier shortcode with the same name.
  let isClosing: Bool

  /// Parses the shortcode at an index; nil if none begins there or it doesn't end before `end`.
  /// O(length).
  init?(_ bytes: Bytes, at start: Int, end: Int) {
    guard let name = Self.name(bytes, at: start) else { return nil }
    let line = Bytes(rebasing: bytes[..<end])
    let closing = Self.closing(bytes, at: start)
    guard let close = line.firstIndex(of: closing, from: name.upperBound) else { return nil }
    range = start..<close + closing.utf8CodeUnitCount
    self.name = name
    let hasSlash = close > name.upperBound && bytes[close - 1] == UInt8(ascii: "/")
    arguments = bytes.withoutBlanks(name.upperBound..<close - (hasSlash ? 1 : 0))
    isClosing = bytes[start + 3..<name.lowerBound].contains(UInt8(ascii: "/"))
  }

  /// Returns the closing delimiter of the shortcode at an index.
  static func closing(_ bytes: Bytes, at start: Int) -> StaticString {
    bytes.at(start + 2) == UInt8(ascii: "<") ? ">}}" : "%}}"
  }

  /// Returns the range of the name of the shortcode at an index; nil if not found. O(spaces +
  /// name).
  static func name(_ bytes: Bytes, at start: Int) -> Range<Int>? {
    guard bytes.starts(with: "{{<", at: start) || bytes.starts(with: "{{%", at: start) else {
      return nil
    }
    var first = start + 3
    while bytes.at(first).isBlank { first += 1 }
    if bytes.at(first) == UInt8(ascii: "/") { first += 1 }
    while bytes.at(first).isBlank { first += 1 }
    var last = first
    while bytes.at(last).isNameByte || last > first && "./".utf8.contains(bytes.at(last)) {
      last += 1
    }
    // The slash of `{{< name/>}}` ends the tag.
    while last > first, bytes[last - 1] == UInt8(ascii: "/") { last -= 1 }
    return last > first && bytes[first].isLetter ? first..<last : nil
  }

  /// Returns the value of a named argument without its quotes; nil if it is missing or empty.
  /// O(arguments).
  func value(_ key: StaticString, _ bytes: Bytes) -> Range<Int>? {
    let found = HTMLTokens.attribute(
      key, in: name.lowerBound - 1..<max(name.upperBound, arguments.upperBound) + 1, of: bytes)
    return found.flatMap { $0.isEmpty ? nil : $0 }
  }

  /// Returns the first two unnamed arguments without their quotes. O(arguments).
  func values(_ bytes: Bytes) -> [Range<Int>] {
    var found: [Range<Int>] = []
    var index = arguments.lowerBound
    while index < arguments.upperBound, found.count < 2 {
      let quote = bytes[index]
      let start = index
      if "\"'`".utf8.contains(quote) {
        let close = min(bytes.firstIndex(of: quote, from: index + 1), arguments.upperBound)
        found.append(bytes.withoutBlanks(start + 1..<max(start + 1, close)))
        index = close + 1
      } else {
        while index < arguments.upperBound, !bytes[index].isBlank,
          bytes[index] != UInt8(ascii: "=")
        { index += 1 }
        if index < arguments.upperBound, bytes[index] == UInt8(ascii: "=") { break }
        found.append(start..<index)
      }
      while index < arguments.upperBound, bytes[index].isBlank { index += 1 }
    }
    return found.filter { !$0.isEmpty }
  }
}

// MARK: - Blocks

extension BlockParser {
  /// Parses a line that contains only shortcodes, or a shortcode that continues on the next line. A
  /// shortcode for a callout or code block extends to its closing shortcode. A figure becomes an
  /// image, and other shortcodes are hidden.
  mutating func startShortcodes(_ container: inout Int) -> Bool {
    let start = nonblank
    let end = contentEnd
    var index = start
    var codes: [Shortcode] = []
    while index < end {
      guard Shortcode.name(bytes, at: index) != nil else { return false }
      guard let code = Shortcode(bytes, at: index, end: lineEnd) else {
        let isAngle = byte(index + 2) == UInt8(ascii: "<")
        open(isAngle ? .shortcode : .markdownShortcode, in: &container)
        appendHidden(start..<lineEnd, to: container)
        useUpLine()
        return true
      }
      if codes.count < 2 { codes.append(code) }
      index = code.range.upperBound
      while index < end, bytes[index].isBlank { index += 1 }
    }
    if codes.count == 1, !codes[0].isClosing {
      let name = String(decoding: bytes[codes[0].name].prefix(16), as: UTF8.self)
      if name == "highlight", isClosed(name, after: lineEnd) {
        startCode(&container, codes[0])
        return true
      }
      if name == "figure", startFigure(&container, codes[0]) { return true }
      if startCallout(&container, codes[0], name) { return true }
    }
    addHidden(.shortcode, to: &container, through: end)
    return true
  }

  /// Whether a closing shortcode with a name occurs at or after an offset. O(bytes) at the first
  /// call, then O(1).
  private mutating func isClosed(_ name: String, after place: Int) -> Bool {
    if dialect.lastClosings == nil {
      var last: [String: Int] = [:]
      var index = 0
      while let brace = bytes.firstIndex(of: "{{", from: index) {
        index = brace + 2
        guard let name = Shortcode.name(bytes, at: brace),
          bytes[brace + 3..<name.lowerBound].contains(UInt8(ascii: "/"))
        else { continue }
        last[String(decoding: bytes[name].prefix(16), as: UTF8.self)] = brace
        index = name.upperBound
      }
      dialect.lastClosings = last
    }
    return dialect.lastClosings?[name] ?? -1 >= place
  }

  private mutating func startCode(_ container: inout Int, _ code: Shortcode) {
    let columns = indent
    let start = nonblank
    container = add(.fencedCode, to: container, start: start)
    tree.nodes[container].fence = UInt8(ascii: "{")
    tree.nodes[container].number = 3
    tree.nodes[container].fenceOffset = columns
    tree.nodes[container].info = code.values(bytes).first
    recordPart(.fence, of: container, start..<contentEnd)
    useUpLine()
  }

  /// Returns the end of the line if it contains only the shortcode that closes a code block; nil
  /// otherwise.
  func endOfShortcodeCode() -> Int? {
    guard let code = Shortcode(bytes, at: nonblank, end: lineEnd), code.isClosing,
      bytes[code.name].elementsEqual("highlight".utf8), code.range.upperBound == contentEnd
    else { return nil }
    return contentEnd
  }

  /// Adds an image for a figure on one line. Returns false if the figure has no address.
  private mutating func startFigure(_ container: inout Int, _ code: Shortcode) -> Bool {
    guard code.value("src", bytes) != nil else { return false }
    let figure = add(.hidden, to: container, start: code.range.lowerBound)
    appendHidden(code.range, to: figure)
    tree.nodes[figure].isOpen = false
    makeFigure(of: figure)
    tip = tree.nodes[figure].parent
    container = tip
    useUpLine()
    return true
  }

  /// Turns a block of hidden markup into an image if it is a figure. The image's text is the
  /// figure's caption, title or description, or else its file name.
  mutating func makeFigure(of block: Int) {
    let node = tree.nodes[block]
    guard let code = Shortcode(bytes, at: node.start, end: node.end),
      code.range == node.start..<node.end, !code.isClosing,
      bytes[code.name].elementsEqual("figure".utf8), let address = code.value("src", bytes),
      isOnOneLine(address)
    else { return }
    var shown: Range<Int>?
    for key in ["caption", "title", "alt"] as [StaticString] where shown == nil {
      shown = code.value(key, bytes).flatMap { isOnOneLine($0) ? $0 : nil }
    }
    tree.nodes[block].kind = .paragraph
    tree.nodes[block].fence = UInt8(ascii: "!")
    tree.nodes[block].info = address
    if let shown {
      (tree.nodes[block].fenceOffset, tree.nodes[block].columns) = (
        shown.lowerBound, shown.upperBound
      )
    }
  }

  private func isOnOneLine(_ range: Range<Int>) -> Bool {
    !bytes[range].contains { $0 == Byte.lineFeed || $0 == Byte.carriageReturn }
  }

  // MARK: - Callouts

  /// Begins a callout and its label. Returns false unless Hugo themes use the shortcode for
  /// callouts and the shortcode is closed later.
  private mutating func startCallout(
    _ container: inout Int, _ code: Shortcode, _ name: String
  ) -> Bool {
    let isKind = Self.isAdmonition(Bytes(rebasing: bytes[code.name]))
    let isGeneral = Self.calloutShortcodes.contains(name)
    let isTitled = name == "tab" || name == "expand"
    guard isKind || isGeneral || isTitled, dialect.openDirectives < DialectState.mostDirectives,
      isClosed(name, after: lineEnd)
    else { return false }
    let values = code.values(bytes)
    var type: Range<Int>?
    if isGeneral {
      for key in ["style", "type", "color"] as [StaticString] where type == nil {
        type = code.value(key, bytes)
      }
      type = (type ?? values.first).flatMap {
        Self.isAdmonition(Bytes(rebasing: bytes[$0])) ? $0 : nil
      }
    }
    var title: Range<Int>?
    for key in ["title", "header", "summary", "name"] as [StaticString] where title == nil {
      title = code.value(key, bytes)
    }
    // The first unnamed argument is the type if the name of the shortcode isn't one.
    title = title ?? (type == nil ? values.first : values.dropFirst().first)
    guard title != nil || !isTitled else { return false }
    let start = nonblank
    let end = contentEnd
    container = add(.admonition, to: container, start: start)
    tree.nodes[container].number = 1
    tree.nodes[container].fence = UInt8(ascii: "{")
    tree.nodes[container].info = type ?? code.name
    (tree.nodes[container].fenceOffset, tree.nodes[container].columns) = (
      code.name.lowerBound, code.name.upperBound
    )
    dialect.openDirectives += 1
    let label = title ?? type ?? code.name
    recordPart(.admonitionMarker, of: container, bytes.withoutBlanks(start..<label.lowerBound))
    recordPart(.admonitionMarker, of: container, bytes.withoutBlanks(label.upperBound..<end))
    if title != nil {
      addTitle(label, to: &container, type ?? code.name)
    } else {
      addTypeLabel(label, to: &container)
    }
    return true
  }

  /// The shortcodes for callouts that have their type as an argument.
  private static let calloutShortcodes: Set<String> = [
    "notice", "alert", "hint", "callout", "admonition",
  ]

  /// Whether the line is the shortcode that closes a callout.
  func isClosingShortcode(of node: Node) -> Bool {
    guard byte(nonblank) == UInt8(ascii: "{"),
      let code = Shortcode(bytes, at: nonblank, end: lineEnd), code.isClosing,
      code.range.upperBound == contentEnd
    else { return false }
    return bytes[code.name].elementsEqual(bytes[node.fenceOffset..<node.columns])
  }
}

// MARK: - Spans

extension InlineParser {
  /// The maximum length of a shortcode inside other text, in bytes.
  private static let longestShortcode = 300

  /// Hides a shortcode, or the signs `/*` and `*/` of a shortcode that is shown as text.
  mutating func shortcode() -> Bool {
    guard bytes.starts(with: "/*", at: position + 3) else {
      guard Shortcode.name(bytes, at: position) != nil else { return false }
      return bytes.at(position + 2) == UInt8(ascii: "<")
        ? hidden(">}}", .shortcode, 3) : hidden("%}}", .markdownShortcode, 3)
    }
    let isAngle = bytes.starts(with: "{{<", at: position)
    guard isAngle || bytes.starts(with: "{{%", at: position),
      let end = shortcodeEnd(isAngle ? "*/>}}" : "*/%}}", from: position + 5)
    else { return false }
    position += 3
    hide(to: position + 2)
    position = end - 5
    hide(to: end - 3)
    position = end
    return true
  }

  /// Returns the end of a shortcode that closes on the same line, within the maximum length; nil if
  /// it doesn't.
  private func shortcodeEnd(_ closing: StaticString, from start: Int) -> Int? {
    guard start <= scan.end else { return nil }
    let limit = min(scan.end, start + Self.longestShortcode)
    guard let found = Bytes(rebasing: bytes[..<limit]).firstIndex(of: closing, from: start),
      !bytes.contains(Byte.lineFeed, in: start..<found)
    else { return nil }
    return found + closing.utf8CodeUnitCount
  }

  /// Returns the destination of a link that a shortcode writes, as in
  /// `[text]({{< ref "page.md" >}})`: the page that the shortcode names. Nil if the destination is
  /// not a shortcode.
  func shortcodeDestination(at start: Int) -> LinkScanner.Destination? {
    guard Shortcode.name(bytes, at: start) != nil,
      let end = shortcodeEnd(Shortcode.closing(bytes, at: start), from: start + 3),
      let code = Shortcode(bytes, at: start, end: end)
    else { return nil }
    return LinkScanner.Destination(content: code.values(bytes).first ?? code.range, end: end)
  }
}
