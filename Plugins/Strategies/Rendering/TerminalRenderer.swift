import Model
public import Rendering

/// Draws a page for a terminal: with colours if it has any, otherwise with brackets.
public struct TerminalRenderer: Renderer {
  /// The id, which selects the renderer: `diple show --renderer terminal`.
  public static let id = "terminal"
  /// The description that `diple strategies` prints.
  public static let summary = "wrapped text with the terminal's styles and colours"
  /// Examples, which are also the tests.
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

  /// Creates the renderer, which has no state.
  public init() {}

  /// Writes the page with escape sequences for its colour mode.
  public func render(_ page: Page, to output: inout some TextOutputStream) {
    let writer = ANSIWriter(page.options)
    PageLayout.forEachLine(of: page) { writer.write($0, to: &output) }
  }
}
