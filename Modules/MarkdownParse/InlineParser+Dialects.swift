import Model

// Spans that neither CommonMark nor GFM defines.
extension InlineParser {
  /// Parses a span of the document's dialect at the current position. Returns false if no such span
  /// begins at the position.
  mutating func parseDialectSpan(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "["):
      guard options.wikiLinks, bytes.at(position + 1) == byte, wikiLink(isEmbed: false) else {
        return false
      }
    case UInt8(ascii: "!"):
      guard options.wikiLinks, bytes.starts(with: "[[", at: position + 1), wikiLink(isEmbed: true)
      else { return false }
    case UInt8(ascii: ":"):
      if options.icons, let end = iconEnd() {
        hide(to: end)
        break
      }
      guard options.emoji, let emoji = Emoji.match(bytes, at: position) else { return false }
      add(emoji)
    case UInt8(ascii: "%"):
      guard options.comments, bytes.at(position + 1) == byte, hidden("%%", .obsidianComment, 2)
      else { return false }
    case UInt8(ascii: "{"):
      if options.roles, role() { break }
      if options.shortcodes, bytes.at(position + 1) == byte, shortcode() { break }
      if isBehindSpan,
        let end = options.attributesEnd(Bytes(rebasing: bytes[..<scan.end]), at: position)
      {
        hide(to: end)
        break
      }
      let isLiquid = options.liquid && bytes.at(position + 1) == UInt8(ascii: "%")
      let isExpression = options.mdx && bytes.starts(with: "/*", at: position + 1)
      guard isLiquid && hidden("%}", .template, 2) || isExpression && hidden("*/}", .expression, 3)
      else { return false }
    case UInt8(ascii: "<"):
      guard options.mdx, autolink(at: position) == nil, rawHTML(at: position) == nil,
        let end = tag()
      else { return false }
      add(.rawHTML, to: end)
      scan.hasTags = true
    case UInt8(ascii: "^") where options.inlineNotes && bytes.at(position + 1) == UInt8(ascii: "["):
      beginNote()
    case UInt8(ascii: "+"):
      guard options.keys, let inner = keys() else { return false }
      add(.keys(inner), to: inner.upperBound + 2)
    case UInt8(ascii: "\\"):
      guard options.texBrackets, texBrackets() else { return false }
    case UInt8(ascii: "~"), UInt8(ascii: "^"):
      guard options.scripts, let inner = scriptText(byte) else { return false }
      add(.script(inner, byte == UInt8(ascii: "^") ? .raised : .lowered), to: inner.upperBound + 1)
    default: return false
    }
    if let last = scan.atoms.last { atomEnd = max(atomEnd, last.range.upperBound) }
    return true
  }

  /// Hides markup from the current position to the end of `closing`. The opening delimiter is
  /// `width` bytes long. Returns false and hides nothing if `closing` doesn't follow.
  mutating func hidden(_ closing: StaticString, _ key: ClosingDelimiter, _ width: Int)
    -> Bool
  {
    guard let end = find(closing, key, from: position + width), end <= scan.end else {
      return false
    }
    hide(to: end)
    return true
  }

  /// Hides the bytes from the current position to `end`.
  mutating func hide(to end: Int) {
    add(.hidden, to: end)
    scan.hasHidden = true
  }

  /// The maximum length of a tag in text, in bytes. A longer tag is text, so that the search is
  /// short if a brace isn't closed.
  private static let longestTag = 1_000

  /// Returns the end of the MDX tag at the current position; nil if not found.
  private func tag() -> Int? {
    let limit = min(scan.end, position + Self.longestTag)
    var scan = TagScan()
    guard let inner = TagScan.start(bytes, at: position, end: limit) else { return nil }
    return scan.end(bytes, from: inner, to: limit)
  }

  // MARK: - Obsidian

  /// Parses `[[target#heading|shown]]` or `![[embedded]]`, on one line and without brackets inside.
  private mutating func wikiLink(isEmbed: Bool) -> Bool {
    let start = position + (isEmbed ? 3 : 2)
    var close = start
    var bar: Range<Int>?
    while close < scan.end, bytes[close] != UInt8(ascii: "]") {
      switch bytes[close] {
      case UInt8(ascii: "["), Byte.lineFeed: return false
      case UInt8(ascii: "|") where bar == nil: bar = close..<close + 1
      // In a table cell, the pipe must be escaped so that it doesn't end the cell.
      case UInt8(ascii: "\\")
      where isCell && bar == nil && bytes.at(close + 1) == UInt8(ascii: "|"):
        bar = close..<close + 2
        close += 1
      default: break
      }
      close += 1
    }
    guard bytes.at(close + 1) == UInt8(ascii: "]"), close + 2 <= scan.end else { return false }
    let target = bytes.withoutBlanks(start..<(bar?.lowerBound ?? close))
    guard !target.isEmpty else { return false }
    var shown = bytes.withoutBlanks((bar?.upperBound ?? close)..<close)
    if isEmbed || shown.isEmpty {
      shown = target
      if bytes[target.lowerBound] == UInt8(ascii: "#"), target.count > 1 {
        shown = target.dropFirst()
      }
      // The ID of a block isn't meaningful to readers, so it isn't shown after a name.
      if let sign = bytes[shown].lastIndex(of: UInt8(ascii: "#")), sign > shown.lowerBound,
        bytes.at(sign + 1) == UInt8(ascii: "^")
      {
        shown = bytes.withoutBlanks(shown.lowerBound..<sign)
      }
    }
    // Brackets around this link can't form a reference whose label is their text.
    if let last = brackets.indices.last { brackets[last].hasBracketAfter = true }
    let link = links.append(leaf.source(target), isNote: true)
    add(.wikiLink(link, shown: shown, isEmbed: isEmbed), to: close + 2)
    return true
  }

  /// Removes the block ID, ` ^name`, from the end of the block's text.
  mutating func takeBlockID() {
    var start = scan.end
    while start > 0, bytes[start - 1].isAlphanumeric || bytes[start - 1] == UInt8(ascii: "-") {
      start -= 1
    }
    guard start < scan.end, start > 0, bytes[start - 1] == UInt8(ascii: "^"),
      start == 1 || bytes[start - 2].isSpace
    else { return }
    scan.blockID = start - 1..<scan.end
    scan.end = start - 1
    while scan.end > 0, bytes[scan.end - 1].isSpace { scan.end -= 1 }
  }
}
