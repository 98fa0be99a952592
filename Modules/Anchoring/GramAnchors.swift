/// Finds the anchors of an alignment: pairs of positions at which two ranges of tokens contain the
/// same gram, a run of tokens of a fixed length.
struct GramAnchors {
  /// A gram's hash, its first position on each side, and its number of occurrences on each side,
  /// counted up to `mostTwins` plus one.
  private struct Entry {
    var hash: UInt64 = 0
    var old: Int32 = -1
    var new: Int32 = -1
    var oldCount: UInt8 = 0
    var newCount: UInt8 = 0
  }

  /// A gram that isn't unique is paired in order if it occurs at most this often on each side.
  private static let mostTwins: UInt8 = 8
  /// From this number of tokens on, only a sample of the grams is used. The first limit is for
  /// grams of 16 tokens, the second for shorter ones. Grams are sampled by their hash, so the same
  /// grams are sampled on both sides (Manber 1994). Runs between sampled grams are found when
  /// anchors are extended.
  private static let sampledFrom = 400
  private static let shortSampledFrom = 200_000

  private var entries: [Entry]
  private let mask: Int

  /// Returns a chain of anchors whose positions increase on both sides. Anchors are grams that
  /// occur once on both sides. If there are none, they are grams that occur equally often, paired
  /// in order. O((a + b) log a) expected.
  static func chain(
    _ old: [Token], _ a: Range<Int>, _ new: [Token], _ b: Range<Int>, length: Int
  ) -> [(old: Int, new: Int)] {
    guard a.count >= length, b.count >= length else { return [] }
    let shorter = min(a.count, b.count)
    let isSampled = length >= 16 ? shorter >= sampledFrom : shorter >= shortSampledFrom
    var table = GramAnchors(capacity: isSampled ? a.count / 4 : a.count)
    eachGram(old, a, length, isSampled) { table.addOld($0, $1) }
    eachGram(new, b, length, isSampled) { table.addNew($0, $1) }
    var pairs: [(old: Int, new: Int)] = []
    for entry in table.entries where entry.oldCount == 1 && entry.newCount == 1 {
      pairs.append((Int(entry.old), Int(entry.new)))
    }
    if pairs.isEmpty {
      pairs = table.twins(old, a, new, b, length, isSampled)
    }
    pairs.sort { $0.old < $1.old }
    return longestIncreasing(pairs)
  }

  private init(capacity: Int) {
    var size = 16
    while size < 2 * capacity { size *= 2 }
    entries = Array(repeating: Entry(), count: size)
    mask = size - 1
  }

  /// Calls `body` with the hash and the start of each gram, or of each sampled gram.
  static func eachGram(
    _ tokens: [Token], _ range: Range<Int>, _ length: Int, _ isSampled: Bool,
    _ body: (UInt64, Int) -> Void
  ) {
    guard range.count >= length else { return }
    let base: UInt64 = 0x9E37_79B9_7F4A_7C15
    tokens.withUnsafeBufferPointer { tokens in
      var hash: UInt64 = 0
      var power: UInt64 = 1
      for index in range.prefix(length) { hash = hash &* base &+ tokens[index].hash }
      for _ in 0..<length { power = power &* base }
      var start = range.lowerBound
      while true {
        // A single short word isn't distinctive.
        if length > 1 || tokens[start].weight > 3, !isSampled || hash >> 40 & 3 == 0 {
          body(hash, start)
        }
        guard start + length < range.upperBound else { return }
        hash =
          hash &* base &+ tokens[start + length].hash &- tokens[start].hash &* power
        start += 1
      }
    }
  }

  @inline(__always)
  private func slot(_ hash: UInt64) -> Int {
    var slot = Int(truncatingIfNeeded: hash >> 17) & mask
    while entries[slot].oldCount > 0, entries[slot].hash != hash { slot = (slot + 1) & mask }
    return slot
  }

  private mutating func addOld(_ hash: UInt64, _ start: Int) {
    // A sample may be larger than expected; grams that don't fit into the table are ignored.
    guard added < mask - mask / 8 else { return }
    let slot = slot(hash)
    if entries[slot].oldCount == 0 {
      added += 1
      entries[slot] = Entry(hash: hash, old: Int32(start), new: -1, oldCount: 1, newCount: 0)
    } else if entries[slot].oldCount <= Self.mostTwins {
      entries[slot].oldCount += 1
    }
  }

  private var added = 0

  private mutating func addNew(_ hash: UInt64, _ start: Int) {
    let slot = slot(hash)
    guard entries[slot].oldCount > 0, entries[slot].newCount <= Self.mostTwins else { return }
    if entries[slot].newCount == 0 { entries[slot].new = Int32(start) }
    entries[slot].newCount += 1
  }

  /// Returns the positions of grams that occur equally often on both sides, from twice to
  /// `mostTwins` times, paired in order.
  private func twins(
    _ old: [Token], _ a: Range<Int>, _ new: [Token], _ b: Range<Int>, _ length: Int,
    _ isSampled: Bool
  ) -> [(old: Int, new: Int)] {
    func places(_ tokens: [Token], _ range: Range<Int>) -> [(slot: Int, start: Int)] {
      var places: [(slot: Int, start: Int)] = []
      Self.eachGram(tokens, range, length, isSampled) { hash, start in
        let slot = slot(hash)
        let entry = entries[slot]
        if entry.oldCount == entry.newCount, 2...Self.mostTwins ~= entry.oldCount {
          places.append((slot, start))
        }
      }
      return places.sorted { ($0.slot, $0.start) < ($1.slot, $1.start) }
    }
    return zip(places(old, a), places(new, b)).map { ($0.start, $1.start) }
  }

  /// Returns the longest chain of pairs that increases on both sides (Schensted 1961).
  /// O(pairs · log pairs).
  static func longestIncreasing(_ pairs: [(old: Int, new: Int)])
    -> [(old: Int, new: Int)]
  {
    var tails: [Int] = []  // The pair that ends the best chain of each length.
    var previous = [Int](repeating: -1, count: pairs.count)
    for (index, pair) in pairs.enumerated() {
      var (low, high) = (0, tails.count)
      while low < high {
        let middle = (low + high) / 2
        if pairs[tails[middle]].new < pair.new { low = middle + 1 } else { high = middle }
      }
      if low > 0 { previous[index] = tails[low - 1] }
      if low == tails.count { tails.append(index) } else { tails[low] = index }
    }
    var chain: [(old: Int, new: Int)] = []
    var index = tails.last ?? -1
    while index >= 0 {
      chain.append(pairs[index])
      index = previous[index]
    }
    return chain.reversed()
  }
}
