import MarkdownParse
package import Model

extension EditBuilder {
  /// Returns how many of the leaf blocks that a range touches are inside block quotes.
  ///
  /// - Throws: ``FormattingError/nothingSelected`` if the range is empty,
  ///   ``FormattingError/outOfBounds`` if it ends beyond the text.
  package func quoteState(in range: TextRange) throws(FormattingError) -> StyleState {
    let leaves = document.leaves(in: try widened(range))
    let quoted = leaves.count { document.innermostQuote(around: $0) != nil }
    return quoted == 0 ? .none : quoted == leaves.count ? .all : .some
  }

  /// Puts the blocks that a range touches into block quotes. Blocks that are already quoted are
  /// unchanged. A list is quoted as a whole if the range touches all of its items; otherwise the
  /// text of each touched item is quoted. The same applies to an admonition and its blocks. A table
  /// or a description list is always quoted as a whole.
  ///
  /// - Throws: ``FormattingError/inexpressible(_:_:_:)`` for HTML, for items with a checkbox, and
  ///   if no combination of blank lines produces the expected blocks;
  ///   ``FormattingError/nothingSelected`` if the range touches no text,
  ///   ``FormattingError/outOfBounds`` if it ends beyond the text.
  package func wrapQuote(_ range: TextRange) throws(FormattingError) -> SourceChange {
    let touched = Set(try touchedLeaves(range))
    try refuseHTML(touched)
    let groups = QuoteGroup.entering(document, touched)
    for group in groups {
      if case .listItem(task: .some) = document.blocks[group.parent].kind,
        document.blocks[group.parent].firstChild == group.blocks[0]
      {
        throw .inexpressible(.quote, .taskItem, document.blocks[group.blocks[0]].text)
      }
    }
    return try requote(groups, isOn: true)
  }

  /// Moves the blocks that a range touches out of their innermost block quotes. The blocks before
  /// and after them stay quoted. A list or a table leaves its quote as a whole.
  ///
  /// - Throws: ``FormattingError/inexpressible(_:_:_:)`` for HTML, and if no combination of blank
  ///   lines produces the expected blocks; ``FormattingError/nothingSelected`` if the range touches
  ///   no text, ``FormattingError/outOfBounds`` if it ends beyond the text.
  package func unwrapQuote(_ range: TextRange) throws(FormattingError) -> SourceChange {
    let touched = try touchedLeaves(range)
    try refuseHTML(touched)
    return try requote(QuoteGroup.leaving(document, touched), isOn: false)
  }

  private func refuseHTML(_ leaves: some Collection<Int>) throws(FormattingError) {
    for leaf in leaves.sorted() where document.isHTML(leaf) {
      throw .inexpressible(.quote, .html, document.blocks[leaf].text)
    }
  }

  private func requote(_ groups: [QuoteGroup], isOn: Bool) throws(FormattingError) -> SourceChange {
    guard let first = groups.first, let last = groups.last else {
      return SourceChange(edits: [], document: document)
    }
    let expected = Outline(document, moving: groups, by: isOn ? 1 : -1)
    // Try without blank lines first, then with blank lines around one group after another, where a
    // block would merge with its neighbour, and finally with blank lines around all groups.
    let plain = groups.map { $0.edits(in: document, isOn: isOn) }
    let blanks = groups.map { $0.blanks(in: document) }
    if isPreparing {
      return SourceChange(
        edits: plain.flatMap(\.self).minimal(in: document.source.bytes), document: document,
        expected: .quotes(expected.withoutText, document.inlines))
    }
    var choice = [Int](repeating: 0, count: groups.count)
    while true {
      let all = zip(plain.indices, choice).flatMap { plain[$0] + blanks[$0][$1] }
        .minimal(in: document.source.bytes)
      let result = parsed(after: all)
      if Outline(result) == expected, document.inlines[...].isLike(result.inlines[...]) {
        return SourceChange(edits: all, document: result)
      }
      guard let place = expected.firstDifference(from: Outline(result)),
        let group = groups.lastIndex(where: { ($0.blocks.first ?? 0) <= place })
          ?? groups.indices.first,
        let next = [group, group + 1].first(where: {
          $0 < choice.count && choice[$0] + 1 < blanks[$0].count
        })
      else {
        let start = document.blocks[first.blocks[0]].text.utf16.lowerBound
        let end = document.blocks[last.blocks[last.blocks.count - 1]].text.utf16.upperBound
        throw .inexpressible(.quote, .surroundings, TextRange(utf16: start..<max(start, end)))
      }
      choice[next] += 1
    }
  }
}

/// The blocks of a document without its block quotes, each with the number of quotes around it.
struct Outline: Equatable {
  private struct Entry {
    var kind: Block.Kind
    /// The entry of the innermost enclosing block that isn't a quote, or -1.
    var parent: Int
    var quotes: Int
    /// The range of a leaf's text; empty for other blocks.
    var text: Range<Int>
  }

  private var entries: [Entry] = []
  /// The index in the document of each entry's block.
  private var blocks: [Int] = []
  /// The document's text; nil if all compared documents are known to have the same text.
  private var units: [UInt16]?

  static func == (a: Outline, b: Outline) -> Bool {
    a.entries.count == b.entries.count && a.entries.indices.allSatisfy { a.isSame(b, at: $0) }
  }

  /// The outline without the text, for documents whose text is known to be the same.
  var withoutText: Outline {
    var outline = self
    outline.units = nil
    return outline
  }

  private func isSame(_ other: Outline, at index: Int) -> Bool {
    let (a, b) = (entries[index], other.entries[index])
    guard a.parent == b.parent, a.quotes == b.quotes, a.kind.isLike(b.kind) else { return false }
    guard let units, let otherUnits = other.units else { return a.text == b.text }
    return units[a.text] == otherUnits[b.text]
  }

  /// Creates the outline of a document as if some blocks had been moved into (`step` 1) or out of
  /// (`step` -1) a quote.
  init(_ document: ParsedDocument, moving groups: [QuoteGroup] = [], by step: Int = 0) {
    units = document.text.utf16
    let moved = Set(groups.flatMap(\.blocks))
    var number = [Int](repeating: -1, count: document.blocks.count)
    var depth = [Int](repeating: 0, count: document.blocks.count)
    for (index, block) in document.blocks.enumerated() {
      let outer = block.parent >= 0 ? depth[block.parent] : 0
      depth[index] = outer + (moved.contains(index) ? step : 0)
      guard block.kind != .blockQuote else {
        depth[index] += 1
        number[index] = number[block.parent]
        continue
      }
      number[index] = entries.count
      blocks.append(index)
      entries.append(
        Entry(
          kind: block.kind, parent: block.parent >= 0 ? number[block.parent] : -1,
          quotes: depth[index],
          text: block.isLeaf ? block.text.utf16 : 0..<0))
    }
  }

  /// Returns the first block of this outline's document at which another outline differs. Returns
  /// the last block if the other outline has all blocks of this one, nil if this outline is empty.
  func firstDifference(from other: Outline) -> Int? {
    for index in entries.indices
    where index >= other.entries.count || !isSame(other, at: index) {
      return blocks[index]
    }
    return blocks.last
  }
}

extension ParsedDocument {
  /// Returns the innermost block quote around a block, or nil if it isn't quoted.
  func innermostQuote(around block: Int) -> Int? {
    var index = blocks[block].parent
    while index >= 0 {
      if blocks[index].kind == .blockQuote { return index }
      index = blocks[index].parent
    }
    return nil
  }
}
