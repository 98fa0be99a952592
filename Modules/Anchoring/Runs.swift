/// Algorithms on runs of equal elements in two sequences.
enum Runs {
  /// Returns the indices of the heaviest chain of runs with increasing places, ascending. This is
  /// the weighted longest increasing subsequence, found with a tree of prefix maxima (Fenwick
  /// 1994). O(runs · log runs).
  static func heaviestChain(_ runs: [(place: Int, weight: Int)]) -> [Int] {
    let order = runs.indices.sorted { runs[$0].place < runs[$1].place }
    var rank = [Int](repeating: 0, count: runs.count)
    for (position, index) in order.enumerated() { rank[index] = position + 1 }
    // For each prefix of the ranks, the best chain that ends in it.
    var tree = [Int](repeating: -1, count: runs.count + 1)
    var total = [Int](repeating: 0, count: runs.count)
    var previous = [Int](repeating: -1, count: runs.count)
    for index in runs.indices {
      var best = -1
      var node = rank[index] - 1
      while node > 0 {
        if tree[node] >= 0, best < 0 || total[tree[node]] > total[best] { best = tree[node] }
        node &= node - 1
      }
      previous[index] = best
      total[index] = runs[index].weight + (best >= 0 ? total[best] : 0)
      node = rank[index]
      while node <= runs.count {
        if tree[node] < 0 || total[tree[node]] < total[index] { tree[node] = index }
        node += node & -node
      }
    }
    var chain: [Int] = []
    var index = total.indices.max { total[$0] < total[$1] } ?? -1
    while index >= 0 {
      chain.append(index)
      index = previous[index]
    }
    return chain.reversed()
  }

  /// Returns the indices of the elements that occur exactly once on both sides, ordered by the old
  /// index.
  ///
  /// - Parameter counts: whether an element is considered.
  /// - Complexity: O(n) expected, plus the sorting of the pairs.
  static func uniquePairs<Element>(
    _ old: [Element], _ new: [Element], by hash: (Element) -> UInt64,
    where counts: (Element) -> Bool
  ) -> [(old: Int, new: Int)] {
    let (none, many) = (-1, -2)
    var places: [UInt64: (old: Int, new: Int)] = [:]
    places.reserveCapacity(old.count)
    for (index, element) in old.enumerated() where counts(element) {
      let key = hash(element)
      if places.updateValue((index, none), forKey: key) != nil { places[key] = (many, none) }
    }
    for (index, element) in new.enumerated() where counts(element) {
      let key = hash(element)
      guard let place = places[key] else { continue }
      places[key]!.new = place.new == none ? index : many
    }
    return places.values.filter { $0.old >= 0 && $0.new >= 0 }.sorted { $0.old < $1.old }
  }
}
