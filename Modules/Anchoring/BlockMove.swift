/// A run of tokens that was deleted at one place of a text and inserted at another.
struct BlockMove {
  /// The tokens in the old text.
  var old: Range<Int>
  /// The index of the first of them in the new text.
  var new: Int
  /// The sum of their weights, in letters.
  var weight: Int

  /// The minimum number of tokens in a block, and their minimum weight.
  private static let gramLength = 5
  private static let leastWeight = 18
  /// The maximum number of pairs of positions at which a gram is equal. Grams with more pairs are
  /// ignored.
  private static let mostWays = 9

  /// Returns the blocks that may have moved among the tokens that a map leaves unmatched, heaviest
  /// first. They may overlap. O(unmatched tokens · log) expected.
  static func all(in map: TokenMap) -> [BlockMove] {
    // Most grams are in only one of the texts. A filter with one bit for each hash removes these
    // grams before the others are sorted.
    var filter = GramFilter(map.new.count)
    eachGram(map.new, isFree: { !map.isClaimed[$0] }) { hash, _ in filter.insert(hash) }
    let sources = grams(map.old, passing: filter) { map.target[$0] < 0 }
    guard !sources.isEmpty else { return [] }
    filter = GramFilter(sources.count)
    for source in sources { filter.insert(source.hash) }
    let places = grams(map.new, passing: filter) { !map.isClaimed[$0] }
    var moves: [BlockMove] = []
    var (i, j) = (0, 0)
    // The known blocks, by their diagonals.
    var known: [Int: [Range<Int>]] = [:]
    while i < sources.count, j < places.count {
      let hash = sources[i].hash
      if hash != places[j].hash {
        if hash < places[j].hash { i += 1 } else { j += 1 }
        continue
      }
      let a = i..<(sources[i...].firstIndex { $0.hash != hash } ?? sources.count)
      let b = j..<(places[j...].firstIndex { $0.hash != hash } ?? places.count)
      (i, j) = (a.upperBound, b.upperBound)
      guard a.count * b.count <= mostWays else { continue }
      for source in sources[a] {
        for place in places[b] {
          let diagonal = place.start - source.start
          if known[diagonal, default: []].contains(where: { $0.contains(source.start) }) {
            continue
          }
          let move = grown(source.start, place.start, in: map)
          known[diagonal, default: []].append(move.old)
          if move.weight >= leastWeight { moves.append(move) }
        }
      }
    }
    return distinctive(moves, in: map).sorted {
      ($1.weight, $0.old.lowerBound) < ($0.weight, $1.old.lowerBound)
    }
  }

  /// Returns the blocks that contain a gram that occurs once in each text. Other text is frequent,
  /// such as the start of an address, so its origin is uncertain. O(tokens).
  private static func distinctive(_ moves: [BlockMove], in map: TokenMap) -> [BlockMove] {
    guard !moves.isEmpty else { return [] }
    var counts: [UInt64: (old: Int, new: Int)] = [:]
    // Most grams of the texts aren't in a block, so a bit is checked before the dictionary.
    var filter = [Bool](repeating: false, count: 4_096)
    for move in moves {
      GramAnchors.eachGram(map.old, move.old, gramLength, false) { hash, _ in
        counts[hash] = (0, 0)
        filter[Int(hash >> 52)] = true
      }
    }
    for (tokens, side) in [(map.old, \(old: Int, new: Int).old), (map.new, \.new)] {
      GramAnchors.eachGram(tokens, tokens.indices, gramLength, false) { hash, _ in
        if filter[Int(hash >> 52)] { counts[hash]?[keyPath: side] += 1 }
      }
    }
    return moves.filter { move in
      var isDistinctive = false
      GramAnchors.eachGram(map.old, move.old, gramLength, false) { hash, _ in
        if let count = counts[hash], count.old == 1, count.new == 1 { isDistinctive = true }
      }
      return isDistinctive
    }
  }

  /// Returns a block, extended in both directions by equal tokens that are unmatched in both texts.
  private static func grown(_ i: Int, _ j: Int, in map: TokenMap) -> BlockMove {
    var (first, end) = (0, 0)
    func fits(_ offset: Int) -> Bool {
      let (a, b) = (i + offset, j + offset)
      return map.old.indices.contains(a) && map.new.indices.contains(b) && map.target[a] < 0
        && !map.isClaimed[b] && map.old[a].hash == map.new[b].hash
    }
    while fits(first - 1) { first -= 1 }
    while fits(end) { end += 1 }
    let run = i + first..<i + end
    return BlockMove(
      old: run, new: j + first, weight: run.reduce(0) { $0 + Int(map.old[$1].weight) })
  }

  private static func grams(
    _ tokens: [Token], passing filter: GramFilter, isFree: (Int) -> Bool
  ) -> [(hash: UInt64, start: Int)] {
    var result: [(hash: UInt64, start: Int)] = []
    eachGram(tokens, isFree: isFree) { if filter.mayHold($0) { result.append(($0, $1)) } }
    return result.sorted { ($0.hash, $0.start) < ($1.hash, $1.start) }
  }

  /// Calls `body` with the hash and the start of each gram of free tokens.
  private static func eachGram(
    _ tokens: [Token], isFree: (Int) -> Bool, _ body: (UInt64, Int) -> Void
  ) {
    var start = 0
    for index in 0...tokens.count where index == tokens.count || !isFree(index) {
      GramAnchors.eachGram(tokens, start..<index, gramLength, false, body)
      start = index + 1
    }
  }
}

/// A filter that recognizes most hashes which aren't in a set (Bloom 1970, one bit for each hash).
private struct GramFilter {
  private var words: [UInt64]
  private let mask: Int

  /// Creates an empty filter.
  ///
  /// - Parameter count: the maximum number of hashes that will be inserted.
  init(_ count: Int) {
    var bits = 1_024
    while bits < 16 * count { bits *= 2 }
    words = Array(repeating: 0, count: bits / 64)
    mask = bits - 1
  }

  mutating func insert(_ hash: UInt64) {
    let bit = Int(truncatingIfNeeded: hash >> 13) & mask
    words[bit >> 6] |= 1 << UInt64(bit & 63)
  }

  func mayHold(_ hash: UInt64) -> Bool {
    let bit = Int(truncatingIfNeeded: hash >> 13) & mask
    return words[bit >> 6] >> UInt64(bit & 63) & 1 == 1
  }
}
