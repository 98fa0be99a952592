/// How a range is emphasized while the user searches. Decorations are computed each time a page is
/// drawn and are never stored.
package enum Decoration: Hashable, Sendable {
  /// No emphasis.
  case normal
  /// A match of the search.
  case found
  /// The match that is selected.
  case currentMatch
}

/// A range of the rendered text with its decoration.
public struct DecoratedRange: Hashable, Sendable {
  package var range: TextRange
  /// `found` or `currentMatch`; a range without emphasis has no entry.
  package var decoration: Decoration

  package init(range: TextRange, decoration: Decoration) {
    self.range = range
    self.decoration = decoration
  }
}
