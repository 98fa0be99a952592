package import Interchange

extension CardTheme {
  /// The themes included in Diple, with their ids and descriptions. All text has a contrast of at
  /// least 4.5 to its background.
  package static let builtIn: [(id: String, summary: String, theme: CardTheme)] = [
    ("paper", "dark serif text on warm paper", paper),
    ("night", "light serif text on a dark background", night),
    ("clean", "black sans-serif text on white", clean),
    ("sepia", "brown serif text on old paper", sepia),
  ]

  private static let paper = CardTheme(
    background: "#fbf7ee", text: "#1a1a1a", faint: "#6b6459", ornament: "#cfc4ae",
    marks: bright, family: "EB Garamond 12, EB Garamond, " + serif, labelFamily: sans)
  private static let night = CardTheme(
    background: "#16181d", text: "#ececec", faint: "#9a9ca3", ornament: "#4a4e58",
    marks: ["yellow": "#6f5800", "green": "#0b4726", "blue": "#174f9e", "pink": "#5c1552"],
    family: serif, labelFamily: sans)
  private static let clean = CardTheme(
    background: "#ffffff", text: "#111111", faint: "#5f6368", ornament: "#d0d4d9",
    marks: bright, family: sans, labelFamily: sans)
  private static let sepia = CardTheme(
    background: "#f1e4c8", text: "#3b2a1a", faint: "#6e5a42", ornament: "#c9b58d",
    marks: ["yellow": "#f2cf5b", "green": "#b9cf96", "blue": "#a9c4d6", "pink": "#e6b3b0"],
    family: serif, labelFamily: serif)

  /// Colours that are distinguishable with all four kinds of colour vision, and on which dark text
  /// is legible.
  private static let bright = [
    "yellow": "#fff36d", "green": "#a6e8b4", "blue": "#86b6ff", "pink": "#f7bfe6",
  ]
  /// Fallbacks for missing fonts and missing characters.
  private static let serif =
    "TeX Gyre Pagella, Noto Serif, Liberation Serif, DejaVu Serif, Noto Serif CJK SC, serif"
  private static let sans =
    "Noto Sans, Liberation Sans, DejaVu Sans, Noto Sans CJK SC, sans-serif"
}
