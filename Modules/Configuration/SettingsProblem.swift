package import SystemSupport

/// Why settings cannot be taken, in one line with the place.
package struct SettingsProblem: Error, Hashable, CustomStringConvertible {
  /// The file, or the variable of the environment; nil for what was typed.
  package var place: String?
  /// The line in the file, from 1.
  package var line: Int?
  /// What is wrong.
  package var message: String
  /// What to do about it.
  package var hint: Hint?
  /// Whether the system is to blame, and the same may work later.
  package var isEnvironmental = false

  /// Makes a problem of its parts.
  package init(
    _ place: String? = nil, line: Int? = nil, _ message: String, hint: Hint? = nil
  ) {
    (self.place, self.line, self.message, self.hint) = (place, line, message, hint)
  }

  /// `FILE:LINE: what is wrong`, without the hint.
  package var description: String {
    guard let place else { return message }
    return place + (line.map { ":\($0)" } ?? "") + ": " + message
  }

  /// The same with the hint, as for a log.
  package var fullDescription: String {
    hint.map { "\(description); \($0.text(in: .shell))" } ?? description
  }
}
