/// Finds the lines that two texts have in common in the same order.
enum PartMatching {
  /// The minimum number of letters of a part that is used as an anchor. Shorter parts aren't
  /// distinctive.
  static let leastWeight = 4

  /// Returns the pairs of parts that are unique on both sides and keep their order, and the pairs
  /// of equal parts next to them (patience diff, B. Cohen). O(parts · log parts).
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

  /// The number of equal parts before and after the changed parts that are aligned again together
  /// with them, because in a repetitive text the edit may have been among these equal parts.
  private static let margin = 100

  /// Aligns parts by deleting, inserting and changing whole parts.
  ///
  /// - Returns: the pairs of equal parts that the edit keeps; and in `likelihood`, by the old
  ///   part's index, the probability that its match is right, 0 to 1. Parts without an entry count
  ///   as certain. Nil if the edit exceeds the budget.
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
    // A line that already existed isn't treated as a changed version of another line.
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

  /// The probability that is returned for a part that the likely edits delete, 0 to 1.
  private static let unpaired = 0.5

  /// Returns whether more than half of a text's letters are in lines that occur more than twice. A
  /// text that merely occurs twice, because it was duplicated, isn't repetitive.
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
