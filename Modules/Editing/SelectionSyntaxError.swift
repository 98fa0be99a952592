/// Why a text is no selection: where it goes wrong, and what would be right.
public struct SelectionSyntaxError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The text.
  public var spec: String
  /// The character at which it goes wrong, from 0.
  public var position: Int
  /// What is wrong there.
  public var cause: String

  init(_ spec: String, at position: Int, _ cause: String) {
    self.spec = spec
    self.position = position
    self.cause = cause
  }

  /// One line.
  public var description: String {
    "'\(spec)' is not a selection: \(cause) (at character \(position + 1))"
  }
}
