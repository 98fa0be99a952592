/// Finds the lines that both texts have in the same order.
enum PartMatching {
  /// Parts of fewer letters say too little by themselves.
  static let leastWeight = 4
  /// So many lines may differ, and a share of all, where the shortest edit is looked for at once.
  private static let fewEdits = 64
  private static let shareOfEdits = 8
  /// What one attempt at it may take, in steps: some for each line, and some at all events.
  private static let stepsForEach = 16
  private static let fewSteps = 200_000

  /// The pairs of a common subsequence of two texts' parts: by the shortest edit where that is
  /// short, else between the parts that are unique on both sides (patience diff, B. Cohen).
  static func inOrder(
    _ old: [Parts.Part], _ new: [Parts.Part], budget: inout Int
  ) -> [(old: Int, new: Int)] {
    let (a, b) = (old.map(\.hash), new.map(\.hash))
    var pairs: [(old: Int, new: Int)] = []
    a.withUnsafeBufferPointer { a in
      b.withUnsafeBufferPointer { b in
        align(a, 0..<a.count, b, 0..<b.count, &pairs, &budget)
      }
    }
    return pairs
  }

  private static func align(
    _ a: UnsafeBufferPointer<UInt64>, _ x: Range<Int>, _ b: UnsafeBufferPointer<UInt64>,
    _ y: Range<Int>, _ pairs: inout [(old: Int, new: Int)], _ budget: inout Int
  ) {
    guard !x.isEmpty, !y.isEmpty else { return }
    let limit = fewEdits + (x.count + y.count) / shareOfEdits
    var steps = min(budget, fewSteps + stepsForEach * (x.count + y.count))
    budget -= steps
    let found = ShortestEdit.pairs(
      UnsafeBufferPointer(rebasing: a[x]), UnsafeBufferPointer(rebasing: b[y]), mostEdits: limit,
      budget: &steps)
    budget += steps
    if let found {
      for (i, j) in found { pairs.append((x.lowerBound + i, y.lowerBound + j)) }
      return
    }
    var (i, j) = (x.lowerBound, y.lowerBound)
    for anchor in unique(a, x, b, y) where anchor.old >= i && anchor.new >= j {
      var (start, end) = (0, 1)
      while anchor.old + start > i, anchor.new + start > j,
        a[anchor.old + start - 1] == b[anchor.new + start - 1]
      {
        start -= 1
      }
      while anchor.old + end < x.upperBound, anchor.new + end < y.upperBound,
        a[anchor.old + end] == b[anchor.new + end]
      {
        end += 1
      }
      align(a, i..<anchor.old + start, b, j..<anchor.new + start, &pairs, &budget)
      for offset in start..<end { pairs.append((anchor.old + offset, anchor.new + offset)) }
      (i, j) = (anchor.old + end, anchor.new + end)
    }
    // Without an anchor nothing more is common that could be told from an accident.
    if i > x.lowerBound { align(a, i..<x.upperBound, b, j..<y.upperBound, &pairs, &budget) }
  }

  /// The longest chain of elements that occur once on both sides.
  private static func unique(
    _ a: UnsafeBufferPointer<UInt64>, _ x: Range<Int>, _ b: UnsafeBufferPointer<UInt64>,
    _ y: Range<Int>
  ) -> [(old: Int, new: Int)] {
    var places: [UInt64: (old: Int, new: Int)] = [:]
    let (none, many) = (-1, -2)
    for index in x {
      places[a[index], default: (none, none)].old = places[a[index]] == nil ? index : many
    }
    for index in y {
      guard let place = places[b[index]] else { continue }
      places[b[index]]!.new = place.new == none ? index : many
    }
    let pairs = places.values.filter { $0.old >= 0 && $0.new >= 0 }.sorted { $0.old < $1.old }
    return GramAnchors.longestIncreasing(pairs)
  }
}
