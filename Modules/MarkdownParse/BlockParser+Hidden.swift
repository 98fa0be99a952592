import Model

/// The kinds of markup in lines of its own that does not render.
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
  /// A line of its own: `:option: value` of a directive, an abbreviation, attributes.
  case line
  /// `{::comment}` … `{:/comment}`.
  case colonComment
  /// `{{< tag >}}`.
  case shortcode
  /// `{{% tag %}}`.
  case markdownShortcode

  /// What ends it; empty where that is no word.
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

  /// Whether it must end before a blank line.
  var isTag: Bool {
    switch self {
    case .template, .tag, .shortcode, .markdownShortcode: true
    default: false
    }
  }
}

extension BlockParser {
  /// How an open block of hidden markup goes on with a line.
  enum HiddenLine { case continues, ended, endedWithLine }

  /// Whether nothing is added to a block of hidden markup any more.
  func isFinished(_ index: Int) -> Bool { tree.nodes[index].fence != 0 }

  /// Adds a block of hidden markup that ends with the line.
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

  /// Adds a line to a block of hidden markup that goes on.
  mutating func addHiddenLine(to index: Int) {
    guard !isFenceLine, !isBlank else { return }
    appendHidden(nonblank..<lineEnd, to: index)
  }

  /// Takes the line into an open block of hidden markup, or finds its end in it.
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
      // Behind a blank line only what is indented, or closes a bracket, is code for sure.
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

  /// After a word in the line, or nil.
  func endOf(_ word: StaticString, from start: Int) -> Int? {
    let found = Bytes(rebasing: bytes[..<lineEnd]).firstIndex(of: word, from: start)
    return found.map { $0 + word.utf8CodeUnitCount }
  }

  private func endOfTemplateComment(from start: Int) -> Int? {
    guard let word = endOf("endcomment", from: start) else { return nil }
    return endOf("%}", from: word)
  }

  /// Whether a closing word stands anywhere behind a place: without one nothing begins. O(1) but for
  /// the first time.
  mutating func isClosed(_ markup: HiddenMarkup, after place: Int) -> Bool {
    if let last = dialect.lastPlaces[markup] { return last >= place }
    var last = bytes.count - markup.closing.utf8CodeUnitCount
    while last >= 0, !bytes.starts(with: markup.closing, at: last) { last -= 1 }
    dialect.lastPlaces[markup] = last
    return last >= place
  }

  // MARK: - Starts

  /// Reads `%%` or `{/*`, up to its end in this line or a later one. What has text behind it in the
  /// same line is left to its paragraph.
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

  /// Reads a line of nothing but Liquid's tags, or a tag that goes on in the next line. What stands
  /// between `highlight` and its end is code, what stands in a comment is hidden.
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
      note(.fence, of: container, start..<end)
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

  /// The word behind `{%` or `{%-`; empty for one that is longer than any known.
  private func liquidName(at start: Int) -> String {
    var index = start + 2
    if byte(index) == UInt8(ascii: "-") { index += 1 }
    while byte(index).isBlank { index += 1 }
    var end = index
    while byte(end).isLetter, end - index < 16 { end += 1 }
    return String(decoding: bytes[index..<end], as: UTF8.self)
  }

  /// Where the line ends if it is the tag behind code.
  func endOfLiquidCode() -> Int? {
    guard bytes.starts(with: "{%", at: nonblank), liquidName(at: nonblank) == "endhighlight",
      let end = endOf("%}", from: nonblank), end == contentEnd
    else { return nil }
    return end
  }

  /// Reads a line of nothing but tags as MDX has them; the last may go on in the next lines.
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

  /// Reads an `import` or an `export` of MDX, which ends at a blank line outside of brackets.
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

  /// How many more brackets the rest of the line opens than it closes.
  private func depthChange(from start: Int) -> Int {
    var depth = 0
    for byte in bytes[start..<lineEnd] {
      if "{[(".utf8.contains(byte) { depth += 1 }
      if "}])".utf8.contains(byte) { depth -= 1 }
    }
    return depth
  }
}
