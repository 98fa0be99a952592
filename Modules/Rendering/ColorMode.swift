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
  public enum Choice: String, Hashable, Sendable, CaseIterable {
    /// As the terminal and the environment say.
    case auto
    /// Even when the output is no terminal.
    case always
    /// Not at all.
    case never
  }

  /// What to use: the person's choice, then `NO_COLOR`, then whether it is a terminal and which.
  public static func detect(
    environment: [String: String], isTerminal: Bool, choice: Choice = .auto
  ) -> ColorMode {
    let terminal = environment["TERM"] ?? ""
    if choice == .never { return .none }
    if choice == .auto {
      if environment["NO_COLOR"].map({ !$0.isEmpty }) == true { return .none }
      if !isTerminal || terminal.isEmpty || terminal == "dumb" { return .none }
    }
    if let depth = environment["COLORTERM"], depth == "truecolor" || depth == "24bit" {
      return .trueColor
    }
    return terminal.hasSuffix("256color") ? .xterm256 : .ansi16
  }
}

/// Which background the reader has.
public enum Theme: String, Hashable, Sendable, CaseIterable {
  /// Dark text on light.
  case light
  /// Light text on dark.
  case dark
}

/// The colours of highlights: composites whose text keeps a contrast of at least 4.5, and which
/// differ by at least 10 (CIEDE2000) also for the colour-blind.
struct Palette {
  var mode: ColorMode
  var theme: Theme

  /// The parameters of the escape sequence that paints a highlight's text, or nil without colours.
  func paint(_ color: HighlightColor) -> String? {
    switch mode {
    case .none: return nil
    case .ansi16:
      let background = [HighlightColor.yellow: 43, .green: 42, .blue: 44, .pink: 45][color]!
      return "\(color == .blue ? 97 : 30);\(background)"
    case .xterm256:
      let background: Int =
        switch (theme, color) {
        case (.light, .yellow): 220
        case (.light, .green): 194
        case (.light, .blue): 111
        case (.light, .pink): 182
        case (.dark, .yellow): 94
        case (.dark, .green): 22
        case (.dark, .blue): 25
        case (.dark, .pink): 53
        }
      return "38;5;\(theme == .light ? 234 : 254);48;5;\(background)"
    case .trueColor:
      let text = theme == .light ? "26;26;26" : "230;230;230"
      let background: String =
        switch (theme, color) {
        case (.light, .yellow): "255;243;109"
        case (.light, .green): "166;232;180"
        case (.light, .blue): "134;182;255"
        case (.light, .pink): "247;191;230"
        case (.dark, .yellow): "125;98;0"
        case (.dark, .green): "11;63;34"
        case (.dark, .blue): "21;83;181"
        case (.dark, .pink): "82;16;72"
        }
      return "38;2;\(text);48;2;\(background)"
    }
  }
}
