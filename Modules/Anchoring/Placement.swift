import Model

/// Where a passage went by a map of tokens, with the evidence for it.
struct Placement {
  /// The place in the new text.
  var range: Range<Int>
  /// The share of the passage's words that survive there, 0 … 1.
  var survival: Double
  /// The share of its neighbours that are still its neighbours, 0 … 1.
  var context: Double
  /// The new length over the old one, in tokens.
  var spread: Double
  /// Whether most of it came by a move.
  var isMoved: Bool

  /// Follows a passage through a map; nil when nothing of it survives.
  init?(of passage: Range<Int>, through map: TokenMap) {
    guard let tokens = Self.tokens(map.old, in: passage) else { return nil }
    guard let cluster = Self.cluster(of: tokens, in: map) else { return nil }
    var first = cluster.first
    var last = cluster.last
    let kept = cluster.members

    // A replaced edge takes its replacement, when the neighbour outside it survives.
    let lost = kept.first! - tokens.lowerBound
    if lost > 0, tokens.lowerBound > 0 {
      let outer = Int(map.target[tokens.lowerBound - 1])
      if outer >= 0, outer < first, first - outer - 1 <= 2 * lost + 2 { first = outer + 1 }
    }
    let lostAfter = tokens.upperBound - 1 - kept.last!
    if lostAfter > 0, tokens.upperBound < map.old.count {
      let outer = Int(map.target[tokens.upperBound])
      if outer > last, outer - last - 1 <= 2 * lostAfter + 2 { last = outer - 1 }
    }

    var start = Int(map.new[first].start)
    var end = Int(map.new[last].end)
    // A passage may begin or end inside a word.
    let firstOld = map.old[tokens.lowerBound]
    if Int(map.target[tokens.lowerBound]) == first {
      start += max(0, passage.lowerBound - Int(firstOld.start))
    }
    let lastOld = map.old[tokens.upperBound - 1]
    if Int(map.target[tokens.upperBound - 1]) == last {
      end -= max(0, Int(lastOld.end) - passage.upperBound)
    }
    guard start < end else { return nil }
    range = start..<end

    let weight = { (index: Int) in max(1, Int(map.old[index].weight) * 4) }
    let all = tokens.reduce(0) { $0 + weight($1) }
    survival = Double(kept.reduce(0) { $0 + weight($1) }) / Double(all)
    spread = Double(last - first + 1) / Double(tokens.count)
    isMoved = kept.count { map.isMoved[$0] } * 2 > kept.count
    context = Self.context(of: tokens, at: first...last, in: map)
  }

  /// The tokens that a passage touches.
  private static func tokens(_ tokens: [Token], in passage: Range<Int>) -> Range<Int>? {
    func firstIndex(where test: (Token) -> Bool) -> Int {
      var low = 0
      var high = tokens.count
      while low < high {
        let middle = (low + high) / 2
        if test(tokens[middle]) { high = middle } else { low = middle + 1 }
      }
      return low
    }
    let start = firstIndex { Int($0.end) > passage.lowerBound }
    let end = firstIndex { Int($0.start) >= passage.upperBound }
    return start < end ? start..<end : nil
  }

  /// The heaviest group of survivors that stand near each other.
  private static func cluster(of tokens: Range<Int>, in map: TokenMap)
    -> (members: [Int], first: Int, last: Int)?
  {
    let survivors = tokens.filter { map.target[$0] >= 0 }.sorted { map.target[$0] < map.target[$1] }
    let reach = max(24, 3 * tokens.count)
    var best: ArraySlice<Int> = []
    var bestWeight = -1
    var start = 0
    for index in survivors.indices {
      let isLast = index + 1 == survivors.count
      if isLast || Int(map.target[survivors[index + 1]] - map.target[survivors[index]]) > reach {
        let group = survivors[start...index]
        let weight = group.reduce(0) { $0 + Int(map.old[$1].weight) }
        if weight > bestWeight { (best, bestWeight) = (group, weight) }
        start = index + 1
      }
    }
    guard let first = best.first, let last = best.last else { return nil }
    return (best.sorted(), Int(map.target[first]), Int(map.target[last]))
  }

  /// The share of eight neighbours on either side that stand within 24 tokens of the new place.
  private static func context(of tokens: Range<Int>, at place: ClosedRange<Int>, in map: TokenMap)
    -> Double
  {
    let before = max(0, tokens.lowerBound - 8)..<tokens.lowerBound
    let after = tokens.upperBound..<min(map.old.count, tokens.upperBound + 8)
    let count = before.count + after.count
    guard count > 0 else { return 1 }
    let near = (place.lowerBound - 24)...(place.upperBound + 24)
    let kept =
      before.count { near.contains(Int(map.target[$0])) && map.target[$0] >= 0 }
      + after.count { near.contains(Int(map.target[$0])) && map.target[$0] >= 0 }
    return Double(kept) / Double(count)
  }
}

/// How sure a placement is: logistic regressions on the evidence, fitted to real edits.
enum Confidence {
  /// With the text in which the passage stood.
  static func fromSnapshot(_ placement: Placement, length: Int, isEqual: Bool) -> Double {
    let (sv, ctx, l) = terms(placement, length)
    let spread = max(0, logarithm(placement.spread))
    let sum1 = -6.05 + 6.92 * sv + 0.93 * ctx + 2.09 * sv * ctx + 1.48 * l
    let sum2 = 2.41 * l * sv + 2.23 * (1 - l) * ctx - 4.91 * spread - (isEqual ? 1.89 : 0)
    return logistic(sum1 + sum2)
  }

  /// With nothing but the quote and its context.
  static func fromQuote(_ placement: Placement, length: Int, isEqual: Bool) -> Double {
    let (sv, ctx, l) = terms(placement, length)
    let spread = max(0, logarithm(placement.spread))
    let sum1 = -6.27 + 2.94 * sv + 1.04 * ctx + 3.26 * sv * ctx + 1.91 * l
    let sum2 = 3.61 * l * sv + 3.54 * (1 - l) * ctx - 5.96 * spread - (isEqual ? 1.36 : 0)
    return logistic(sum1 + sum2)
  }

  private static func terms(_ placement: Placement, _ length: Int) -> (Double, Double, Double) {
    (placement.survival, placement.context, min(1, Double(length) / 80))
  }
}
