import SystemSupport

/// A file with the colours of a theme: TOML, of which only the form is known here.
package struct ThemeFile: Sendable {
  /// What a line sets.
  package struct Entry: Hashable, Sendable {
    /// The name, with a dot between a table and what is in it.
    package var name: String
    /// A text or number; nil for all else.
    package var value: SettingValue?
    /// From 1.
    package var line: Int
  }

  /// Where it lies.
  package let path: String
  /// What it sets, in its order.
  package let entries: [Entry]

  /// Reads a file.
  ///
  /// - Parameters:
  ///   - name: its path; `~/` is the home folder, and a relative one begins at the person's settings.
  /// - Throws: why it cannot be read: a theme that was asked for is not left out in silence.
  package init(_ name: String, environment: [String: String]) throws(SettingsProblem) {
    path = Self.path(name, environment)
    guard let text = try SettingsFile.text(at: path, .person) else {
      throw SettingsProblem(
        path, "the theme's file does not exist", hint: "theme.name names it")
    }
    do {
      entries = try TOMLEntries(text).leaves.map { leaf in
        let value: SettingValue? =
          switch leaf.value {
          case .text(let text): .text(text)
          case .number(let number): .number(number)
          case .flag, .other: nil
          }
        return Entry(name: leaf.path.joined(separator: "."), value: value, line: leaf.line)
      }
    } catch {
      throw SettingsProblem(path, line: error.line, "invalid TOML: \(error.message)")
    }
  }

  private static func path(_ name: String, _ environment: [String: String]) -> String {
    if name.hasPrefix("/") { return name }
    if name.hasPrefix("~/"), let home = environment["HOME"], !home.isEmpty {
      return home + name.dropFirst()
    }
    guard let own = SettingsFile.personal(environment: environment) else { return name }
    return own.split(separator: "/").dropLast().map { "/" + $0 }.joined() + "/" + name
  }
}
