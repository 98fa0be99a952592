/// The background colours of the pages on which text is shown. The user's text colours must be
/// readable on them.
public struct HTMLPageColors: Sendable {
  /// The colours of a page in the light or the dark colour scheme.
  struct Scheme: Sendable {
    /// The backgrounds of text.
    var papers: [RGB]
    /// The backgrounds of highlights.
    var highlights: [RGB]
  }

  let light: Scheme
  let dark: Scheme

  /// Creates a set from colours as `0xRRGGBB`. For each colour scheme, the backgrounds of text are
  /// followed by those of highlights.
  public init(
    light papers: [Int], _ highlights: [Int], dark darkPapers: [Int], _ darkHighlights: [Int]
  ) {
    light = Scheme(papers: papers.map { RGB($0) }, highlights: highlights.map { RGB($0) })
    dark = Scheme(papers: darkPapers.map { RGB($0) }, highlights: darkHighlights.map { RGB($0) })
  }

  /// The colours of exported pages.
  public static let standard = HTMLPageColors(
    light: [0xFDFDFB, 0xF3F3EE], [0xFFEB94, 0xC5EDBB, 0xC3DEFC, 0xFBCFE3],
    dark: [0x191A1B, 0x232426], [0x40360A, 0x1B3815, 0x14304D, 0x451A33])
}
