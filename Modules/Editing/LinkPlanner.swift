import MarkdownParse
import Model

/// Plans how to set or remove a link in one leaf block. A nil target removes links.
struct LinkPlanner {
  private let document: ParsedDocument
  private let leaf: Leaf
  private let range: TextRange
  private let target: CharacterStyle.Target?

  init(
    _ document: ParsedDocument, _ block: Int, _ range: TextRange, _ target: CharacterStyle.Target?
  ) {
    self.document = document
    self.range = document.blocks[block].text.clamped(to: range)
    self.target = target
    leaf = Leaf(block, of: document)
  }

  /// Returns the ways to write the change; nil if nothing changes.
  ///
  /// - Throws: ``FormattingError/inexpressible(_:_:_:)`` if the range divides an indivisible piece
  ///   or a code span.
  func plan() throws(FormattingError) -> LeafPlan? {
    let touched = leaf.pieces(in: range.utf16)
    var run = leaf.trimmed(touched, keeping: [])
    guard !run.isEmpty, !isDone(run) else { return nil }
    try check(touched)
    // Links with the same target merge with the new one.
    let same = leaf.spans.filter { leads($0) && $0.pieces.touches(touched) }
    for span in same {
      run =
        min(run.lowerBound, span.pieces.lowerBound)..<max(run.upperBound, span.pieces.upperBound)
    }
    let links = leaf.spans.filter { $0.isLink && $0.pieces.overlaps(run) }
    let kept = leaf.spans.filter { !($0.isLink && $0.pieces.overlaps(run)) }
    let rests = links.filter { !leads($0) }.flatMap { self.rests(of: $0, without: run) }
    var replaced: [[Int: [UInt8]]] = [[:]]
    if run.contains(where: { leaf.pieces[$0].isAddress }) {
      replaced = [addresses(in: run, escaped: target == nil), addresses(in: run, escaped: true)]
    }
    return LeafPlan(
      leaf, leaf.expectation(expected(run), document, kept: kept),
      replaced.flatMap { arrangements(kept, rests, run, form: same.first?.forms[0], $0) },
      source: document.source.bytes)
  }

  private func arrangements(
    _ kept: [LeafSpan], _ rests: [LeafSpan], _ run: Range<Int>, form: LeafSpan.Form?,
    _ replaced: [Int: [UInt8]]
  ) -> [LeafPlan.Arrangement] {
    func arrangement(_ old: [LeafSpan], _ runs: [Range<Int>], _ rests: [LeafSpan])
      -> LeafPlan.Arrangement
    {
      let links = target.map { target in runs.map { newSpan($0, form, target) } } ?? []
      return LeafPlan.Arrangement(
        spans: LeafSpan.nested(old, rests + links, newOutside: false), replaced: replaced)
    }
    var result: [LeafPlan.Arrangement] = []
    // Dividing the styles that cross a link is preferred to dividing the link.
    let links = rests.map(\.pieces) + (target == nil ? [] : [run])
    if let divided = leaf.splitting(kept, at: links) {
      result.append(arrangement(divided, [run], rests))
    }
    func divided(_ run: Range<Int>) -> [Range<Int>] {
      leaf.splitting([run], at: kept, keeping: [])
    }
    let parts = rests.flatMap { rest in
      divided(rest.pieces).map { part in
        var rest = rest
        rest.pieces = part
        return rest
      }
    }
    result.append(arrangement(kept, divided(run), parts))
    return result
  }

  private func newSpan(
    _ pieces: Range<Int>, _ form: LeafSpan.Form?, _ target: CharacterStyle.Target
  )
    -> LeafSpan
  {
    let writer = LinkWriter(isCell: leaf.isCell)
    let written = LeafSpan.Form(open: Array("[".utf8), close: writer.tail(target))
    return LeafSpan(kind: .link(-1), pieces: pieces, forms: [form ?? written], isNew: true)
  }

  /// Returns the parts of a link before and after a run.
  private func rests(of span: LeafSpan, without run: Range<Int>) -> [LeafSpan] {
    span.pieces.divided(at: [run.lowerBound, run.upperBound]).compactMap { part in
      let part = leaf.trimmed(part, keeping: [span.pieces])
      guard !part.isEmpty, !part.overlaps(run) else { return nil }
      var rest = span
      rest.pieces = part
      rest.isNew = true
      return rest
    }
  }

