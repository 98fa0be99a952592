public import MarkdownParse
public import Model

/// Replaces places of the rendered text, in the source.
///
/// Every change has been applied, parsed again and compared before it is returned: the text is the
/// old one with the replacements in it, and no block or span is another one. A replacement that
/// would mean something in Markdown is written with backslashes; one that cannot be written, or a
/// place that lies across markup, is refused, and the others are made.
public struct Replacer: Sendable {
  /// Places with what is to stand there.
  public struct Result: Sendable {
    /// The change of the source.
    public var patch: SourcePatch
    /// The document afterwards.
    public var document: ParsedDocument
    /// The change of the rendered text.
    public var edits: [TextEdit]
    /// The places that are not replaced, in order.
    public var refused: [TextRange]
  }

  /// How a replacement is written.
  private enum Way { case plain, escaped, refused }

  /// How often all is tried before what is still wrong is refused.
  private static let attempts = 40

  private let document: ParsedDocument

  /// Replaces in a document as it stands.
  public init(_ document: ParsedDocument) { self.document = document }

  /// Makes replacements, which are sorted and disjoint, all in the text before any of them.
  ///
  /// O(document) for each attempt; one is the rule.
  public func replace(_ wanted: [TextEdit]) -> Result {
    let places = wanted.map { document.map.source(of: $0.range) }
    var ways = zip(wanted, places).map { edit, source -> Way in
      source.count == 1 && !hasSeparator(edit.range) ? .plain : .refused
    }
    for attempt in 0... {
      let made = wanted.indices.filter { ways[$0] != .refused }
      let edits = made.map { wanted[$0] }
      let sources = made.map { index in
        let text = wanted[index].replacement
        return SourceEdit(
          range: places[index][0], replacement: ways[index] == .plain ? text : Self.escaped(text))
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
      for index in failing.lazy.map({ made[$0] }) {
        let isEscapable =
          ways[index] == .plain && attempt < Self.attempts
          && Self.escaped(wanted[index].replacement) != wanted[index].replacement
        ways[index] = isEscapable ? .escaped : .refused
      }
      if attempt > Self.attempts { ways = ways.map { _ in .refused } }
    }
    preconditionFailure("without a replacement nothing can fail")
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

  /// Text with a backslash before each mark that can have a meaning.
  private static func escaped(_ text: String) -> String {
    let marks = "\\`*_[]<>&~$=|#+-.)!:@"
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

  /// The replacements in blocks that are not as expected; none when all is. Where the blocks
  /// themselves are others, those nearest to the first such block. O(document).
  var failures: [Int] {
    if edits.isEmpty { return [] }
    let count = min(old.blocks.count, new.blocks.count)
    let other =
      (0..<count).first {
        old.blocks[$0].parent != new.blocks[$0].parent
          || !old.blocks[$0].kind.isLike(new.blocks[$0].kind)
      } ?? (old.blocks.count == new.blocks.count ? nil : count)
    if let other { return near(other) }
    var failing: [Int] = []
    var next = 0
    for index in old.blocks.indices where old.blocks[index].isLeaf {
      let before = old.blocks[index]
      let range = before.text.utf16
      let first = next
      var length = range.count
      while next < edits.count, edits[next].range.utf16.upperBound <= range.upperBound {
        length += edits[next].replacement.utf16.count - edits[next].range.count
        next += 1
      }
      let after = new.blocks[index]
      let isSame =
        after.text.count == length && hasSameSpans(before, after)
        && hasText(after, from: before, first..<next)
      // A block that went wrong without a replacement in it did so by that of a neighbour.
      if !isSame { failing += first < next ? Array(first..<next) : near(index) }
    }
    return Array(Set(failing)).sorted()
  }

  /// The replacements in the block around one, or in the leaves next to it.
  private func near(_ index: Int) -> [Int] {
    let block = old.blocks[min(index, old.blocks.count - 1)]
    let range = block.text.utf16
    let inside = edits.indices.filter {
      edits[$0].range.utf16.lowerBound >= range.lowerBound
        && edits[$0].range.utf16.upperBound <= range.upperBound
    }
    if !inside.isEmpty, block.isLeaf { return inside }
    let after = edits.firstIndex { $0.range.utf16.lowerBound >= range.lowerBound }
    return [after.map { $0 - 1 } ?? edits.count - 1, after ?? edits.count - 1].filter { $0 >= 0 }
  }

  private func hasSameSpans(_ before: Block, _ after: Block) -> Bool {
    before.inlines.count == after.inlines.count
      && zip(old.inlines[before.inlines], new.inlines[after.inlines]).allSatisfy {
        $0.kind.tag == $1.kind.tag
      }
  }

  private func hasText(_ after: Block, from before: Block, _ made: Range<Int>) -> Bool {
    var place = after.text.utf16.lowerBound
    var source = before.text.utf16.lowerBound
    func matches(_ part: Range<Int>) -> Bool {
      defer { place += part.count }
      return place + part.count <= new.text.count
        && new.text.utf16[place..<place + part.count].elementsEqual(old.text.utf16[part])
    }
    for edit in edits[made] {
      guard matches(source..<edit.range.utf16.lowerBound) else { return false }
      let units = edit.replacement.utf16
      let end = place + units.count
      guard end <= new.text.count, new.text.utf16[place..<end].elementsEqual(units) else {
        return false
      }
      place = end
      source = edit.range.utf16.upperBound
    }
    return matches(source..<before.text.utf16.upperBound)
  }
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
