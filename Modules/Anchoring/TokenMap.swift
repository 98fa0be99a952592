/// Which token of a new text each token of an old one became.
///
/// Common runs are found from long to short: k-grams that occur once on both sides (or equally
/// often, paired in order) are anchors, the longest increasing chain of them is kept and grown, and
/// the gaps between are divided again with shorter grams; what is left is compared by a longest
/// common subsequence. (The idea of anchors is that of patience diff, B. Cohen; chains after
/// Schensted 1961.) Expected O(tokens); the work on gaps is bounded by `budget`.
struct TokenMap {
  let old: [Token]
  let new: [Token]
  /// For each old token the new one, or -1.
  private(set) var target: [Int32]
  /// For each new token whether an old one became it.
  private(set) var isClaimed: [Bool]
  /// For each old token whether it moved across others.
  private(set) var isMoved: [Bool]

  /// Cells of subsequence tables that may still be filled.
  private var budget = 60_000_000
  private static let mostCellsPerGap = 4_000_000
  private static let gramLengths = [16, 8, 4, 2, 1]
  /// How often a gram that is not unique may occur to be paired in order.
  private static let mostTwins = 8

  init(_ old: [Token], _ new: [Token]) {
    self.old = old
    self.new = new
    target = Array(repeating: -1, count: old.count)
    isClaimed = Array(repeating: false, count: new.count)
    isMoved = Array(repeating: false, count: old.count)
    align(0..<old.count, 0..<new.count, level: 0)
    dropAccidents()
    dropAccidents()
    dropLoneSigns()
    growRuns()
    for index in old.indices where target[index] >= 0 { isClaimed[Int(target[index])] = true }
  }

  // MARK: - In order

  private mutating func align(_ oldRange: Range<Int>, _ newRange: Range<Int>, level: Int) {
    var (a, b) = (oldRange, newRange)
    while let i = a.first, let j = b.first, old[i].hash == new[j].hash {
      target[i] = Int32(j)
      (a, b) = (a.dropFirst(), b.dropFirst())
    }
    while let i = a.last, let j = b.last, old[i].hash == new[j].hash {
      target[i] = Int32(j)
      (a, b) = (a.dropLast(), b.dropLast())
    }
    guard !a.isEmpty, !b.isEmpty else { return }
    guard level < Self.gramLengths.count else {
      alignBySubsequence(a, b)
      return
    }
    let length = Self.gramLengths[level]
    let anchors = a.count >= length && b.count >= length ? chain(a, b, length) : []
    guard !anchors.isEmpty else {
      align(a, b, level: level + 1)
      return
    }
    var (i, j) = (a.lowerBound, b.lowerBound)
    for (oldStart, newStart) in anchors {
      guard oldStart >= i, newStart >= j else { continue }
      var end = 0
      while oldStart + end < a.upperBound, newStart + end < b.upperBound,
        old[oldStart + end].hash == new[newStart + end].hash
      {
        target[oldStart + end] = Int32(newStart + end)
        end += 1
      }
      align(i..<oldStart, j..<newStart, level: level + 1)
      (i, j) = (oldStart + end, newStart + end)
    }
    align(i..<a.upperBound, j..<b.upperBound, level: level + 1)
  }

  /// Pairs of starts of equal grams, increasing on both sides.
  private func chain(_ a: Range<Int>, _ b: Range<Int>, _ length: Int) -> [(Int, Int)] {
    let oldGrams = grams(old, a, length)
    let newGrams = grams(new, b, length)
    var pairs: [(Int, Int)] = []
    for (hash, starts) in oldGrams {
      guard let others = newGrams[hash], others.count == starts.count,
        starts.count <= Self.mostTwins
      else { continue }
      for (i, j) in zip(starts, others) { pairs.append((Int(i), Int(j))) }
    }
    // Unique grams alone, when there are any: twins are paired only for want of better.
    let unique = pairs.filter { oldGrams[gramHash(old, $0.0, length)]?.count == 1 }
    if !unique.isEmpty { pairs = unique }
    pairs.sort { $0.0 < $1.0 }
    return longestIncreasing(pairs)
  }

