/// The heaviest common subsequence of two stretches of tokens, by the plain table (Wagner and
/// Fischer 1974), with a little more for neighbours that stay neighbours, so that of many equal
/// words those are taken that stand together.
enum Subsequence {
  /// Calls `pair` for each pair of the subsequence, with their indices in `old` and `new`, in
  /// order. O(a · b) time, four bytes for each cell.
  static func align(
    _ old: [Token], _ a: Range<Int>, _ new: [Token], _ b: Range<Int>, pair: (Int, Int) -> Void
  ) {
    guard !a.isEmpty, !b.isEmpty else { return }
    let width = b.count + 1
    withUnsafeTemporaryAllocation(of: Int32.self, capacity: (a.count + 1) * width) { best in
      new.withUnsafeBufferPointer { new in
        for column in 0..<width { best[a.count * width + column] = 0 }
        // What surely stands nowhere in the new stretch changes nothing.
        var known: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)
        func mayStand(_ hash: UInt64) -> Bool {
          let bit = (1 as UInt64) << (hash & 63)
          switch hash >> 6 & 3 {
          case 0: return known.0 & bit != 0
          case 1: return known.1 & bit != 0
          case 2: return known.2 & bit != 0
          default: return known.3 & bit != 0
          }
        }
        for index in b {
          let bit = (1 as UInt64) << (new[index].hash & 63)
          switch new[index].hash >> 6 & 3 {
          case 0: known.0 |= bit
          case 1: known.1 |= bit
          case 2: known.2 |= bit
          default: known.3 |= bit
          }
        }
        for i in stride(from: a.count - 1, through: 0, by: -1) {
          let token = old[a.lowerBound + i]
          let follower = i + 1 < a.count ? old[a.lowerBound + i + 1].hash : 0
          let here = best.baseAddress! + i * width
          let below = here + width
          guard mayStand(token.hash) else {
            here.update(from: below, count: width)
            continue
          }
          here[b.count] = 0
          for j in stride(from: b.count - 1, through: 0, by: -1) {
            var value = max(below[j], here[j + 1])
            if token.hash == new[b.lowerBound + j].hash {
              let gain = gain(token, follower, new, b, j)
              value = max(value, below[j + 1] + gain)
            }
            here[j] = value
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
}
