public import Model

/// The text to search for, with its options.
///
/// ```swift
/// let query = try SearchQuery("fox")
/// query.ignoresCase  // true, because the text has no upper-case letter
/// ```
public struct SearchQuery: Hashable, Sendable, Codable {
  /// The words or the pattern; never empty.
  public private(set) var text: String
  /// Whether case is ignored.
  public var ignoresCase: Bool
  /// Whether diacritics are ignored.
  public var ignoresDiacritics: Bool
  /// Whether matches must begin and end at word boundaries.
  public var wholeWords: Bool
  /// Whether short words and words with a digit also match their superscript and subscript forms.
  /// False for text to be replaced.
  public var foldsLevels = true

  private enum CodingKeys: CodingKey { case text, ignoresCase, ignoresDiacritics, wholeWords }

  /// Creates a query.
  ///
  /// - Parameter ignoresCase: nil selects smart case: case is ignored unless the text contains an
  ///   upper-case letter.
  /// - Throws: ``PatternError`` if the text is empty.
  public init(
    _ text: String, ignoresCase: Bool? = nil, ignoresDiacritics: Bool = false,
    wholeWords: Bool = false
  ) throws(PatternError) {
    guard !text.isEmpty else {
      throw PatternError(pattern: text, position: 0, cause: "the query is empty")
    }
    self.text = text
    self.ignoresCase = ignoresCase ?? !Self.hasCapital(text)
    self.ignoresDiacritics = ignoresDiacritics
    self.wholeWords = wholeWords
  }

  /// The same query with its text in Unicode's normal form C, in which texts are searched.
  public var canonical: SearchQuery {
    var query = self
    query.text = Canonical.normalized(text)
    return query
  }

  /// Whether the text contains an upper-case letter that isn't part of an escape such as `\S` or
  /// `\W`.
  private static func hasCapital(_ text: String) -> Bool {
    var isEscaped = false
    for character in text {
      if character.isUppercase, !isEscaped { return true }
      isEscaped = character == "\\" && !isEscaped
    }
    return false
  }
}

/// The error thrown for a query that a strategy doesn't accept.
public struct PatternError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The text of the query.
  package var pattern: String
  /// The position of the error, in characters from 0.
  package var position: Int
  /// The cause of the error.
  package var cause: String

  /// Creates an error. A position of 0 is not printed.
  public init(pattern: String, position: Int, cause: String) {
    self.pattern = pattern
    self.position = position
    self.cause = cause
  }

  /// One line with the text, the cause and the position.
  public var description: String {
    let place = position > 0 ? " at character \(position + 1)" : ""
    return "cannot search for '\(pattern)': \(cause)\(place)"
  }
}

/// A match of a search.
public struct Match: Hashable, Sendable {
  /// The range of the match; never empty.
  public var range: TextRange

  package init(range: TextRange) { self.range = range }
}

/// The result of a search.
public enum SearchOutcome: Hashable, Sendable {
  /// The whole text was searched. There may be any number of matches.
  case complete
  /// The caller ended the search.
  case cancelled
  /// The time limit was exceeded.
  case timedOut
  /// The strategy failed, or isn't available. The message is one line.
  case failed(String)
}
