extension ANSIWriter {
  /// Whether the terminal supports several underline styles (SGR 4:1 to 4:5), according to the
  /// environment. Only known terminals are accepted, because others may misinterpret the parameter.
  package static func knowsUnderlineStyles(_ environment: [String: String]) -> Bool {
    let terminal = environment["TERM"] ?? ""
    let program = environment["TERM_PROGRAM"] ?? ""
    // Inside a terminal multiplexer, the variables of the outer terminal do not describe
    // underlines. Only tmux is known to pass the styles on.
    if terminal.hasPrefix("screen") || terminal.hasPrefix("tmux") {
      return terminal.hasPrefix("tmux") || program == "tmux"
    }
    let isKnown = knownTerminals.contains { terminal == $0 || terminal.hasPrefix($0 + "-") }
    if isKnown || knownPrograms.contains(program) { return true }
    if let version = environment["VTE_VERSION"].flatMap({ Int($0) }) { return version >= 5_102 }
    return terminal != "linux" && environment["KITTY_WINDOW_ID"] != nil
  }

  private static let knownTerminals = [
    "xterm-kitty", "foot", "wezterm", "ghostty", "xterm-ghostty", "alacritty", "contour", "mintty",
    "rio",
  ]
  private static let knownPrograms: Set = [
    "WezTerm", "iTerm.app", "ghostty", "mintty", "rio", "vscode",
  ]
}
