import Model

extension BlockParser {
  /// Parses the label of a callout, such as `[!NOTE]`, at the start of a block quote that was just
  /// opened. Returns false if the quote doesn't begin with a label.
  mutating func startCallout(_ quote: inout Int) -> Bool {
    guard indent <= 3, byte(nonblank) == UInt8(ascii: "["), byte(nonblank + 1) == UInt8(ascii: "!")
    else { return false }
    let start = nonblank
    let longest = 64
    var close = start + 2
    while close < lineEnd, close - start <= longest, bytes[close] != UInt8(ascii: "]"),
      bytes[close] != UInt8(ascii: "[")
    { close += 1 }
    guard byte(close) == UInt8(ascii: "]"), close - start <= longest else { return false }
    var type = start + 2..<close
    if let bar = bytes[type].firstIndex(of: UInt8(ascii: "|")) { type = type.lowerBound..<bar }
    guard let first = type.first, let last = type.last, !bytes[first].isSpace,
      !bytes[last].isSpace
    else { return false }
    var after = close + 1
    if options.callouts, byte(after) == UInt8(ascii: "-") || byte(after) == UInt8(ascii: "+") {
      after += 1
    }
    var title = after
    while byte(title).isBlank { title += 1 }
    if title < lineEnd {
      guard options.callouts, title > after else { return false }
    } else if !options.callouts {
      guard close == type.upperBound, Self.isAlert(Bytes(rebasing: bytes[type])) else {
        return false
      }
    }
    addLabel(to: &quote, start: start, type: type, title: title..<max(title, contentEnd)) {
      $0 ? start..<after : type.upperBound..<after
    }
    return true
  }

  /// Adds the label of a callout and consumes the line.
  ///
  /// - Parameters:
  ///   - title: the range of the callout's title; empty if the type serves as the title.
  ///   - marker: returns the range of the marker before the title; if the title is empty, the range
  ///     of the marker after the type.
  private mutating func addLabel(
    to container: inout Int, start: Int, type: Range<Int>, title: Range<Int>,
    marker: (_ hasTitle: Bool) -> Range<Int>
  ) {
    let hasTitle = !title.isEmpty
    let closing = marker(hasTitle)
    container = add(.calloutLabel, to: container, start: start)
    tree.nodes[container].info = type
    if hasTitle {
      recordPart(.calloutMarker, of: container, closing)
      appendLine(
        LineSlice(start: title.lowerBound, end: title.upperBound, next: lineNext), to: container)
      tree.nodes[container].end = title.upperBound
    } else {
      recordPart(.calloutMarker, of: container, start..<type.lowerBound)
      recordPart(.calloutMarker, of: container, closing)
      tree.nodes[container].end = closing.upperBound
    }
    useUpLine()
  }

  /// Whether a callout type is one of the alerts that GitHub defines.
  private static func isAlert(_ name: Bytes) -> Bool {
    for alert: StaticString in ["note", "tip", "important", "warning", "caution"]
    where name.count == alert.utf8CodeUnitCount && name.startsIgnoringCase(with: alert, at: 0) {
      return true
    }
    return false
  }

  /// Parses `!!! type "Title"`, `??? type` or `=== "Title"`, whose content is indented. Returns
  /// false for any other line.
  mutating func startAdmonition(_ container: inout Int) -> Bool {
    let mark = bytes[nonblank]
    let start = nonblank
    guard byte(start + 1) == mark, byte(start + 2) == mark else { return false }
    let isTab = mark == UInt8(ascii: "=")
    var index = start + 3
    if mark != UInt8(ascii: "!"), byte(index) == UInt8(ascii: "+") { index += 1 }
    if isTab, byte(index) == UInt8(ascii: "!") { index += 1 }
    let opening = index
    while byte(index).isBlank { index += 1 }
    // The first of the classes is the type.
    var type = index..<index
    var classes = index
    while byte(index).isNameByte {
      while byte(index).isNameByte { index += 1 }
      if type.isEmpty { type = type.lowerBound..<index }
      classes = index
      while byte(index).isBlank { index += 1 }
    }
    let end = contentEnd
    var title: Range<Int>?
    if byte(index) == UInt8(ascii: "\""), end > index + 1, bytes[end - 1] == UInt8(ascii: "\""),
      index == type.lowerBound || bytes[index - 1].isBlank
    {
      title = index + 1..<end - 1
    } else if index < end {
      return false
    }
    guard isTab ? type.isEmpty && title != nil : !type.isEmpty || title != nil else { return false }
    container = add(.admonition, to: container, start: start)
    tree.nodes[container].info = type
    if let title {
      let trimmed = bytes.withoutBlanks(title)
      recordPart(
        .admonitionMarker, of: container, start..<(trimmed.isEmpty ? end : title.lowerBound))
      if !trimmed.isEmpty {
        recordPart(.admonitionMarker, of: container, title.upperBound..<end)
        addTitle(trimmed, to: &container, type)
      } else {
        useUpLine()
      }
    } else {
      recordPart(.admonitionMarker, of: container, start..<opening)
      if classes > type.upperBound {
        let rest = bytes.withoutBlanks(type.upperBound..<classes)
        recordPart(.admonitionMarker, of: container, rest)
      }
      addTypeLabel(type, to: &container)
    }
    return true
  }

