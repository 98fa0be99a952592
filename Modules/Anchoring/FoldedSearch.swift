/// Finds quotes of which other programs kept no more than the letters, some of them misread.
///
/// Short grams of the quote's letters lead to the places where it may stand (after q-gram filtering,
/// Ukkonen 1992); there the substring with the fewest errors is looked for (Sellers 1980).
struct FoldedSearch {
  /// A place, with the errors of its letters.
  struct Match {
    /// The letters of the text.
    var letters: Range<Int>
    var errors: Int
  }

  private let text: FoldedText
  private var heads: [Int32]
  private var followers: [Int32]
  private let mask: Int

  private static let gramLength = 6
  /// Every third gram of the text is indexed.
  private static let stride = 3
  /// A gram with more places than these says little.
  private static let mostPlaces = 64
  private static let bucket = 32
  private static let mostPlacesTried = 6
  /// Of a longer quote only the two ends are compared, in letters.
  private static let longest = 600
  /// The share of letters that may be wrong.
  private static let mostErrors = 0.15
  /// A part of a quote that was cut has at least so many letters.
  private static let shortestPart = 8
  /// How many letters may have been cut.
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

  /// The units of the places where a quote may stand, with the share of their letters that differ,
  /// best first.
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

  /// The places of a quote of which the middle was left out: from its first part to its last.
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
      // The nearest end after each start.
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

  /// A long quote is found by its two ends.
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

  /// The letters at which the query probably begins, likeliest first.
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

  /// The substring of a window that the fewest errors make the query. O(query · window).
  private static func best(_ query: [UInt32], in text: [UInt32], _ window: Range<Int>) -> Match? {
    // For each length of the query's beginning the errors of its best match that ends here, and
    // where that starts.
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
