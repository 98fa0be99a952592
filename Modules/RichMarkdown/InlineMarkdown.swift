import MarkdownParse
import Model
import RichText

/// Writes one leaf as Markdown that renders its text with as many of its styles as Markdown can
/// express.
struct InlineMarkdown {
  /// The kind of block that contains the leaf.
  enum Place { case paragraph, heading, cell }

  /// The level of escaping.
  enum Care: Int, CaseIterable {
    /// Escape only characters that would be markup at their position.
    case meaning
    /// Escape all characters that can be markup.
    case all
    /// Also write the first character as a reference, because some words are commands in some
    /// dialects.
    case reference
    /// Write all characters that can be markup as references.
    case references
  }

  typealias Marks = ConversionLeaf.Marks

  let leaf: ConversionLeaf
  let place: Place
  let links: [String]
  let options: MarkdownConversion.Options
  var care = Care.meaning
  /// The styles to write.
  var wanted: Marks = [.strong, .emphasis, .strike, .mark, .code, .underline]
  var hasLinks = true
  var italicMark: UInt8 = 0x2A

  private var out: [UInt8] = []
  /// The number of bytes at the end of the output that are delimiters.
  private var delimiters = 0
  private var nextRaw = 0

  init(
    _ leaf: ConversionLeaf, _ place: Place, _ links: [String], _ options: MarkdownConversion.Options
  ) {
    (self.leaf, self.place, self.links, self.options) = (leaf, place, links, options)
  }

  /// Returns the Markdown of the leaf. O(units · styles).
  func markdown() -> String {
    var writer = self
    writer.write(0..<leaf.units.count, [], inLink: false)
    return String(decoding: writer.out, as: UTF8.self)
  }

  // MARK: - Spans

  private mutating func write(_ range: Range<Int>, _ open: Marks, inLink: Bool) {
    var index = range.lowerBound
    while index < range.upperBound {
      guard let (span, end) = span(at: index, in: range, open, inLink) else {
        index = writePlain(index)
        continue
      }
      switch span {
      case .link(let link) where isAutolink(index..<end, links[link]):
        emit("<\(links[link])>")
      case .link(let link):
        emit("[")
        write(index..<end, open, inLink: true)
        emit("](\(Self.destination(links[link])))")
      case .code: writeCode(index..<end)
      case .marks(let mark):
        let inner = open.union(mark)
        if let delimiter = delimiter(mark), canOpen(at: index, delimiter[0]),
          canClose(at: end, in: range, delimiter[0], inLink)
        {
          emit(delimiter)
          write(index..<end, inner, inLink: inLink)
          emit(delimiter)
        } else if let tag = tag(mark) {
          emit("<\(tag)>")
          write(index..<end, inner, inLink: inLink)
          emit("</\(tag)>")
        } else {
          write(index..<end, inner, inLink: inLink)
        }
      }
      index = end
    }
  }

  private enum Span {
    case link(Int)
    case marks(Marks)
    case code
  }

  /// Returns the longest span that begins at a unit, or nil if none begins there.
  private func span(at index: Int, in range: Range<Int>, _ open: Marks, _ inLink: Bool) -> (
    Span, Int
  )? {
    let marks = leaf.marks[index].intersection(wanted).subtracting(open)
    let link = hasLinks && !inLink ? Int(leaf.links[index]) : -1
    if marks.isEmpty, link < 0 { return nil }
    func end(_ holds: (Int) -> Bool) -> Int {
      var end = index + 1
      while end < range.upperBound, holds(end) { end += 1 }
      return end
    }
    var best: (Span, Int)?
    if link >= 0 {
      var last = end { Int(leaf.links[$0]) == link }
      while last > index + 1, leaf.units[last - 1] == 0x0A { last -= 1 }
      if leaf.units[index] != 0x0A { best = (.link(link), last) }
    }
    if !leaf.units[index].isSpaceUnit {
      for mark in Marks.delimited where marks.contains(mark) {
        var last = end { leaf.marks[$0].contains(mark) }
        while leaf.units[last - 1].isSpaceUnit { last -= 1 }
        if last > best?.1 ?? 0 { best = (.marks(mark), last) }
      }
    }
    if best == nil, marks.contains(.code) {
      let link = leaf.links[index]
      let outer = leaf.marks[index].subtracting(.code)
      let last = end {
        leaf.marks[$0].contains(.code) && leaf.marks[$0].subtracting(.code) == outer
          && (leaf.links[$0] == link || !hasLinks)
      }
      if leaf.units[index..<last].contains(where: { !$0.isSpaceUnit }) { best = (.code, last) }
    }
    return best
  }