  /// Parses the fence that opens a directive: `:::note Title`, `:::{note} Title`, `::: {.note}`, or
  /// backticks with the name of an admonition or a picture in braces. Returns false if the line
  /// isn't such a fence.
  mutating func startDirective(_ container: inout Int, _ mark: UInt8) -> Bool {
    guard dialect.openDirectives < DialectState.mostDirectives else { return false }
    let start = nonblank
    var index = start
    while byte(index) == mark { index += 1 }
    let length = index - start
    guard length >= 3 else { return false }
    let opening = index
    while byte(index).isBlank { index += 1 }
    let end = contentEnd
    guard let name = directiveName(&index, end) else { return false }
    let isKnown = Self.isAdmonition(Bytes(rebasing: bytes[name]))
    let isBraced = bytes[name.lowerBound - 1] == UInt8(ascii: "{")
    let isPicture = options.roles && isBraced && Self.isPicture(Bytes(rebasing: bytes[name]))
    guard mark == UInt8(ascii: ":") || isBraced && (isKnown || isPicture) else { return false }
    let nameEnd = index
    while index < end, bytes[index].isBlank { index += 1 }
    // The attributes after a title are not part of it.
    var title = index..<max(index, end)
    if index == nameEnd, index == name.upperBound, byte(index) == UInt8(ascii: "[") {
      guard let close = bytes[title].lastIndex(of: UInt8(ascii: "]")) else { return false }
      title = index + 1..<close
    } else if let last = title.last, bytes[last] == UInt8(ascii: "}"),
      let brace = bytes[title].lastIndex(of: UInt8(ascii: "{"))
    {
      title = index..<brace
    } else if title.allSatisfy({ bytes[$0] == mark }) {
      title = index..<index
    }
    guard mark == UInt8(ascii: ":") || !bytes[title].contains(mark) else { return false }
    title = bytes.withoutBlanks(title)
    if title.isEmpty, bytes[opening..<nameEnd].contains(UInt8(ascii: "{")),
      let value = HTMLTokens.attribute("title", in: opening..<nameEnd, of: bytes)
    {
      title = value
    }
    container = add(.admonition, to: container, start: start)
    tree.nodes[container].number = length
    tree.nodes[container].fence = mark
    tree.nodes[container].info = name
    dialect.openDirectives += 1
    if !title.isEmpty {
      recordPart(.admonitionMarker, of: container, bytes.withoutBlanks(start..<title.lowerBound))
      recordPart(.admonitionMarker, of: container, bytes.withoutBlanks(title.upperBound..<end))
      if isPicture {
        addPicture(title, to: container)
      } else {
        addTitle(title, to: &container, name)
      }
    } else if isKnown {
      let shown = Self.shownName(name, bytes)
      recordPart(.admonitionMarker, of: container, start..<opening)
      recordPart(.admonitionMarker, of: container, bytes.withoutBlanks(opening..<shown.lowerBound))
      recordPart(.admonitionMarker, of: container, bytes.withoutBlanks(shown.upperBound..<end))
      addTypeLabel(shown, to: &container)
    } else {
      recordPart(.admonitionMarker, of: container, start..<end)
      useUpLine()
    }
    return true
  }

  /// Returns the name after a fence, with or without braces, and moves `index` past it. Nil if
  /// there is no valid name.
  private func directiveName(_ index: inout Int, _ end: Int) -> Range<Int>? {
    let isBraced = byte(index) == UInt8(ascii: "{")
    var start = index + (isBraced ? 1 : 0)
    let close = isBraced ? bytes[start..<end].firstIndex(of: UInt8(ascii: "}")) : end
    guard let close else { return nil }
    if isBraced {
      // In Pandoc's attributes, the first class is the name.
      if let dot = bytes[start..<close].firstIndex(of: UInt8(ascii: ".")) { start = dot + 1 }
    }
    var last = start
    while last < close, bytes[last].isNameByte { last += 1 }
    guard last > start, bytes[start].isLetter else { return nil }
    if isBraced {
      index = close + 1
    } else {
      guard last == end || bytes[last].isBlank || "[{".utf8.contains(bytes[last]) else {
        return nil
      }
      index = last
    }
    return start..<last
  }

  private static func isPicture(_ name: Bytes) -> Bool {
    let directives: [StaticString] = ["figure", "image"]
    return directives.contains {
      name.count == $0.utf8CodeUnitCount && name.starts(with: $0, at: 0)
    }
  }

  /// Adds an image whose address follows the name of a directive, as a paragraph.
  private mutating func addPicture(_ address: Range<Int>, to container: Int) {
    let picture = add(.paragraph, to: container, start: address.lowerBound)
    tree.nodes[picture].fence = UInt8(ascii: "!")
    tree.nodes[picture].end = address.upperBound
    appendLine(
      LineSlice(start: address.lowerBound, end: address.upperBound, next: lineNext), to: picture)
    tree.nodes[picture].isOpen = false
    tip = container
    useUpLine()
  }

