import Model

/// The escape sequences of a theme's colours on a terminal: the nearest that it has, and that can be
/// read there.
struct Palette: Sendable {
  let mode: ColorMode
  let theme: Theme

  /// The parameters that paint text; nil for the terminal's own colour.
  ///
  /// - Parameter highlight: what is painted behind it. The text keeps its colour there, as far as it
  ///   can be read.
  func text(_ key: ThemeKey, on highlight: HighlightColor?) -> String? {
    text(key, behind: highlight.flatMap(behind))
  }

  /// The same with any colour behind it, as the terminal shows that; nil for none.
  func text(_ key: ThemeKey, behind: RGB?) -> String? {
    guard mode != .none, let color = theme.colors[key] else { return nil }
    if let behind { return code(of: color, on: [behind], isInside: true) }
    // Sixteen colours are too few for what stands back.
    if mode == .ansi16, key.isQuiet, !color.isExact { return "2" }
    return code(of: color, on: theme.papers, isInside: false)
  }

  /// The parameters that paint a highlight and its text; nil without colours.
  func highlight(_ name: HighlightColor) -> String? {
    guard mode != .none, let color = theme.highlights[name] else { return nil }
    let behind = shown(color)
    let text: String
    switch mode {
    case .none: return nil
    case .ansi16: text = RGB.strongest(on: behind) == .black ? "30" : "97"
    case .xterm256, .trueColor:
      let own = shown(theme.highlightText)
      let isReadable = own.contrast(with: behind) >= RGB.readable
      text =
        isReadable
        ? Self.code(paint(theme.highlightText, on: [behind]), isText: true)
        : Self.code(paint(ThemeColor(RGB.strongest(on: behind)), on: [behind]), isText: true)
    }
    return text + ";" + Self.code(paint(color, on: []), isText: false)
  }

  /// What the terminal shows behind a highlight; nil for one that the theme does not know.
  func behind(_ highlight: HighlightColor) -> RGB? { theme.highlights[highlight].map(shown) }

  // MARK: - A person's own colours

  /// The parameters that paint text in a colour that a person gave it, as far as it can be read; nil
  /// where no colour of the terminal can.
  ///
  /// - Parameter behind: what the terminal shows behind it; nil for its own background.
  func text(_ color: RGB, behind: RGB?) -> String? {
    guard mode != .none else { return nil }
    if let behind { return code(of: ThemeColor(color), on: [behind], isInside: true) }
    var color = color
    if theme.papers.count > 1 {
      for paper in theme.papers {
        color = color.strengthened(toward: .strongest(on: paper), on: paper, to: Self.least)
      }
    }
    return code(of: ThemeColor(color), on: theme.papers, isInside: false)
  }

  /// The parameters that paint a colour that a person gave to what is behind text, with black or white
  /// text, and what the terminal shows; nil without colours.
  func background(_ color: RGB) -> (parameters: String, shown: RGB)? {
    guard mode != .none else { return nil }
    let color = ThemeColor(color)
    let behind = shown(color)
    let text = ThemeColor(.strongest(on: behind))
    return (
      Self.code(paint(text, on: []), isText: true) + ";"
        + Self.code(paint(color, on: []), isText: false), behind
    )
  }

  // MARK: - Choosing

  private enum Paint {
    case index(Int)
    case color(RGB)
  }

  /// What the terminal shows for a colour that is painted behind text.
  private func shown(_ color: ThemeColor) -> RGB {
    switch paint(color, on: []) {
    case .index(let index): RGB.xterm[index]
    case .color(let color): color
    }
  }

  /// The least contrast where a background may be any and colours are few: that of large letters.
  private static let least = 3.0

  private func paint(_ color: ThemeColor, on papers: [RGB]) -> Paint {
    // Contrast is kept as far as the colour has it.
    let own = papers.map { color.color.contrast(with: $0) }.min() ?? 1
    let contrast = papers.isEmpty ? 1 : min(papers.count > 1 ? Self.least : RGB.readable, own)
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

  /// The parameters of a text's colour; nil where the terminal's own, or that of what is behind, is
  /// as good.
  ///
  /// - Parameter isInside: whether it stands on a highlight.
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
      // On a terminal whose background is not what it was taken for, black or white may be it.
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
