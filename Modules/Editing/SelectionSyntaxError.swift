/// Why a text is no selection: where it goes wrong, and what would be right.
package struct SelectionSyntaxError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The text.
  package var spec: String
  /// The character at which it goes wrong, from 0.
  package var position: Int
  /// What is wrong there.
  package var cause: String

  init(_ spec: String, at position: Int, _ cause: String) {
    self.spec = spec
    self.position = position
    self.cause = cause
  }

  /// One line.
  package var description: String {
    "'\(spec)' is not a selection: \(cause) (at character \(position + 1))"
  }
}