  mutating func addTitle(_ title: Range<Int>, to container: inout Int, _ type: Range<Int>) {
    addLabel(to: &container, start: title.lowerBound, type: type, title: title) { _ in
      title.lowerBound..<title.lowerBound
    }
  }

  mutating func addTypeLabel(_ type: Range<Int>, to container: inout Int) {
    addLabel(to: &container, start: type.lowerBound, type: type, title: type.prefix(0)) { _ in
      type.suffix(0)
    }
  }

  private static let admonitions: Set<String> = [
    "note", "tip", "info", "warning", "danger", "caution", "important", "hint", "attention",
    "error", "seealso", "success", "question", "failure", "bug", "example", "quote", "abstract",
    "summary", "todo", "secondary", "admonition", "deprecated", "tldr", "faq", "help", "fail",
    "details",
  ]

  /// Whether a name is that of an admonition. Such a name serves as the title of an admonition
  /// without a title.
  static func isAdmonition(_ name: Bytes) -> Bool {
    let shown = shownName(0..<name.count, name)
    guard shown.count <= 12 else { return false }
    return admonitions.contains(String(decoding: name[shown].map(\.lowercased), as: UTF8.self))
  }

  /// Returns the range of a name without the prefix `callout-` that Quarto uses.
  private static func shownName(_ name: Range<Int>, _ bytes: Bytes) -> Range<Int> {
    let prefix: StaticString = "callout-"
    let length = prefix.utf8CodeUnitCount
    return name.count > length && bytes.starts(with: prefix, at: name.lowerBound)
      ? name.lowerBound + length..<name.upperBound : name
  }

  // MARK: - Continuation and closing

  /// Whether a line continues an open admonition. A closing fence is recorded in `dialect.closing`.
  mutating func continueAdmonition(_ index: Int) -> Bool {
    let node = tree.nodes[index]
    if node.number == 0 {
      if indent >= 4 {
        advance(columns: 4)
        return true
      }
      if isBlank { advance(to: nonblank) }
      return isBlank
    }
    if node.fence == UInt8(ascii: "{") {
      if isClosingShortcode(of: node) { (dialect.closing, dialect.closesExactly) = (index, true) }
    } else if let length = closingLength(of: node), length >= node.number {
      let isExact = length == node.number
      if isExact || !dialect.closesExactly || dialect.closing < 0 {
        dialect.closing = index
        dialect.closesExactly = isExact
      }
    }
    return true
  }

  /// Returns the length of the closing fence on the line; nil if not found.
  private func closingLength(of node: Node) -> Int? {
    guard indent <= 3 || options.mdx, byte(nonblank) == node.fence else { return nil }
    var end = nonblank
    while byte(end) == node.fence { end += 1 }
    let length = end - nonblank
    while byte(end).isBlank { end += 1 }
    return end == lineEnd ? length : nil
  }

  /// Closes the admonition whose closing fence is on the line. Does nothing and returns false if
  /// the line is code or hidden markup inside the admonition.
  mutating func closeDirective(around matched: Int) -> Bool {
    guard dialect.closing >= 0 else { return false }
    switch tree.nodes[matched].kind {
    case .fencedCode, .indentedCode, .html, .hidden: return false
    default: break
    }
    findNonblank()
    let index = dialect.closing
    closeDown(to: index)
    recordPart(.admonitionClosing, of: index, nonblank..<contentEnd)
    tree.nodes[index].end = lineEnd
    close(index)
    tip = tree.nodes[index].parent
    return true
  }

  /// Hides a line `:option: value` directly after the first line of a directive.
  mutating func startOption(_ container: inout Int) -> Bool {
    guard tree.nodes[container].kind == .admonition else { return false }
    let last = tree.nodes[container].lastChild
    guard tip == container || tip == last, last < 0 || !tree.nodes[last].lastLineIsBlank,
      last < 0 || isLabel(last) || tree.nodes[last].kind == .hidden
        || tree.nodes[last].fence == UInt8(ascii: "!") && tree.nodes[last].kind == .paragraph,
      isOption
    else { return false }
    addHidden(.line, to: &container, through: contentEnd)
    return true
  }

  /// Whether the line is `:option: value`.
  var isOption: Bool {
    guard byte(nonblank) == UInt8(ascii: ":") else { return false }
    var index = nonblank + 1
    while byte(index).isNameByte { index += 1 }
    return index > nonblank + 1 && byte(index) == UInt8(ascii: ":")
      && (index + 1 == lineEnd || bytes[index + 1].isBlank)
  }

  private func isLabel(_ index: Int) -> Bool { tree.nodes[index].kind == .calloutLabel }
}

extension UInt8 {
  /// Whether the byte is an ASCII letter, a digit, `-` or `_`.
  var isNameByte: Bool {
    isAlphanumeric || self == UInt8(ascii: "-") || self == UInt8(ascii: "_")
  }
}
