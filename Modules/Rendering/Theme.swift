package import Model

/// A part of a page that has a colour. The raw value is its name in a theme file.
package enum ThemeKey: String, Hashable, Sendable, CaseIterable {
  case heading1, heading2, heading3, heading4, heading5, heading6
  case link, math, quote, image
  case note = "callout.note"
  case tip = "callout.tip"
  case important = "callout.important"
  case warning = "callout.warning"
  case caution = "callout.caution"
  case tableBorder = "table.border"
  case listMarker = "list.marker"
  case rule, muted
  case code = "code.inline"
  case comment = "code.comment"
  case string = "code.string"
  case number = "code.number"
  case keyword = "code.keyword"
  case type = "code.type"
  case function = "code.function"
  case variable = "code.variable"
  case key = "code.key"
  case tag = "code.tag"
  case meta = "code.meta"
  case added = "code.added"
  case removed = "code.removed"

  init(_ kind: CodeKind) { self = ThemeKey(rawValue: "code." + kind.rawValue) ?? .code }

  init(heading level: Int) {
    self = ThemeKey(rawValue: "heading\(max(1, min(6, level)))") ?? .heading6
  }

  /// Whether the part is faint on terminals with few colours.
  var isQuiet: Bool {
    [.quote, .tableBorder, .rule, .muted, .comment, .listMarker].contains(self)
  }
}

/// The kind of a terminal's background.
package enum Background: String, Hashable, Sendable, CaseIterable {
  case light
  case dark

  /// Parses the background in the variable `COLORFGBG`, which contains two of the sixteen colours
  /// (`15;0` is white on black). Nil if it isn't set or isn't valid.
  package static func detect(environment: [String: String]) -> Background? {
    let parts = (environment["COLORFGBG"] ?? "").split(separator: ";")
    guard parts.count > 1, let background = Int(parts[parts.count - 1]) else { return nil }
    return (0...6).contains(background) || background == 8 ? .dark : .light
  }

  /// Classifies a colour as a light or a dark background, by the text colour that is readable on
  /// it.
  package init(_ color: RGB) {
    self = RGB.strongest(on: color) == .white ? .dark : .light
  }
}

/// A colour of a theme.
package struct ThemeColor: Hashable, Sendable {
  /// The colour in 24 bits, from which other colours are derived.
  var color: RGB
  /// The index among xterm's 256 colours, if a theme or the user specified it; nil to use the
  /// nearest readable colour.
  var index: UInt8?
  /// The index among the sixteen ANSI colours, if a theme or the user specified it.
  var basic: UInt8?
  /// Whether the terminal's own colour with this index is used, whatever colour the terminal shows
  /// for it.
  var isOwn = false
  /// Whether the user chose the colour, so that its contrast isn't increased.
  var isExact = false

  /// Creates a 24-bit colour.
  package init(_ color: RGB) { self.color = color }

  init(_ number: Int, _ index: UInt8? = nil, _ basic: UInt8? = nil) {
    (color, self.index, self.basic) = (RGB(number), index, basic)
  }

  /// Creates one of the terminal's 256 colours.
  package init(index: UInt8) {
    color = RGB.xterm[Int(index)]
    (self.index, basic, isOwn) = (index, index < 16 ? index : nil, true)
    isExact = true
  }

  /// The names of the first eight colours. The other eight are prefixed with `bright-`.
  package static let names = [
    "black", "red", "green", "yellow", "blue", "magenta", "cyan", "white",
  ]

  /// Parses a name (`blue`, `bright-blue`) or a colour as `#RRGGBB`; nil for any other text.
  package init?(_ word: String) {
    if word.utf8.count == 7, word.hasPrefix("#"), word.dropFirst().allSatisfy(\.isHexDigit),
      let number = Int(word.dropFirst(), radix: 16)
    {
      self.init(RGB(number))
      isExact = true
      return
    }
    let isBright = word.hasPrefix("bright-")
    guard let index = Self.names.firstIndex(of: isBright ? String(word.dropFirst(7)) : word) else {
      return nil
    }
    self.init(index: UInt8(index + (isBright ? 8 : 0)))
  }
}

/// The colours of all parts of a page.
public struct Theme: Hashable, Sendable {
  /// The background for which the colours are suited; nil for any background.
  package var background: Background?
  /// The backgrounds against which contrast is measured. For an unknown background, they are white
  /// and black.
  var papers: [RGB]
  /// The colours of the parts. Other parts have the terminal's default colour.
  package var colors: [ThemeKey: ThemeColor]
  /// The backgrounds of highlights.
  package var highlights: [HighlightColor: ThemeColor]
  /// The text colour of highlights.
  package var highlightText: ThemeColor
  /// The background of the matches of a search.
  package var match: ThemeColor

  /// Creates a theme that overrides some colours of another one.
  package init(
    basedOn base: Theme, colors: [ThemeKey: ThemeColor],
    highlights: [HighlightColor: ThemeColor] = [:], highlightText: ThemeColor? = nil,
    match: ThemeColor? = nil
  ) {
    self = base
    self.colors.merge(colors) { $1 }
    self.highlights.merge(highlights) { $1 }
    if let highlightText { self.highlightText = highlightText }
    if let match { self.match = match }
  }

