import Model

// Syntax of certain dialects: superscript and subscript, inline notes, keys, icons, attributes and
// roles.
extension InlineParser {
  /// Returns the text between the delimiter at the current position and the next equal delimiter;
  /// nil if it is empty or contains spaces or markup.
  func scriptText(_ sign: UInt8) -> Range<Int>? {
    let start = position + 1
    let limit = min(scan.end, start + ScriptForm.longest)
    // Two delimiters in a row are other markup.
    guard bytes.at(position - 1) != sign, bytes.at(start) != sign else { return nil }
    var index = start
    while index < limit, bytes[index] != sign {
      if bytes[index].isSpace || "\\*_[]<>`$&|^~".utf8.contains(bytes[index]) { return nil }
      index += 1
    }
    guard index > start, index < limit, bytes.at(index + 1) != sign else { return nil }
    return start..<index
  }

  /// Begins an inline note, `^[text of the note]`.
  mutating func beginNote() {
    brackets.indices.last.map { brackets[$0].hasBracketAfter = true }
    brackets.append(
      Bracket(range: position..<position + 2, isImage: false, isNote: true, previousRun: lastRun))
    position += 2
  }

  /// Ends an inline note. Only its `^` is hidden.
  mutating func endNote(_ bracket: Bracket) {
    resolveRuns(after: bracket.previousRun)
    scan.atoms.append(InlineScan.Atom(kind: .hidden, range: bracket.range.prefix(1)))
    scan.hasHidden = true
  }

  /// Parses a bracketed span, `[words]{.class}`. Returns its end; nil if there are no attributes.
  mutating func bracketedSpan(_ bracket: Bracket, close: Int) -> Int? {
    guard options.bracketedSpans, !bracket.isImage,
      let end = options.attributesEnd(Bytes(rebasing: bytes[..<scan.end]), at: close + 1)
    else { return nil }
    scan.atoms.append(InlineScan.Atom(kind: .hidden, range: bracket.range))
    scan.atoms.append(InlineScan.Atom(kind: .hidden, range: close..<end))
    scan.hasHidden = true
    return end
  }

  /// Whether a span ends directly before the current position.
  var isBehindSpan: Bool {
    guard options.attributes || options.colonAttributes else { return false }
    if linkEnd == position { return true }
    if lastRun >= 0, runs[lastRun].canClose, runs[lastRun].range.upperBound == position {
      return true
    }
    guard let atom = scan.atoms.last, atom.range.upperBound == position else { return false }
    return switch atom.kind {
    case .code, .math, .autolink, .wikiLink, .script, .keys, .hidden, .rawHTML, .footnote: true
    case .escape, .entity, .bareLink, .softBreak, .hardBreak: false
    }
  }

  /// The maximum length of the name of an icon or a role, and of a list of keys, in bytes.
  private static let longestName = 80

  /// Returns the end of the icon whose name begins with the colon at the current position; nil if
  /// not found.
  func iconEnd() -> Int? {
    let start = position + 1
    let sets: [StaticString] = ["material-", "fontawesome-", "octicons-", "simple-"]
    guard sets.contains(where: { bytes.starts(with: $0, at: start) }) else { return nil }
    var end = start
    while end < scan.end, bytes[end].isNameByte, end - start <= Self.longestName { end += 1 }
    return end < scan.end && bytes[end] == UInt8(ascii: ":") ? end + 1 : nil
  }

  /// Returns the range of the keys between two `++`, such as `ctrl+c`; nil if not found.
  func keys() -> Range<Int>? {
    let start = position + 2
    guard bytes.at(position + 1) == UInt8(ascii: "+"), !bytes.at(position - 1).isAlphanumeric,
      bytes.at(position - 1) != UInt8(ascii: "+")
    else { return nil }
    var end = start
    while true {
      let name = end
      while end < scan.end,
        bytes[end].isAlphanumeric || bytes[end] == UInt8(ascii: "-") && end > name,
        end - start <= Self.longestName
      { end += 1 }
      guard end > name, end < scan.end, bytes[end] == UInt8(ascii: "+") else { return nil }
      if bytes.at(end + 1) == UInt8(ascii: "+") { break }
      end += 1
    }
    return end + 2 <= scan.end && bytes.at(end + 2) != UInt8(ascii: "+") ? start..<end : nil
  }

  /// Parses `\(TeX\)`, or `\[TeX\]` if it is the entire block. Elsewhere, the brackets are only
  /// escaped.
  mutating func texBrackets() -> Bool {
    let isDisplay = bytes.at(position + 1) == UInt8(ascii: "[")
    guard isDisplay ? position == 0 : bytes.at(position + 1) == UInt8(ascii: "("),
      let end = isDisplay
        ? find("\\]", .texDisplay, from: position + 2) : find("\\)", .tex, from: position + 2),
      end <= scan.end, end - 2 > position + 2, !isDisplay || end == scan.end
    else { return false }
    add(.math(position + 2..<end - 2, display: isDisplay), to: end)
    return true
  }

  /// Parses a MyST role `{role}` before code. The text of the roles `sub` and `sup` becomes
  /// subscript or superscript. All other roles are hidden, and their text remains code.
  mutating func role() -> Bool {
    let start = position + 1
    var end = start
    while end < scan.end, bytes[end].isNameByte || ":.+".utf8.contains(bytes[end]),
      end - start <= Self.longestName
    { end += 1 }
    guard end > start, end < scan.end, bytes[end] == UInt8(ascii: "}"),
      bytes.at(end + 1) == UInt8(ascii: "`")
    else { return false }
    let name = String(decoding: bytes[start..<end], as: UTF8.self)
    let letters: ScriptLetters? =
      ["sup", "superscript"].contains(name)
      ? .raised : ["sub", "subscript"].contains(name) ? .lowered : nil
    if let letters, bytes.at(end + 2) != UInt8(ascii: "`") {
      let limit = min(scan.end, end + 2 + ScriptForm.longest)
      let close = bytes[end + 2..<max(end + 2, limit)].firstIndex {
        $0 == UInt8(ascii: "`") || $0 == Byte.lineFeed
      }
      if let close, bytes[close] == UInt8(ascii: "`"), close > end + 2,
        bytes.at(close + 1) != UInt8(ascii: "`")
      {
        add(.script(end + 2..<close, letters), to: close + 1)
        return true
      }
    }
    hide(to: end + 1)
    return true
  }
}
