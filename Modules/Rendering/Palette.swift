import Model

/// The escape sequences for the colours of a theme. Each colour is the nearest colour that the
/// terminal supports and that is readable.
struct Palette: Sendable {
  let mode: ColorMode
  let theme: Theme

  /// Returns the parameters for a text colour; nil for the terminal's default colour.
  ///
  /// - Parameter highlight: the highlight behind the text; nil without a highlight. The text keeps
  ///   its colour if it is readable on the highlight.
  func text(_ key: ThemeKey, on highlight: HighlightColor?) -> String? {
    text(key, background: highlight.flatMap(background(of:)))
  }

  /// Returns the parameters for a text colour on any background, as the terminal shows it; nil for
  /// the default background.
  func text(_ key: ThemeKey, background: RGB?) -> String? {
    guard mode != .none, let color = theme.colors[key] else { return nil }
    if let background { return code(of: color, on: [background], isInside: true) }
    // Sixteen colours are too few for unobtrusive parts, so these are faint instead.
    if mode == .ansi16, key.isQuiet, !color.isExact { return "2" }
    return code(of: color, on: theme.papers, isInside: false)
  }

  /// Returns the parameters for a highlight and its text; nil without colours.
  func highlight(_ name: HighlightColor) -> String? {
    theme.highlights[name].flatMap(marker)
  }

  /// The parameters for a match of a search and its text; nil without colours.
  var match: String? { marker(theme.match) }

  /// Returns the parameters for a background and the text of highlights on it; nil without colours.
  private func marker(_ color: ThemeColor) -> String? {
    guard mode != .none else { return nil }
    let shownColor = shown(color)
    let text: String
    switch mode {
    case .none: return nil
    case .ansi16: text = RGB.strongest(on: shownColor) == .black ? "30" : "97"
    case .xterm256, .trueColor:
      let textColor = shown(theme.highlightText)
      let isReadable = textColor.contrast(with: shownColor) >= RGB.readable
      text =
        isReadable
        ? Self.code(paint(theme.highlightText, on: [shownColor]), isText: true)
        : Self.code(
          paint(ThemeColor(RGB.strongest(on: shownColor)), on: [shownColor]), isText: true)
    }
    return text + ";" + Self.code(paint(color, on: []), isText: false)
  }

  /// Returns the background that the terminal shows for a highlight; nil if the theme has no colour
  /// for it.
  func background(of highlight: HighlightColor) -> RGB? { theme.highlights[highlight].map(shown) }

  // MARK: - The user's colours

  /// Returns the parameters for text in a colour that the user chose, adjusted to be readable; nil
  /// if the terminal has no suitable colour.
  ///
  /// - Parameter background: the background that the terminal shows; nil for the default one.
  func text(_ color: RGB, background: RGB?) -> String? {
    guard mode != .none else { return nil }
    if let background { return code(of: ThemeColor(color), on: [background], isInside: true) }
    var color = color
    if theme.papers.count > 1 {
      for paper in theme.papers {
        color = color.strengthened(toward: .strongest(on: paper), on: paper, to: Self.least)
      }
    }
    return code(of: ThemeColor(color), on: theme.papers, isInside: false)
  }

  /// Returns the parameters for a background that the user chose, with black or white text, and the
  /// colour that the terminal shows for it; nil without colours.
  func background(_ color: RGB) -> (parameters: String, shown: RGB)? {
    guard mode != .none else { return nil }
    let color = ThemeColor(color)
    let shownColor = shown(color)
    let text = ThemeColor(.strongest(on: shownColor))
    return (
      Self.code(paint(text, on: []), isText: true) + ";"
        + Self.code(paint(color, on: []), isText: false), shownColor
    )
  }

  // MARK: - Choosing

  private enum Paint {
    case index(Int)
    case color(RGB)
  }

  /// Returns the colour that the terminal shows for a background.
  private func shown(_ color: ThemeColor) -> RGB {
    switch paint(color, on: []) {
    case .index(let index): RGB.xterm[index]
    case .color(let color): color
    }
  }

  /// The minimum contrast if the background is unknown and the terminal has few colours. It is the
  /// minimum that WCAG requires for large text.
  private static let least = 3.0

  private func paint(_ color: ThemeColor, on papers: [RGB]) -> Paint {
    // The contrast need not exceed that of the theme's own colour.
    let lowest = papers.map { color.color.contrast(with: $0) }.min() ?? 1
    let contrast = papers.isEmpty ? 1 : min(papers.count > 1 ? Self.least : RGB.readable, lowest)
    switch mode {
    case .none, .ansi16:
      return .index(
        color.basic.map(Int.init) ?? color.color.nearest(in: 0...15, on: papers, atLeast: contrast)
          ?? 0)
    case .xterm256:
      return .index(
        color.index.map(Int.init) ?? color.color.nearest(
          in: 16...255, on: papers, atLeast: contrast)
          ?? 16)
    case .trueColor:
      if color.isOwn, let index = color.index { return .index(Int(index)) }
      return .color(color.color)
    }
  }

  /// Returns the parameters for a text colour. Nil if no colour of the terminal is readable there:
  /// the text then keeps the default colour or, on a highlight, the highlight's text colour.
  ///
  /// - Parameter isInside: whether the text is on a highlight.
  private func code(of color: ThemeColor, on papers: [RGB], isInside: Bool) -> String? {
    var color = color
    if isInside || !color.isExact, papers.count == 1 {
      let text = isInside ? shown(theme.highlightText) : RGB.strongest(on: papers[0])
      let strongest =
        text.contrast(with: papers[0]) >= RGB.readable
        ? text : RGB.strongest(on: papers[0])
      let stronger = color.color.strengthened(toward: strongest, on: papers[0])
      if stronger != color.color { color = ThemeColor(stronger) }
    }
    let paint = paint(color, on: papers)
    if case .index(let index) = paint, mode == .ansi16, !color.isExact || isInside {
      // If the terminal's background was detected incorrectly, it may be black or white.
      if RGB.greys.contains(index) { return nil }
      let least = papers.count > 1 ? Self.least : RGB.readable
      if papers.contains(where: { RGB.xterm[index].contrast(with: $0) < least }) { return nil }
    }
    return Self.code(paint, isText: true)
  }

  private static func code(_ paint: Paint, isText: Bool) -> String {
    switch paint {
    case .color(let color): "\(isText ? 38 : 48);2;\(color.channels)"
    case .index(let index) where index < 8: "\((isText ? 30 : 40) + index)"
    case .index(let index) where index < 16: "\((isText ? 90 : 100) + index - 8)"
    case .index(let index): "\(isText ? 38 : 48);5;\(index)"
    }
  }
}
