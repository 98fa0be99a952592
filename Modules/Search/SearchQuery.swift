public import Model

/// What is looked for.
public struct SearchQuery: Hashable, Sendable, Codable {
  /// The words or the pattern; never empty.
  public let text: String
  /// Whether upper and lower case are the same.
  public var ignoresCase: Bool
  /// Whether letters with and without diacritics are the same.
  public var ignoresDiacritics: Bool
  /// Whether a match must begin and end at the border of a word.
  public var wholeWords: Bool
  /// Whether words with a digit, and short ones, stand for their raised and lowered forms, too: what is
  /// to be replaced does not.
  public var foldsLevels = true

  private enum CodingKeys: CodingKey { case text, ignoresCase, ignoresDiacritics, wholeWords }

  /// Makes a query.
  ///
  /// - Parameter ignoresCase: nil is smart: case counts as soon as the text has an upper-case letter.
  /// - Throws: `PatternError` for an empty text.
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

  /// Whether there is an upper-case letter that stands for itself: not that of `\S` or `\W`.
  private static func hasCapital(_ text: String) -> Bool {
    var isEscaped = false
    for character in text {
      if character.isUppercase, !isEscaped { return true }
      isEscaped = character == "\\" && !isEscaped
    }
    return false
  }
}

/// Why a text cannot be looked for.
public struct PatternError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The text.
  package var pattern: String
  /// Where it is wrong, in characters from 0.
  package var position: Int
  /// What is wrong.
  package var cause: String

  /// Makes an error of its parts.
  public init(pattern: String, position: Int, cause: String) {
    self.pattern = pattern
    self.position = position
    self.cause = cause
  }

  /// One line.
  public var description: String {
    let place = position > 0 ? " at character \(position + 1)" : ""
    return "cannot search for '\(pattern)': \(cause)\(place)"
  }
}

/// A place that was found.
public struct Match: Hashable, Sendable {
  /// The place; never empty.
  public var range: TextRange

  /// Makes a match.
  package init(range: TextRange) { self.range = range }
}

/// How a search ended.
public enum SearchOutcome: Hashable, Sendable {
  /// Everything was looked through, and there may be matches or none.
  case complete
  /// The one who asked wanted no more.
  case cancelled
  /// The time that was allowed is over.
  case timedOut
  /// The strategy could not go on, or is gone: what and why in one line.
  case failed(String)
}
