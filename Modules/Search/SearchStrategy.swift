public import Model

/// A way to look through a text.
///
/// Matches are streamed in order and do not overlap. How the search ended is the return value, so
/// that it is said exactly once, whatever happens.
public protocol SearchStrategy: Strategy where Example == SearchExample {
  /// Looks for a query in UTF-16 units.
  ///
  /// - Parameter found: is given each match; false ends the search.
  /// - Throws: `PatternError` when the query is none for this strategy.
  func search(_ query: SearchQuery, in text: [UInt16], found: (Match) -> Bool)
    throws(PatternError) -> SearchOutcome
}

extension SearchStrategy {
  /// All matches.
  public func matches(_ query: SearchQuery, in text: [UInt16]) throws(PatternError) -> [Match] {
    var matches: [Match] = []
    _ = try search(query, in: text) {
      matches.append($0)
      return true
    }
    return matches
  }
}

extension Registry where Element == any SearchStrategy {
  /// Appends a strategy.
  public mutating func register<S: SearchStrategy>(_ strategy: S) { register(strategy, as: S.self) }
}

/// An example of what a search strategy finds.
public struct SearchExample: Sendable {
  /// What it shows.
  public var title: String
  /// The query.
  public var query: String
  /// The text with all matches between `«` and `»`.
  public var text: String
  /// Whether only whole words count.
  public var wholeWords: Bool

  /// Makes an example of its parts.
  public init(_ title: String, query: String, text: String, wholeWords: Bool = false) {
    self.title = title
    self.query = query
    self.text = text
    self.wholeWords = wholeWords
  }
}

/// Where words begin and end, for searches that ask for whole ones.
public enum WordBorder {
  /// Whether neither end of a range lies inside a word.
  public static func surrounds(_ range: Range<Int>, in text: [UInt16]) -> Bool {
    !isInside(range.lowerBound, text) && !isInside(range.upperBound, text)
  }

  private static func isInside(_ offset: Int, _ text: [UInt16]) -> Bool {
    offset > 0 && offset < text.count && isWord(text, offset - 1) && isWord(text, offset)
  }

  private static func isWord(_ text: [UInt16], _ index: Int) -> Bool {
    let unit = text[index]
    // The halves of a pair stand for letters beyond the first plane, or for signs that no word has.
    guard let scalar = Unicode.Scalar(unit) else { return false }
    return scalar == "_" || scalar.properties.isAlphabetic || scalar.properties.numericType != nil
  }
}
