import Model

/// How many colours a terminal shows.
public enum ColorMode: String, Hashable, Sendable, CaseIterable {
  /// None: highlights are bracketed.
  case none
  /// The sixteen of old.
  case ansi16
  /// The 256 of xterm.
  case xterm256
  /// 24 bits.
  case trueColor

  /// Whether a person wants colours.
  package enum Choice: String, Hashable, Sendable, CaseIterable {
    /// As the terminal and the environment say.
    case auto
    /// Even when the output is no terminal.
    case always
    /// Not at all.
    case never
  }

  /// What to use: the person's choice, then `NO_COLOR`, then whether it is a terminal and which.
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

  /// Whether the terminal obeys no escape sequences, or says nothing of itself.
  package static func isDumb(_ environment: [String: String]) -> Bool {
    ["", "dumb"].contains(environment["TERM"] ?? "")
  }
}
