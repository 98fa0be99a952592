/// Why settings cannot be taken, in one line with the place.
public struct SettingsProblem: Error, Hashable, CustomStringConvertible {
  /// The file, or the variable of the environment; nil for what was typed.
  public var place: String?
  /// The line in the file, from 1.
  public var line: Int?
  /// What is wrong.
  public var message: String
  /// What to do about it.
  public var hint: String?
  /// Whether the system is to blame, and the same may work later.
  public var isEnvironmental = false

  init(_ place: String? = nil, line: Int? = nil, _ message: String, hint: String? = nil) {
    (self.place, self.line, self.message, self.hint) = (place, line, message, hint)
  }

  /// `FILE:LINE: what is wrong`, without the hint.
  public var description: String {
    guard let place else { return message }
    return place + (line.map { ":\($0)" } ?? "") + ": " + message
  }
}
