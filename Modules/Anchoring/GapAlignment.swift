/// An alignment of two ranges of tokens in which matched tokens have the same order on both sides.
///
/// Common runs are found from long to short. A gram becomes an anchor if it occurs once on both
/// sides. If no gram does, grams that occur equally often are paired in order. The longest
/// increasing chain of anchors is kept and extended, and the gaps between them are divided again
/// with shorter grams. The rest is aligned by a heaviest common subsequence or, where that is too
/// expensive, by the shortest edit.
struct GapAlignment {
  private let old: [Token]
  private let new: [Token]
  /// For each old token, the index of the matching new token, or -1.
  private(set) var target: [Int32]
  /// The remaining work: steps of the shortest edit, and cells of subsequence tables.
  private var budget: Int
  private let lastLevel: Int

  /// The precision with which two ranges are compared.
  enum Depth {
    /// By grams of at least four tokens.
    case grams
    /// Down to single tokens.
    case full
    /// Down to single tokens, for ranges that were already compared by `grams`.
    case rest
    /// By a subsequence table only.
    case table
  }

  private static let mostCellsPerGap = 4_000_000
  /// The maximum number of cells of a gap that is aligned directly.
  private static let fewCells = 64
  private static let mostForShortGrams = 200_000
  /// Two ranges without anchors are aligned by the shortest edit if the shorter one has at most
  /// this many tokens. Longer ranges stay unaligned.
  private static let mostForShortestEdit = 400_000
  private static let gramLengths = [16, 8, 4, 2, 1]

  /// Aligns two ranges. Expected O(tokens); expensive parts are limited by `budget`, from which the
  /// work is subtracted.
  init(_ old: [Token], _ new: [Token], _ depth: Depth, budget: inout Int) {
    (self.old, self.new) = (old, new)
    self.budget = budget
    target = Array(repeating: -1, count: old.count)
    lastLevel = depth == .grams ? 3 : Self.gramLengths.count
    let first = depth == .table ? Self.gramLengths.count : depth == .rest ? 2 : 0
    align(0..<old.count, 0..<new.count, level: first)
    budget = self.budget
  }

  private mutating func align(_ oldRange: Range<Int>, _ newRange: Range<Int>, level: Int) {
    var (i, j) = (oldRange.lowerBound, newRange.lowerBound)
    var (oldEnd, newEnd) = (oldRange.upperBound, newRange.upperBound)
    while i < oldEnd, j < newEnd, old[i].hash == new[j].hash {
      target[i] = Int32(j)
      (i, j) = (i + 1, j + 1)
    }
    while i < oldEnd, j < newEnd, old[oldEnd - 1].hash == new[newEnd - 1].hash {
      (oldEnd, newEnd) = (oldEnd - 1, newEnd - 1)
      target[oldEnd] = Int32(newEnd)
    }
    guard i < oldEnd, j < newEnd else { return }
    guard level < lastLevel, (oldEnd - i) * (newEnd - j) > Self.fewCells else {
      if level >= Self.gramLengths.count || lastLevel == Self.gramLengths.count {
        alignBySubsequence(i..<oldEnd, j..<newEnd)
      }
      return
    }
    // In long ranges, one or two words that occur once on either side match by accident.
    let isDistinctive =
      Self.gramLengths[level] >= 4 || max(oldEnd - i, newEnd - j) <= Self.mostForShortGrams
    let chain =
      isDistinctive
      ? GramAnchors.chain(old, i..<oldEnd, new, j..<newEnd, length: Self.gramLengths[level]) : []
    for anchor in chain where anchor.old >= i && anchor.new >= j {
      var end = 0
      while anchor.old + end < oldEnd, anchor.new + end < newEnd,
        old[anchor.old + end].hash == new[anchor.new + end].hash
      {
        target[anchor.old + end] = Int32(anchor.new + end)
        end += 1
      }
      align(i..<anchor.old, j..<anchor.new, level: level + 1)
      (i, j) = (anchor.old + end, anchor.new + end)
    }
    align(i..<oldEnd, j..<newEnd, level: level + 1)
  }

  private mutating func alignBySubsequence(_ a: Range<Int>, _ b: Range<Int>) {
    let cells = a.count * b.count
    guard cells <= Self.mostCellsPerGap, cells <= budget else {
      guard min(a.count, b.count) <= Self.mostForShortestEdit else { return }
      let (x, y) = (old[a].map(\.hash), new[b].map(\.hash))
      let pairs = x.withUnsafeBufferPointer { x in
        y.withUnsafeBufferPointer { y in ShortestEdit.pairs(x, y, budget: &budget) }
      }
      for (i, j) in pairs ?? [] {
        target[a.lowerBound + i] = Int32(b.lowerBound + j)
      }
      return
    }
    budget -= cells
    Subsequence.align(old, a, new, b) { target[$0] = Int32($1) }
  }
}
