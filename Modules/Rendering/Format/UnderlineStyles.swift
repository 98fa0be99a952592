extension ANSIWriter {
  /// Whether a terminal draws lines of several kinds below letters (SGR 4:1 to 4:5), by what it says of
  /// itself. Others take such a parameter for something else, so that only those that are known count.
  package static func knowsUnderlineStyles(_ environment: [String: String]) -> Bool {
    let terminal = environment["TERM"] ?? ""
    let program = environment["TERM_PROGRAM"] ?? ""
    // Within another program the terminal around it does not count; tmux does what that one can.
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
