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

/// Which background the reader has.
public enum Theme: String, Hashable, Sendable, CaseIterable {
  /// Dark text on light.
  case light
  /// Light text on dark.
  case dark

  /// What the terminal says of its background in `COLORFGBG` (`15;0` is white on black, by the
  /// sixteen colours); light where it says nothing.
  package static func detect(environment: [String: String]) -> Theme {
    let parts = (environment["COLORFGBG"] ?? "").split(separator: ";")
    guard parts.count > 1, let background = Int(parts[parts.count - 1]) else { return .light }
    return (0...6).contains(background) || background == 8 ? .dark : .light
  }
}

/// What is painted behind text that is selected.
package struct SelectionPaint: Hashable, Sendable {
  /// The parameters of the escape sequence (SGR).
  package let parameters: String

  /// The colours of the text and its background change places, which every terminal can do.
  package static let reverse = SelectionPaint(parameters: "7")

  private init(parameters: String) { self.parameters = parameters }

  /// A colour as `#RRGGBB`, with text in black or white, whichever has more contrast with it; where
  /// the terminal has not enough colours, and for all other texts, `reverse`.
  package init(_ color: String, mode: ColorMode) {
    guard color.hasPrefix("#"), color.utf8.count == 7,
      let number = Int(color.dropFirst(), radix: 16)
    else {
      self = .reverse
      return
    }
    let channels = [number >> 16, number >> 8 & 0xFF, number & 0xFF]
    // Relative luminance by WCAG 2.2, with its curve as a plain square: only the side of the border
    // at 0.18 matters, where black and white have the same contrast.
    let light = zip(channels, [0.2126, 0.7152, 0.0722]).reduce(0) { sum, channel in
      let part = Double(channel.0) / 255
      return sum + part * part * channel.1
    }
    let isLight = light > 0.18
    switch mode {
    case .none, .ansi16: self = .reverse
    case .xterm256:
      parameters = "38;5;\(isLight ? 16 : 231);48;5;\(Self.nearest(to: channels))"
    case .trueColor:
      let text = isLight ? "0;0;0" : "255;255;255"
      parameters = "38;2;\(text);48;2;" + channels.map(String.init).joined(separator: ";")
    }
  }

  /// The nearest of xterm's cube and greys, by the squares of the distances.
  private static func nearest(to channels: [Int]) -> Int {
    let steps = [0, 95, 135, 175, 215, 255]
    func distance(_ color: [Int]) -> Int {
      zip(color, channels).reduce(0) { $0 + ($1.0 - $1.1) * ($1.0 - $1.1) }
    }
    let cube = channels.map { channel in
      steps.indices.min { abs(steps[$0] - channel) < abs(steps[$1] - channel) } ?? 0
    }
    let mean = channels.reduce(0, +) / 3
    let grey = max(0, min(23, (mean - 3) / 10))
    let isCube =
      distance(cube.map { steps[$0] }) <= distance(Array(repeating: 8 + 10 * grey, count: 3))
    return isCube ? 16 + 36 * cube[0] + 6 * cube[1] + cube[2] : 232 + grey
  }
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
