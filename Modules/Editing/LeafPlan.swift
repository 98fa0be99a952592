import MarkdownParse

/// Ways to change one leaf block, of which the parser takes the first that it reads as expected.
protocol ChangePlan {
  /// The block.
  var block: Int { get }
  /// What kind of block it becomes; nil where it stays what it is.
  var kind: Block.Kind? { get }
  /// How it must look.
  var expectation: LeafExpectation { get }
  /// How many ways there are.
  var count: Int { get }
  /// The edits of a way: sorted, disjoint.
  func edits(_ way: Int) -> [ByteEdit]
}

/// The ways to write the spans of one leaf block as a command asks, the plainest first.
///
/// Whether emphasis opens or closes at a place depends on all that stands around (CommonMark 6.2),
/// so the plan does not predict it: it offers ways in order of their cost, and the parser decides.
/// The last resort is a letter written as a character reference, which turns the letter beside a
/// delimiter into punctuation; mdast-util-to-markdown does the same.
struct LeafPlan: ChangePlan {
  /// Where spans stand, and pieces that are written otherwise.
  struct Arrangement {
    var spans: [Span]
    var replaced: [Int: [UInt8]] = [:]
  }

  /// One way: an arrangement, which form each of its spans takes, and which letters are references.
  private struct Way {
    var arrangement: Int
    var forms: [Int]
    var references: [Int]
    var escapes: Bool
    var cost: Int
  }

  /// The most ways that are tried for one leaf.
  private static let mostWays = 400

  let leaf: Leaf
  let expectation: LeafExpectation
  private let source: [UInt8]
  private let arrangements: [Arrangement]
  private var ways: [Way] = []

  init(
    _ leaf: Leaf, _ expectation: LeafExpectation, _ arrangements: [Arrangement], source: [UInt8]
  ) {
    self.leaf = leaf
    self.expectation = expectation
    self.arrangements = arrangements
    self.source = source
    for index in arrangements.indices { addWays(of: index) }
    ways.sort { $0.cost < $1.cost }
    ways.removeLast(max(0, ways.count - Self.mostWays))
  }

  var block: Int { leaf.block }
  var kind: Block.Kind? { nil }
  var count: Int { ways.count }

  // MARK: - Ways

  private mutating func addWays(of index: Int) {
    let arrangement = arrangements[index]
    let forms = Self.choices(arrangement.spans)
    let letters = letters(beside: arrangement)
    var escaped = arrangement.replaced
    escapeDelimiters(arrangement.spans, &escaped)
    let escapes = escaped.count > arrangement.replaced.count ? [false, true] : [false]
    for references in Self.subsets(letters) {
      for escapes in escapes {
        for form in forms {
          // Preferences: the usual delimiters; the first arrangement; no escapes; no references.
          let other = form.reduce(0) { $0 + min($1, 1) }
          let cost = other * 2 + index * 3 + (escapes ? 12 : 0) + references.count * 20
          ways.append(
            Way(
              arrangement: index, forms: form, references: references, escapes: escapes, cost: cost)
          )
        }
      }
    }
  }

  /// Which form each span takes: all combinations while they are few, otherwise all alike.
  private static func choices(_ spans: [Span]) -> [[Int]] {
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

  private static func subsets(_ letters: [Int]) -> [[Int]] {
    var result: [[Int]] = [[]]
    for (index, letter) in letters.enumerated() {
      result.append([letter])
      for other in letters[(index + 1)...] { result.append([letter, other]) }
    }
    if letters.count > 2 { result.append(letters) }
    return result
  }

  /// The characters beside delimiters that are new; only these can be in their way.
  private func letters(beside arrangement: Arrangement) -> [Int] {
    var gaps: Set<Int> = []
    for span in arrangement.spans where span.isNew {
      gaps.insert(span.pieces.lowerBound)
      gaps.insert(span.pieces.upperBound)
    }
    let covered = arrangement.spans.filter { $0.kind == .style(.code) }
    var letters: Set<Int> = []
    for gap in gaps {
      for index in [gap - 1, gap] where leaf.pieces.indices.contains(index) {
        guard case .character = leaf.pieces[index].kind, !leaf.pieces[index].isSpace,
          source[leaf.pieces[index].source.lowerBound].isLetterByte,
          !covered.contains(where: { $0.pieces.contains(index) })
        else { continue }
        letters.insert(index)
      }
    }
    return letters.count <= 8 ? letters.sorted() : []
  }

  // MARK: - Edits

  /// The edits of a way, minimal and sorted. O(pieces).
  func edits(_ index: Int) -> [ByteEdit] {
    let way = ways[index]
    let arrangement = arrangements[way.arrangement]
    var replaced = arrangement.replaced
    for letter in way.references {
      let text = String(decoding: source[leaf.pieces[letter].source], as: UTF8.self)
      let scalar = text.unicodeScalars.first!.value
      replaced[letter] = Array("&#x\(String(scalar, radix: 16, uppercase: true));".utf8)
    }
    if way.escapes { escapeDelimiters(arrangement.spans, &replaced) }
    var gaps = [[UInt8]](repeating: [], count: leaf.pieces.count + 1)
    for (index, span) in arrangement.spans.enumerated().reversed() {
      gaps[span.pieces.upperBound] += close(of: index, way.forms[index], arrangement, replaced)
    }
    for (span, form) in zip(arrangement.spans, way.forms) {
      gaps[span.pieces.lowerBound] += span.forms[form].open
    }
    var edits: [ByteEdit] = []
    for (index, bytes) in gaps.enumerated() {
      edits.append(ByteEdit(range: leaf.gap(index), bytes: bytes))
      if index < leaf.pieces.count, let bytes = replaced[index] {
        edits.append(ByteEdit(range: leaf.pieces[index].source, bytes: bytes))
      }
    }
    return edits.filter { !source[$0.range].elementsEqual($0.bytes) }.minimal(in: source)
  }

  /// The end of a span. A link that is named by its own text names it apart once that changes.
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

  /// Escapes the characters that could be taken for new delimiters.
  private func escapeDelimiters(_ spans: [Span], _ replaced: inout [Int: [UInt8]]) {
    var bytes: Set<UInt8> = []
    for span in spans where span.isNew {
      for form in span.forms { bytes.formUnion(form.open) }
    }
    bytes.formIntersection(Array("*_~=[".utf8))
    if bytes.contains(UInt8(ascii: "[")) { bytes.insert(UInt8(ascii: "]")) }
    let code = spans.filter { $0.kind == .style(.code) }
    for (index, piece) in leaf.pieces.enumerated() where replaced[index] == nil {
      guard case .character = piece.kind, bytes.contains(source[piece.source.lowerBound]),
        !code.contains(where: { $0.pieces.contains(index) })
      else { continue }
      replaced[index] = [UInt8(ascii: "\\"), source[piece.source.lowerBound]]
    }
  }
}

extension UInt8 {
  /// Whether a character that begins with this byte may be a letter or a digit.
  fileprivate var isLetterByte: Bool { self >= 0x80 || isWordByte }
  /// Whether the byte is an ASCII letter or digit.
  var isWordByte: Bool {
    switch self {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
      UInt8(ascii: "A")...UInt8(ascii: "Z"):
      true
    default: false
    }
  }
}
