/// The shortest edit between two long stretches of tokens that differ little, by Myers' greedy
/// algorithm (1986). It needs no token that is unique, so it serves texts that repeat themselves.
enum ShortestEdit {
  /// Calls `pair` for each pair of equal tokens of the shortest edit, from the last to the first,
  /// when that takes out and puts in at most `limit` tokens; otherwise does nothing.
  /// O((a + b) · limit) time, O(limit²) memory.
  static func align(
    _ old: [Token], _ a: Range<Int>, _ new: [Token], _ b: Range<Int>, limit: Int,
    pair: (Int, Int) -> Void
  ) {
    guard abs(a.count - b.count) <= limit else { return }
    // For each number of edits, how far the old text is covered on each diagonal.
    var rounds: [[Int]] = []
    var reach = [Int](repeating: 0, count: 2 * limit + 3)
    let middle = limit + 1
    for edits in 0...limit {
      for diagonal in stride(from: -edits, through: edits, by: 2) {
        var i = start(reach, middle, diagonal, edits)
        var j = i - diagonal
        while i < a.count, j < b.count,
          j >= 0, old[a.lowerBound + i].hash == new[b.lowerBound + j].hash
        {
          (i, j) = (i + 1, j + 1)
        }
        reach[middle + diagonal] = i
        if i >= a.count, j >= b.count {
          trace(rounds, a, b, diagonal, middle, pair)
          return
        }
      }
      rounds.append(Array(reach[middle - edits...middle + edits]))
    }
  }

  /// Where a diagonal is entered with one more edit: from the side that reaches further.
  private static func start(_ reach: [Int], _ middle: Int, _ diagonal: Int, _ edits: Int) -> Int {
    guard edits > 0 else { return 0 }
    let isInsertion =
      diagonal == -edits
      || (diagonal != edits && reach[middle + diagonal - 1] < reach[middle + diagonal + 1])
    return isInsertion ? reach[middle + diagonal + 1] : reach[middle + diagonal - 1] + 1
  }

  /// Goes back through the rounds from the end of both texts.
  private static func trace(
    _ rounds: [[Int]], _ a: Range<Int>, _ b: Range<Int>, _ last: Int, _ middle: Int,
    _ pair: (Int, Int) -> Void
  ) {
    var (i, diagonal) = (a.count, last)
    for edits in stride(from: rounds.count, through: 0, by: -1) {
      var entry = 0
      var next = 0
      if edits > 0 {
        let before = rounds[edits - 1]
        func reached(_ diagonal: Int) -> Int {
          let index = diagonal + edits - 1
          return before.indices.contains(index) ? before[index] : -1
        }
        let isInsertion =
          diagonal == -edits || (diagonal != edits && reached(diagonal - 1) < reached(diagonal + 1))
        next = isInsertion ? diagonal + 1 : diagonal - 1
        entry = isInsertion ? reached(next) : reached(next) + 1
      }
      while i > entry {
        i -= 1
        pair(a.lowerBound + i, b.lowerBound + i - diagonal)
      }
      guard edits > 0 else { return }
      i = next > diagonal ? entry : entry - 1
      diagonal = next
    }
  }
}
