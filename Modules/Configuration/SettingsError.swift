package import SystemSupport

/// An error in settings, in one line with its file and line.
package struct SettingsError: Error, Hashable, CustomStringConvertible {
  /// The file or environment variable; nil for typed values.
  package var place: String?
  /// The line in the file, from 1.
  package var line: Int?
  /// The description of the error.
  package var message: String
  /// The remedy; nil if there is none.
  package var hint: Hint?
  /// Whether the system caused the error, so that the same action may succeed later.
  package var isEnvironmental = false

  package init(
    _ place: String? = nil, line: Int? = nil, _ message: String, hint: Hint? = nil
  ) {
    (self.place, self.line, self.message, self.hint) = (place, line, message, hint)
  }

  /// `FILE:LINE: message`, without the hint.
  package var description: String {
    guard let place else { return message }
    return place + (line.map { ":\($0)" } ?? "") + ": " + message
  }

  /// Returns `description` with the hint, in the words of a front-end.
  package func description(in syntax: Hint.Syntax) -> String {
    hint.map { "\(description); \($0.text(in: syntax))" } ?? description
  }
}
