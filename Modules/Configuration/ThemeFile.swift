import SystemSupport

/// A TOML file with the colours of a theme. Only its syntax is checked here, not its keys and
/// colours.
package struct ThemeFile: Sendable {
  /// A key with its value.
  package struct Entry: Hashable, Sendable {
    /// The key, with a dot between table and name.
    package var name: String
    /// A text or number; nil for other types.
    package var value: SettingValue?
    /// The line number, from 1.
    package var line: Int
  }

  /// The path of the file.
  package let path: String
  /// The entries in the order of the file.
  package let entries: [Entry]

  /// Reads a file.
  ///
  /// - Parameters:
  ///   - name: the path; `~/` is the home folder, and a relative path starts in the folder of the
  ///     user's settings.
  /// - Throws: `SettingsError` if the file is missing or isn't TOML.
  package init(_ name: String, environment: [String: String]) throws(SettingsError) {
    path = Self.path(name, environment)
    guard let text = try SettingsFile.text(at: path, .user) else {
      throw SettingsError(
        path, "the theme's file does not exist", hint: "the setting theme.name names this file")
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
      throw SettingsError(path, line: error.line, "invalid TOML: \(error.message)")
    }
  }

  private static func path(_ name: String, _ environment: [String: String]) -> String {
    if name.hasPrefix("/") { return name }
    if name.hasPrefix("~/"), let home = environment["HOME"], !home.isEmpty {
      return home + name.dropFirst()
    }
    guard let settingsFile = SettingsFile.personal(environment: environment) else { return name }
    return settingsFile.split(separator: "/").dropLast().map { "/" + $0 }.joined() + "/" + name
  }
}
