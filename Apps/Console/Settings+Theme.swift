import Actions
package import Configuration
import Model
package import Rendering
package import SystemSupport

extension Settings {
  /// Returns the terminal's background: the setting, the terminal's answer or a guess by its
  /// environment, in this order. Nil if it is unknown.
  ///
  /// - Parameter answered: the terminal's answer to a query. Nil if there was none.
  package func background(
    _ environment: [String: String], answered: Background? = nil
  ) -> Background? {
    Background(rawValue: text(.themeBackground)) ?? answered
      ?? Background.detect(environment: environment)
  }

  /// Returns whether Diple converts right-to-left text to visual order.
  package func ordersText(_ environment: [String: String]) -> Bool {
    switch text(.themeBidi) {
    case "diple": true
    case "terminal", "off": false
    default: !Self.terminalOrdersText(environment)
    }
  }

  /// Returns whether the terminal is asked to display characters in logical order.
  package func refusesOrdering(_ environment: [String: String]) -> Bool {
    text(.themeBidi) == "off" || ordersText(environment)
  }

  /// Returns whether a terminal is known to reorder right-to-left text. Within tmux and screen the
  /// result is false: they position each line separately, so reordering by the terminal in which
  /// they run doesn't work well.
  private static func terminalOrdersText(_ environment: [String: String]) -> Bool {
    let terminal = environment["TERM"] ?? ""
    if ["tmux", "screen"].contains(where: terminal.hasPrefix) { return false }
    return environment["VTE_VERSION"].flatMap { Int($0) } ?? 0 >= 5_800
      || environment["KONSOLE_VERSION"] != nil || terminal.hasPrefix("mlterm")
      || ["Apple_Terminal", "mintty"].contains(environment["TERM_PROGRAM"] ?? "")
  }

  /// Returns the theme with the colours of all output.
  ///
  /// - Parameters:
  ///   - asked: the name on the command line. It takes precedence over the settings.
  ///   - background: the terminal's background. Nil if it is unknown.
  /// - Throws: ``UserError`` with the code `usage` if the theme is a file that is invalid or can't
  ///   be read.
  package func theme(
    _ asked: String? = nil, on background: Background?, environment: [String: String]
  ) throws(UserError) -> Theme {
    let name = asked ?? text(.themeName)
    switch name {
    case "auto": return .standard(background)
    case "light": return .light
    case "dark": return .dark
    case "high-contrast": return .highContrast(background)
    default:
      do throws(SettingsError) {
        return try Theme(ThemeFile(name, environment: environment), on: background)
      } catch { throw UserError(error) }
    }
  }
}

extension Theme {
  /// Creates a theme from a file. Unset colours are those of its `base`, which is `light`, `dark`
  /// or by default the theme for the background. Throws ``SettingsError`` for unknown names and
  /// values.
  init(_ file: ThemeFile, on background: Background?) throws(SettingsError) {
    var base = Theme.standard(background)
    var colors: [ThemeKey: ThemeColor] = [:]
    var highlights: [HighlightColor: ThemeColor] = [:]
    var (text, match) = (ThemeColor?.none, ThemeColor?.none)
    for entry in file.entries {
      if entry.name == "base" {
        guard case .text(let word)? = entry.value, let named = Background(rawValue: word) else {
          throw SettingsError(file.path, line: entry.line, "base must be light or dark")
        }
        base = .standard(named)
        continue
      }
      if entry.name == "match" {
        match = try Self.color(entry, file)
        continue
      }
      let parts = entry.name.split(separator: ".").map(String.init)
      if parts.count == 2, parts[0] == "highlight" {
        if parts[1] == "text" {
          text = try Self.color(entry, file)
          continue
        }
        if let name = HighlightColor(rawValue: parts[1]) {
          highlights[name] = try Self.color(entry, file)
          continue
        }
      }
      guard let key = ThemeKey(rawValue: entry.name) else {
        throw SettingsError(
          file.path, line: entry.line, "there is no theme colour '\(entry.name)'",
          hint: Spelling.suggestion(for: entry.name, among: Self.names).map { Hint($0) }
            ?? "a theme can set \(Self.names.joined(separator: ", "))"
        )
      }
      colors[key] = try Self.color(entry, file)
    }
    self.init(
      basedOn: base, colors: colors, highlights: highlights, highlightText: text,
      match: match)
  }

  /// The names of all keys that a file can set.
  private static let names =
    ["base", "match"] + ThemeKey.allCases.map(\.rawValue)
    + (HighlightColor.allCases.map(\.rawValue) + ["text"]).map { "highlight." + $0 }

  private static func color(_ entry: ThemeFile.Entry, _ file: ThemeFile) throws(SettingsError)
    -> ThemeColor
  {
    switch entry.value {
    case .number(let number):
      if let index = UInt8(exactly: number) { return ThemeColor(index: index) }
    case .text(let word):
      if let color = ThemeColor(word) { return color }
    case .flag, nil: break
    }
    throw SettingsError(
      file.path, line: entry.line,
      "\(entry.name) takes a colour: \"#RRGGBB\", a number from 0 to 255, or a name such as "
        + "\"blue\" or \"bright-blue\"")
  }
}
