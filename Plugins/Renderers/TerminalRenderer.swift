import Model
public import Rendering

/// Draws a page for a terminal: with colours where there are some, else with brackets.
public struct TerminalRenderer: Renderer {
  /// The name by which it is chosen.
  public static let id = "terminal"
  /// What it does, in one line.
  public static let summary = "wrapped text with the terminal's styles and colours"
  /// What it must do; these are its tests.
  public static let examples = [
    RenderExample(
      "a highlight in sixteen colours", markdown: "the *quick* fox",
      overlays: [Overlay(range: TextRange(utf16: 4..<9), color: .green)],
      options: PageOptions(color: .ansi16),
      lines: [
        "\u{1B}[0;2mG  \u{1B}[0mthe \u{1B}[0;3;30;42mquick\u{1B}[0m fox"
      ]),
    RenderExample(
      "no colours", markdown: "# Title\n\nthe **quick** fox",
      overlays: [Overlay(range: TextRange(utf16: 10..<15), color: .pink, state: .doubtful)],
      lines: ["# Title", "", "the [P?:quick] fox"]),
  ]

  /// Makes the renderer.
  public init() {}

  /// Writes the page.
  public func render(_ page: Page, to output: inout some TextOutputStream) {
    let writer = ANSIWriter(page.options)
    for line in PageLayout.lines(of: page) { writer.write(line, to: &output) }
  }
}