  /// Returns whether a link's text equals its address and can be written in angle brackets.
  private func isAutolink(_ range: Range<Int>, _ address: String) -> Bool {
    care == .meaning && (address.hasPrefix("https://") || address.hasPrefix("http://"))
      && leaf.units[range].elementsEqual(address.utf16)
      && leaf.units[range].allSatisfy { $0 > 0x20 && $0 != 0x3C && $0 != 0x3E && $0 != 0x7C }
      && leaf.marks[range].allSatisfy { $0.intersection(wanted) == leaf.marks[range.lowerBound] }
      && !leaf.marks[range.lowerBound].contains(.code)
  }

  private func delimiter(_ mark: Marks) -> [UInt8]? {
    switch mark {
    case .strong: [0x2A, 0x2A]
    case .emphasis: [italicMark]
    case .strike: [0x7E, 0x7E]
    case .mark: [0x3D, 0x3D]
    default: nil
    }
  }

  private func tag(_ mark: Marks) -> String? {
    switch mark {
    case .underline: "u"
    case .strong where options.stylesAsHTML: "strong"
    case .emphasis where options.stylesAsHTML: "em"
    case .strike where options.stylesAsHTML: "del"
    default: nil
    }
  }

  private mutating func emit(_ bytes: [UInt8]) {
    out += bytes
    delimiters += bytes.count
  }

  private mutating func emit(_ text: String) {
    out += text.utf8
    delimiters = 0
  }

  private mutating func writeCode(_ range: Range<Int>) {
    let content = Array(String(units: leaf.units[range]).utf8)
    let fence = CodeFence(around: content)
    out += fence.open
    for byte in content {
      if place == .cell, byte == UInt8(ascii: "|") { out.append(UInt8(ascii: "\\")) }
      out.append(byte)
    }
    out += fence.close
    delimiters = 0
  }

  // MARK: - Whether delimiters open and close (CommonMark 6.2)

  private func canOpen(at index: Int, _ mark: UInt8) -> Bool {
    let before = scalarBefore()
    guard let after = scalar(at: index), !after.isWhite else { return false }
    let isLeft = !after.isMarkdownPunctuation || before.isWhite || before.isMarkdownPunctuation
    if mark != 0x5F { return isLeft }
    return isLeft && (before.isWhite || before.isMarkdownPunctuation)
  }

  private func canClose(at end: Int, in range: Range<Int>, _ mark: UInt8, _ inLink: Bool) -> Bool {
    let after: Unicode.Scalar =
      end < range.upperBound
      ? scalar(at: end) ?? " "
      : inLink && range.upperBound == end ? "]" : scalar(at: end) ?? " "
    guard let before = scalar(endingAt: end), !before.isWhite else { return false }
    let isRight = !before.isMarkdownPunctuation || after.isWhite || after.isMarkdownPunctuation
    if mark != 0x5F { return isRight }
    return isRight && (after.isWhite || after.isMarkdownPunctuation)
  }

  /// Returns the last character of the output before any delimiters.
  private func scalarBefore() -> Unicode.Scalar {
    let bytes = out.dropLast(delimiters).suffix(4)
    return String(decoding: bytes, as: UTF8.self).unicodeScalars.last ?? " "
  }

  /// Returns the first character that a unit will be written with.
  private func scalar(at index: Int) -> Unicode.Scalar? {
    guard index < leaf.units.count else { return nil }
    if leaf.marks[index].intersection(wanted).contains(.code) { return "`" }
    if hasLinks, leaf.links[index] >= 0, index == 0 || leaf.links[index - 1] != leaf.links[index] {
      return "["
    }
    if leaf.units[index] == 0x0A { return " " }
    return String(units: leaf.units[index...].prefix(2)).unicodeScalars.first
  }

