/// The error for a text that can't be parsed as a selection or a position.
package struct SelectionSyntaxError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The text that was parsed.
  package var spec: String
  /// The index of the character at which the error is, from 0.
  package var position: Int
  /// The problem and, if there is one, a suggestion.
  package var cause: String

  init(_ spec: String, at position: Int, _ cause: String) {
    self.spec = spec
    self.position = position
    self.cause = cause
  }

  /// The error message, one line without a full stop.
  package var description: String {
    // Quoting an empty text and naming a character in it would only confuse.
    spec.allSatisfy(\.isWhitespace)
      ? cause : "'\(spec)' is not a selection: \(cause) (at character \(position + 1))"
  }
}
