import Model

/// The place of a passage according to a map of tokens, with the evidence for it.
struct Placement {
  /// The place in the new text.
  var range: Range<Int>
  var evidence: Evidence
  /// Whether most of the passage moved.
  var isMoved: Bool

  /// Creates the placement of a passage; nil if none of its tokens survive.
  ///
  /// - Parameters:
  ///   - tokens: the tokens that overlap the passage.
  ///   - known: the old tokens that are certainly whole; nil if all are.
  init?(
    of passage: Range<Int>, tokens: Range<Int>, known: Range<Int>? = nil, through map: TokenMap
  ) {
    guard let cluster = Self.cluster(of: tokens, in: map) else { return nil }
    let kept = cluster.members
    let first = Self.start(of: cluster, tokens, in: map)
    let last = Self.last(of: cluster, tokens, in: map)

    var start = Int(map.new[first].start)
    var end = Int(map.new[last].end)
    // A passage may begin or end inside a word, or inside a run of equal punctuation marks that is
    // shorter in the new text.
    let firstOld = map.old[tokens.lowerBound]
    if Int(map.target[tokens.lowerBound]) == first {
      let offset = max(0, passage.lowerBound - Int(firstOld.start))
      start += min(offset, map.new[first].range.count - 1)
    }
    let lastOld = map.old[tokens.upperBound - 1]
    if Int(map.target[tokens.upperBound - 1]) == last {
      let offset = max(0, Int(lastOld.end) - passage.upperBound)
      end -= min(offset, map.new[last].range.count - 1)
    }
    guard start < end else { return nil }
    range = start..<end
    isMoved = kept.count { map.isMoved[$0] } * 2 > kept.count
    evidence = Evidence(
      of: tokens, keeping: kept, at: cluster.first...cluster.last, length: passage.count,
      known: known ?? map.old.indices, in: map)
    evidence.isTorn =
      !Self.isOrdered(kept, in: map) || kept.contains { map.isMoved[$0] != map.isMoved[kept[0]] }
  }

  /// The replacement of a passage's edge belongs to the passage if the passage is at least this
  /// many times as long as the edge and as its replacement.
  private static let edgeShare = 8

  /// Returns whether the replacement of a passage's edge belongs to the passage. It is only called
  /// if the neighbour outside survived. A word that replaces a word of similar length belongs to
  /// the passage, because its spelling may have changed. So does a replacement that is small
  /// compared with the passage.
  private static func takes(
    _ replacement: Range<Int>, for lost: Range<Int>, of tokens: Range<Int>, in map: TokenMap
  ) -> Bool {
    if let old = lost.first, let new = replacement.first, lost.count + replacement.count == 2,
      map.old[old].isLike(map.new[new])
    {
      return true
    }
    let passage = tokens.reduce(0) { $0 + map.old[$1].evidenceWeight }
    return [(lost, map.old), (replacement, map.new)].allSatisfy { edge, tokens in
      edge.reduce(0) { $0 + tokens[$1].evidenceWeight } * edgeShare <= passage
    }
  }

  private static func start(of cluster: Cluster, _ tokens: Range<Int>, in map: TokenMap) -> Int {
    let lost = tokens.lowerBound..<cluster.members.first!
    guard !lost.isEmpty, tokens.lowerBound > 0 else { return cluster.first }
    let outer = Int(map.target[tokens.lowerBound - 1])
    guard outer >= 0, outer < cluster.first else { return cluster.first }
    return takes(outer + 1..<cluster.first, for: lost, of: tokens, in: map)
      ? outer + 1 : cluster.first
  }

  private static func last(of cluster: Cluster, _ tokens: Range<Int>, in map: TokenMap) -> Int {
    let lost = cluster.members.last! + 1..<tokens.upperBound
    guard !lost.isEmpty, tokens.upperBound < map.old.count else { return cluster.last }
    let outer = Int(map.target[tokens.upperBound])
    guard outer > cluster.last else { return cluster.last }
    return takes(cluster.last + 1..<outer, for: lost, of: tokens, in: map)
      ? outer - 1 : cluster.last
  }

  /// Surviving tokens near each other: their indices in the old text, and the first and last of
  /// their places in the new text.
  private typealias Cluster = (members: [Int], first: Int, last: Int)

  /// Returns the heaviest group of surviving tokens that are near each other.
  private static func cluster(of tokens: Range<Int>, in map: TokenMap) -> Cluster? {
    let survivors = together(tokens.filter { map.target[$0] >= 0 }, in: map).sorted {
      map.target[$0] < map.target[$1]
    }
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

  /// If at most this share of the surviving tokens is in another order, these tokens do not belong
  /// to the passage.
  private static let strayShare = 0.4

  /// Returns whether the surviving tokens kept their order.
  private static func isOrdered(_ survivors: [Int], in map: TokenMap) -> Bool {
    zip(survivors, survivors.dropFirst()).allSatisfy { map.target[$0] < map.target[$1] }
  }

  /// Returns the surviving tokens, without a minority that is in another order.
  private static func together(_ survivors: [Int], in map: TokenMap) -> [Int] {
    if isOrdered(survivors, in: map) { return survivors }
    let chain = Runs.heaviestChain(
      survivors.map { (Int(map.target[$0]), map.old[$0].evidenceWeight) })
    func evidenceWeight(_ tokens: some Sequence<Int>) -> Double {
      Double(tokens.reduce(0) { $0 + map.old[$1].evidenceWeight })
    }
    let kept = chain.map { survivors[$0] }
    return evidenceWeight(kept) >= (1 - strayShare) * evidenceWeight(survivors) ? kept : survivors
  }
}
