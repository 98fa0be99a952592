/// Finds the shortest edit between two sequences with the linear-space form of Myers' algorithm
/// (1986). The middle of the shortest path is searched from both ends, then both halves are divided
/// again. No unique elements are needed, so it is suitable for repetitive texts.
struct ShortestEdit {
  private let a: UnsafeBufferPointer<UInt64>
  private let b: UnsafeBufferPointer<UInt64>
  /// The furthest index that is reached on each diagonal: from the start, and from the end.
  private var forward: [Int]
  private var backward: [Int]
  /// The index of diagonal 0 in both arrays.
  private let zero: Int
  private var steps = 0
  private var pairs: [(Int, Int)] = []

  /// Returns the pairs of equal elements that the shortest edit keeps, in order; nil if this takes
  /// more than `budget` steps, or if the edit deletes and inserts more than `mostEdits` elements in
  /// total.
  ///
  /// A step processes one diagonal or one equal pair. The steps taken are subtracted from the
  /// budget. O((a + b) + edits²) expected time, O(edits) memory.
  static func pairs(
    _ a: UnsafeBufferPointer<UInt64>, _ b: UnsafeBufferPointer<UInt64>, mostEdits: Int = .max,
    budget: inout Int
  ) -> [(Int, Int)]? {
    guard abs(a.count - b.count) <= mostEdits else { return nil }
    var edit = ShortestEdit(a, b, mostEdits: min(mostEdits, a.count + b.count))
    let isDone = edit.divide(0..<a.count, 0..<b.count, mostEdits: mostEdits, budget: budget)
    budget -= min(budget, edit.steps)
    guard isDone else { return nil }
    edit.settle()
    return edit.pairs
  }

  /// Chooses the first of several equal elements as the element that was kept.
  private mutating func settle() {
    var before = (-1, -1)
    for index in pairs.indices {
      var (i, j) = pairs[index]
      if i > before.0 + 1, a[before.0 + 1] == b[j] { i = before.0 + 1 }
      if j > before.1 + 1, a[i] == b[before.1 + 1] { j = before.1 + 1 }
      pairs[index] = (i, j)
      before = (i, j)
    }
  }

  private init(
    _ a: UnsafeBufferPointer<UInt64>, _ b: UnsafeBufferPointer<UInt64>, mostEdits: Int
  ) {
    (self.a, self.b) = (a, b)
    zero = mostEdits / 2 + 2
    forward = Array(repeating: 0, count: 2 * zero + 1)
    backward = forward
  }

  private mutating func divide(
    _ x: Range<Int>, _ y: Range<Int>, mostEdits: Int, budget: Int
  ) -> Bool {
    var (i, j, iEnd, jEnd) = (x.lowerBound, y.lowerBound, x.upperBound, y.upperBound)
    while i < iEnd, j < jEnd, a[i] == b[j] {
      pairs.append((i, j))
      (i, j) = (i + 1, j + 1)
    }
    while i < iEnd, j < jEnd, a[iEnd - 1] == b[jEnd - 1] { (iEnd, jEnd) = (iEnd - 1, jEnd - 1) }
    steps += x.count - (iEnd - i)
    if i < iEnd, j < jEnd {
      guard let middle = middle(i..<iEnd, j..<jEnd, mostEdits: mostEdits, budget: budget) else {
        return false
      }
      // Together the halves take no more steps than finding the middle did.
      _ = divide(i..<middle.i, j..<middle.j, mostEdits: .max, budget: .max)
      _ = divide(middle.i..<iEnd, middle.j..<jEnd, mostEdits: .max, budget: .max)
    }
    for offset in 0..<x.upperBound - iEnd { pairs.append((iEnd + offset, jEnd + offset)) }
    return true
  }

  /// Returns a point in the middle of a shortest path; nil if the budget or `mostEdits` is
  /// exceeded.
  private mutating func middle(
    _ x: Range<Int>, _ y: Range<Int>, mostEdits: Int, budget: Int
  ) -> (i: Int, j: Int)? {
    let (n, m) = (x.count, y.count)
    let delta = n - m
    forward[zero + 1] = 0
    backward[zero + 1] = 0
    var edits = 0
    while 2 * edits - 1 <= min(mostEdits, n + m), steps < budget {
      for k in stride(from: -edits, through: edits, by: 2) {
        guard let from = Self.start(forward, zero, k, edits, n, m) else {
          forward[zero + k] = Self.nowhere
          continue
        }
        var i = from
        while i < n, i - k < m, a[x.lowerBound + i] == b[y.lowerBound + i - k] { i += 1 }
        forward[zero + k] = i
        steps += 1 + i - from
        let other = delta - k
        if delta & 1 != 0, abs(other) < edits, i + backward[zero + other] >= n {
          return (x.lowerBound + i, y.lowerBound + i - k)
        }
      }
      for k in stride(from: -edits, through: edits, by: 2) {
        guard let from = Self.start(backward, zero, k, edits, n, m) else {
          backward[zero + k] = Self.nowhere
          continue
        }
        var i = from
        while i < n, i - k < m, a[x.upperBound - 1 - i] == b[y.upperBound - 1 - i + k] { i += 1 }
        backward[zero + k] = i
        steps += 1 + i - from
        let other = delta - k
        if delta & 1 == 0, abs(other) <= edits, i + forward[zero + other] >= n {
          return (x.upperBound - i, y.upperBound - i + k)
        }
      }
      edits += 1
    }
    return nil
  }

  private static let nowhere = Int.min / 2

  /// Returns the index at which a diagonal is entered with one more edit, coming from the
  /// neighbouring diagonal that reaches further and stays inside the table. Nil if neither of them
  /// does.
  private static func start(
    _ reach: [Int], _ zero: Int, _ k: Int, _ edits: Int, _ n: Int, _ m: Int
  ) -> Int? {
    guard edits > 0 else { return 0 }
    let right = k > -edits ? reach[zero + k - 1] + 1 : nowhere
    let down = k < edits ? reach[zero + k + 1] : nowhere
    let validRight = right >= 0 && right <= n && right - k <= m && right >= k
    let validDown = down >= 0 && down - k <= m && down >= k
    if validRight, !validDown || right > down { return right }
    return validDown ? down : nil
  }
}