  /// Returns the last character that the unit before an offset will be written with.
  private func scalar(endingAt end: Int) -> Unicode.Scalar? {
    guard end > 0 else { return nil }
    if leaf.marks[end - 1].intersection(wanted).contains(.code) { return "`" }
    if hasLinks, leaf.links[end - 1] >= 0,
      end == leaf.units.count || leaf.links[end] != leaf.links[end - 1]
    {
      return ")"
    }
    return String(units: leaf.units[..<end].suffix(2)).unicodeScalars.last
  }

  // MARK: - Text

  /// Writes the character at an index and returns the index of the next one.
  private mutating func writePlain(_ index: Int) -> Int {
    defer { delimiters = 0 }
    while nextRaw < leaf.raws.count, leaf.raws[nextRaw].units.upperBound <= index { nextRaw += 1 }
    if nextRaw < leaf.raws.count, leaf.raws[nextRaw].units.contains(index) {
      out += leaf.raws[nextRaw].markdown.utf8
      return leaf.raws[nextRaw].units.upperBound
    }
    let unit = leaf.units[index]
    if unit == 0x0A {
      out += place == .paragraph ? Array("\\\n".utf8) : Array("<br>".utf8)
      return index + 1
    }
    if unit >= 0x80 {
      let isPair = unit & 0xFC00 == 0xD800
      let end = min(index + (isPair ? 2 : 1), leaf.units.count)
      out += String(units: leaf.units[index..<end]).utf8
      return end
    }
    let byte = UInt8(unit)
    if care == .references, byte.isMarkByte || index == 0 {
      out += "&#\(byte);".utf8
    } else if care == .reference, index == 0 {
      out += "&#\(byte);".utf8
    } else {
      if byte.isMarkByte, care != .meaning || hasMeaning(byte, at: index) {
        out.append(UInt8(ascii: "\\"))
      }
      out.append(byte)
    }
    return index + 1
  }

  private func hasMeaning(_ byte: UInt8, at index: Int) -> Bool {
    let start: UInt16 = place == .paragraph ? 0x0A : 0x20
    let before = index > 0 ? leaf.units[index - 1] : start
    let after = index + 1 < leaf.units.count ? leaf.units[index + 1] : 0x0A
    if byte == UInt8(ascii: "!"), index + 1 < leaf.units.count {
      return after == UInt16(UInt8(ascii: "[")) || hasLinks && leaf.links[index + 1] >= 0
    }
    if byte == UInt8(ascii: ".") || byte == UInt8(ascii: ")"), isListNumber(index) { return true }
    // An address in the text may become a link; that is accepted.
    return MarkdownEscaping.hasMeaning(
      byte, before, after, isFirst: before == 0x0A, isCell: place == .cell, for: [])
  }

  /// Returns whether a unit follows a list number at the start of a line.
  private func isListNumber(_ index: Int) -> Bool {
    guard place == .paragraph,
      index + 1 == leaf.units.count || leaf.units[index + 1].isSpaceUnit
    else { return false }
    var start = index
    while start > 0, index - start < 10, (0x30...0x39).contains(leaf.units[start - 1]) {
      start -= 1
    }
    return start < index && (start == 0 || leaf.units[start - 1] == 0x0A)
  }

  /// Returns an address as a link destination, in angle brackets if necessary.
  static func destination(_ address: String) -> String {
    var result = "<"
    let hasEntity = address.utf8.contains(UInt8(ascii: ";"))
    for scalar in address.unicodeScalars {
      if "<>\\|".unicodeScalars.contains(scalar) || scalar == "&" && hasEntity { result += "\\" }
      result.unicodeScalars.append(scalar)
    }
    result += ">"
    let isPlain = address.utf8.allSatisfy { byte in
      byte.isWordByte || byte >= 0x80 || "-._~:/?#@!%+,='\"&".utf8.contains(byte)
    }
    return isPlain && !address.isEmpty
      ? String(result.dropFirst().dropLast()) : result
  }
}

extension Unicode.Scalar {
  fileprivate var isWhite: Bool { properties.isWhitespace }
}
