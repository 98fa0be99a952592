package import Configuration
import Model
package import Rendering
package import SystemSupport

extension Settings {
  /// The background that colours are for, as far as it is known.
  ///
  /// - Parameter answered: what the terminal answered when it was asked.
  package func background(
    _ environment: [String: String], answered: Background? = nil
  ) -> Background? {
    Background(rawValue: text(.themeBackground)) ?? answered
      ?? Background.detect(environment: environment)
  }

  /// Whether Diple puts text that runs from right to left in the order in which it is seen.
  package func ordersText(_ environment: [String: String]) -> Bool {
    switch text(.themeBidi) {
    case "diple": true
    case "terminal", "off": false
    default: !Self.terminalOrdersText(environment)
    }
  }

  /// Whether the terminal is asked to show characters in the order in which they come.
  package func refusesOrdering(_ environment: [String: String]) -> Bool {
    text(.themeBidi) == "off" || ordersText(environment)
  }

  /// Whether a terminal is known to order text itself. Within tmux and screen, which place every
  /// line on their own, none does it well.
  private static func terminalOrdersText(_ environment: [String: String]) -> Bool {
    let terminal = environment["TERM"] ?? ""
    if ["tmux", "screen"].contains(where: terminal.hasPrefix) { return false }
    return environment["VTE_VERSION"].flatMap { Int($0) } ?? 0 >= 5_800
      || environment["KONSOLE_VERSION"] != nil || terminal.hasPrefix("mlterm")
      || ["Apple_Terminal", "mintty"].contains(environment["TERM_PROGRAM"] ?? "")
  }

  /// The colours of all that is drawn.
  ///
  /// - Parameters:
  ///   - asked: the name on the command line, which comes before the settings.
  ///   - background: what is known of the terminal's.
  /// - Throws: `usage` for a file of a theme that cannot be read or is wrong.
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
      do throws(SettingsProblem) {
        return try Theme(ThemeFile(name, environment: environment), on: background)
      } catch { throw UserError(error) }
    }
  }
}

extension Theme {
  /// Reads the colours of a file. What it does not set is as in `base`: `light`, `dark`, or by
  /// the background.
  init(_ file: ThemeFile, on background: Background?) throws(SettingsProblem) {
    var base = Theme.standard(background)
    var colors: [ThemeKey: ThemeColor] = [:]
    var highlights: [HighlightColor: ThemeColor] = [:]
    var text: ThemeColor?
    for entry in file.entries {
      if entry.name == "base" {
        guard case .text(let word)? = entry.value, let named = Background(rawValue: word) else {
          throw SettingsProblem(file.path, line: entry.line, "base takes light or dark")
        }
        base = .standard(named)
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
        let near = nearestMatch(to: entry.name, among: Self.names)
        throw SettingsProblem(
          file.path, line: entry.line, "a theme has no '\(entry.name)'",
          hint: near.map { "did you mean '\($0)'?" }
            ?? "it has \(Self.names.joined(separator: ", "))"
        )
      }
      colors[key] = try Self.color(entry, file)
    }
    self.init(basedOn: base, colors: colors, highlights: highlights, highlightText: text)
  }

  /// All that a file can set.
  private static let names =
    ["base"] + ThemeKey.allCases.map(\.rawValue)
    + (HighlightColor.allCases.map(\.rawValue) + ["text"]).map { "highlight." + $0 }

  private static func color(_ entry: ThemeFile.Entry, _ file: ThemeFile) throws(SettingsProblem)
    -> ThemeColor
  {
    switch entry.value {
    case .number(let number):
      if let index = UInt8(exactly: number) { return ThemeColor(index: index) }
    case .text(let word):
      if let color = ThemeColor(word) { return color }
    case .flag, nil: break
    }
    throw SettingsProblem(
      file.path, line: entry.line,
      "\(entry.name) takes a colour: \"#RRGGBB\", a number from 0 to 255, or a name such as "
        + "\"blue\" or \"bright-blue\"")
  }
}