  private func addresses(in run: Range<Int>, escaped: Bool) -> [Int: [UInt8]] {
    let escaper = TextEscaper(document, leaf)
    var result: [Int: [UInt8]] = [:]
    for index in run where leaf.pieces[index].isAddress {
      let address = document.text.substring(TextRange(utf16: leaf.pieces[index].text))
      result[index] = escaped ? escaper.unlinked(address) : Array(address.utf8)
    }
    return result
  }

  // MARK: - Current links

  private func leads(_ span: LeafSpan) -> Bool {
    guard case .link(let index) = span.kind, let target, span.label == nil else { return false }
    return document.links[index].destination == target.destination
      && document.links[index].title == target.title
  }

  /// Returns whether all of a run already has the requested target.
  private func isDone(_ run: Range<Int>) -> Bool {
    let styles = document.characterStyles(ofBlock: leaf.block)
    let start = document.blocks[leaf.block].text.utf16.lowerBound
    return run.allSatisfy { index in
      leaf.pieces[index].isSpace
        || leaf.pieces[index].text.allSatisfy { unit in
          let look = styles[unit - start]
          guard look.style.contains(.link) else { return target == nil }
          return target != nil && (look.style.contains(.image) || look.link == target)
        }
    }
  }

  private func check(_ touched: Range<Int>) throws(FormattingError) {
    for index in touched {
      let piece = leaf.pieces[index]
      guard case .whole(let obstacle) = piece.kind, !piece.text.isInside(range.utf16) else {
        continue
      }
      throw .inexpressible(.link, obstacle, TextRange(utf16: piece.text))
    }
    for span in leaf.spans where span.kind == .style(.code) && span.pieces.overlaps(touched) {
      guard !span.pieces.isInside(touched),
        !leaf.spans.contains(where: { leads($0) && span.pieces.isInside($0.pieces) })
      else { continue }
      throw .inexpressible(.link, .codeSpan, leaf.text(of: span.pieces))
    }
  }

  private func expected(_ run: Range<Int>) -> [CharacterStyle] {
    var styles = document.characterStyles(ofBlock: leaf.block)
    let start = document.blocks[leaf.block].text.utf16.lowerBound
    for piece in leaf.pieces[run] {
      for unit in piece.text {
        let isImage = styles[unit - start].style.contains(.image)
        if target == nil {
          styles[unit - start].style.remove(.link)
        } else {
          styles[unit - start].style.insert(.link)
        }
        if !isImage { styles[unit - start].link = target }
      }
    }
    return styles
  }
}

extension Range<Int> {
  /// Returns whether two ranges overlap or are adjacent.
  fileprivate func touches(_ other: Range<Int>) -> Bool {
    lowerBound <= other.upperBound && other.lowerBound <= upperBound
  }
}

/// Writes the destination and title of a link (CommonMark 6.3).
struct LinkWriter {
  /// Whether the link is in a table, where a bar would end the cell.
  let isCell: Bool

  /// Returns `](destination "title")`.
  func tail(_ target: CharacterStyle.Target) -> [UInt8] {
    let title = target.title.map { " \"" + escaped($0, "\"") + "\"" } ?? ""
    return Array("](\(destination(target.destination))\(title))".utf8)
  }

  private func destination(_ text: String) -> String {
    var depth = 0
    var isBalanced = true
    for byte in text.utf8 {
      if byte == UInt8(ascii: "(") { depth += 1 } else if byte == UInt8(ascii: ")") { depth -= 1 }
      if depth < 0 || depth > 30 { isBalanced = false }
    }
    guard !text.isEmpty, !text.contains(" "), !text.hasPrefix("<"), isBalanced, depth == 0 else {
      return "<" + escaped(text, "<>") + ">"
    }
    return escaped(text, "")
  }

  /// Returns the text with a backslash before each of `marks`, and before a backslash or an
  /// ampersand that would otherwise be parsed as an escape or an entity.
  private func escaped(_ text: String, _ marks: String) -> String {
    var result = ""
    let scalars = Array(text.unicodeScalars)
    for (index, scalar) in scalars.enumerated() {
      let next = index + 1 < scalars.count ? UInt8(exactly: scalars[index + 1].value) ?? 0 : 0
      let isEscaped =
        switch scalar {
        case "\\": next.isMarkByte || index + 1 == scalars.count
        case "&": next.isWordByte || next == UInt8(ascii: "#")
        case "|": isCell
        default: marks.unicodeScalars.contains(scalar)
        }
      if isEscaped { result += "\\" }
      result.unicodeScalars.append(scalar)
    }
    return result
  }
}
