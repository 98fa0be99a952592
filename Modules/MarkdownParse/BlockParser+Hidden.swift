import Model

/// The kinds of block-level markup that isn't rendered.
enum HiddenMarkup: Int, Hashable {
  /// `%%` … `%%`.
  case comment = 1
  /// `{/*` … `*/}`.
  case expression
  /// `{% comment %}` … `{% endcomment %}`.
  case templateComment
  /// `{% tag %}`.
  case template
  /// `<Tag attribute={value}>`.
  case tag
  /// `import` and `export`.
  case module
  /// A single line, such as `:option: value` of a directive, an abbreviation, or attributes.
  case line
  /// `{::comment}` … `{:/comment}`.
  case colonComment
  /// `{{< tag >}}`.
  case shortcode
  /// `{{% tag %}}`.
  case markdownShortcode

  /// The text that ends the markup; empty if the end isn't a fixed text.
  var closing: StaticString {
    switch self {
    case .comment: "%%"
    case .expression: "*/}"
    case .templateComment: "endcomment"
    case .template: "%}"
    case .colonComment: "{:/comment}"
    case .shortcode: ">}}"
    case .markdownShortcode: "%}}"
    case .tag, .module, .line: ""
    }
  }

  /// Whether the markup must end before a blank line.
  var isTag: Bool {
    switch self {
    case .template, .tag, .shortcode, .markdownShortcode: true
    default: false
    }
  }
}

extension BlockParser {
  /// The effect of a line on an open block of hidden markup.
  enum HiddenLine { case continues, ended, endedWithLine }

  /// Whether a block of hidden markup is complete.
  func isFinished(_ index: Int) -> Bool { tree.nodes[index].fence != 0 }

  /// Adds a block of hidden markup that ends on this line.
  mutating func addHidden(_ markup: HiddenMarkup, to container: inout Int, through end: Int) {
    open(markup, in: &container)
    tree.nodes[container].fence = 1
    appendHidden(nonblank..<end, to: container)
    useUpLine()
  }

  mutating func open(_ markup: HiddenMarkup, in container: inout Int) {
    container = add(.hidden, to: container, start: nonblank)
    tree.nodes[container].number = markup.rawValue
  }

  mutating func appendHidden(_ range: Range<Int>, to index: Int) {
    appendLine(
      LineSlice(start: range.lowerBound, end: range.upperBound, next: lineNext), to: index)
    tree.nodes[index].end = range.upperBound
  }

  /// Adds a line to an open block of hidden markup.
  mutating func addHiddenLine(to index: Int) {
    guard !isFenceLine, !isBlank else { return }
    appendHidden(nonblank..<lineEnd, to: index)
  }

  /// Adds the line to an open block of hidden markup, or closes the block if its end is on the
  /// line.
  mutating func continueHidden(_ index: Int) -> HiddenLine {
    let node = tree.nodes[index]
    guard !isFinished(index), let markup = HiddenMarkup(rawValue: node.number) else {
      return .ended
    }
    if isBlank {
      if markup.isTag || markup == .line || markup == .module && node.columns <= 0 {
        return .ended
      }
      tree.nodes[index].fenceOffset = 1
      return .continues
    }
    let end: Int?
    switch markup {
    case .module:
      // After a blank line, only a line that is indented or closes a bracket certainly belongs to
      // the module.
      if node.fenceOffset == 1, indent == 0, !")}]".utf8.contains(byte(nonblank)) { return .ended }
      tree.nodes[index].columns = node.columns + depthChange(from: nonblank)
      return .continues
    case .tag:
      var scan = TagScan(node)
      end = scan.end(bytes, from: nonblank, to: lineEnd)
      if scan.isBroken { return .ended }
      scan.store(in: &tree.nodes[index])
    case .templateComment: end = endOfTemplateComment(from: nonblank)
    default: end = endOf(markup.closing, from: nonblank)
    }
    guard let end else { return .continues }
    appendHidden(nonblank..<end, to: index)
    tree.nodes[index].fence = 1
    tree.nodes[index].isOpen = false
    tip = tree.nodes[index].parent
    switch markup {
    case .tag: _ = addTagLabel(to: index, tree.nodes[index].start..<end)
    case .shortcode, .markdownShortcode: makeFigure(of: index)
    default: break
    }
    guard bytes[end..<lineEnd].contains(where: { !$0.isBlank }) else { return .endedWithLine }
    advance(to: end)
    while byte(offset).isBlank { advance(columns: 1) }
    nonblank = -1
    findNonblank()
    return .ended
  }

  /// Returns the end of a text in the line; nil if the line doesn't contain it.
  func endOf(_ word: StaticString, from start: Int) -> Int? {
    let found = Bytes(rebasing: bytes[..<lineEnd]).firstIndex(of: word, from: start)
    return found.map { $0 + word.utf8CodeUnitCount }
  }

  private func endOfTemplateComment(from start: Int) -> Int? {
    guard let word = endOf("endcomment", from: start) else { return nil }
    return endOf("%}", from: word)
  }

  /// Whether the closing text occurs anywhere after an offset. If it doesn't, the markup is text.
  /// O(bytes) at the first call for each kind, then O(1).
  mutating func isClosed(_ markup: HiddenMarkup, after place: Int) -> Bool {
    if let last = dialect.lastPlaces[markup] { return last >= place }
    var last = bytes.count - markup.closing.utf8CodeUnitCount
    while last >= 0, !bytes.starts(with: markup.closing, at: last) { last -= 1 }
    dialect.lastPlaces[markup] = last
    return last >= place
  }

  // MARK: - Starts

