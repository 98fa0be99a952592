import MarkdownParse

/// One way to write a leaf block: an arrangement of spans, which form each of them takes, and which
/// characters beside delimiters are written otherwise.
///
/// The last resort is a letter written as a character reference: it turns the letter beside a
/// delimiter, which keeps the delimiter from opening or closing, into punctuation.
/// mdast-util-to-markdown does the same.
struct LeafSerialization {
  var arrangement: Int
  var forms: [Int]
  /// Letters that are written as references.
  var references: [Int] = []
  /// Which characters that could be taken for delimiters are escaped.
  var escapes = Escapes.none
  private var cost = 0

  init(arrangement: Int, forms: [Int]) {
    self.arrangement = arrangement
    self.forms = forms
  }

  /// Which literal marks are escaped; the number is what it costs.
  enum Escapes: Int {
    case none = 0
    /// Those like the new delimiters, and those beside delimiters.
    case near = 12
    /// All of the block.
    case all = 30
  }

  /// The most ways that are tried.
  private static let most = 400
  /// The most letters of which all pairs are tried.
  private static let mostLetters = 8

  /// All ways, the plainest first: usual delimiters before others, the first arrangement before the
  /// others, and references after all else.
  static func all(of arrangements: [LeafPlan.Arrangement], _ leaf: Leaf, _ source: [UInt8])
    -> [LeafSerialization]
  {
    var ways: [LeafSerialization] = []
    for (index, arrangement) in arrangements.enumerated() {
      let letters = subsets(letters(leaf, arrangement, source))
      let near = literals(leaf, arrangement, source, .near)
      let every = literals(leaf, arrangement, source, .all)
      var escapes = [Escapes.none]
      if !near.isEmpty { escapes.append(.near) }
      if every.count > near.count { escapes.append(.all) }
      for forms in choices(arrangement.spans) {
        for escapes in escapes {
          for references in letters {
            var way = LeafSerialization(arrangement: index, forms: forms)
            way.references = references
            way.escapes = escapes
            way.cost =
              forms.reduce(0) { $0 + 2 * min($1, 1) } + 3 * index + escapes.rawValue
              + 20 * references.count
            ways.append(way)
          }
        }
      }
    }
    ways.sort { $0.cost < $1.cost }
    return Array(ways.prefix(most))
  }

  /// Which form each span takes: all combinations while they are few, otherwise all alike.
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

  /// No letter, each one, each two of them, and all that are surely in the way.
  private static func subsets(_ letters: (sure: [Int], other: [Int])) -> [[Int]] {
    var result: [[Int]] = [[]]
    let all = (letters.sure + letters.other).prefix(mostLetters)
    for (index, letter) in all.enumerated() {
      result.append([letter])
      for other in all.dropFirst(index + 1) { result.append([letter, other]) }
    }
    if letters.sure.count > 2 { result.append(letters.sure) }
    return result
  }

  // MARK: - What stands beside delimiters

  private enum Class { case letter, space, mark }

  /// The class of a piece; nil for one that cannot be written otherwise.
  private static func kind(_ piece: LeafPiece, _ source: [UInt8]) -> Class {
    if piece.isSpace { return .space }
    guard case .character = piece.kind,
      let scalar = String(decoding: source[piece.source], as: UTF8.self).unicodeScalars.first
    else { return .mark }
    return switch scalar.properties.generalCategory {
    case .connectorPunctuation, .dashPunctuation, .openPunctuation, .closePunctuation,
      .initialPunctuation, .finalPunctuation, .otherPunctuation, .mathSymbol, .currencySymbol,
      .modifierSymbol, .otherSymbol:
      .mark
    default: .letter
    }
  }

  /// The gaps where delimiters come, go or change.
  private static func gaps(_ leaf: Leaf, _ arrangement: LeafPlan.Arrangement) -> [Int] {
    let kept = Dictionary(grouping: arrangement.spans.filter { !$0.isNew }, by: \.pieces)
    let gone = leaf.spans.filter { old in
      !(kept[old.pieces] ?? []).contains { $0.kind == old.kind }
    }
    let spans = arrangement.spans.filter { $0.isNew || $0.forms.count > 1 } + gone
    return Set(spans.flatMap { [$0.pieces.lowerBound, $0.pieces.upperBound] }).sorted()
  }

  /// The letters beside changed delimiters: first those with a mark beyond the delimiter, which keep
  /// it from opening or closing (CommonMark 6.2, "flanking").
  private static func letters(
    _ leaf: Leaf, _ arrangement: LeafPlan.Arrangement, _ source: [UInt8]
  ) -> (sure: [Int], other: [Int]) {
    var letters: (sure: [Int], other: [Int]) = ([], [])
    for gap in gaps(leaf, arrangement) where gap > 0 && gap < leaf.pieces.count {
      let sides = (kind(leaf.pieces[gap - 1], source), kind(leaf.pieces[gap], source))
      for (index, own, beyond) in [(gap - 1, sides.0, sides.1), (gap, sides.1, sides.0)]
      where own == .letter && !isCode(index, arrangement) {
        if beyond == .mark { letters.sure.append(index) } else { letters.other.append(index) }
      }
    }
    return letters
  }

  private static func isCode(_ piece: Int, _ arrangement: LeafPlan.Arrangement) -> Bool {
    arrangement.spans.contains { $0.isCode && $0.pieces.contains(piece) }
  }

  /// The pieces to escape: characters that could be taken for delimiters.
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
