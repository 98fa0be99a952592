/// Matches the lines of two versions of a repetitive text. It considers all edits that may have led
/// from one version to the other, not only the shortest one. If several edits are equally probable,
/// a line is matched as in most of them, with the probability of that match.
///
/// Lines are deleted, inserted or changed with equal probability. The probabilities of all edits
/// are summed as in a pair hidden Markov model. The matches are chosen to maximize the expected
/// number of correct ones (Durbin, Eddy, Krogh and Mitchison 1998).
struct LineEdit {
  /// An old and a new line that are versions of the same line.
  struct Pair {
    var old: Int
    var new: Int
    /// The probability of this match, 0 to 1.
    var probability: Double
    /// Whether the lines are equal. If false, the old line was changed into the new one.
    var isEqual: Bool
  }

  /// The maximum number of cells of a table. For more lines, `pairs` returns nil.
  private static let mostCells = 4_000_000
  /// The maximum distance, in lines, of the considered edits from the shortest edit.
  private static let mostReach = 32
  private static let leastReach = 8
  /// `edit` is the likelihood of an edit relative to an unchanged line. `together` is the factor by
  /// which neighbouring lines are more likely to stay neighbours.
  private static let edit: Float = 0.03
  private static let together: Float = 1.06

  private let a: [UInt64]
  private let b: [UInt64]
  /// For each new line, whether an old line may have been changed into it.
  private let isNew: [Bool]
  /// For each old line, and for the end of the old text: `bands` has the range of new lines before
  /// which it may be placed, and `starts` the index in a table at which the cells of that range
  /// begin.
  private let bands: [Range<Int>]
  private let starts: [Int]

  /// Returns the matched lines in order; nil if there are too many lines to consider all edits.
  ///
  /// - Parameters:
  ///   - shortest: the pairs of lines that the shortest edit keeps.
  ///   - isNew: For each new line, whether an old line may have been changed into it.
  /// - Complexity: O(a · 128) time and memory.
  static func pairs(
    _ a: [UInt64], _ b: [UInt64], near shortest: [(Int, Int)], isNew: [Bool]
  ) -> [Pair]? {
    let reach = min(mostReach, mostCells / (2 * (a.count + b.count) + 1))
    guard reach >= leastReach else { return nil }
    // The lines are processed in reverse, so that the first of several equal lines is kept.
    let edit = LineEdit(
      a.reversed(), b.reversed(), isNew.reversed(),
      near: shortest.reversed().map { (a.count - 1 - $0.0, b.count - 1 - $0.1) }, reach)
    let cells = edit.starts[a.count] + edit.bands[a.count].count
    return withUnsafeTemporaryAllocation(of: Float.self, capacity: cells) { rest in
      withUnsafeTemporaryAllocation(of: UInt8.self, capacity: cells) { steps in
        edit.sumRest(rest)
        edit.choose(rest, steps)
        return edit.chosen(steps)
      }
    }
  }

  private init(
    _ a: [UInt64], _ b: [UInt64], _ isNew: [Bool], near shortest: [(Int, Int)], _ reach: Int
  ) {
    (self.a, self.b, self.isNew) = (a, b, isNew)
    // Between two pairs the shortest edit can take any path.
    var bands: [Range<Int>] = []
    var last = (old: -1, new: -1)
    for pair in shortest + [(a.count, b.count)] {
      let band = max(0, last.new + 1 - reach)..<min(b.count, pair.1 + reach) + 1
      bands += repeatElement(band, count: pair.0 - last.old)
      last = (pair.0, pair.1)
    }
    self.bands = bands
    var starts: [Int] = []
    var sum = 0
    for band in bands {
      starts.append(sum)
      sum += band.count
    }
    self.starts = starts
  }

  /// Returns the likelihood that an old line became a new one, independently of all other lines.
  @inline(__always)
  private func likelihood(_ i: Int, _ j: Int) -> Float {
    if a[i] == b[j] {
      return i + 1 < a.count && j + 1 < b.count && a[i + 1] == b[j + 1] ? Self.together : 1
    }
    return isNew[j] ? Self.edit : 0
  }

