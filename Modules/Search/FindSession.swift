package import Model

/// What a person looks for in one document: the query, its matches and the one at hand.
package struct FindSession: Sendable {
  /// What is looked for.
  package let query: SearchQuery
  /// The id of the strategy.
  package let strategy: String
  /// The matches in the order of the text.
  package private(set) var matches: [TextRange]
  /// The index of the match at hand; nil when there is none.
  package private(set) var current: Int?
  /// Whether the last step went over the text's end or start.
  package private(set) var hasWrapped = false

  /// How far beyond the visible text matches are decorated, in UTF-16 units.
  package static let overdraw = 2000

  /// Starts at the first match at or behind a place, or at the first of all.
  package init(
    query: SearchQuery, strategy: String, matches: [TextRange], from place: TextOffset? = nil
  ) {
    self.query = query
    self.strategy = strategy
    self.matches = matches.sorted()
    current = place.flatMap(firstMatch(at:)) ?? (matches.isEmpty ? nil : 0)
  }

  /// The match at hand.
  package var match: TextRange? { current.map { matches[$0] } }

  /// "2 of 17", or "none".
  package var position: String { current.map { "\($0 + 1) of \(matches.count)" } ?? "none" }

  /// Goes to the next match, from the last one to the first. Nil when there is none.
  @discardableResult
  package mutating func next() -> TextRange? { step(1) }

  /// Goes to the match before, from the first one to the last. Nil when there is none.
  @discardableResult
  package mutating func previous() -> TextRange? { step(-1) }

  private mutating func step(_ by: Int) -> TextRange? {
    guard let index = current else { return nil }
    let next = index + by
    hasWrapped = !matches.indices.contains(next)
    current = (next + matches.count) % matches.count
    return match
  }

  /// Takes the matches of a text that changed, and stays at the place at hand or goes behind it.
  package mutating func replaceMatches(_ new: [TextRange]) {
    let place = match?.lowerBound
    matches = new.sorted()
    hasWrapped = false
    current = place.flatMap(firstMatch(at:)) ?? (matches.isEmpty ? nil : 0)
  }

  private func firstMatch(at place: TextOffset) -> Int? {
    let index = matches.partitionIndex { $0.lowerBound >= place }
    return index < matches.count ? index : nil
  }

  /// What is to be decorated where a part of the text is visible: its matches, and those a little
  /// beyond. O(log matches + result).
  package func decorations(in visible: TextRange) -> [DecoratedRange] {
    let from = max(0, visible.utf16.lowerBound - Self.overdraw)
    let to = visible.utf16.upperBound + Self.overdraw
    // Matches do not overlap, so their ends are in order too.
    let first = matches.partitionIndex { $0.utf16.upperBound > from }
    var decorated: [DecoratedRange] = []
    for index in first..<matches.count {
      guard matches[index].utf16.lowerBound < to else { break }
      decorated.append(
        DecoratedRange(
          range: matches[index], decoration: index == current ? .currentMatch : .found))
    }
    return decorated
  }
}

extension Array {
  /// The first index from which on a condition holds. O(log count).
  fileprivate func partitionIndex(_ holds: (Element) -> Bool) -> Int {
    var low = 0
    var high = count
    while low < high {
      let middle = (low + high) / 2
      if holds(self[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
