/// Finds the heaviest common subsequence of two ranges of tokens, with the table of Wagner and
/// Fischer (1974). Neighbours that stay neighbours weigh slightly more, so that adjacent ones of
/// many equal words are matched.
///
/// Each row is a copy of the row below, except for the cells that its matches raise. The matches
/// are looked up by hash (after Hunt and Szymanski 1977).
enum Subsequence {
  /// Calls `pair` with the indices in `old` and `new` of each pair of the subsequence, in order.
  /// O(a · b) time, four bytes of memory for each cell.
  static func align(
    _ old: [Token], _ a: Range<Int>, _ new: [Token], _ b: Range<Int>, pair: (Int, Int) -> Void
  ) {
    guard !a.isEmpty, !b.isEmpty else { return }
    let width = b.count + 1
    withUnsafeTemporaryAllocation(of: Int32.self, capacity: (a.count + 1) * width) { best in
      new.withUnsafeBufferPointer { new in
        for column in 0..<width { best[a.count * width + column] = 0 }
        let places = Places(new, b)
        for i in stride(from: a.count - 1, through: 0, by: -1) {
          let token = old[a.lowerBound + i]
          let follower = i + 1 < a.count ? old[a.lowerBound + i + 1].hash : 0
          let here = best.baseAddress! + i * width
          let below = here + width
          here.update(from: below, count: width)
          // The places are visited from right to left. A match raises its cell, and the cells
          // before it whose value is lower.
          places.each(token.hash) { j in
            guard new[b.lowerBound + j].hash == token.hash else { return }
            let value = below[j + 1] + gain(token, follower, new, b, j)
            var column = j
            while column >= 0, here[column] < value {
              here[column] = value
              column -= 1
            }
          }
        }
        var (i, j) = (0, 0)
        while i < a.count, j < b.count {
          let value = best[i * width + j]
          let token = old[a.lowerBound + i]
          if token.hash == new[b.lowerBound + j].hash {
            let follower = i + 1 < a.count ? old[a.lowerBound + i + 1].hash : 0
            if value == best[(i + 1) * width + j + 1] + gain(token, follower, new, b, j) {
              pair(a.lowerBound + i, b.lowerBound + j)
              (i, j) = (i + 1, j + 1)
              continue
            }
          }
          if value == best[(i + 1) * width + j] { i += 1 } else { j += 1 }
        }
      }
    }
  }

  @inline(__always)
  private static func gain(
    _ token: Token, _ follower: UInt64, _ new: UnsafeBufferPointer<Token>, _ b: Range<Int>, _ j: Int
  ) -> Int32 {
    let next = b.lowerBound + j + 1
    return 2 + 2 * token.weight + (next < b.upperBound && new[next].hash == follower ? 1 : 0)
  }

  /// The positions of tokens by their hash.
  private struct Places {
    private var last: [Int32]
    private var previous: [Int32]
    private let mask: Int

    init(_ tokens: UnsafeBufferPointer<Token>, _ range: Range<Int>) {
      var size = 16
      while size < range.count { size *= 2 }
      mask = size - 1
      last = Array(repeating: -1, count: size)
      previous = Array(repeating: -1, count: range.count)
      for (place, index) in range.enumerated() {
        let slot = Int(truncatingIfNeeded: tokens[index].hash >> 7) & mask
        previous[place] = last[slot]
        last[slot] = Int32(place)
      }
    }

    /// Calls `body` with each position whose token may have the hash, last position first.
    @inline(__always)
    func each(_ hash: UInt64, _ body: (Int) -> Void) {
      var place = last[Int(truncatingIfNeeded: hash >> 7) & mask]
      while place >= 0 {
        body(Int(place))
        place = previous[Int(place)]
      }
    }
  }
}
