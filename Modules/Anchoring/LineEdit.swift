/// Which lines of a text that repeats itself are which ones of another, by all edits that may have led
/// from the one to the other and not by the cheapest alone: where several explain the two texts equally
/// well, a line goes where most of them put it, and it is known how sure that is.
///
/// A line is taken out, put in, or changed, each as likely as the others. The sums over all edits are
/// those of a pair hidden Markov model, and the places are chosen so that as many lines as possible are
/// expected to be right (Durbin, Eddy, Krogh and Mitchison 1998).
struct LineEdit {
  /// Two lines that are the same one.
  struct Pair {
    var old: Int
    var new: Int
    /// How likely that is, 0 … 1.
    var probability: Double
    /// Whether they are equal; else the one was changed into the other.
    var isEqual: Bool
  }

  /// A table has at most so many cells.
  private static let mostCells = 4_000_000
  /// Edits are looked at that lead no more than so many lines away from the shortest one.
  private static let mostReach = 32
  private static let leastReach = 8
  /// How likely an edit is beside none, and how much likelier it is that neighbours stay neighbours.
  private static let edit: Float = 0.03
  private static let together: Float = 1.06

  private let a: [UInt64]
  private let b: [UInt64]
  /// For each new line whether an old one may have been changed into it.
  private let isNew: [Bool]
  /// For each old line, and the end, the new lines up to which an edit may have come before it; and where
  /// these begin in a table of all.
  private let bands: [Range<Int>]
  private let starts: [Int]

  /// The pairs of lines, in order; nil when there are too many lines for all edits to be summed up.
  ///
  /// - Parameters:
  ///   - shortest: the pairs that the shortest edit keeps.
  ///   - isNew: for each new line whether an old one may have been changed into it.
  /// - Complexity: O(a · 128) time and memory.
  static func pairs(
    _ a: [UInt64], _ b: [UInt64], near shortest: [(Int, Int)], isNew: [Bool]
  ) -> [Pair]? {
    let reach = min(mostReach, mostCells / (2 * (a.count + b.count) + 1))
    guard reach >= leastReach else { return nil }
    // Taken apart from the end, so that of two equal lines the first one is kept.
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
    // Between two pairs the shortest edit may go any way.
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

  /// How likely it is that a line became another one, apart from all others.
  @inline(__always)
  private func likelihood(_ i: Int, _ j: Int) -> Float {
    if a[i] == b[j] {
      return i + 1 < a.count && j + 1 < b.count && a[i + 1] == b[j + 1] ? Self.together : 1
    }
    return isNew[j] ? Self.edit : 0
  }

  /// Sums up all edits of what follows each pair of places, each row as a multiple of its largest sum.
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
  /// A step with a value from here on is a pair, the more likely the higher it is.
  private static let pair: UInt8 = 2

  /// For each pair of places the last step of the best chain that leads there: the one with the largest
  /// sum of its pairs' probabilities.
  private func choose(
    _ rest: UnsafeMutableBufferPointer<Float>, _ steps: UnsafeMutableBufferPointer<UInt8>
  ) {
    // All edits of what goes before, and the best sum up to there; 0 outside of the band.
    var before = [Float](repeating: 0, count: b.count + 2)
    var best = [Float](repeating: 0, count: b.count + 2)
    var odds = [Float](repeating: 0, count: b.count + 1)
    before[0] = 1
    for j in bands[0].dropLast() { before[j + 1] = before[j] * Self.edit }
    for j in bands[0] { steps[starts[0] + j - bands[0].lowerBound] = Self.put }
    for i in a.indices {
      let (band, below) = (bands[i], bands[i + 1])
      let next = starts[i + 1] - below.lowerBound
      // Each edit goes on from this line by taking it out or by pairing it.
      var all: Float = 0
      for j in band {
        if below.contains(j) { all += before[j] * rest[next + j] * Self.edit }
        odds[j] =
          below.contains(j + 1) ? before[j] * likelihood(i, j) * rest[next + j + 1] : 0
        all += odds[j]
      }
      let unit = 1 / max(all, .leastNormalMagnitude)
      // What the band has left behind is reached no more.
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