  /// Sums the likelihoods of all edits of the lines after each cell. Each row is scaled so that its
  /// largest sum is 1.
  private func sumRest(_ rest: UnsafeMutableBufferPointer<Float>) {
    for i in stride(from: a.count, through: 0, by: -1) {
      let band = bands[i]
      let row = starts[i] - band.lowerBound
      let below = i < a.count ? bands[i + 1] : 0..<0
      let next = i < a.count ? starts[i + 1] - below.lowerBound : 0
      var (most, right): (Float, Float) = (0, 0)
      for j in band.reversed() {
        var sum: Float = i == a.count && j == b.count ? 1 : right * Self.edit
        if below.contains(j) { sum += rest[next + j] * Self.edit }
        if below.contains(j + 1) { sum += rest[next + j + 1] * likelihood(i, j) }
        rest[row + j] = sum
        right = sum
        most = max(most, sum)
      }
      let scale = 1 / max(most, .leastNormalMagnitude)
      for j in band { rest[row + j] *= scale }
    }
  }

  private static let out: UInt8 = 0
  private static let put: UInt8 = 1
  /// Steps from this value on are matches; the higher the value, the more probable the match.
  private static let pair: UInt8 = 2

  /// Finds for each cell the last step of the best path to it. The best path has the greatest sum
  /// of the probabilities of its matches.
  private func choose(
    _ rest: UnsafeMutableBufferPointer<Float>, _ steps: UnsafeMutableBufferPointer<UInt8>
  ) {
    // For each cell, the likelihood of all edits of the lines before it, and the greatest sum of
    // probabilities up to it; 0 outside the band.
    var before = [Float](repeating: 0, count: b.count + 2)
    var best = [Float](repeating: 0, count: b.count + 2)
    var odds = [Float](repeating: 0, count: b.count + 1)
    before[0] = 1
    for j in bands[0].dropLast() { before[j + 1] = before[j] * Self.edit }
    for j in bands[0] { steps[starts[0] + j - bands[0].lowerBound] = Self.put }
    for i in a.indices {
      let (band, below) = (bands[i], bands[i + 1])
      let next = starts[i + 1] - below.lowerBound
      // Each edit continues from this line by deleting or by matching it.
      var all: Float = 0
      for j in band {
        if below.contains(j) { all += before[j] * rest[next + j] * Self.edit }
        odds[j] =
          below.contains(j + 1) ? before[j] * likelihood(i, j) * rest[next + j + 1] : 0
        all += odds[j]
      }
      let unit = 1 / max(all, .leastNormalMagnitude)
      // Cells below the band's new start can't be reached any more.
      var (diagonal, diagonalSum): (Float, Float) = (0, 0)
      if below.lowerBound > band.lowerBound {
        (diagonal, diagonalSum) = (best[below.lowerBound - 1], before[below.lowerBound - 1])
      }
      var (left, leftSum, most): (Float, Float, Float) = (0, 0, 0)
      for j in below {
        let (up, upSum) = band.contains(j) ? (best[j], before[j]) : (0, 0)
        var (value, step) = left > up ? (left, Self.put) : (up, Self.out)
        var sum = (upSum + leftSum) * Self.edit
        if j > 0, band.contains(j - 1) {
          sum += diagonalSum * likelihood(i, j - 1)
          let odds = odds[j - 1] * unit
          if odds > 0, diagonal + odds >= value {
            (value, step) = (diagonal + odds, Self.pair + UInt8(min(1, odds) * 253))
          }
        }
        (diagonal, diagonalSum) = (up, upSum)
        (left, leftSum) = (value, sum)
        (best[j], before[j], steps[next + j]) = (value, sum, step)
        most = max(most, sum)
      }
      let scale = 1 / max(most, .leastNormalMagnitude)
      for j in below { before[j] *= scale }
    }
  }

  private func chosen(_ steps: UnsafeMutableBufferPointer<UInt8>) -> [Pair] {
    var pairs: [Pair] = []
    var (i, j) = (a.count, b.count)
    while i > 0, j > 0 {
      switch steps[starts[i] + j - bands[i].lowerBound] {
      case Self.out: i -= 1
      case Self.put: j -= 1
      case let step:
        (i, j) = (i - 1, j - 1)
        pairs.append(
          Pair(
            old: a.count - 1 - i, new: b.count - 1 - j,
            probability: Double(step - Self.pair) / 253, isEqual: a[i] == b[j]))
      }
    }
    return pairs
  }
}
