package import Model

/// The state of a search in one document: the query, the matches and the selected match.
///
/// ```swift
/// var session = FindSession(query: query, strategy: "literal", matches: matches)
/// session.position  // "1 of 17"
/// session.next()
/// ```
package struct FindSession: Sendable {
  package let query: SearchQuery
  /// The id of the search strategy.
  package let strategy: String
  /// The matches in the order of the text.
  package private(set) var matches: [TextRange]
  /// The index of the selected match; nil without matches.
  package private(set) var current: Int?
  /// Whether the last step continued at the other end of the text.
  package private(set) var hasWrapped = false

  /// The distance from the visible text within which matches are decorated, in UTF-16 units.
  package static let overdraw = 2000

  /// Creates a session. The first match at or after `place` is selected, or the first match of all.
  package init(
    query: SearchQuery, strategy: String, matches: [TextRange], from place: TextOffset? = nil
  ) {
    self.query = query
    self.strategy = strategy
    self.matches = matches.sorted()
    current = place.flatMap(firstMatch(at:)) ?? (matches.isEmpty ? nil : 0)
  }

  /// The selected match; nil without matches.
  package var match: TextRange? { current.map { matches[$0] } }

  /// The position for display: “2 of 17”, or “none”.
  package var position: String { current.map { "\($0 + 1) of \(matches.count)" } ?? "none" }

  /// Selects the next match; the first one after the last. Returns nil if there are no matches.
  @discardableResult
  package mutating func next() -> TextRange? { step(1) }

  /// Selects the previous match; the last one before the first. Returns nil if there are no
  /// matches.
  @discardableResult
  package mutating func previous() -> TextRange? { step(-1) }

  private mutating func step(_ by: Int) -> TextRange? {
    guard let index = current else { return nil }
    let next = index + by
    hasWrapped = !matches.indices.contains(next)
    current = (next + matches.count) % matches.count
    return match
  }

  /// Replaces the matches after the text changed. The first match at or after the old position is
  /// selected.
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

  /// Returns the decorations for the visible part of the text and its surroundings. O(log matches +
  /// result).
  package func decorations(in visible: TextRange) -> [DecoratedRange] {
    let from = max(0, visible.utf16.lowerBound - Self.overdraw)
    let to = visible.utf16.upperBound + Self.overdraw
    // Matches don't overlap, so their ends are also in order.
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
  /// Returns the index of the first element that meets a condition; `count` if none does. All
  /// elements after it must meet the condition, too. O(log count).
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
