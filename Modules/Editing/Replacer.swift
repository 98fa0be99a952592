package import MarkdownParse
package import Model

/// Replaces places of the rendered text, in the source.
///
/// Every change has been applied, parsed again and compared before it is returned: the text is the
/// old one with the replacements in it, and no block or span is another one. A replacement that
/// would mean something in Markdown is written with backslashes; one that cannot be written, or a
/// place that lies across markup, is refused, and the others are made.
package struct Replacer: Sendable {
  /// Places with what is to stand there.
  package struct Result: Sendable {
    /// The change of the source.
    package var patch: SourcePatch
    /// The document afterwards.
    package var document: ParsedDocument
    /// The change of the rendered text.
    package var edits: [TextEdit]
    /// The places that are not replaced, in order.
    package var refused: [TextRange]
  }

  /// How a replacement is written.
  private enum Way { case plain, escaped, refused }

  /// How often all is tried before what is still wrong is refused.
  private static let attempts = 40

  private let document: ParsedDocument

  /// Replaces in a document as it stands.
  package init(_ document: ParsedDocument) { self.document = document }

  /// Makes replacements, which are sorted and disjoint, all in the text before any of them.
  ///
  /// O(document) for each attempt; one is the rule.
  package func replace(_ wanted: [TextEdit]) -> Result {
    var places = wanted.map { self.places(of: $0.range) }
    var ways = places.map { $0.isEmpty ? Way.refused : .plain }
    let inCode = areInCode(wanted)
    for attempt in 0... {
      let made = wanted.indices.filter { ways[$0] != .refused }
      let edits = made.map { wanted[$0] }
      let sources = made.map { index in
        let text = wanted[index].replacement
        return SourceEdit(
          range: places[index][0],
          replacement: ways[index] == .plain ? text : Self.escaped(text) ?? text)
      }
      let patch = SourcePatch(sources, of: document.source)
      let after = ParsedDocument(
        parsing: MarkdownSource(patch.applied(to: document.source.bytes)),
        options: document.options)
      let failing = ReplaceCheck(document, after, edits).failures
      if failing.isEmpty {
        return Result(
          patch: patch, document: after, edits: edits,
          refused: wanted.indices.filter { ways[$0] == .refused }.map { wanted[$0].range })
      }
      for failure in failing {
        // All of a block are escaped before the first that is wrong is given up.
        let escapable = made[failure.edits].filter {
          ways[$0] == .plain && !inCode[$0] && Self.escaped(wanted[$0].replacement) != nil
        }
        for index in escapable { ways[index] = .escaped }
        if escapable.isEmpty {
          let culprit = made[failure.culprit]
          if places[culprit].count > 1 {
            places[culprit].removeFirst()
          } else {
            ways[culprit] = .refused
          }
        }
        if attempt > Self.attempts { for index in made[failure.edits] { ways[index] = .refused } }
      }
    }
    preconditionFailure("without a replacement nothing can fail")
  }

  /// Where a range can be replaced in the source, in the order in which it is tried; nowhere when it
  /// lies across markup, or holds what merely separates.
  private func places(of range: TextRange) -> [SourceRange] {
    if range.isEmpty { return places(at: range.lowerBound) }
    let source = document.map.source(of: range)
    return source.count == 1 && !hasSeparator(range) ? source : []
  }

  /// Where text can be put at a place of the rendered text: on the line that it is on, and inside of
  /// a span that ends there rather than behind it. Places in order have sources in order.
  private func places(at offset: TextOffset) -> [SourceRange] {
    let text = document.text.utf16
    func endsLine(_ offset: Int) -> Bool {
      !text.indices.contains(offset) || text[offset] == 10 || text[offset] == 9
    }
    func place(_ bias: SourceMap.Bias) -> SourceRange {
      let byte = document.map.sourceOffset(of: offset, bias: bias)
      return SourceRange(bytes: byte..<byte)
    }
    switch (endsLine(offset.utf16 - 1), endsLine(offset.utf16)) {
    case (true, false): return [place(.trailing)]
    case (false, true): return [place(.leading)]
    case (false, false):
      let places = [place(.leading), place(.trailing)]
      return places[0] == places[1] ? [places[0]] : places
    case (true, true):
      // An empty line of a code block has its line feed in the source; an empty block has nothing.
      let next = TextRange(utf16: offset.utf16..<min(offset.utf16 + 1, text.count))
      return document.map.source(of: next).isEmpty ? [] : [place(.trailing)]
    }
  }

  /// Whether each replacement stands in code, or beside it. O(edits + code).
  private func areInCode(_ edits: [TextEdit]) -> [Bool] {
    let code = codeRanges
    var first = 0
    return edits.map { edit in
      while first < code.count, code[first].upperBound < edit.range.lowerBound { first += 1 }
      return code[first...].prefix { $0.lowerBound <= edit.range.upperBound }
        .contains { edit.range.isEmpty || $0.overlaps(edit.range) }
    }
  }

  /// Whether a range holds what merely stands between two blocks or cells.
  private func hasSeparator(_ range: TextRange) -> Bool {
    let text = document.text.utf16
    guard range.utf16.contains(where: { text[$0] == 10 || text[$0] == 9 }) else { return false }
    return document.map.source(of: TextRange(utf16: range.utf16)).reduce(0) { $0 + $1.count } == 0
      || range.utf16.contains { offset in
        (text[offset] == 10 || text[offset] == 9)
          && document.map.source(of: TextRange(utf16: offset..<offset + 1)).isEmpty
      }
  }

  /// The text of code spans, code blocks and mathematics, in which backslashes stand for themselves.
  private var codeRanges: [TextRange] {
    var ranges = document.blocks.filter(\.isCode).map(\.text)
    for span in document.inlines {
      switch span.kind {
      case .code, .math: ranges.append(span.text)
      default: continue
      }
    }
    return ranges.sorted()
  }

  /// Text with a backslash before each mark that can have a meaning; nil when it has none.
  private static func escaped(_ text: String) -> String? {
    let marks = "\\`*_[]<>&~$=|#+-.)!:@"
    guard text.contains(where: marks.contains) else { return nil }
    return text.reduce(into: "") { result, character in
      if marks.contains(character) { result.append("\\") }
      result.append(character)
    }
  }
}

