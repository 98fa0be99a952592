/// The cheapest edit from one sequence of lines to another, by the plain table (Wagner and Fischer
/// 1974): a line is taken out, put in, or changed, each for the same price. Where lines repeat
/// themselves, this tells a line that was changed from one that was taken out and another put in.
enum LineEdit {
  /// A table has at most so many cells.
  static let mostCells = 4_000_000
  /// What an edit costs, and what less it costs when neighbours stay neighbours.
  private static let edit: Int32 = 64
  private static let together: Int32 = 1

  /// By how much dearer another edit may be that is as good an explanation.
  private static let nearlyAsLittle = edit / 2

  private enum Step { case pair, out, put }

  /// The pairs of lines that the edit keeps, in order, and whether each is the only one possible: no
  /// other place of the old line would cost nearly as little.
  ///
  /// - Parameter mayChange: whether an old line may have been changed into a new one.
  /// - Complexity: O(a · b) time, eight bytes for each cell; a · b is at most `mostCells`.
  static func pairs(
    _ a: [UInt64], _ b: [UInt64], mayChange: (Int, Int) -> Bool
  ) -> [(old: Int, new: Int, isOnly: Bool)] {
    let width = b.count + 1
    return withUnsafeTemporaryAllocation(of: Int32.self, capacity: (a.count + 1) * width) { cost in
      func price(_ i: Int, _ j: Int) -> (Int32, Step) {
        var best = (cost[(i + 1) * width + j] + edit, Step.out)
        let put = cost[i * width + j + 1] + edit
        if put < best.0 { best = (put, .put) }
        if a[i] == b[j] {
          let isTogether = i + 1 < a.count && j + 1 < b.count && a[i + 1] == b[j + 1]
          let pair = cost[(i + 1) * width + j + 1] - (isTogether ? together : 0)
          if pair <= best.0 { best = (pair, .pair) }
        } else if cost[(i + 1) * width + j + 1] + edit <= best.0, mayChange(i, j) {
          best = (cost[(i + 1) * width + j + 1] + edit, .pair)
        }
        return best
      }
      for j in 0...b.count { cost[a.count * width + j] = Int32(b.count - j) * edit }
      for i in stride(from: a.count - 1, through: 0, by: -1) {
        cost[i * width + b.count] = Int32(a.count - i) * edit
        for j in stride(from: b.count - 1, through: 0, by: -1) {
          cost[i * width + j] = price(i, j).0
        }
      }
      var before = [Int32](repeating: 0, count: width)
      var pairs: [(old: Int, new: Int, isOnly: Bool)] = []
      var (i, j) = (0, 0)
      while i < a.count, j < b.count {
        switch price(i, j).1 {
        case .pair:
          if a[i] == b[j] { pairs.append((i, j, true)) }
          (i, j) = (i + 1, j + 1)
        case .out: i += 1
        case .put: j += 1
        }
      }
      // Once more from the start: what another place of a line would cost on the whole.
      for j in 0...b.count { before[j] = Int32(j) * edit }
      var next = 0
      let most = cost[0] + nearlyAsLittle
      for i in a.indices {
        if next < pairs.count, pairs[next].old == i {
          let place = pairs[next].new
          pairs[next].isOnly = !b.indices.contains {
            $0 != place && a[i] == b[$0] && before[$0] + cost[(i + 1) * width + $0 + 1] <= most
          }
          next += 1
        }
        var diagonal = before[0]
        before[0] += edit
        for j in b.indices {
          var best = min(before[j + 1], before[j]) + edit
          if a[i] == b[j] {
            let isTogether = i + 1 < a.count && j + 1 < b.count && a[i + 1] == b[j + 1]
            best = min(best, diagonal - (isTogether ? together : 0))
          } else if diagonal + edit < best, mayChange(i, j) {
            best = diagonal + edit
          }
          diagonal = before[j + 1]
          before[j + 1] = best
        }
      }
      return pairs
    }
  }
}
