/// Where three words in a row stand in a text, to find the surroundings of a quote by its rare
/// words.
struct GramIndex {
  private var places: [UInt64: [Int32]] = [:]
  private var words: [UInt64: [Int32]] = [:]
  private static let mostOccurrences = 50
  private static let mostWords = 8
  /// Votes that fall this near each other count for the same place, in tokens.
  private static let bucket = 24

  init(_ tokens: [Token]) {
    guard !tokens.isEmpty else { return }
    for index in tokens.indices {
      if index + 3 <= tokens.count {
        let hash = Self.hash(tokens, index)
        if places[hash, default: []].count <= Self.mostOccurrences {
          places[hash, default: []].append(Int32(index))
        }
      }
      if tokens[index].weight > 3 {
        let hash = tokens[index].hash
        if words[hash, default: []].count <= Self.mostWords {
          words[hash, default: []].append(Int32(index))
        }
      }
    }
  }

  private static func hash(_ tokens: [Token], _ start: Int) -> UInt64 {
    var hash: UInt64 = 0
    for index in start..<start + 3 { hash = (hash &* 0x9E37_79B9_7F4A_7C15) ^ tokens[index].hash }
    return hash
  }

  /// The tokens at which the query most likely begins, best first, at most eight.
  func windows(for query: [Token], quote: Range<Int>) -> [Int] {
    var votes: [Int: Double] = [:]
    func vote(_ found: [Int32], from index: Int) {
      let weight = (quote.contains(index) ? 1.5 : 1) / Double(found.count)
      for place in found {
        votes[Int((Double(Int(place) - index) / Double(Self.bucket)).rounded()), default: 0] +=
          weight
      }
    }
    if query.count >= 3 {
      for index in 0...(query.count - 3) {
        if let found = places[Self.hash(query, index)], found.count <= Self.mostOccurrences {
          vote(found, from: index)
        }
      }
    }
    if votes.isEmpty {
      for index in query.indices {
        if let found = words[query[index].hash], found.count <= Self.mostWords {
          vote(found, from: index)
        }
      }
    }
    let best = votes.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.prefix(8)
    return best.map { $0.key * Self.bucket }
  }
}
