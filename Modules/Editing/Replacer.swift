import CMalloc
package import MarkdownParse
package import Model

/// Replaces ranges of the rendered text by editing the source.
///
/// ```swift
/// let replacer = Replacer(ParsedDocument(parsing: MarkdownSource("a **quick** fox")))
/// let edit = TextEdit(range: TextRange(utf16: 2..<7), replacement: "slow")
/// let result = replacer.replace([edit])  // a **slow** fox
/// ```
///
/// Every change is applied, parsed again and compared before it is returned. The new text must be
/// the old one with the replacements, and blocks and spans must be unchanged. Replacements that
/// Markdown would parse as markup are escaped with backslashes, each individually. A replacement
/// that can't be written, or whose range crosses markup, is refused; the others are made.
package struct Replacer: Sendable {
  /// The result of replacing some ranges.
  package struct Result: Sendable {
    /// The change of the source.
    package var patch: SourcePatch
    /// The document after the change.
    package var document: ParsedDocument
    /// The changes of the rendered text, one for each replacement that was made. Spaces next to
    /// words that were removed at a line's end are removed too.
    package var edits: [TextEdit]
    /// The ranges that were not replaced, in order.
    package var refused: [ReplacementError]
  }

  /// The maximum number of times that the whole document is parsed. It is parsed only if parsing
  /// pieces does not show which replacements fail.
  private static let wholeAttempts = 40

  let document: ParsedDocument
  private let budget: Int

  /// Creates a replacer for a document.
  ///
  /// - Parameter budget: the maximum number of bytes to parse in pieces to find out how to write
  ///   each replacement.
  package init(_ document: ParsedDocument, budget: Int = 1 << 25) {
    (self.document, self.budget) = (document, budget)
  }

  /// Makes replacements, which must be sorted and disjoint. All ranges refer to the old text.
  ///
  /// O(document) if nothing needs a backslash. Otherwise the affected blocks are tried separately,
  /// O(log n) times for each affected replacement among the n of a block, within the budget.
  package func replace(_ wanted: [TextEdit]) -> Result {
    let (whole, leaves, linkNames, ways) = prepared(wanted)
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
      // Adjacent blocks, and references that become links, can only be checked in the whole
      // document.
      var search = ReplaceSearch(budget: Self.wholeAttempts * document.source.bytes.count)
      search.settle(whole, ways[...], &chosen[...])
      untried.formUnion(search.untried)
      result = outcome()
    }
    precondition(result.failure == nil, "the chosen replacements have the expected result")
    return Result(
      patch: result.patch, document: result.document, edits: result.edits,
      refused: wanted.indices.filter { chosen[$0] == nil }.map { index in
        let reason =
          linkNames.contains(index)
          ? .linkName : reason(wanted[index], in: leaves.block[index])
        return ReplacementError(
          range: wanted[index].range,
          reason: reason == .markup && untried.contains(index) ? .untried : reason)
      })
  }

  private typealias Leaves = (block: [Int], groups: [(block: Int, wanted: Range<Int>)])

  /// Prepares replacements.
  ///
  /// - Returns: a trial of all replacements; their leaves; the indices of the replacements that
  ///   would change the name of a link; and the possible forms of each replacement.
  private func prepared(_ wanted: [TextEdit]) -> (
    whole: ReplaceTrial, leaves: Leaves, linkNames: Set<Int>, ways: [[Writing]]
  ) {
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
    return (whole, leaves, linkNames, ways)
  }

  // MARK: - Long documents

  /// Makes replacements in a long document that is released before the new one is parsed, because
  /// both documents together would take twice the memory. The replacements are made only if all of
  /// them can have their preferred form.
  ///
  /// - Parameters:
  ///   - document: the document; nil on return if the replacements were made.
  ///   - isText: returns whether the UTF-16 units are the document's text.
  /// - Returns: the result; nil if the replacements need ``replace(_:)``.
  package static func replace(
    _ wanted: [TextEdit], releasing document: inout ParsedDocument?,
    isText: ([UInt16]) -> Bool
  ) -> LongResult? {
    guard let attempt = document.flatMap({ Replacer($0).attempt(wanted) }) else { return nil }
    document = nil
    // The forms of many replacements were small allocations, which malloc does not return to the
    // system otherwise.
    malloc_trim(0)
    if let made = attempt.made(isText) { return made }
    document = ParsedDocument(
      parsing: MarkdownSource(attempt.patch.inverted.applied(to: attempt.bytes)),
      options: attempt.options)
    return nil
  }

  /// The result of replacing some ranges of a long document.
  package struct LongResult {
    /// The change of the source.
    package var patch: SourcePatch
    /// The text after the change.
    package var after: MappedText
    /// The changes of the rendered text, as in ``Result``.
    package var edits: [TextEdit]
    /// The text before the change, in UTF-16 units.
    package var old: [UInt16]
  }

  /// Replacements in their preferred form, with the data to check them without the document.
  private struct Attempt {
    var patch: SourcePatch
    var edits: ReplaceEdits
    /// The edits of the new text that restore the old one.
    var inverse: [TextEdit]
    /// The source after the replacements.
    var bytes: [UInt8]
    var options: MarkdownOptions
    /// The old document, without its text.
    var outline: ReplaceOutline

    /// Returns the result; nil if the new document isn't as expected.
    func made(_ isText: ([UInt16]) -> Bool) -> LongResult? {
      let (after, new) = parsed()
      guard inverse.allSatisfy({ $0.range.utf16.upperBound <= after.text.count }) else {
        return nil
      }
      var outline = outline
      outline.text = after.text.utf16.applying(inverse)
      guard isText(outline.text), ReplaceCheck(outline, new, edits).failure == nil else {
        return nil
      }
      return LongResult(patch: patch, after: after, edits: edits.inText, old: outline.text)
    }

    /// Parses the new source. The spans are released before the old text is made.
    private func parsed() -> (text: MappedText, outline: ReplaceOutline) {
      let document = ParsedDocument(parsing: MarkdownSource(bytes), options: options)
      return (document.mapped, ReplaceOutline(document))
    }
  }

  private func attempt(_ wanted: [TextEdit]) -> Attempt? {
    let (whole, _, _, ways) = prepared(wanted)
    guard ways.allSatisfy({ !$0.isEmpty }) else { return nil }
    let (patch, edits) = whole.changes(ways.map(\.first))
    var shift = 0
    let inverse = edits.inText.map { edit in
      let start = edit.range.utf16.lowerBound + shift
      let length = edit.replacement.utf16.count
      shift += length - edit.range.count
      return TextEdit(
        range: TextRange(utf16: start..<start + length),
        replacement: document.text.substring(edit.range))
    }
    return Attempt(
      patch: patch, edits: edits, inverse: inverse,
      bytes: patch.applied(to: document.source.bytes), options: document.options,
      outline: ReplaceOutline(document, text: []))
  }

  /// Returns the leaf of each replacement, or -1 if it is in no leaf, and the replacements of each
  /// leaf.
  private func leaves(of wanted: [TextEdit]) -> Leaves {
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

  /// Returns the possible forms of a replacement, preferred forms first. Empty if the range can't
  /// be replaced.
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
    // A bar in a table cell always needs a backslash, or it would end the cell.
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
      texts.append(MarkdownEscaping.escapingAll(text))
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

  /// Returns text escaped for HTML, attributes included.
  private static func escapedForHTML(_ text: String) -> String {
    text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing("\"", with: "&quot;")
      .replacing("'", with: "&#39;")
  }

  /// Returns whether the unit at an offset of a leaf's text is a line end in the source. O(log
  /// spans).
  private func isBreak(_ offset: Int, in leaf: Block) -> Bool {
    guard document.text.utf16[offset] == 32 else { return false }
    let source = document.map.source(of: TextRange(utf16: offset..<offset + 1))
    return source.first.map {
      document.source.bytes[$0.bytes].contains { $0 == 10 || $0 == 13 }
    } ?? false
  }
}
