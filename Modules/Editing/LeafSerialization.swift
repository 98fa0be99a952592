import MarkdownParse

/// One way to write a leaf block: an arrangement of spans, the form of each span, and the literal
/// marks to escape.
///
/// Letters are never replaced by character references. Next to a reference, a delimiter could open
/// or close a span at any place, but `&#x662F;` in prose would be unreadable.
struct LeafSerialization {
  var arrangement: Int
  var forms: [Int]
  /// The literal marks to escape.
  var escapes = Escapes.none
  private var cost = 0

  init(arrangement: Int, forms: [Int]) {
    self.arrangement = arrangement
    self.forms = forms
  }

  /// A choice of literal marks to escape. The raw value is its cost.
  enum Escapes: Int {
    case none = 0
    /// Marks equal to the new delimiters, and marks next to any delimiter.
    case near = 12
    /// All marks in the block.
    case all = 30
  }

  /// The maximum number of serializations to try.
  private static let most = 400

  /// Returns at most `most` serializations, the plainest first. Usual delimiters cost less than
  /// other delimiters, and earlier arrangements cost less than later ones.
  static func all(of arrangements: [LeafPlan.Arrangement], _ leaf: Leaf, _ source: [UInt8])
    -> [LeafSerialization]
  {
    var ways: [LeafSerialization] = []
    for (index, arrangement) in arrangements.enumerated() {
      let near = literals(leaf, arrangement, source, .near)
      let every = literals(leaf, arrangement, source, .all)
      var escapes = [Escapes.none]
      if !near.isEmpty { escapes.append(.near) }
      if every.count > near.count { escapes.append(.all) }
      for forms in choices(arrangement.spans) {
        for escapes in escapes {
          var way = LeafSerialization(arrangement: index, forms: forms)
          way.escapes = escapes
          way.cost = forms.reduce(0) { $0 + 2 * min($1, 1) } + 3 * index + escapes.rawValue
          ways.append(way)
        }
      }
    }
    ways.sort { $0.cost < $1.cost }
    return Array(ways.prefix(most))
  }

  /// Returns the combinations of forms to try, as the index of a form for each span. Returns all
  /// combinations of the first two forms if at most four spans have several forms. Otherwise
  /// returns two combinations: the first form of each span, and the second form of each span.
  private static func choices(_ spans: [LeafSpan]) -> [[Int]] {
    let free = spans.indices.filter { spans[$0].forms.count > 1 }
    let first = [Int](repeating: 0, count: spans.count)
    guard free.count <= 4 else {
      var second = first
      for index in free { second[index] = 1 }
      return [first, second]
    }
    return (0..<1 << free.count).map { bits in
      var choice = first
      for (bit, index) in free.enumerated() where bits >> bit & 1 == 1 { choice[index] = 1 }
      return choice
    }
  }

  private static func isCode(_ piece: Int, _ arrangement: LeafPlan.Arrangement) -> Bool {
    arrangement.spans.contains { $0.isCode && $0.pieces.contains(piece) }
  }

  /// Returns the pieces to escape: characters that could be parsed as delimiters.
  static func literals(
    _ leaf: Leaf, _ arrangement: LeafPlan.Arrangement, _ source: [UInt8], _ escapes: Escapes
  ) -> [Int] {
    if escapes == .none { return [] }
    var marks = Set(escapes == .all ? Array("*_~=[]".utf8) : [])
    for span in arrangement.spans where span.isNew {
      for form in span.forms { marks.formUnion(form.open) }
    }
    if marks.contains(UInt8(ascii: "[")) { marks.insert(UInt8(ascii: "]")) }
    marks.formIntersection(Array("*_~=[]".utf8))
    let borders = (arrangement.spans + leaf.spans).flatMap {
      [$0.pieces.lowerBound, $0.pieces.upperBound]
    }
    let beside = Set(borders.flatMap { [$0 - 1, $0] })
    return leaf.pieces.indices.filter { index in
      guard case .character = leaf.pieces[index].kind else { return false }
      let byte = source[leaf.pieces[index].source.lowerBound]
      return
        (marks.contains(byte) || beside.contains(index) && "*_~=[]!`<&$\\".utf8.contains(byte))
        && !isCode(index, arrangement)
    }
  }
}
