/// Finds quotes approximately by their letters. It is used for quotes of programs that stored
/// nothing else, or misread some letters.
///
/// Short grams of the quote's letters lead to possible places (after q-gram filtering, Ukkonen
/// 1992). There the substring with the fewest errors is searched for (Sellers 1980).
struct FoldedSearch {
  /// A place, with the number of wrong letters.
  struct Match {
    /// The range in the text's letters.
    var letters: Range<Int>
    var errors: Int
  }

  private let text: FoldedText
  private var heads: [Int32]
  private var followers: [Int32]
  private let mask: Int

  private static let gramLength = 6
  /// The distance in letters between indexed grams of the text. The other grams are not indexed.
  private static let stride = 3
  /// The maximum number of places of a gram that are considered. More frequent grams are not
  /// distinctive.
  private static let mostPlaces = 64
  private static let bucket = 32
  private static let mostPlacesTried = 6
  /// The maximum length of a quote in letters. Of longer quotes only the two ends are compared.
  private static let longest = 600
  /// The maximum share of wrong letters in a match, 0 … 1.
  private static let mostErrors = 0.15
  /// The minimum length in letters of the first and last part of a shortened quote.
  private static let shortestPart = 8
  /// The maximum length of the omitted text in letters.
  private static let longestCut = 20_000

  /// Indexes a text. O(units).
  init(_ units: [UInt16]) {
    text = FoldedText(units)
    var size = 64
    while size < text.letters.count / Self.stride { size *= 2 }
    mask = size - 1
    heads = Array(repeating: 0, count: size)
    followers = Array(repeating: 0, count: text.letters.count / Self.stride + 1)
    let last = text.letters.count - Self.gramLength
    guard last >= 0 else { return }
    for number in Swift.stride(from: last / Self.stride, through: 0, by: -1) {
      let slot = slot(text.letters, number * Self.stride)
      followers[number] = heads[slot]
      heads[slot] = Int32(number + 1)
    }
  }

  /// Returns the ranges of UTF-16 units where a quote may occur, each with its share of wrong
  /// letters, best first.
  func places(of quote: String) -> [(range: Range<Int>, errors: Double)] {
    let folded = FoldedText(Array(quote.utf16)).letters
    let whole = matches(folded)
    if let best = whole.first, best.errors * 50 <= folded.count {
      return result(whole, folded.count)
    }
    let cut = cutMatches(quote)
    return cut.isEmpty ? result(whole, folded.count) : cut
  }

  private func result(_ matches: [Match], _ count: Int) -> [(range: Range<Int>, errors: Double)] {
    matches.map { (text.units(of: $0.letters), Double($0.errors) / Double(max(1, count))) }
  }

  // MARK: - Quotes that were cut

  /// Returns the places of a quote whose middle was replaced by an ellipsis: from the quote's first
  /// part to its last.
  private func cutMatches(_ quote: String) -> [(range: Range<Int>, errors: Double)] {
    let parts = quote.replacing("...", with: "…").split(separator: "…").map {
      FoldedText(Array($0.utf16)).letters
    }.filter { !$0.isEmpty }
    guard parts.count > 1, let first = parts.first, let last = parts.last,
      first.count >= Self.shortestPart, last.count >= Self.shortestPart
    else { return [] }
    let ends = matches(last)
    let count = first.count + last.count
    return matches(first).flatMap { start in
      // Each start is paired with the nearest end after it.
      ends.filter {
        $0.letters.lowerBound >= start.letters.upperBound
          && $0.letters.lowerBound - start.letters.upperBound <= Self.longestCut
      }.min { $0.letters.lowerBound < $1.letters.lowerBound }.map {
        (
          range: text.units(of: start.letters.lowerBound..<$0.letters.upperBound),
          errors: Double(start.errors + $0.errors) / Double(count)
        )
      }.map { [$0] } ?? []
    }.sorted { $0.errors < $1.errors }
  }

  // MARK: - Whole quotes

  private func matches(_ query: [UInt32]) -> [Match] {
    guard query.count <= Self.longest else { return longMatches(query) }
    var found: [Match] = []
    for start in candidates(query) {
      let slack = 24 + query.count / 8
      let window = max(0, start - slack)..<min(text.letters.count, start + query.count + slack)
      guard !window.isEmpty, let match = Self.best(query, in: text.letters, window),
        Double(match.errors) <= Self.mostErrors * Double(query.count),
        !found.contains(where: { $0.letters.overlaps(match.letters) })
      else { continue }
      found.append(match)
    }
    return found.sorted { ($0.errors, $0.letters.lowerBound) < ($1.errors, $1.letters.lowerBound) }
  }

  /// Finds a long quote by its two ends.
  private func longMatches(_ query: [UInt32]) -> [Match] {
    let half = Self.longest / 2
    let ends = matches(Array(query.suffix(half)))
    return matches(Array(query.prefix(half))).compactMap { start in
      let length = query.count
      return ends.first {
        abs($0.letters.upperBound - start.letters.lowerBound - length) <= length / 8
      }.map {
        Match(
          letters: start.letters.lowerBound..<$0.letters.upperBound,
          errors: start.errors + $0.errors)
      }
    }
  }

  /// Returns the offsets in letters at which the query probably begins, most probable first.
  private func candidates(_ query: [UInt32]) -> [Int] {
    guard query.count >= Self.gramLength else { return [] }
    var votes: [Int: Int] = [:]
    for index in 0...query.count - Self.gramLength {
      var next = heads[slot(query, index)]
      var steps = 0
      while next > 0, steps < Self.mostPlaces {
        let place = (Int(next) - 1) * Self.stride
        if (0..<Self.gramLength).allSatisfy({ text.letters[place + $0] == query[index + $0] }) {
          votes[(place - index + Self.bucket / 2) / Self.bucket, default: 0] += 1
        }
        next = followers[Int(next) - 1]
        steps += 1
      }
    }
    return votes.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
      .prefix(Self.mostPlacesTried).map { $0.key * Self.bucket }
  }

  private func slot(_ letters: [UInt32], _ start: Int) -> Int {
    var hash: UInt64 = 0
    for index in start..<start + Self.gramLength {
      hash = (hash ^ UInt64(letters[index])) &* 0x9E37_79B9_7F4A_7C15
      hash ^= hash >> 29
    }
    return Int(truncatingIfNeeded: hash >> 7) & mask
  }

  /// Returns the substring of the window with the smallest edit distance to the query.
  /// O(query · window).
  private static func best(_ query: [UInt32], in text: [UInt32], _ window: Range<Int>) -> Match? {
    // For each prefix of the query: the edit distance of its best match that ends at the current
    // letter, and the start of that match.
    var errors = Array(0...query.count)
    var starts = Array(repeating: window.lowerBound, count: query.count + 1)
    var best: Match?
    for end in window {
      var (diagonal, diagonalStart) = (errors[0], starts[0])
      starts[0] = end + 1
      for length in 1...query.count {
        let (above, aboveStart) = (errors[length], starts[length])
        var (value, start) = (
          diagonal + (query[length - 1] == text[end] ? 0 : 1), diagonalStart
        )
        if above + 1 < value { (value, start) = (above + 1, aboveStart) }
        if errors[length - 1] + 1 < value {
          (value, start) = (errors[length - 1] + 1, starts[length - 1])
        }
        (errors[length], starts[length]) = (value, start)
        (diagonal, diagonalStart) = (above, aboveStart)
      }
      if errors[query.count] < best?.errors ?? .max, starts[query.count] <= end {
        best = Match(letters: starts[query.count]..<end + 1, errors: errors[query.count])
      }
    }
    return best
  }
}
