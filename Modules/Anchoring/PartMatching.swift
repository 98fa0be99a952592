/// Finds the lines that both texts have in the same order.
enum PartMatching {
  /// Parts of fewer letters say too little by themselves.
  static let leastWeight = 4

  /// The pairs of parts that are unique on both sides, as far as they keep their order, and of the
  /// equal ones beside them (patience diff, B. Cohen). O(parts · log parts).
  static func inOrder(
    _ old: [Parts.Part], _ new: [Parts.Part]
  ) -> [(old: Int, new: Int, isOnly: Bool)] {
    let unique = uniquePairs(old, new)
    let chain = Runs.heaviestChain(unique.map { ($0.new, old[$0.old].weight) }).map { unique[$0] }
    var pairs: [(old: Int, new: Int, isOnly: Bool)] = []
    var (i, j) = (0, 0)
    for (index, anchor) in chain.enumerated() where anchor.old >= i && anchor.new >= j {
      var back = 0
      while anchor.old - back > i, anchor.new - back > j,
        old[anchor.old - back - 1].hash == new[anchor.new - back - 1].hash
      {
        back += 1
      }
      for offset in stride(from: back, to: 0, by: -1) {
        pairs.append((anchor.old - offset, anchor.new - offset, true))
      }
      let limit = index + 1 < chain.count ? chain[index + 1] : (old: old.count, new: new.count)
      (i, j) = (anchor.old, anchor.new)
      repeat {
        pairs.append((i, j, true))
        (i, j) = (i + 1, j + 1)
      } while i < limit.old && j < limit.new && old[i].hash == new[j].hash
    }
    return pairs
  }

  /// The pairs of equal parts that the shortest edit keeps, whole parts being taken out, put in or
  /// changed; nil when it is too long for the budget.
  static func shortestEdit(
    _ old: [Parts.Part], _ new: [Parts.Part], budget: inout Int
  ) -> [(old: Int, new: Int, isOnly: Bool)]? {
    var (i, end) = (0, 0)
    let shorter = min(old.count, new.count)
    while i < shorter, old[i].hash == new[i].hash { i += 1 }
    while end < shorter - i, old[old.count - 1 - end].hash == new[new.count - 1 - end].hash {
      end += 1
    }
    let a = old[i..<old.count - end].map(\.hash)
    let b = new[i..<new.count - end].map(\.hash)
    var pairs: [(old: Int, new: Int, isOnly: Bool)] = (0..<i).map { ($0, $0, true) }
    let cells = a.count * b.count
    if cells <= LineEdit.mostCells, cells <= budget {
      budget -= cells
      let known = Set(old.map(\.hash))
      let isNew = b.map { !known.contains($0) }
      // A line that was there before is not taken for another one that was changed.
      for pair in LineEdit.pairs(a, b, mayChange: { isNew[$1] }) {
        pairs.append((pair.old + i, pair.new + i, pair.isOnly))
      }
    } else {
      let found = a.withUnsafeBufferPointer { a in
        b.withUnsafeBufferPointer { b in ShortestEdit.pairs(a, b, budget: &budget) }
      }
      guard let found else { return nil }
      for pair in found { pairs.append((pair.0 + i, pair.1 + i, true)) }
    }
    for offset in stride(from: end, to: 0, by: -1) {
      pairs.append((old.count - offset, new.count - offset, true))
    }
    return pairs
  }

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
    let (none, many) = (-1, -2)
    var places: [UInt64: (old: Int, new: Int)] = [:]
    places.reserveCapacity(old.count)
    for (index, part) in old.enumerated() where part.weight >= leastWeight {
      if places.updateValue((index, none), forKey: part.hash) != nil {
        places[part.hash] = (many, none)
      }
    }
    for (index, part) in new.enumerated() where part.weight >= leastWeight {
      guard let place = places[part.hash] else { continue }
      places[part.hash]!.new = place.new == none ? index : many
    }
    return places.values.filter { $0.old >= 0 && $0.new >= 0 }.sorted { $0.old < $1.old }
  }
}
