import Model

/// The number of colours that a terminal supports.
public enum ColorMode: String, Hashable, Sendable, CaseIterable {
  /// No colours. Highlights are written in brackets.
  case none
  /// The 16 colours of ANSI terminals.
  case ansi16
  /// The 256 colours of xterm.
  case xterm256
  /// 24-bit colours.
  case trueColor

  /// The user's choice of whether to use colours.
  package enum Choice: String, Hashable, Sendable, CaseIterable {
    /// Colours if the terminal and the environment allow them.
    case auto
    /// Colours, even if the output isn't a terminal.
    case always
    /// No colours.
    case never
  }

  /// Returns the mode to use. The user's choice precedes `NO_COLOR`, which precedes the kind of
  /// terminal.
  package static func detect(
    environment: [String: String], isTerminal: Bool, choice: Choice = .auto
  ) -> ColorMode {
    let terminal = environment["TERM"] ?? ""
    if choice == .never { return .none }
    if choice == .auto {
      if environment["NO_COLOR"].map({ !$0.isEmpty }) == true { return .none }
      if !isTerminal || isDumb(environment) { return .none }
    }
    if let depth = environment["COLORTERM"], depth == "truecolor" || depth == "24bit" {
      return .trueColor
    }
    return terminal.hasSuffix("256color") ? .xterm256 : .ansi16
  }

  /// Whether the terminal supports no escape sequences, or `TERM` is empty or unset.
  package static func isDumb(_ environment: [String: String]) -> Bool {
    ["", "dumb"].contains(environment["TERM"] ?? "")
  }
}
