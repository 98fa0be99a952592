/// Finds the lines that both texts have in the same order.
enum PartMatching {
  /// Parts of fewer letters say too little by themselves.
  static let leastWeight = 4

  /// The pairs of parts that are unique on both sides, as far as they keep their order, and of the
  /// equal ones beside them (patience diff, B. Cohen). O(parts · log parts).
  static func inOrder(
    _ old: [Parts.Part], _ new: [Parts.Part]
  ) -> [(old: Int, new: Int)] {
    let unique = uniquePairs(old, new)
    let chain = Runs.heaviestChain(unique.map { ($0.new, old[$0.old].weight) }).map { unique[$0] }
    var pairs: [(old: Int, new: Int)] = []
    var (i, j) = (0, 0)
    for (index, anchor) in chain.enumerated() where anchor.old >= i && anchor.new >= j {
      var back = 0
      while anchor.old - back > i, anchor.new - back > j,
        old[anchor.old - back - 1].hash == new[anchor.new - back - 1].hash
      {
        back += 1
      }
      for offset in stride(from: back, to: 0, by: -1) {
        pairs.append((anchor.old - offset, anchor.new - offset))
      }
      let limit = index + 1 < chain.count ? chain[index + 1] : (old: old.count, new: new.count)
      (i, j) = (anchor.old, anchor.new)
      repeat {
        pairs.append((i, j))
        (i, j) = (i + 1, j + 1)
      } while i < limit.old && j < limit.new && old[i].hash == new[j].hash
    }
    return pairs
  }

  /// How many parts beside the first and the last one that differ are compared, too: where parts
  /// repeat themselves, another one may have been put in.
  private static let margin = 100

  /// The pairs of equal parts that an edit keeps, whole parts being taken out, put in or changed, and
  /// for the old parts whose place is not the only one possible how likely it is, 0 … 1; nil when the
  /// edit is too long for the budget.
  static func shortestEdit(
    _ old: [Parts.Part], _ new: [Parts.Part], budget: inout Int
  ) -> (pairs: [(old: Int, new: Int)], likelihood: [Int: Double])? {
    var (i, end) = (0, 0)
    let shorter = min(old.count, new.count)
    while i < shorter, old[i].hash == new[i].hash { i += 1 }
    while end < shorter - i, old[old.count - 1 - end].hash == new[new.count - 1 - end].hash {
      end += 1
    }
    (i, end) = (max(0, i - margin), max(0, end - margin))
    let a = old[i..<old.count - end].map(\.hash)
    let b = new[i..<new.count - end].map(\.hash)
    let found = a.withUnsafeBufferPointer { a in
      b.withUnsafeBufferPointer { b in ShortestEdit.pairs(a, b, budget: &budget) }
    }
    guard let found else { return nil }
    let known = Set(old.map(\.hash))
    // A line that was there before is not taken for another one that was changed.
    let isNew = b.map { !known.contains($0) }
    var pairs = (0..<i).map { (old: $0, new: $0) }
    var likelihood: [Int: Double] = [:]
    if let likely = LineEdit.pairs(a, b, near: found, isNew: isNew) {
      for index in a.indices { likelihood[index + i] = unpaired }
      for pair in likely {
        likelihood[pair.old + i] = pair.probability
        if pair.isEqual { pairs.append((pair.old + i, pair.new + i)) }
      }
    } else {
      for pair in found { pairs.append((pair.0 + i, pair.1 + i)) }
    }
    for offset in stride(from: end, to: 0, by: -1) {
      pairs.append((old.count - offset, new.count - offset))
    }
    return (pairs, likelihood)
  }

  /// How likely it is that what is left of a part that was taken out stands where it seems to.
  private static let unpaired = 0.5

  /// Whether most of a text stands in lines that it has more than twice: a text that was doubled is
  /// none that repeats itself.
  static func isRepetitive(_ parts: [Parts.Part]) -> Bool {
    var counts: [UInt64: Int] = [:]
    for part in parts { counts[part.hash, default: 0] += 1 }
    let repeated = parts.reduce(0) { $0 + (counts[$1.hash]! > 2 ? $1.weight : 0) }
    return 2 * repeated > parts.reduce(0) { $0 + $1.weight }
  }

  private static func uniquePairs(
    _ old: [Parts.Part], _ new: [Parts.Part]
  ) -> [(old: Int, new: Int)] {
    Runs.uniquePairs(old, new, by: \.hash) { $0.weight >= leastWeight }
  }
}
