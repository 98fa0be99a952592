import MarkdownParse
package import Model

extension EditBuilder {
  /// How much of a range stands in block quotes.
  package func quoteState(in range: TextRange) throws(FormattingError) -> StyleState {
    let leaves = document.leaves(in: try widened(range))
    let quoted = leaves.count { document.innermostQuote(around: $0) != nil }
    return quoted == 0 ? .none : quoted == leaves.count ? .all : .some
  }

  /// Puts the blocks that a range touches into block quotes. What is quoted already stays as it is;
  /// a list enters a quote as a whole when all of its items are touched, otherwise each of the
  /// items' texts is quoted; a table is always quoted as a whole.
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

  /// Takes the blocks that a range touches out of their innermost block quotes; those before and
  /// after stay quoted. A list or a table leaves a quote as a whole.
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
    // Blank lines where a block would run into its neighbour: none, then about one group after the
    // other, then about all.
    let plain = groups.map { $0.edits(in: document, isOn: isOn) }
    let blanks = groups.map { $0.blanks(in: document) }
    var choice = [Int](repeating: 0, count: groups.count)
    while true {
      let all = zip(plain.indices, choice).flatMap { plain[$0] + blanks[$0][$1] }
        .minimal(in: document.source.bytes)
      let result = parsed(after: all)
      if Outline(result) == expected, document.hasSameSpans(as: result) {
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

/// The blocks of a document without its quotes: each with how many quotes stand around it.
struct Outline: Equatable {
  private struct Entry: Equatable {
    var kind: Block.Kind
    /// The innermost block around it that is no quote, by its number in the outline.
    var parent: Int
    var quotes: Int
    var text: [UInt16]

    static func == (a: Entry, b: Entry) -> Bool {
      a.parent == b.parent && a.quotes == b.quotes && a.text == b.text && a.kind.isLike(b.kind)
    }
  }

  private var entries: [Entry] = []
  /// The block of each entry.
  private var blocks: [Int] = []

  static func == (a: Outline, b: Outline) -> Bool { a.entries == b.entries }

  /// The outline of a document in which some blocks have moved into or out of a quote.
  init(_ document: ParsedDocument, moving groups: [QuoteGroup] = [], by step: Int = 0) {
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
          text: block.isLeaf ? Array(document.text.utf16[block.text.utf16]) : []))
    }
  }

  /// The block of this outline's document at which another outline differs first.
  func firstDifference(from other: Outline) -> Int? {
    for (index, entry) in entries.enumerated()
    where index >= other.entries.count || entry != other.entries[index] {
      return blocks[index]
    }
    return blocks.last
  }
}

extension ParsedDocument {
  /// The innermost block quote around a block.
  func innermostQuote(around block: Int) -> Int? {
    var index = blocks[block].parent
    while index >= 0 {
      if blocks[index].kind == .blockQuote { return index }
      index = blocks[index].parent
    }
    return nil
  }
}
