import MarkdownParse
import Model

/// The parts of a document that are compared with the result of replacements. They take less memory
/// than the document.
struct ReplaceOutline {
  var blocks: [Block]
  /// The tag of each span.
  private var tags: [UInt8]
  /// The rendered text in UTF-16 units.
  var text: [UInt16]

  /// Copies the parts of a document that the check needs.
  ///
  /// - Parameter text: the rendered text if it is known already; nil to copy it from the document.
  init(_ document: ParsedDocument, text: [UInt16]? = nil) {
    blocks = document.blocks
    tags = document.inlines.map(\.replaceTag)
    self.text = text ?? document.text.utf16
  }

  /// Returns the kinds of a leaf's spans, without line breaks, which are part of the text.
  func spanTags(of leaf: Block) -> some Sequence<UInt8> {
    tags[leaf.inlines].lazy.filter { $0 != Inline.breakTag }
  }
}

/// Compares a document with the result of replacements.
struct ReplaceCheck {
  /// The kind of an unexpected difference.
  enum Failure: Hashable {
    /// The text or the spans of these leaves differ, in ascending order. Each contains a
    /// replacement.
    case leaves([Int])
    /// The block structure differs, or a part of the document without replacements differs.
    case other
  }

  private let old: ReplaceOutline
  private let new: ReplaceOutline
  private let edits: ReplaceEdits

  init(_ old: ReplaceOutline, _ new: ReplaceOutline, _ edits: ReplaceEdits) {
    self.old = old
    self.new = new
    self.edits = edits
  }

  /// The unexpected difference; nil if everything is as expected. O(document).
  var failure: Failure? {
    guard new.blocks.count == old.blocks.count - edits.emptiedParagraphs.count else {
      return .other
    }
    var failing: [Int] = []
    var isElsewhere = false
    // The index in the new document for each old block.
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
      if edits.emptiedParagraphs.contains(index) { continue }
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
    // The leaves are equal. Compare the whole text too, because a block without text has no
    // separator.
    return old.text.applying(edits.inText, gives: new.text) ? nil : .other
  }

  /// Returns whether a leaf has its old text with the replacements applied, and its old spans.
  private func isExpected(_ before: Block, _ after: Block, _ made: Range<Int>) -> Bool {
    var place = after.text.utf16.lowerBound
    var source = before.text.utf16.lowerBound
    let end = after.text.utf16.upperBound
    func matches(_ units: some Collection<UInt16>) -> Bool {
      defer { place += units.count }
      return place + units.count <= end
        && new.text[place..<place + units.count].elementsEqual(units)
    }
    for edit in edits.inLeaves[made] {
      guard matches(old.text[source..<edit.range.utf16.lowerBound]),
        matches(edit.replacement.utf16)
      else { return false }
      source = edit.range.utf16.upperBound
    }
    // Line breaks aren't compared as spans: the text comparison includes them.
    return matches(old.text[source..<before.text.utf16.upperBound]) && place == end
      && old.spanTags(of: before).elementsEqual(new.spanTags(of: after))
  }
}

extension ParsedDocument {
  /// Returns the kinds of a leaf's spans, without line breaks, which are part of the text.
  func spanTags(of leaf: Block) -> some Sequence<UInt8> {
    inlines[leaf.inlines].lazy.map(\.replaceTag).filter { $0 != Inline.breakTag }
  }
}

extension Inline {
  /// The tag of all line breaks.
  fileprivate static let breakTag = UInt8.max

  /// A number that identifies the kind, and is ``breakTag`` for a line break.
  fileprivate var replaceTag: UInt8 {
    switch kind {
    case .softBreak, .hardBreak: Self.breakTag
    default: UInt8(kind.tag)
    }
  }
}
