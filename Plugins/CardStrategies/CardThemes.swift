package import Interchange

extension CardTheme {
  /// The themes included in Diple, with their ids and descriptions. All text has a contrast of at
  /// least 4.5 to its background.
  package static let builtIn: [(id: String, summary: String, theme: CardTheme)] = [
    ("paper", "dark serif text on warm paper", paper),
    ("night", "light serif text on a dark background", night),
    ("clean", "black sans-serif text on white", clean),
    ("sepia", "brown serif text on old paper", sepia),
    ("tint", "dark serif text on a light tone of the highlight's colour", tint),
    ("bold", "bold sans-serif text on a strong tone of the highlight's colour", bold),
  ]

  private static let paper = CardTheme(
    looks: looks(
      background: "#faf5ea", text: "#211d17", faint: "#6b6459", boxes: bright,
      accents: ["yellow": "#e3a90b", "green": "#45a064", "blue": "#4585d6", "pink": "#d25f9f"]),
    mark: .bar, family: garamond, codeFamily: mono, labelFamily: garamond, hasSerifs: true)
  private static let night = CardTheme(
    looks: looks(
      background: "#14171f", text: "#eeebe4", faint: "#b4b7c0", boxes: bright,
      accents: ["yellow": "#ffd45c", "green": "#7bd897", "blue": "#84b3ff", "pink": "#f593c8"]),
    mark: .bar, family: serif, codeFamily: mono, labelFamily: serif, hasSerifs: true)
  private static let clean = CardTheme(
    looks: looks(
      background: "#ffffff", text: "#111111", faint: "#5f6368", boxes: bright,
      accents: ["yellow": "#f5b70a", "green": "#38a862", "blue": "#3f83f0", "pink": "#e25aa5"]),
    mark: .bar, family: grotesque, codeFamily: mono, labelFamily: grotesque, hasSerifs: false,
    hasBand: true)
  private static let sepia = CardTheme(
    looks: looks(
      background: "#f1e4c8", text: "#3b2a1a", faint: "#6e5a42",
      boxes: ["yellow": "#f2cf5b", "green": "#b9cf96", "blue": "#a9c4d6", "pink": "#e6b3b0"],
      accents: ["yellow": "#c78a12", "green": "#76913c", "blue": "#51819f", "pink": "#b95f66"]),
    mark: .sign, family: serif, codeFamily: mono, labelFamily: serif, hasSerifs: true)
  private static let tint = CardTheme(
    looks: [
      "yellow": look("#fcf0bf", "#262014", "#6a5c30", "#c08e00", "#ffdf57"),
      "green": look("#dbefda", "#17231a", "#4a6350", "#3d8f56", "#a9dcb0"),
      "blue": look("#dbe8f8", "#151e2b", "#4b5c74", "#3a78c4", "#a9cbf5"),
      "pink": look("#f9e1ec", "#2a161f", "#755162", "#c14f8c", "#f4b6d3"),
    ], mark: .sign, family: garamond, codeFamily: mono, labelFamily: garamond,
    hasSerifs: true)
  private static let bold = CardTheme(
    looks: [
      "yellow": look("#ffcf33", "#1f1a0a", "#5c4a08", "#1f1a0a", "#fff3c4"),
      "green": look("#17614a", "#f4faf6", "#bfe0d2", "#8fe3b9", "#0c4433", "#f4faf6"),
      "blue": look("#1f4e9e", "#f4f8ff", "#c6d9f8", "#9cc4ff", "#133872", "#f4f8ff"),
      "pink": look("#a62f6d", "#fff5fa", "#f7cfe2", "#ffb3d8", "#7c1e4f", "#fff5fa"),
    ], mark: .sign, family: grotesque, codeFamily: mono, labelFamily: grotesque, hasSerifs: false,
    weight: .bold)

  private static func look(
    _ background: Color, _ text: Color, _ faint: Color, _ accent: Color, _ box: Color,
    _ boxText: Color? = nil
  ) -> Look {
    Look(
      background: background, text: text, faint: faint, accent: accent, box: box,
      boxText: boxText ?? text)
  }

  /// Returns the colours of a theme whose background is the same for every highlight.
  private static func looks(
    background: Color, text: Color, faint: Color, boxes: [String: Color], accents: [String: Color]
  ) -> [String: Look] {
    accents.reduce(into: [:]) { looks, accent in
      // Boxes are light on dark backgrounds too, like a highlighter, so their text is dark.
      looks[accent.key] = look(
        background, text, faint, accent.value, boxes[accent.key] ?? accent.value,
        text < background ? text : background)
    }
  }

  /// Colours that are distinguishable with all four kinds of colour vision, and on which dark text
  /// is legible.
  private static let bright = [
    "yellow": "#fff36d", "green": "#a6e8b4", "blue": "#86b6ff", "pink": "#f7bfe6",
  ]
  /// Fallbacks for missing fonts and missing characters.
  private static let serif =
    "TeX Gyre Pagella, Noto Serif, Noto Naskh Arabic, Noto Serif Hebrew, Noto Serif Devanagari, "
    + "Liberation Serif, DejaVu Serif, serif"
  private static let garamond = "EB Garamond 12, EB Garamond, " + serif
  private static let sans =
    "Noto Sans, Noto Sans Arabic, Noto Sans Hebrew, Noto Sans Devanagari, Liberation Sans, "
    + "DejaVu Sans, sans-serif"
  private static let grotesque = "Inter, TeX Gyre Heros, " + sans
  private static let mono = "DejaVu Sans Mono, Noto Sans Mono, Liberation Mono, monospace"
}
