package import Model

/// One of several passages that match a selection.
package struct SelectionCandidate: Hashable, Sendable, CustomStringConvertible {
  /// The index of the candidate, from 1.
  package var ordinal: Int
  /// A SPEC that selects only this candidate.
  package var spec: String
  /// The range in the rendered text.
  package var range: TextRange
  /// The line and column in the source.
  package var position: LinePosition
  /// The passage and some words around it, on one line.
  package var excerpt: String
  /// The text of the heading above the passage; nil if no heading precedes it.
  package var section: String?

  /// `#2  12:5  … the quick fox …`.
  package var description: String {
    "#\(ordinal)  \(position.line):\(position.column)  \(excerpt)"
  }
}

/// The reason why a selection doesn't select a passage of a document.
package enum SelectionError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The selected range contains no text.
  case empty(String)
  /// The document has no such passage.
  case notFound(String)
  /// Fewer passages match than the number of the SPEC. `count` is their number; the array contains
  /// only the first ones.
  case noSuchOccurrence(String, [SelectionCandidate], count: Int)
  /// The range divides a character, or its last words occur only before its first words.
  case outOfBounds(String)
  /// The pattern is invalid. The message names the problem and its position.
  case badPattern(String)
  /// The quote isn't in the text, but a similar passage is. The values are a description, that
  /// passage, and the same passage as a candidate.
  case misquoted(String, NearPassage, SelectionCandidate)
  /// The quote isn't in the text, but would be a valid SPEC in quotation marks. The values are a
  /// description and that SPEC.
  case unquoted(String, SelectionSpec)
  /// Several passages match. `count` is their number; the array contains only the first ones.
  /// `anyCase` is the number of matches if case is ignored; nil if it isn't larger than `count`.
  case ambiguous(String, [SelectionCandidate], count: Int, anyCase: Int?)

  /// The error message, one line without a full stop.
  package var description: String {
    switch self {
    case .empty(let what), .notFound(let what), .outOfBounds(let what), .badPattern(let what),
      .misquoted(let what, _, _), .unquoted(let what, _), .noSuchOccurrence(let what, _, _):
      what
    case .ambiguous(let what, _, let count, let anyCase):
      "\(what) occurs \(Self.times(count))" + (anyCase.map { " (\($0) ignoring case)" } ?? "")
    }
  }

  /// Returns `once`, `twice`, `3 times` and so on.
  static func times(_ count: Int) -> String {
    switch count {
    case 1: "once"
    case 2: "twice"
    default: "\(count) times"
    }
  }
}
