/// An index of the positions of grams of three tokens, and of rarer words. It is used to find the
/// surroundings of a quote.
final class GramIndex {
  /// A gram or word of a query that occurs at a few places of the text.
  struct Finding {
    /// The index of its first token in the query.
    var query: Int
    /// The indices of its first tokens in the text, ascending.
    var places: ArraySlice<Int32>
  }

  static let gramLength = 3
  private static let mostOccurrences = 24
  private static let mostWords = 8

  private let tokens: [Token]
  // Built by the first query that needs them. Words are needed only for short quotes, and for
  // quotes of which no gram is in the text.
  private lazy var grams = Chains(tokens, length: GramIndex.gramLength)
  private lazy var words = Chains(tokens, length: 1)

  /// Creates an index of a text. The index is built by the first query, in O(tokens).
  init(_ tokens: [Token]) { self.tokens = tokens }

  /// Returns the places of the query's grams that occur at most 24 times.
  func grams(of query: [Token]) -> [Finding] {
    grams.findings(query, in: tokens, limit: Self.mostOccurrences)
  }

  /// Returns the places of the query's words that occur at most eight times.
  func words(of query: [Token]) -> [Finding] {
    words.findings(query, in: tokens, limit: Self.mostWords)
  }

  /// Returns the positions at which the tokens of the query occur consecutively, ascending; nil if
  /// there may be more than `limit`.
  func occurrences(of query: ArraySlice<Token>, limit: Int) -> [Int]? {
    let chains = query.count >= Self.gramLength ? grams : words
    let length = query.count >= Self.gramLength ? Self.gramLength : 1
    guard query.count >= length else { return [] }
    // The rarest of up to three grams is used to find the positions.
    let last = query.endIndex - length
    let tries = Set([query.startIndex, (query.startIndex + last) / 2, last])
    var rarest: (offset: Int, places: [Int32])?
    for start in tries.sorted() {
      let most = rarest.map { $0.places.count - 1 } ?? 4 * limit
      if let places = chains.places(query, at: start, in: tokens, limit: most) {
        rarest = (start - query.startIndex, places)
      }
    }
    guard let rarest else { return nil }
    let found = rarest.places.map { Int($0) - rarest.offset }.filter { start in
      start >= 0 && start + query.count <= tokens.count
        && query.indices.allSatisfy {
          tokens[start + $0 - query.startIndex].hash == query[$0].hash
        }
    }
    return found.count <= limit ? found : nil
  }

  /// The positions of all grams of one length, in chains of grams whose hashes share a slot.
  private struct Chains {
    private let length: Int
    /// For each slot, its first position plus one; 0 if the slot is empty.
    private var heads: [Int32]
    /// For each position, the next position in the same slot plus one; 0 after the last position.
    private var followers: [Int32]
    /// The number of positions in each slot, at most 255.
    private var counts: [UInt8]
    private let mask: Int

    init(_ tokens: [Token], length: Int) {
      self.length = length
      var size = 64
      while size < tokens.count { size *= 2 }
      mask = size - 1
      var heads = [Int32](repeating: 0, count: size)
      var followers = [Int32](repeating: 0, count: tokens.count)
      var counts = [UInt8](repeating: 0, count: size)
      let mask = mask
      tokens.withUnsafeBufferPointer { tokens in
        // Inserted from the end, so that each chain ascends.
        for start in stride(from: tokens.count - length, through: 0, by: -1) {
          let slot = Self.slot(tokens, start, length, mask)
          followers[start] = heads[slot]
          heads[slot] = Int32(start + 1)
          if counts[slot] < .max { counts[slot] += 1 }
        }
      }
      self.heads = heads
      self.followers = followers
      self.counts = counts
    }

    @inline(__always)
    private static func slot<Tokens: RandomAccessCollection<Token>>(
      _ tokens: Tokens, _ start: Int, _ length: Int, _ mask: Int
    ) -> Int where Tokens.Index == Int {
      var hash: UInt64 = 0
      for index in start..<start + length {
        hash = (hash &* 0x9E37_79B9_7F4A_7C15) ^ tokens[index].hash
      }
      return Int(truncatingIfNeeded: hash >> 20) & mask
    }

    /// Returns the positions of one gram of the query; nil if there may be more than `limit`.
    func places(
      _ query: ArraySlice<Token>, at index: Int, in tokens: [Token], limit: Int
    ) -> [Int32]? {
      var all: [Int32] = []
      var next = heads[Self.slot(query, index, length, mask)]
      var steps = 0
      while next > 0 {
        let place = Int(next) - 1
        if (0..<length).allSatisfy({ tokens[place + $0].hash == query[index + $0].hash }) {
          all.append(Int32(place))
        }
        next = followers[place]
        steps += 1
        if all.count > limit || steps > 4 * limit + 64 { return nil }
      }
      return all
    }

    func findings(_ query: [Token], in tokens: [Token], limit: Int) -> [Finding] {
      guard query.count >= length else { return [] }
      var all: [Int32] = []
      var parts: [(query: Int, range: Range<Int>)] = []
      for index in 0...query.count - length {
        if length == 1, query[index].weight <= 3 { continue }
        let start = all.count
        let slot = Self.slot(query, index, length, mask)
        // Grams that are certainly too frequent are skipped.
        if Int(counts[slot]) > 4 * limit { continue }
        var next = heads[slot]
        var steps = 0
        while next > 0, all.count - start <= limit, steps <= 4 * limit {
          let place = Int(next) - 1
          if (0..<length).allSatisfy({ tokens[place + $0].hash == query[index + $0].hash }) {
            all.append(Int32(place))
          }
          next = followers[place]
          steps += 1
        }
        if all.count == start { continue }
        if all.count - start > limit || steps > 4 * limit {
          all.removeSubrange(start...)
        } else {
          parts.append((index, start..<all.count))
        }
      }
      return parts.map { Finding(query: $0.query, places: all[$0.range]) }
    }
  }
}
