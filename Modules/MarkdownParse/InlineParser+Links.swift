import Model

extension InlineParser {
  /// Matches a closing bracket with the last open bracket to form an inline note, a link, an image,
  /// a bracketed span or a footnote reference (“look for link or image” in the CommonMark
  /// appendix). Returns the offset after it, or after the bracket if the bracket is text.
  mutating func closeBracket(at close: Int) -> Int {
    guard let bracket = brackets.last else { return close + 1 }
    if bracket.isNote {
      removeBracket()
      endNote(bracket)
      return close + 1
    }
    guard canBeLink(brackets.count - 1) else {
      removeBracket()
      return close + 1
    }
    guard let (link, end) = tail(of: bracket, close: close) else {
      removeBracket()
      return bracketedSpan(bracket, close: close) ?? footnote(bracket, close: close) ?? close + 1
    }
    let kind: InlineScan.Span.Kind = bracket.isImage ? .image(link) : .link(link)
    scan.spans.append(InlineScan.Span(kind: kind, open: bracket.range, close: close..<end))
    resolveRuns(after: bracket.previousRun)
    removeBracket()
    // A link cannot contain another link.
    if !bracket.isImage { bracketsAroundLink = brackets.count }
    linkEnd = end
    return end
  }

  /// Whether the open bracket at an index may begin a link or an image. O(1).
  func canBeLink(_ bracket: Int) -> Bool {
    brackets[bracket].isImage || !brackets[bracket].isNote && bracket >= bracketsAroundLink
  }

  private mutating func removeBracket() {
    brackets.removeLast()
    bracketsAroundLink = min(bracketsAroundLink, brackets.count)
  }

  /// Returns the index of the link that a pair of brackets forms, and the offset after the link.
  /// The destination or the label follows the closing bracket, or the bracketed text is the label.
  /// Nil if the brackets don't form a link.
  private mutating func tail(of bracket: Bracket, close: Int) -> (link: Int, end: Int)? {
    let after = close + 1
    if bytes.at(after) == UInt8(ascii: "("), let inline = inlineTail(at: after) {
      return inline
    }
    if definitions.isEmpty { return nil }
    if bytes.at(after) == UInt8(ascii: "["), let end = LinkScanner.label(bytes, at: after) {
      if end > after + 2 {
        // For a full reference with an unknown label, the shorter forms are not tried.
        return link(named: after + 1..<end - 1).map { ($0, end) }
      }
      guard !bracket.hasBracketAfter, let link = link(named: bracket.range.upperBound..<close)
      else { return nil }
      return (link, end)
    }
    guard !bracket.hasBracketAfter else { return nil }
    return link(named: bracket.range.upperBound..<close).map { ($0, after) }
  }

  @inline(__always)
  private func link(named label: Range<Int>) -> Int? {
    guard label.count <= LinkScanner.longestLabel else { return nil }
    let name = LinkScanner.normalized(Bytes(rebasing: bytes[label]))
    return name.isEmpty ? nil : definitions[name]
  }

  private mutating func inlineTail(at open: Int) -> (link: Int, end: Int)? {
    var index = skipSpace(open + 1)
    guard
      let target = (options.shortcodes ? shortcodeDestination(at: index) : nil)
        ?? LinkScanner.destination(bytes, at: index)
    else { return nil }
    index = skipSpace(target.end)
    var title: Range<Int>?
    if index > target.end, let end = LinkScanner.title(bytes, at: index) {
      title = index..<end
      index = skipSpace(end)
    }
    guard bytes.at(index) == UInt8(ascii: ")") else { return nil }
    let link = links.append(
      leaf.source(target.content), title: title.map(leaf.source),
      resolved: LinkScanner.resolved(target.content, title: title, of: bytes))
    return (link, index + 1)
  }

  private func skipSpace(_ start: Int) -> Int {
    var index = start
    while bytes.at(index).isSpace { index += 1 }
    return index
  }

  /// Adds a reference to the footnote of `[^label]` and returns the offset after it. A `!` before
  /// it is text. Nil if the footnote doesn't exist.
  private mutating func footnote(_ bracket: Bracket, close: Int) -> Int? {
    let label = bracket.range.upperBound + 1..<max(close, bracket.range.upperBound + 1)
    guard options.footnotes, !label.isEmpty,
      bytes.at(bracket.range.upperBound) == UInt8(ascii: "^"),
      label.count <= LinkScanner.longestLabel, !bytes[label].contains(where: \.isSpace),
      footnotes.contains(LinkScanner.normalized(Bytes(rebasing: bytes[label])))
    else { return nil }
    // Spans and atoms inside the label are part of the label's text.
    let start = bracket.range.upperBound - 1
    while let atom = scan.atoms.last, atom.range.lowerBound >= start { scan.atoms.removeLast() }
    while let span = scan.spans.last, span.open.lowerBound >= start { scan.spans.removeLast() }
    while lastRun > bracket.previousRun { forgetLastRun() }
    scan.atoms.append(InlineScan.Atom(kind: .footnote(label), range: start..<close + 1))
    return close + 1
  }

  private mutating func forgetLastRun() {
    let previous = runs[lastRun].previous
    if previous >= 0 { runs[previous].next = -1 }
    lastRun = previous
  }
}