  private func gramHash(_ tokens: [Token], _ start: Int, _ length: Int) -> UInt64 {
    var hash: UInt64 = 0
    for index in start..<start + length {
      hash = (hash &* 0x9E37_79B9_7F4A_7C15) ^ tokens[index].hash
    }
    return hash
  }

  private func grams(_ tokens: [Token], _ range: Range<Int>, _ length: Int) -> [UInt64: [Int32]] {
    var result: [UInt64: [Int32]] = [:]
    result.reserveCapacity(range.count)
    for start in range.lowerBound...(range.upperBound - length) {
      // A lone short word says nothing.
      if length == 1, tokens[start].weight <= 3 { continue }
      let hash = gramHash(tokens, start, length)
      // One more than the limit is enough to know that it is too common.
      if result[hash, default: []].count <= Self.mostTwins {
        result[hash, default: []].append(Int32(start))
      }
    }
    return result
  }

  private func longestIncreasing(_ pairs: [(Int, Int)]) -> [(Int, Int)] {
    var tails: [Int] = []  // The pair that ends the best chain of each length.
    var previous = [Int](repeating: -1, count: pairs.count)
    for (index, pair) in pairs.enumerated() {
      var low = 0
      var high = tails.count
      while low < high {
        let middle = (low + high) / 2
        if pairs[tails[middle]].1 < pair.1 { low = middle + 1 } else { high = middle }
      }
      if low > 0 { previous[index] = tails[low - 1] }
      if low == tails.count { tails.append(index) } else { tails[low] = index }
    }
    var chain: [(Int, Int)] = []
    var index = tails.last ?? -1
    while index >= 0 {
      chain.append(pairs[index])
      index = previous[index]
    }
    return chain.reversed()
  }

  /// The plain table of a longest common subsequence, weighted by the tokens' lengths.
  private mutating func alignBySubsequence(_ a: Range<Int>, _ b: Range<Int>) {
    let cells = a.count * b.count
    guard cells <= Self.mostCellsPerGap, cells <= budget else { return }
    budget -= cells
    let width = b.count + 1
    var best = [Int32](repeating: 0, count: (a.count + 1) * width)
    for i in stride(from: a.count - 1, through: 0, by: -1) {
      let token = old[a.lowerBound + i]
      for j in stride(from: b.count - 1, through: 0, by: -1) {
        let skip = max(best[(i + 1) * width + j], best[i * width + j + 1])
        let isEqual = token.hash == new[b.lowerBound + j].hash
        best[i * width + j] =
          isEqual ? max(skip, best[(i + 1) * width + j + 1] + 1 + token.weight) : skip
      }
    }
    var (i, j) = (0, 0)
    while i < a.count, j < b.count {
      let here = best[i * width + j]
      if old[a.lowerBound + i].hash == new[b.lowerBound + j].hash,
        here == best[(i + 1) * width + j + 1] + 1 + old[a.lowerBound + i].weight
      {
        target[a.lowerBound + i] = Int32(b.lowerBound + j)
        (i, j) = (i + 1, j + 1)
      } else if here == best[(i + 1) * width + j] {
        i += 1
      } else {
        j += 1
      }
    }
  }

  /// Forgets short equal runs in the midst of larger changes: they are accidents, like the "the" of
  /// a sentence that was written anew.
  private mutating func dropAccidents() {
    struct Run { var start: Int; var end: Int }
    var runs: [Run] = []
    for index in old.indices where target[index] >= 0 {
      if let last = runs.last, last.end == index, target[index] == target[index - 1] + 1 {
        runs[runs.count - 1].end = index + 1
      } else {
        runs.append(Run(start: index, end: index + 1))
      }
    }
    func changed(_ before: Run?, _ after: Run?) -> Int {
      let oldGap = length(old, (before?.end ?? 0)..<(after?.start ?? old.count))
      let newStart = before.map { Int(target[$0.end - 1]) + 1 } ?? 0
      let newEnd = after.map { Int(target[$0.start]) } ?? new.count
      return max(oldGap, newStart <= newEnd ? length(new, newStart..<newEnd) : 0)
    }
    var dropped: [Run] = []
    for (index, run) in runs.enumerated() where run.end - run.start < 8 {
      let own = length(old, run.start..<run.end)
      let before = changed(index > 0 ? runs[index - 1] : nil, run)
      let after = changed(run, index + 1 < runs.count ? runs[index + 1] : nil)
      if own < before, own < after { dropped.append(run) }
    }
    for run in dropped { for index in run.start..<run.end { target[index] = -1 } }
  }

