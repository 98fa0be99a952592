import MarkdownParse

/// The ways to change one leaf block, in order of preference. The first way that parses as expected
/// is used.
protocol ChangePlan {
  /// The index of the block to change.
  var block: Int { get }
  /// The kind that the block must have after the change; nil if its kind must stay the same.
  var kind: Block.Kind? { get }
  /// The styles that the block must have after the change.
  var expectation: LeafExpectation { get }
  /// Returns the edits of the way at an index, sorted and disjoint. Nil if there are no more ways.
  mutating func edits(way: Int) -> [SourceEdit]?
  /// A plan with a nearly equal result, which is tried if all ways fail; nil if there is no such
  /// plan.
  var fallback: (any ChangePlan)? { get }
}

extension ChangePlan {
  var fallback: (any ChangePlan)? { nil }
  /// The kind and the styles that the block must have after the change.
  var expected: BlockExpectation {
    BlockExpectation(block: block, kind: kind, styles: expectation)
  }
}

/// The kind and the styles that a block must have after a change.
struct BlockExpectation {
  /// The index of the block.
  var block: Int
  /// The kind of the block; nil if its kind must stay the same.
  var kind: Block.Kind?
  /// The styles of the block's text.
  var styles: LeafExpectation
}

/// The ways to write the requested spans of one leaf block. The plainest way is first.
///
/// Whether a delimiter opens or closes emphasis depends on all surrounding characters (CommonMark
/// 6.2). The plan therefore doesn't predict the result. It offers ways in order of their cost, and
/// each way is parsed until one succeeds.
struct LeafPlan: ChangePlan {
  /// The positions of the spans, and the new bytes of the pieces that are rewritten.
  struct Arrangement {
    var spans: [LeafSpan]
    var replaced: [Int: [UInt8]] = [:]
  }

  let leaf: Leaf
  let expectation: LeafExpectation
  private let source: [UInt8]
  private let arrangements: [Arrangement]
  private let makeFallback: () -> LeafPlan?
  /// All ways; nil until the first one has failed.
  private var ways: [LeafSerialization]?

  init(
    _ leaf: Leaf, _ expectation: LeafExpectation, _ arrangements: [Arrangement], source: [UInt8],
    fallback: @escaping () -> LeafPlan? = { nil }
  ) {
    self.leaf = leaf
    self.expectation = expectation
    self.arrangements = arrangements
    self.source = source
    makeFallback = fallback
  }

  var fallback: (any ChangePlan)? { makeFallback() }
  var block: Int { leaf.block }
  var kind: Block.Kind? { nil }

  mutating func edits(way: Int) -> [SourceEdit]? {
    if way == 0 {
      return arrangements.first.map {
        edits(LeafSerialization(arrangement: 0, forms: $0.spans.map { _ in 0 }))
      }
    }
    if ways == nil { ways = LeafSerialization.all(of: arrangements, leaf, source) }
    guard let ways, way < ways.count else { return nil }
    return edits(ways[way])
  }

  // MARK: - Edits

  /// Returns the edits of a way, sorted. Unchanged bytes are not part of an edit. O(pieces).
  private func edits(_ way: LeafSerialization) -> [SourceEdit] {
    let arrangement = arrangements[way.arrangement]
    var replaced = arrangement.replaced
    for piece in LeafSerialization.literals(leaf, arrangement, source, way.escapes)
    where replaced[piece] == nil {
      replaced[piece] = [UInt8(ascii: "\\"), source[leaf.pieces[piece].source.lowerBound]]
    }
    var gaps = [[UInt8]](repeating: [], count: leaf.pieces.count + 1)
    for (index, span) in arrangement.spans.enumerated().reversed() {
      gaps[span.pieces.upperBound] += close(of: index, way.forms[index], arrangement, replaced)
    }
    for (span, form) in zip(arrangement.spans, way.forms) {
      gaps[span.pieces.lowerBound] += span.forms[form].open
    }
    var edits: [SourceEdit] = []
    for (index, bytes) in gaps.enumerated() {
      edits.append(SourceEdit(leaf.gap(index), bytes: bytes))
      if index < leaf.pieces.count, let bytes = replaced[index] {
        edits.append(SourceEdit(leaf.pieces[index].source, bytes: bytes))
      }
    }
    return edits.filter { !source[$0.old].elementsEqual($0.bytes) }.minimal(in: source)
  }

  /// Returns the closing delimiter of a span. If the span is a link whose text is also its label,
  /// and the text changes, the label is written after the text (`[text][label]`).
  private func close(
    of index: Int, _ form: Int, _ arrangement: Arrangement, _ replaced: [Int: [UInt8]]
  ) -> [UInt8] {
    let span = arrangement.spans[index]
    guard let label = span.label else { return span.forms[form].close }
    let inside = arrangement.spans[(index + 1)...].prefix { $0.pieces.isInside(span.pieces) }
    let old = leaf.spans.firstIndex { $0.isLink && $0.pieces == span.pieces }.map {
      leaf.spans[($0 + 1)...].prefix { $0.pieces.isInside(span.pieces) }
    }
    let isTouched =
      span.isNew || replaced.keys.contains(where: span.pieces.contains)
      || inside.contains { $0.isNew } || inside.count != old?.count
    return isTouched ? Array("][".utf8) + label + Array("]".utf8) : span.forms[form].close
  }
}