/// Compares a document with what replacements have made of it.
struct ReplaceCheck {
  private let old: ParsedDocument
  private let new: ParsedDocument
  private let edits: [TextEdit]

  init(_ old: ParsedDocument, _ new: ParsedDocument, _ edits: [TextEdit]) {
    self.old = old
    self.new = new
    self.edits = edits
  }

  /// Replacements that cannot stay as they are.
  struct Failure: Hashable {
    /// Those in one block.
    var edits: Range<Int>
    /// The first of them that is wrong, as far as that can be seen.
    var culprit: Int
  }

  /// The replacements in blocks that are not as expected; none when all is. Where the blocks
  /// themselves are others, those nearest to the first such block. O(document).
  var failures: [Failure] {
    if edits.isEmpty { return [] }
    let count = min(old.blocks.count, new.blocks.count)
    let other =
      (0..<count).first {
        old.blocks[$0].parent != new.blocks[$0].parent
          || !old.blocks[$0].kind.isLike(new.blocks[$0].kind)
      } ?? (old.blocks.count == new.blocks.count ? nil : count)
    if let other { return [near(other)] }
    var failing: [Failure] = []
    var next = 0
    // Where the leaf before ends, and what was replaced in the last one of which nothing is left.
    var ends = (old: 0, new: 0)
    var emptied: Range<Int>?
    for index in old.blocks.indices where old.blocks[index].isLeaf {
      let (before, after) = (old.blocks[index], new.blocks[index])
      let first = next
      while next < edits.count,
        edits[next].range.utf16.upperBound <= before.text.utf16.upperBound
      { next += 1 }
      if after.text.isEmpty, first < next { emptied = first..<next }
      // Nothing separates a block without text from another.
      let gaps = (
        old.text.utf16[ends.old..<before.text.utf16.lowerBound],
        new.text.utf16[ends.new..<after.text.utf16.lowerBound]
      )
      ends = (before.text.utf16.upperBound, after.text.utf16.upperBound)
      if let emptied, !gaps.0.elementsEqual(gaps.1) {
        failing.append(Failure(edits: emptied, culprit: emptied.lowerBound))
        continue
      }
      guard let culprit = difference(before, after, first..<next) else { continue }
      // A block that went wrong without a replacement in it did so by that of a neighbour.
      failing.append(
        first < next ? Failure(edits: first..<next, culprit: culprit) : near(index))
    }
    if failing.isEmpty, let emptied,
      !old.text.utf16[ends.old...].elementsEqual(new.text.utf16[ends.new...])
    {
      failing.append(Failure(edits: emptied, culprit: emptied.lowerBound))
    }
    return failing
  }

  /// The replacements in the block that went wrong first, or just before it.
  private func near(_ index: Int) -> Failure {
    let range = old.blocks[min(index, old.blocks.count - 1)].text.utf16
    let first = edits.firstIndex { $0.range.utf16.lowerBound >= range.lowerBound } ?? edits.count
    let last = edits[first...].firstIndex { $0.range.utf16.upperBound > range.upperBound }
    let inside = first..<(last ?? edits.count)
    guard inside.isEmpty || !old.blocks[min(index, old.blocks.count - 1)].isLeaf else {
      return Failure(edits: inside, culprit: inside.lowerBound)
    }
    let before = max(0, min(first, edits.count) - 1)
    return Failure(edits: before..<min(before + 2, edits.count), culprit: before)
  }

  /// The first replacement of a block at or after which it is not as expected; nil when it is.
  private func difference(_ before: Block, _ after: Block, _ made: Range<Int>) -> Int? {
    var place = after.text.utf16.lowerBound
    var source = before.text.utf16.lowerBound
    let end = after.text.utf16.upperBound
    func matches(_ units: some Collection<UInt16>) -> Bool {
      defer { place += units.count }
      return place + units.count <= end
        && new.text.utf16[place..<place + units.count].elementsEqual(units)
    }
    for index in made {
      let edit = edits[index]
      guard matches(old.text.utf16[source..<edit.range.utf16.lowerBound]) else {
        return max(made.lowerBound, index - 1)
      }
      guard matches(edit.replacement.utf16) else { return index }
      source = edit.range.utf16.upperBound
    }
    guard matches(old.text.utf16[source..<before.text.utf16.upperBound]), place == end,
      hasSameSpans(before, after)
    else { return max(made.lowerBound, made.upperBound - 1) }
    return nil
  }

  private func hasSameSpans(_ before: Block, _ after: Block) -> Bool {
    // A line break is text, and has been compared with it.
    let (a, b) = (old.inlines[before.inlines], new.inlines[after.inlines])
    return a.lazy.filter { !$0.isBreak }.map(\.kind.tag)
      .elementsEqual(b.lazy.filter { !$0.isBreak }.map(\.kind.tag))
  }
}

extension Inline {
  fileprivate var isBreak: Bool { kind == .softBreak || kind == .hardBreak }
}

extension Block {
  /// Whether it has text of its own and no blocks in it.
  var isLeaf: Bool {
    switch kind {
    case .paragraph, .heading, .codeBlock, .tableCell: true
    default: false
    }
  }
}