  private init(
    _ background: Background?, paper: RGB, _ colors: [ThemeKey: Int],
    highlights: [HighlightColor: ThemeColor], text: ThemeColor, match: ThemeColor
  ) {
    (self.background, papers) = (background, [paper])
    self.colors = colors.mapValues { ThemeColor($0) }
    (self.highlights, highlightText, self.match) = (highlights, text, match)
  }

  /// Returns the theme for a background. If the background is unknown, all colours are about
  /// equally far from black and white.
  package static func standard(_ background: Background?) -> Theme {
    switch background {
    case .light: .light
    case .dark: .dark
    case nil: .neutral
    }
  }

  /// Returns a theme with higher contrast for a background.
  package static func highContrast(_ background: Background?) -> Theme {
    background == .light ? .lightHighContrast : .darkHighContrast
  }

  /// A theme for light backgrounds.
  public static let light = Theme(
    .light, paper: .white,
    [
      .heading1: 0x86145F, .heading2: 0x0B4F9E, .heading3: 0x176639, .heading4: 0x8A4B00,
      .heading5: 0x0F6674, .heading6: 0x595959, .link: 0x0B57B0, .code: 0xA3224A, .math: 0x6A3D00,
      .note: 0x0B57B0, .tip: 0x176639, .important: 0x7A35B5, .warning: 0x8A4B00, .caution: 0xB3261E,
      .quote: 0x666666, .image: 0x176639, .tableBorder: 0x707070, .listMarker: 0x8A4B00,
      .rule: 0x707070, .muted: 0x6B6B6B, .comment: 0x5F6B5F, .string: 0x0F6B2E, .number: 0x8A4B00,
      .keyword: 0x8B1A8B, .type: 0x0F6674, .function: 0x0B4F9E, .variable: 0xA3224A,
      .key: 0x0B57B0, .tag: 0x86145F, .meta: 0x6A5000, .added: 0x116329, .removed: 0xB3261E,
    ],
    highlights: [
      .yellow: ThemeColor(Int(HighlightColor.yellow.onPaper), 220, 3),
      .green: ThemeColor(Int(HighlightColor.green.onPaper), 194, 2),
      .blue: ThemeColor(Int(HighlightColor.blue.onPaper), 111, 4),
      .pink: ThemeColor(Int(HighlightColor.pink.onPaper), 182, 5),
    ], text: ThemeColor(0x1A1A1A, 234), match: ThemeColor(0xFFBF69, 215, 6))

  /// A theme for dark backgrounds.
  public static let dark = Theme(
    .dark, paper: RGB(0x1E1E1E),
    [
      .heading1: 0xF0A6D9, .heading2: 0x8EC5FF, .heading3: 0x93D9A3, .heading4: 0xF2C078,
      .heading5: 0x7FD6D6, .heading6: 0xB8B8B8, .link: 0x7CB7FF, .code: 0xF2A6B8, .math: 0xE6C07B,
      .note: 0x7CB7FF, .tip: 0x93D9A3, .important: 0xC9A6FF, .warning: 0xF2C078, .caution: 0xFF9B94,
      .quote: 0x9E9E9E, .image: 0x93D9A3, .tableBorder: 0x8F8F8F, .listMarker: 0xF2C078,
      .rule: 0x8F8F8F, .muted: 0x9E9E9E, .comment: 0x98A798, .string: 0xA5D6A7, .number: 0xF2C078,
      .keyword: 0xD7A6FF, .type: 0x7FD6D6, .function: 0x8EC5FF, .variable: 0xF2A6B8,
      .key: 0x9CC9FF, .tag: 0xF0A6D9, .meta: 0xD6C27A, .added: 0x85D996, .removed: 0xFF9B94,
    ],
    highlights: [
      .yellow: ThemeColor(0x7D6200, 94, 3), .green: ThemeColor(0x0B3F22, 22, 2),
      .blue: ThemeColor(0x1553B5, 25, 4), .pink: ThemeColor(0x521048, 53, 5),
    ], text: ThemeColor(0xE6E6E6, 254), match: ThemeColor(0xF0A04B, 215, 6))

  /// A theme for unknown backgrounds, with colours that are readable on both white and black.
  private static let neutral: Theme = {
    var theme = Theme.light
    (theme.background, theme.papers) = (nil, [.white, .black])
    for (key, color) in theme.colors {
      theme.colors[key]?.color = color.color.strengthened(toward: .white, on: .black)
    }
    return theme
  }()

  private static let lightHighContrast = Theme.light.strengthened(.white)
  private static let darkHighContrast = Theme.dark.strengthened(.black)

  /// The contrast that the highest level of WCAG requires (AAA).
  private static let strongContrast = 7.0

  private func strengthened(_ paper: RGB) -> Theme {
    var theme = self
    let text = RGB.strongest(on: paper)
    theme.papers = [paper]
    theme.highlightText = ThemeColor(text)
    for (key, color) in colors {
      theme.colors[key]?.color = color.color.strengthened(
        toward: text, on: paper, to: Self.strongContrast)
    }
    for (name, color) in highlights {
      let stronger = color.color.strengthened(toward: paper, on: text, to: Self.strongContrast)
      guard stronger != color.color else { continue }
      theme.highlights[name] = ThemeColor(stronger)
    }
    return theme
  }
}