  /// Forgets pairs of single signs: a full stop that stands alone belongs to no text in particular.
  private mutating func dropLoneSigns() {
    let lone = old.indices.filter { index in
      guard target[index] >= 0, old[index].weight == 0 else { return false }
      let before = index > 0 && target[index - 1] == target[index] - 1 && target[index - 1] >= 0
      let after = index + 1 < old.count && target[index + 1] == target[index] + 1
      return !before && !after
    }
    for index in lone { target[index] = -1 }
  }

  /// Lets each run take the free tokens beside it that are equal on both sides.
  private mutating func growRuns() {
    var taken = Set<Int32>(target.lazy.filter { $0 >= 0 })
    func join(_ index: Int, _ place: Int32, _ map: inout TokenMap) {
      guard map.target[index] < 0, place >= 0, Int(place) < map.new.count,
        map.old[index].hash == map.new[Int(place)].hash, taken.insert(place).inserted
      else { return }
      map.target[index] = place
    }
    for index in old.indices.dropFirst() where target[index - 1] >= 0 {
      join(index, target[index - 1] + 1, &self)
    }
    for index in old.indices.dropLast().reversed() where target[index + 1] >= 0 {
      join(index, target[index + 1] - 1, &self)
    }
  }

  private func length(_ tokens: [Token], _ range: Range<Int>) -> Int {
    guard let first = range.first, let last = range.last else { return 0 }
    return Int(tokens[last].end - tokens[first].start)
  }

  // MARK: - Moves

  /// Finds blocks that were taken out at one place and put in at another.
  mutating func findMoves() {
    let length = 5
    let places = unclaimedGrams(new, length) { isClaimed[$0] }
    let sources = unclaimedGrams(old, length) { target[$0] >= 0 }
    struct Move { var old: Int; var new: Int; var count: Int; var weight: Int }
    var moves: [Move] = []
    var isCovered = Set<Int>()
    for (hash, starts) in sources.sorted(by: { $0.value[0] < $1.value[0] }) {
      guard let others = places[hash], starts.count * others.count <= 9 else { continue }
      for i in starts {
        for j in others where isCovered.insert(i << 32 | j).inserted {
          // Grown both ways as long as both sides are free.
          var (first, last) = (0, 0)
          while i + first > 0, j + first > 0, target[i + first - 1] < 0,
            !isClaimed[j + first - 1], old[i + first - 1].hash == new[j + first - 1].hash
          { first -= 1 }
          while i + last < old.count, j + last < new.count, target[i + last] < 0,
            !isClaimed[j + last], old[i + last].hash == new[j + last].hash
          {
            isCovered.insert((i + last) << 32 | (j + last))
            last += 1
          }
          let weight = (i + first..<i + last).reduce(0) { $0 + Int(old[$1].weight) }
          if weight >= 20 {
            moves.append(
              Move(old: i + first, new: j + first, count: last - first, weight: weight))
          }
        }
      }
    }
    for move in moves.sorted(by: { ($1.weight, $0.old) < ($0.weight, $1.old) }) {
      let isFree = (0..<move.count).allSatisfy {
        target[move.old + $0] < 0 && !isClaimed[move.new + $0]
      }
      guard isFree else { continue }
      for offset in 0..<move.count {
        target[move.old + offset] = Int32(move.new + offset)
        isClaimed[move.new + offset] = true
        isMoved[move.old + offset] = true
      }
    }
    growRuns()
    for index in old.indices where target[index] >= 0 { isClaimed[Int(target[index])] = true }
  }

  private func unclaimedGrams(_ tokens: [Token], _ length: Int, isTaken: (Int) -> Bool)
    -> [UInt64: [Int]]
  {
    var result: [UInt64: [Int]] = [:]
    var free = 0
    for index in tokens.indices {
      free = isTaken(index) ? 0 : free + 1
      guard free >= length else { continue }
      let start = index - length + 1
      let hash = gramHash(tokens, start, length)
      if result[hash, default: []].count < 10 { result[hash, default: []].append(start) }
    }
    return result
  }
}
