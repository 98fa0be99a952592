public import Model

/// A search strategy whose matches have parts that a replacement can name: `$1`, `${year}`.
public protocol CapturingStrategy: SearchStrategy {
  /// How many groups a query has, and the numbers of those that have a name.
  ///
  /// - Throws: `PatternError` when the query is none for this strategy.
  func groups(of query: SearchQuery) throws(PatternError) -> (count: Int, names: [String: Int])

  /// Looks for a query in UTF-8 and says, in UTF-16 units, what it and each group matched.
  ///
  /// Matches of no text count too: something can be put there.
  ///
  /// - Parameter found: is given each match in order; false ends the search.
  func capture(_ query: SearchQuery, in utf8: [UInt8], found: (CapturedMatch) -> Bool)
    throws(PatternError) -> SearchOutcome
}

/// A match with its parts.
public struct CapturedMatch: Hashable, Sendable {
  /// The place of the whole match; empty where no text was matched.
  package var range: TextRange
  /// The places of the groups from 1; nil for one that took no part.
  package var groups: [TextRange?]

  /// Makes a match of its parts.
  public init(range: TextRange, groups: [TextRange?] = []) {
    self.range = range
    self.groups = groups
  }
}
