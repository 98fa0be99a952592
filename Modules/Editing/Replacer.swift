package import MarkdownParse
package import Model

/// Replaces places of the rendered text, in the source.
///
/// Every change has been applied, parsed again and compared before it is returned: the text is the
/// old one with the replacements in it, and no block or span is another one. A replacement that
/// would mean something in Markdown is written with backslashes, each by itself; one that cannot be
/// written, or a place that lies across markup, is refused, and the others are made.
package struct Replacer: Sendable {
  /// Places with what is to stand there.
  package struct Result: Sendable {
    /// The change of the source.
    package var patch: SourcePatch
    /// The document afterwards.
    package var document: ParsedDocument
    /// The change of the rendered text, one edit for each place. Blanks beside words that were
    /// removed from a line's end have gone with them.
    package var edits: [TextEdit]
    /// The places that are not replaced, in order.
    package var refused: [ReplaceRefusal]
  }

  /// How often the whole document is parsed where its pieces do not tell.
  private static let wholeAttempts = 40

  let document: ParsedDocument
  private let budget: Int

  /// Replaces in a document as it stands.
  ///
  /// - Parameter budget: how many bytes of pieces are parsed to find out how each is written.
  package init(_ document: ParsedDocument, budget: Int = 1 << 25) {
    (self.document, self.budget) = (document, budget)
  }

  /// Makes replacements, which are sorted and disjoint, all in the text before any of them.
  ///
  /// O(document) where nothing needs a backslash. Else the blocks in which something does are tried
  /// alone, O(log n) times for each such replacement among the n of a block; what is parsed for that
  /// is bounded.
  package func replace(_ wanted: [TextEdit]) -> Result {
    let whole = ReplaceTrial(document, wanted)
    let leaves = leaves(of: wanted)
    let linkNames = document.linkNames(changedBy: wanted)
    let names = linkNames.union(document.shownNames(changedBy: wanted))
    let ways = wanted.indices.map { index in
      names.contains(index)
        ? []
        : self.ways(
          of: wanted[index], placeCount: whole.placeCount(index), leaf: leaves.block[index])
    }
    var chosen = ways.map { $0.isEmpty ? nil : 0 }
    func outcome() -> ReplaceTrial.Outcome {
      whole.outcome(zip(ways, chosen).map { ways, way in way.map { ways[$0] } })
    }
    var untried: Set<Int> = []
    var result = outcome()
    if let failure = result.failure {
      var search = ReplaceSearch(budget: budget)
      var tried = leaves.groups
      if case .leaves(let failing) = failure {
        let failing = Set(failing)
        tried.removeAll { !failing.contains($0.block) }
      }
      for piece in ReplacePieces(document).pieces(around: tried) {
        let edits = wanted[piece.wanted].map {
          TextEdit(
            range: TextRange(
              utf16: $0.range.utf16.lowerBound - piece.shift..<$0.range.utf16.upperBound
                - piece.shift), replacement: $0.replacement)
        }
        search.settle(
          ReplaceTrial(piece.document, edits), ways[piece.wanted], &chosen[piece.wanted])
      }
      untried = search.untried
      result = outcome()
    }
    if result.failure != nil {
      // Blocks beside each other, or references that were not there before, tell only together.
      var search = ReplaceSearch(budget: Self.wholeAttempts * document.source.bytes.count)
      search.settle(whole, ways[...], &chosen[...])
      untried.formUnion(search.untried)
      result = outcome()
    }
    precondition(result.failure == nil, "what was tried holds")
    return Result(
      patch: result.patch, document: result.document, edits: result.edits,
      refused: wanted.indices.filter { chosen[$0] == nil }.map { index in
        let reason =
          linkNames.contains(index)
          ? .linkName : reason(wanted[index], in: leaves.block[index])
        return ReplaceRefusal(
          range: wanted[index].range,
          reason: reason == .markup && untried.contains(index) ? .untried : reason)
      })
  }

  /// The leaf of each replacement, and the replacements of each leaf; -1 for the one of none.
  private func leaves(of wanted: [TextEdit]) -> (
    block: [Int], groups: [(block: Int, wanted: Range<Int>)]
  ) {
    var blocks: [Int] = []
    var groups: [(block: Int, wanted: Range<Int>)] = []
    for index in document.blocks.indices where document.blocks[index].isLeaf {
      let first = blocks.count
      let end = document.blocks[index].text.utf16.upperBound
      while blocks.count < wanted.count, wanted[blocks.count].range.utf16.upperBound <= end {
        blocks.append(index)
      }
      if first < blocks.count { groups.append((index, first..<blocks.count)) }
    }
    blocks += Array(repeating: -1, count: wanted.count - blocks.count)
    return (blocks, groups)
  }

  // MARK: - Ways

  /// How a replacement can be written, from what is preferred; in no way where it has no place.
  private func ways(of edit: TextEdit, placeCount: Int, leaf: Int) -> [Writing] {
    guard placeCount > 0, leaf >= 0 else { return [] }
    let block = document.blocks[leaf]
    let text = edit.replacement
    if document.isHTML(leaf) {
      let escaped = Self.escapedForHTML(text)
      return (0..<placeCount).flatMap { place in
        (escaped == text ? [text] : [text, escaped]).map { Writing(place: place, text: $0) }
      }
    }
    let isCell = block.kind == .tableCell
    // Wherever a bar stands in a cell, a backslash keeps it from ending the cell.
    var texts = [isCell ? text.replacing("|", with: "\\|") : text]
    if !block.isCode, text.utf8.contains(where: \.isMarkByte) {
      let units = document.text.utf16
      let range = edit.range.utf16
      let (before, after) = (range.lowerBound - 1, range.upperBound)
      let startsLine =
        range.lowerBound == block.text.utf16.lowerBound || units[before] == 10
        || isBreak(before, in: block)
      texts.append(
        MarkdownEscaping.escapingMeaning(
          text, before: startsLine ? 10 : units[before],
          after: after < block.text.utf16.upperBound ? units[after] : 10, isCell: isCell))
      texts.append(Self.escaped(text))
    }
    var ways: [Writing] = []
    for place in 0..<placeCount {
      for text in texts {
        let way = Writing(place: place, text: text)
        if !ways.contains(way) { ways.append(way) }
      }
    }
    return ways
  }

  /// A text as HTML writes it, in attributes too.
  private static func escapedForHTML(_ text: String) -> String {
    text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing("\"", with: "&quot;")
      .replacing("'", with: "&#39;")
  }

  /// Whether a line ends at a place of a leaf's text. O(log spans).
  private func isBreak(_ offset: Int, in leaf: Block) -> Bool {
    guard document.text.utf16[offset] == 32 else { return false }
    let source = document.map.source(of: TextRange(utf16: offset..<offset + 1))
    return source.first.map {
      document.source.bytes[$0.bytes].contains { $0 == 10 || $0 == 13 }
    } ?? false
  }

  /// Text with a backslash before each mark that can have a meaning.
  private static func escaped(_ text: String) -> String {
    let marks = "\\`*_[]<>&~$=|#+-.)!:@%{^?"
    return text.reduce(into: "") { result, character in
      if marks.contains(character) { result.append("\\") }
      result.append(character)
    }
  }
}
