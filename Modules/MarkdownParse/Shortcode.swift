import Model

/// A tag of Hugo's templates on one line: `{{< name arguments >}}` or `{{% /name %}}`.
struct Shortcode {
  /// Its bytes, braces included.
  let range: Range<Int>
  /// What it is called.
  let name: Range<Int>
  /// What stands between the name and the closing sign.
  let arguments: Range<Int>
  /// Whether it ends what a tag of the same name begins.
  let isClosing: Bool

  /// Reads the tag that begins at an index; nil where none begins, or none ends before `end`. O(tag).
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

  /// What ends the tag that begins at an index.
  static func closing(_ bytes: Bytes, at start: Int) -> StaticString {
    bytes.at(start + 2) == UInt8(ascii: "<") ? ">}}" : "%}}"
  }

  /// The name of the tag that begins at an index; nil where none begins. O(its blanks and its name).
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

  /// The value of an argument with a name, without its quotes; nil where there is none. O(arguments).
  func value(_ key: StaticString, _ bytes: Bytes) -> Range<Int>? {
    let found = HTMLTokens.attribute(
      key, in: name.lowerBound - 1..<max(name.upperBound, arguments.upperBound) + 1, of: bytes)
    return found.flatMap { $0.isEmpty ? nil : $0 }
  }

  /// The first two arguments without names, without their quotes. O(arguments).
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

// MARK: - In lines of their own

extension BlockParser {
  /// Reads a line of nothing but Hugo's tags, or a tag that goes on in the next line. A callout goes up to
  /// the tag that closes it, code too; a figure is a picture; all other tags are hidden.
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

  /// Whether a tag that closes a name stands anywhere behind a place. O(1) but for the first time.
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
    note(.fence, of: container, start..<contentEnd)
    useUpLine()
  }

  /// Where the line ends if it is the tag behind code.
  func endOfShortcodeCode() -> Int? {
    guard let code = Shortcode(bytes, at: nonblank, end: lineEnd), code.isClosing,
      bytes[code.name].elementsEqual("highlight".utf8), code.range.upperBound == contentEnd
    else { return nil }
    return contentEnd
  }

  /// Makes a picture of a tag on one line.
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

  /// Makes a picture of the block of hidden markup that is a tag, if it is a figure's: with its caption,
  /// its title or its description, or else its file's name, as its text.
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

  /// Begins a callout with its label, if a tag is one of those that themes have for them and another
  /// closes it.
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
    // What stands first is the kind, where the name is none.
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
    note(.admonitionMarker, of: container, bytes.withoutBlanks(start..<label.lowerBound))
    note(.admonitionMarker, of: container, bytes.withoutBlanks(label.upperBound..<end))
    if title != nil {
      addTitle(label, to: &container, type ?? code.name)
    } else {
      addTypeLabel(label, to: &container)
    }
    return true
  }

  /// The tags of callouts whose kind is an argument.
  private static let calloutShortcodes: Set<String> = [
    "notice", "alert", "hint", "callout", "admonition",
  ]

  /// Whether the line is the tag that closes a callout.
  func isClosingShortcode(of node: Node) -> Bool {
    guard byte(nonblank) == UInt8(ascii: "{"),
      let code = Shortcode(bytes, at: nonblank, end: lineEnd), code.isClosing,
      code.range.upperBound == contentEnd
    else { return false }
    return bytes[code.name].elementsEqual(bytes[node.fenceOffset..<node.columns])
  }
}

// MARK: - In lines of text

extension InlineParser {
  /// The longest tag that is looked for where another would be text, in bytes.
  private static let longestShortcode = 300

  /// Hides a tag of Hugo's, or the signs `/*` and `*/` of one that is shown as it is.
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

  /// The end of the tag whose closing sign stands in the same line, not far from a place.
  private func shortcodeEnd(_ closing: StaticString, from start: Int) -> Int? {
    guard start <= scan.end else { return nil }
    let limit = min(scan.end, start + Self.longestShortcode)
    guard let found = Bytes(rebasing: bytes[..<limit]).firstIndex(of: closing, from: start),
      !bytes.contains(Byte.lineFeed, in: start..<found)
    else { return nil }
    return found + closing.utf8CodeUnitCount
  }

  /// The destination of a link that a tag writes, `[text]({{< ref "page.md" >}})`: the page that it names.
  func shortcodeDestination(at start: Int) -> LinkScanner.Destination? {
    guard Shortcode.name(bytes, at: start) != nil,
      let end = shortcodeEnd(Shortcode.closing(bytes, at: start), from: start + 3),
      let code = Shortcode(bytes, at: start, end: end)
    else { return nil }
    return LinkScanner.Destination(content: code.values(bytes).first ?? code.range, end: end)
  }
}