  /// Parses a comment that starts with `%%` or `{/*` and ends on this line or a later one. Returns
  /// false if text follows the comment on this line, because both then belong to a paragraph.
  mutating func startComment(_ container: inout Int, _ markup: HiddenMarkup) -> Bool {
    let opening: StaticString = markup == .comment ? "%%" : "{/*"
    guard bytes.starts(with: opening, at: nonblank) else { return false }
    let inner = nonblank + opening.utf8CodeUnitCount
    guard inner <= lineEnd else { return false }
    if let end = endOf(markup.closing, from: inner) {
      guard end >= contentEnd else { return false }
      addHidden(markup, to: &container, through: end)
      return true
    }
    guard isClosed(markup, after: lineEnd) else { return false }
    open(markup, in: &container)
    appendHidden(nonblank..<lineEnd, to: container)
    useUpLine()
    return true
  }

  /// Parses a line that contains only Liquid tags, or a tag that continues on the next line. The
  /// text between `highlight` and `endhighlight` is code; the text in a comment is hidden.
  mutating func startLiquid(_ container: inout Int) -> Bool {
    guard byte(nonblank + 1) == UInt8(ascii: "%") else { return false }
    let start = nonblank
    let end = contentEnd
    var index = start
    while index < end {
      guard bytes[index] == UInt8(ascii: "{"), bytes.at(index + 1) == UInt8(ascii: "%") else {
        return false
      }
      guard let close = endOf("%}", from: index + 2) else {
        open(.template, in: &container)
        appendHidden(start..<lineEnd, to: container)
        useUpLine()
        return true
      }
      index = close
      while index < end, bytes[index].isBlank { index += 1 }
    }
    switch liquidName(at: start) {
    case "highlight":
      let columns = indent
      container = add(.fencedCode, to: container, start: start)
      tree.nodes[container].fence = UInt8(ascii: "%")
      tree.nodes[container].number = 3
      tree.nodes[container].fenceOffset = columns
      recordPart(.fence, of: container, start..<end)
      useUpLine()
    case "comment" where endOfTemplateComment(from: start) == nil:
      guard isClosed(.templateComment, after: lineEnd) else { fallthrough }
      open(.templateComment, in: &container)
      appendHidden(start..<end, to: container)
      useUpLine()
    default: addHidden(.template, to: &container, through: end)
    }
    return true
  }

  /// Returns the word after `{%` or `{%-`. Words of more than 16 letters are cut, because no known
  /// word is that long.
  private func liquidName(at start: Int) -> String {
    var index = start + 2
    if byte(index) == UInt8(ascii: "-") { index += 1 }
    while byte(index).isBlank { index += 1 }
    var end = index
    while byte(end).isLetter, end - index < 16 { end += 1 }
    return String(decoding: bytes[index..<end], as: UTF8.self)
  }

  /// Returns the end of the line if it contains only the tag `endhighlight`; nil otherwise.
  func endOfLiquidCode() -> Int? {
    guard bytes.starts(with: "{%", at: nonblank), liquidName(at: nonblank) == "endhighlight",
      let end = endOf("%}", from: nonblank), end == contentEnd
    else { return nil }
    return end
  }

  /// Parses a line that contains only MDX tags. The last tag may continue on the next lines.
  mutating func startTags(_ container: inout Int) -> Bool {
    let raw = HTMLScanner.blockKind(bytes, at: nonblank, end: lineEnd, interruptsParagraph: true)
    if let raw, raw < 6 { return false }
    let end = contentEnd
    var index = nonblank
    var tags: [Range<Int>] = []
    while index < end {
      guard let inner = TagScan.start(bytes, at: index, end: end) else { return false }
      var scan = TagScan()
      guard let close = scan.end(bytes, from: inner, to: end) else {
        if scan.isBroken { return false }
        open(.tag, in: &container)
        scan.store(in: &tree.nodes[container])
        appendHidden(nonblank..<lineEnd, to: container)
        useUpLine()
        return true
      }
      tags.append(index..<close)
      index = close
      while index < end, bytes[index].isBlank { index += 1 }
    }
    addHidden(.tag, to: &container, through: end)
    for tag in tags where addTagLabel(to: container, tag) { break }
    return true
  }

  /// Parses an `import` or `export` of MDX, which ends at a blank line outside brackets.
  mutating func startModule(_ container: inout Int) -> Bool {
    guard container == 0, indent == 0 else { return false }
    let words = Bytes(rebasing: bytes[nonblank..<lineEnd])
    guard words.starts(with: "import ", at: 0) || words.starts(with: "export ", at: 0) else {
      return false
    }
    var index = 7
    while words.at(index).isBlank { index += 1 }
    if !"{*\"'".utf8.contains(words.at(index)) {
      let start = index
      while words.at(index).isNameByte || words.at(index) == UInt8(ascii: "$") { index += 1 }
      let name = String(decoding: words[start..<min(index, start + 16)], as: UTF8.self)
      while words.at(index).isBlank { index += 1 }
      let isModule =
        words[0] == UInt8(ascii: "i")
        ? words.at(index) == UInt8(ascii: ",") || words.starts(with: "from ", at: index)
        : Self.exported.contains(name)
      guard isModule else { return false }
    }
    let depth = depthChange(from: nonblank)
    open(.module, in: &container)
    tree.nodes[container].columns = depth
    appendHidden(nonblank..<contentEnd, to: container)
    useUpLine()
    return true
  }

  private static let exported: Set<String> = [
    "const", "let", "var", "function", "default", "async", "class", "type", "interface", "enum",
  ]

  /// Returns the number of brackets that the rest of the line opens, minus the number that it
  /// closes.
  private func depthChange(from start: Int) -> Int {
    var depth = 0
    for byte in bytes[start..<lineEnd] {
      if "{[(".utf8.contains(byte) { depth += 1 }
      if "}])".utf8.contains(byte) { depth -= 1 }
    }
    return depth
  }
}
