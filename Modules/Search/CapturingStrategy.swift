public import Model

/// A search strategy whose matches contain groups, to which a replacement can refer as `$1` or
/// `${year}`.
public protocol CapturingStrategy: SearchStrategy {
  /// Returns the number of groups in a query, and the numbers of the named groups.
  ///
  /// - Throws: ``PatternError`` if the strategy doesn't accept the query.
  func groups(of query: SearchQuery) throws(PatternError) -> (count: Int, names: [String: Int])

  /// Searches UTF-8 text. Returns the ranges of each match and its groups in UTF-16 units.
  ///
  /// Unlike in `search`, matches may be empty, because text can be inserted there.
  ///
  /// - Parameter found: called for each match in order; returns false to end the search.
  /// - Throws: ``PatternError`` if the strategy doesn't accept the query.
  func capture(_ query: SearchQuery, in utf8: [UInt8], found: (CapturedMatch) -> Bool)
    throws(PatternError) -> SearchOutcome
}

/// A match with its groups.
public struct CapturedMatch: Hashable, Sendable {
  /// The range of the whole match; empty if no text was matched.
  package var range: TextRange
  /// The ranges of the groups, beginning with group 1; nil for a group that didn't participate.
  package var groups: [TextRange?]

  /// Creates a match. `groups` must contain an entry for each group of the query.
  public init(range: TextRange, groups: [TextRange?] = []) {
    self.range = range
    self.groups = groups
  }
}
