package import MarkdownParse
package import Model

/// Replacements as edits of the rendered text.
///
/// White space at the ends of a line isn't rendered. If the words at the end of a line are removed,
/// the white space next to them is removed too. If all words of a line are removed, a line break
/// next to the line is removed as well.
struct ReplaceEdits {
  /// One edit for each replacement, inside the text of a leaf.
  private(set) var inLeaves: [TextEdit]
  /// The same edits for the whole document's text: if a paragraph is removed, its edit also removes
  /// the separator next to it.
  private(set) var inText: [TextEdit]
  /// The paragraphs of list items that become empty, as block indices in the old document.
  private(set) var emptiedParagraphs: Set<Int> = []

  /// Computes the edits. O(document) if a replacement removes text.
  ///
  /// - Parameter wanted: the replacements, sorted and disjoint.
  init(_ wanted: [TextEdit], in document: ParsedDocument) {
    inLeaves = wanted
    inText = wanted
    guard wanted.contains(where: \.isRemoval) else { return }
    var next = 0
    var emptied: [(bounds: Range<Int>, made: Range<Int>)] = []
    for index in document.blocks.indices where document.blocks[index].isLeaf {
      let leaf = document.blocks[index]
      let first = next
      while next < wanted.count,
        wanted[next].range.utf16.upperBound <= leaf.text.utf16.upperBound
      { next += 1 }
      guard first < next, !leaf.isCode,
        wanted[first..<next].contains(where: \.isRemoval)
      else { continue }
      trim(first..<next, in: leaf, of: document)
      if leaf.kind == .paragraph, leaf.parent >= 0,
        case .listItem = document.blocks[leaf.parent].kind, empties(leaf, first..<next)
      {
        emptiedParagraphs.insert(index)
        emptied.append((leaf.text.utf16, first..<next))
      }
    }
    inText = inLeaves
    for (bounds, made) in emptied { removeSeparator(bounds, made, document.text.count) }
  }

  /// Returns whether the edits remove all of a leaf's text.
  func empties(_ leaf: Block, _ made: Range<Int>) -> Bool {
    inLeaves[made].allSatisfy { $0.replacement.isEmpty }
      && inLeaves[made].reduce(0) { $0 + $1.range.count } == leaf.text.count
  }

  private mutating func trim(_ made: Range<Int>, in leaf: Block, of document: ParsedDocument) {
    let text = document.text.utf16
    let spans = document.inlines[leaf.inlines]
    let breaks = Set(spans.filter(\.isBreak).map(\.text.utf16.lowerBound))
    let bounds = leaf.text.utf16
    func isBlank(_ offset: Int) -> Bool {
      (text[offset] == 32 || text[offset] == 9) && !breaks.contains(offset)
    }
    func startsLine(_ offset: Int) -> Bool {
      offset == bounds.lowerBound || breaks.contains(offset - 1)
    }
    func endsLine(_ offset: Int) -> Bool { offset == bounds.upperBound || breaks.contains(offset) }

    // For a removal at the start of a line, also remove the spaces after it.
    var start = -1
    for index in made where inLeaves[index].isRemoval {
      var range = inLeaves[index].range.utf16
      guard startsLine(range.lowerBound) || range.lowerBound == start else { continue }
      let limit =
        index + 1 < made.upperBound
        ? inLeaves[index + 1].range.utf16.lowerBound : bounds.upperBound
      var end = range.upperBound
      while end < limit, isBlank(end) { end += 1 }
      range = range.lowerBound..<end
      start = end
      inLeaves[index].range = TextRange(utf16: range)
    }
    // For a removal at the end of a line, also remove the spaces before it.
    var end = -1
    for index in made.reversed() where inLeaves[index].isRemoval {
      let range = inLeaves[index].range.utf16
      guard endsLine(range.upperBound) || range.upperBound == end else { continue }
      let limit =
        index > made.lowerBound
        ? inLeaves[index - 1].range.utf16.upperBound : bounds.lowerBound
      end = range.lowerBound
      while end > limit, isBlank(end - 1) { end -= 1 }
      inLeaves[index].range = TextRange(utf16: end..<range.upperBound)
    }
    removeEmptyLines(made, bounds, breaks)
  }

  /// Also removes a line break if all words of its line are removed.
  private mutating func removeEmptyLines(
    _ made: Range<Int>, _ bounds: Range<Int>, _ breaks: Set<Int>
  ) {
    guard !breaks.isEmpty else { return }
    // The index of the first removal in the run of adjacent removals that ends with the current
    // one.
    var first = made.lowerBound
    for index in made {
      let range = inLeaves[index].range.utf16
      if index > first,
        !inLeaves[index - 1].isRemoval
          || inLeaves[index - 1].range.utf16.upperBound != range.lowerBound
      {
        first = index
      }
      guard inLeaves[index].isRemoval,
        range.upperBound == bounds.upperBound || breaks.contains(range.upperBound)
      else { continue }
      let start = inLeaves[first].range.utf16
      if breaks.contains(start.lowerBound - 1) {
        let before = first > made.lowerBound ? inLeaves[first - 1].range.utf16.upperBound : 0
        guard before <= start.lowerBound - 1 else { continue }
        inLeaves[first].range = TextRange(utf16: start.lowerBound - 1..<start.upperBound)
      } else if start.lowerBound == bounds.lowerBound, range.upperBound < bounds.upperBound {
        inLeaves[index].range = TextRange(utf16: range.lowerBound..<range.upperBound + 1)
      }
    }
  }

  /// Removes the separator before an empty leaf or, if that isn't possible, the one after it.
  private mutating func removeSeparator(_ bounds: Range<Int>, _ made: Range<Int>, _ count: Int) {
    let before = made.lowerBound > 0 ? inText[made.lowerBound - 1].range.utf16.upperBound : 0
    let last = made.upperBound - 1
    if bounds.lowerBound > before {
      let range = inText[made.lowerBound].range.utf16
      inText[made.lowerBound].range = TextRange(utf16: range.lowerBound - 1..<range.upperBound)
    } else if bounds.upperBound < count {
      let range = inText[last].range.utf16
      inText[last].range = TextRange(utf16: range.lowerBound..<range.upperBound + 1)
    }
  }
}

extension [TextEdit] {
  /// Returns the edits whose replacement differs from the text in their range.
  package func changing(_ text: RenderedText) -> [TextEdit] {
    filter { text.substring($0.range) != $0.replacement }
  }
}

extension TextEdit {
  /// Whether the edit only removes text.
  var isRemoval: Bool { replacement.isEmpty && !range.isEmpty }
}

extension Inline {
  fileprivate var isBreak: Bool { kind == .softBreak || kind == .hardBreak }
}
