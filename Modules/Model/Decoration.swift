/// How a place is drawn while something is looked for. It is decided when a page is drawn, and
/// written nowhere.
package enum Decoration: Hashable, Sendable {
  /// As always.
  case normal
  /// A match.
  case found
  /// The current match.
  case currentMatch
}

/// A place with its decoration.
public struct DecoratedRange: Hashable, Sendable {
  /// The place.
  package var range: TextRange
  /// `found` or `currentMatch`.
  package var decoration: Decoration

  /// Makes a decorated place.
  package init(range: TextRange, decoration: Decoration) {
    self.range = range
    self.decoration = decoration
  }
}
