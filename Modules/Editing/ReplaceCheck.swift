import MarkdownParse
import Model

/// Compares a document with what replacements have made of it.
struct ReplaceCheck {
  /// What is not as expected.
  enum Failure: Hashable {
    /// The text or the spans of these leaves, in order; in each of them something is replaced.
    case leaves([Int])
    /// The blocks themselves, or something where nothing is replaced.
    case other
  }

  private let old: ParsedDocument
  private let new: ParsedDocument
  private let edits: ReplaceEdits

  init(_ old: ParsedDocument, _ new: ParsedDocument, _ edits: ReplaceEdits) {
    self.old = old
    self.new = new
    self.edits = edits
  }

  /// What is not as expected; nil when all is. O(document).
  var failure: Failure? {
    guard new.blocks.count == old.blocks.count - edits.vanished.count else { return .other }
    var failing: [Int] = []
    var isElsewhere = false
    // The block that each old one has become.
    var counterparts: [Int] = []
    counterparts.reserveCapacity(old.blocks.count)
    var counterpart = 0
    var next = 0
    for index in old.blocks.indices {
      let before = old.blocks[index]
      let first = next
      if before.isLeaf {
        while next < edits.inLeaves.count,
          edits.inLeaves[next].range.utf16.upperBound <= before.text.utf16.upperBound
        { next += 1 }
      }
      counterparts.append(counterpart)
      if edits.vanished.contains(index) { continue }
      let after = new.blocks[counterpart]
      counterpart += 1
      guard after.parent == (before.parent < 0 ? before.parent : counterparts[before.parent]),
        before.kind.isLike(after.kind)
      else { return .other }
      guard before.isLeaf, !isExpected(before, after, first..<next) else { continue }
      if first < next { failing.append(index) } else { isElsewhere = true }
    }
    if isElsewhere { return .other }
    if !failing.isEmpty { return .leaves(failing) }
    // Nothing separates a block without text from another.
    return old.text.utf16.applying(edits.inText) == new.text.utf16 ? nil : .other
  }

  /// Whether a leaf has its old text with the replacements in it, and its old spans.
  private func isExpected(_ before: Block, _ after: Block, _ made: Range<Int>) -> Bool {
    var place = after.text.utf16.lowerBound
    var source = before.text.utf16.lowerBound
    let end = after.text.utf16.upperBound
    func matches(_ units: some Collection<UInt16>) -> Bool {
      defer { place += units.count }
      return place + units.count <= end
        && new.text.utf16[place..<place + units.count].elementsEqual(units)
    }
    for edit in edits.inLeaves[made] {
      guard matches(old.text.utf16[source..<edit.range.utf16.lowerBound]),
        matches(edit.replacement.utf16)
      else { return false }
      source = edit.range.utf16.upperBound
    }
    // A line break is text, and has been compared with it.
    return matches(old.text.utf16[source..<before.text.utf16.upperBound]) && place == end
      && old.spanTags(of: before).elementsEqual(new.spanTags(of: after))
  }
}

extension ParsedDocument {
  /// The kinds of the spans in a leaf, without the breaks, which are text.
  func spanTags(of leaf: Block) -> some Sequence<Int> {
    inlines[leaf.inlines].lazy.filter { $0.kind != .softBreak && $0.kind != .hardBreak }
      .map(\.kind.tag)
  }
}
