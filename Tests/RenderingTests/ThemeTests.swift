import Model
import Testing

@testable import Rendering

@Suite struct ThemeTests {
  /// Returns the colour that a terminal shows for the parameters of a text's or background's
  /// colour.
  private func color(_ parameters: String, of kind: Int) -> RGB? {
    var numbers = parameters.split(separator: ";").compactMap { Int($0) }[...]
    var found: RGB?
    while let first = numbers.popFirst() {
      var color: RGB?
      switch first {
      case 38, 48:
        if numbers.popFirst() == 5 {
          color = numbers.popFirst().map { RGB.xterm[$0] }
        } else {
          let parts = (0..<3).compactMap { _ in numbers.popFirst() }
          color = RGB(parts[0] << 16 | parts[1] << 8 | parts[2])
        }
      case 30...37, 40...47: color = RGB.xterm[first % 10]
      case 90...97, 100...107: color = RGB.xterm[first % 10 + 8]
      default: continue
      }
      let isText = first == 38 || 30...37 ~= first || 90...97 ~= first
      if isText == (kind == 38) { found = color }
    }
    return found
  }

  private static let themes: [(String, Theme, [RGB])] = [
    ("light", .light, [.white]), ("dark", .dark, [RGB(0x1E1E1E), .black]),
    ("unknown", .standard(nil), [.white, .black]),
    ("high contrast, light", .highContrast(.light), [.white]),
    ("high contrast, dark", .highContrast(.dark), [.black]),
  ]

  @Test(arguments: themes.map(\.0), [ColorMode.ansi16, .xterm256, .trueColor])
  func `all text has enough contrast`(name: String, mode: ColorMode) throws {
    let (_, theme, papers) = Self.themes.first { $0.0 == name }!
    let palette = Palette(mode: mode, theme: theme)
    // A medium colour has slightly less contrast on both white and black.
    let least = name != "unknown" ? 4.5 : mode == .trueColor ? 4.3 : 3
    for key in ThemeKey.allCases {
      #expect(theme.colors[key] != nil)
      if let paint = palette.text(key, on: nil), let color = color(paint, of: 38) {
        for paper in papers {
          #expect(color.contrast(with: paper) >= least, "\(key) \(paint)")
        }
      }
      for highlight in HighlightColor.allCases {
        let base = try #require(palette.highlight(highlight))
        let behind = try #require(color(base, of: 48))
        let text = try #require(color(base, of: 38))
        #expect(text.contrast(with: behind) >= 4.5, "\(highlight) \(base)")
        guard let paint = palette.text(key, on: highlight) else { continue }
        let shown = try #require(color(paint, of: 38))
        #expect(shown.contrast(with: behind) >= 4.5, "\(key) on \(highlight): \(paint)")
      }
    }
  }

  @Test func `high-contrast themes have higher contrast`() {
    for background in [Background.light, .dark] {
      let theme = Theme.highContrast(background)
      for color in theme.colors.values { #expect(color.color.contrast(with: theme.papers[0]) >= 7) }
      for color in theme.highlights.values {
        #expect(color.color.contrast(with: theme.highlightText.color) >= 7)
      }
    }
  }

  @Test func `the four highlight colours differ in every mode`() {
    for (_, theme, _) in Self.themes {
      for mode in [ColorMode.ansi16, .xterm256, .trueColor] {
        let palette = Palette(mode: mode, theme: theme)
        #expect(Set(HighlightColor.allCases.compactMap(palette.highlight)).count == 4)
      }
    }
  }

  @Test func `custom colours are used unchanged`() throws {
    let blue = try #require(ThemeColor("bright-blue"))
    let pale = try #require(ThemeColor("#eeeeee"))
    let theme = Theme(
      basedOn: .light, colors: [.link: blue, .code: pale, .rule: ThemeColor(index: 100)],
      highlights: [.green: try #require(ThemeColor("#000080"))])
    let palette = Palette(mode: .trueColor, theme: theme)
    #expect(palette.text(.link, on: nil) == "94")
    #expect(palette.text(.code, on: nil) == "38;2;238;238;238")
    #expect(palette.text(.rule, on: nil) == "38;5;100")
    #expect(
      palette.text(.keyword, on: nil)
        == Palette(mode: .trueColor, theme: .light).text(.keyword, on: nil))
    // The theme's dark text would not be readable on this background.
    #expect(palette.highlight(.green) == "38;2;255;255;255;48;2;0;0;128")
    #expect(Palette(mode: .ansi16, theme: theme).text(.link, on: nil) == "94")
    for word in ["", "#12", "#12345g", "purple", "bright-", "256", "#1234567"] {
      #expect(ThemeColor(word) == nil, "\(word)")
    }
  }

  @Test(arguments: [("15;0", Background.dark), ("0;15", .light), ("0;default;15", .light)])
  func `COLORFGBG determines the background`(value: String, background: Background) {
    #expect(Background.detect(environment: ["COLORFGBG": value]) == background)
    #expect(Background.detect(environment: ["COLORFGBG": "x"]) == nil)
    #expect(Background.detect(environment: [:]) == nil)
  }
}
