package import Model

/// What has a colour of its own. The raw value is its name in a theme's file.
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

  /// Whether it stands back where there are few colours.
  var isQuiet: Bool {
    [.quote, .tableBorder, .rule, .muted, .comment, .listMarker].contains(self)
  }
}

/// The background of a terminal.
package enum Background: String, Hashable, Sendable, CaseIterable {
  case light
  case dark

  /// What the terminal says of its background in `COLORFGBG` (`15;0` is white on black, by the
  /// sixteen colours); nil where it says nothing.
  package static func detect(environment: [String: String]) -> Background? {
    let parts = (environment["COLORFGBG"] ?? "").split(separator: ";")
    guard parts.count > 1, let background = Int(parts[parts.count - 1]) else { return nil }
    return (0...6).contains(background) || background == 8 ? .dark : .light
  }

  /// What a colour is as a background.
  package init(_ color: RGB) {
    self = RGB.strongest(on: color) == .white ? .dark : .light
  }
}

/// A colour of a theme.
package struct ThemeColor: Hashable, Sendable {
  /// What it is where there are colours of 24 bits, and what others are chosen by.
  var color: RGB
  /// The one of xterm's 256, where it is chosen; else the nearest that can be read.
  var index: UInt8?
  /// The one of the sixteen of old.
  var basic: UInt8?
  /// Whether the terminal's own colour is meant, whatever that is.
  var isOwn = false
  /// Whether a person chose it, so that it is not made to stand out more.
  var isExact = false

  /// A colour of 24 bits.
  package init(_ color: RGB) { self.color = color }

  init(_ number: Int, _ index: UInt8? = nil, _ basic: UInt8? = nil) {
    (color, self.index, self.basic) = (RGB(number), index, basic)
  }

  /// One of the terminal's 256.
  package init(index: UInt8) {
    color = RGB.xterm[Int(index)]
    (self.index, basic, isOwn) = (index, index < 16 ? index : nil, true)
    isExact = true
  }

  /// The names of the sixteen.
  package static let names = [
    "black", "red", "green", "yellow", "blue", "magenta", "cyan", "white",
  ]

  /// A name (`blue`, `bright-blue`) or a colour as `#RRGGBB`; nil for others.
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

/// The colours of all that is drawn.
public struct Theme: Hashable, Sendable {
  /// The background that the colours are for; nil where it may be any.
  package var background: Background?
  /// The colours that contrast is measured against: where the background may be any, its extremes.
  var papers: [RGB]
  /// What has its own colour; all else has the terminal's.
  package var colors: [ThemeKey: ThemeColor]
  /// What is painted behind highlights.
  package var highlights: [HighlightColor: ThemeColor]
  /// The text of highlights.
  package var highlightText: ThemeColor

  /// A theme of its own: what is not said is as in another one.
  package init(
    basedOn base: Theme, colors: [ThemeKey: ThemeColor],
    highlights: [HighlightColor: ThemeColor] = [:], highlightText: ThemeColor? = nil
  ) {
    self = base
    self.colors.merge(colors) { $1 }
    self.highlights.merge(highlights) { $1 }
    if let highlightText { self.highlightText = highlightText }
  }

  private init(
    _ background: Background?, paper: RGB, _ colors: [ThemeKey: Int],
    highlights: [HighlightColor: ThemeColor], text: ThemeColor
  ) {
    (self.background, papers) = (background, [paper])
    self.colors = colors.mapValues { ThemeColor($0) }
    (self.highlights, highlightText) = (highlights, text)
  }

  /// The theme for a background: without one, of colours that are as far from black as from white.
  package static func standard(_ background: Background?) -> Theme {
    switch background {
    case .light: .light
    case .dark: .dark
    case nil: .neutral
    }
  }

  /// The same with colours that stand out more.
  package static func highContrast(_ background: Background?) -> Theme {
    background == .light ? .lightHighContrast : .darkHighContrast
  }

  /// Dark text on light.
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
      .yellow: ThemeColor(0xFFF36D, 220, 3), .green: ThemeColor(0xA6E8B4, 194, 2),
      .blue: ThemeColor(0x86B6FF, 111, 4), .pink: ThemeColor(0xF7BFE6, 182, 5),
    ], text: ThemeColor(0x1A1A1A, 234))

  /// Light text on dark.
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
    ], text: ThemeColor(0xE6E6E6, 254))

  /// Colours that can be read on white and on black: nobody knows the background.
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

  /// What the best of WCAG's levels asks for (AAA).
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
