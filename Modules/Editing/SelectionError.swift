package import Model

/// One of several passages that a selection could mean.
package struct SelectionCandidate: Hashable, Sendable, CustomStringConvertible {
  /// Which one, from 1.
  package var ordinal: Int
  /// A SPEC that means this one alone.
  package var spec: String
  /// The passage.
  package var range: TextRange
  /// Where it stands in the source.
  package var position: LinePosition
  /// It, with some words around it, on one line.
  package var excerpt: String
  /// The heading above it; nil where there is none.
  package var section: String?

  /// `#2  12:5  … the quick fox …`.
  package var description: String {
    "#\(ordinal)  \(position.line):\(position.column)  \(excerpt)"
  }
}

/// Why a selection gives no passage of a document.
package enum SelectionError: Error, Hashable, Sendable, CustomStringConvertible {
  /// There is no text in it.
  case empty(String)
  /// The document has no such passage.
  case notFound(String)
  /// It lies outside the document, or divides a character.
  case outOfBounds(String)
  /// A pattern cannot be looked for: what is wrong and where.
  case badPattern(String)
  /// The quote is not in the text, but something like it.
  case misquoted(String, NearPassage, SelectionCandidate)
  /// Several passages fit: the first of them, and how many there are; also how many there would be in
  /// any case, where these are more.
  case ambiguous(String, [SelectionCandidate], count: Int, anyCase: Int?)

  /// One line.
  package var description: String {
    switch self {
    case .empty(let what), .notFound(let what), .outOfBounds(let what), .badPattern(let what),
      .misquoted(let what, _, _):
      what
    case .ambiguous(let what, _, let count, let anyCase):
      "\(what) is at \(count) places" + (anyCase.map { " (\($0) in any case)" } ?? "")
    }
  }
}
