import MarkdownParse
import Model

/// The parts of a document that are compared with the result of a change. They take less memory
/// than the document.
struct ComparedDocument {
  var blocks: [Block]
  var inlines: [Inline]
  /// The rendered text in UTF-16 units.
  var text: [UInt16]

  /// Copies the parts of a document that the check needs.
  ///
  /// - Parameter text: the rendered text if it is known already; nil to copy it from the document.
  init(_ document: ParsedDocument, text: [UInt16]? = nil) {
    (blocks, inlines) = (document.blocks, document.inlines)
    self.text = text ?? document.text.utf16
  }
}

/// Compares a document with the result of a change.
struct FormattingCheck {
  private let old: ComparedDocument
  private let new: ParsedDocument

  init(_ old: ComparedDocument, _ new: ParsedDocument) {
    self.old = old
    self.new = new
  }

  /// Returns the indices of the plans whose block isn't as expected. The array is empty if the
  /// whole document is as expected. If the block structure has changed, the plans nearest to the
  /// first difference are returned. O(document).
  func failures(of plans: [BlockExpectation]) -> [Int] {
    if let place = firstChange(but: plans) {
      let after = plans.firstIndex { $0.block >= place } ?? plans.count - 1
      let before = plans.lastIndex { $0.block < place }
      return plans[after].block == place ? [after] : [before, after].compactMap(\.self)
    }
    var failing: [Int] = []
    var next = 0
    for index in old.blocks.indices {
      if next < plans.count, plans[next].block == index {
        if !plans[next].styles.allows(new.characterStyles(ofBlock: index))
          || !sameSilentSpans(index)
        {
          failing.append(next)
        }
        next += 1
      } else if !sameSpans(index) {
        let nearest = max(0, next - 1)
        if failing.last != nearest { failing.append(nearest) }
      }
    }
    return failing
  }

  /// Returns the first block whose kind, parent or text differs; nil if no block differs. The
  /// blocks of `plans` may change their kind.
  private func firstChange(but plans: [BlockExpectation]) -> Int? {
    let kinds = Dictionary(uniqueKeysWithValues: plans.map { ($0.block, $0.kind) })
    for index in old.blocks.indices {
      guard index < new.blocks.count else { return index }
      let (before, after) = (old.blocks[index], new.blocks[index])
      let kind = kinds[index].flatMap(\.self) ?? before.kind
      guard before.parent == after.parent, kind.isLike(after.kind),
        !before.isLeaf
          || before.text == after.text
            && old.text[before.text.utf16] == new.text.utf16[after.text.utf16]
      else { return index }
    }
    return new.blocks.count == old.blocks.count ? nil : old.blocks.count - 1
  }

  /// Returns whether a block outside the plans still has the same spans.
  private func sameSpans(_ index: Int) -> Bool {
    old.inlines[old.blocks[index].inlines].isLike(new.inlines[new.blocks[index].inlines])
  }

  /// Returns whether a block still has the spans that render nothing.
  private func sameSilentSpans(_ index: Int) -> Bool {
    func silent(_ blocks: [Block], _ inlines: [Inline]) -> [Int] {
      inlines[blocks[index].inlines].compactMap {
        switch $0.kind {
        case .rawHTML, .footnoteReference, .hidden: $0.kind.tag
        case .link, .image: $0.text.isEmpty ? $0.kind.tag : nil
        default: nil
        }
      }
    }
    return silent(old.blocks, old.inlines) == silent(new.blocks, new.inlines)
  }
}

extension Block.Kind {
  /// Returns whether two kinds are equal, ignoring source positions and the spacing of list items.
  func isLike(_ other: Block.Kind) -> Bool {
    switch (self, other) {
    case (.codeBlock(let a), .codeBlock(let b)): (a == nil) == (b == nil) && a?.count == b?.count
    case (.list(let a), .list(let b)): a.start == b.start && a.delimiter == b.delimiter
    case (.footnoteDefinition(let a), .footnoteDefinition(let b)): a.count == b.count
    case (.calloutLabel(let a), .calloutLabel(let b)): a.count == b.count
    case (.admonition(let a, let aIsIndented), .admonition(let b, let bIsIndented)):
      a.count == b.count && aIsIndented == bIsIndented
    default: self == other
    }
  }
}

extension ArraySlice<Inline> {
  /// Returns whether other spans have the same kinds and cover the same text.
  func isLike(_ other: ArraySlice<Inline>) -> Bool {
    count == other.count
      && zip(self, other).allSatisfy { $0.text == $1.text && $0.kind.tag == $1.kind.tag }
  }
}

extension Inline.Kind {
  /// A number that identifies the kind, ignoring associated values except whether mathematics is
  /// displayed.
  var tag: Int {
    switch self {
    case .emphasis: 0
    case .strong: 1
    case .strikethrough: 2
    case .mark: 3
    case .code: 4
    case .math(let display): display ? 5 : 6
    case .link: 7
    case .image: 8
    case .footnoteReference: 9
    case .rawHTML: 10
    case .softBreak: 11
    case .hardBreak: 12
    case .hidden: 13
    }
  }
}
