import Model
public import Rendering

/// Draws a page without escape sequences, regardless of its options.
///
/// ```swift
/// var text = ""
/// PlainRenderer().render(page, to: &text)
/// ```
public struct PlainRenderer: Renderer {
  /// The id, which selects the renderer: `diple show --renderer plain`.
  public static let id = "plain"
  /// The description that `diple strategies` prints.
  public static let summary = "wrapped text without escape sequences; highlights in brackets"
  /// Examples, which are also the tests.
  public static let examples = [
    RenderExample(
      "lists, a link and crossing highlights",
      markdown: "- one\n- two [three](https://diple.example/x) four\n",
      overlays: [
        Overlay(range: TextRange(utf16: 4..<13), color: .yellow),
        Overlay(range: TextRange(utf16: 8..<18), color: .blue),
      ],
      options: PageOptions(color: .trueColor),
      lines: [
        "• one", "• [Y:two [B:three:Y][1] four:B]", "", "[1] https://diple.example/x",
      ]),
    RenderExample(
      "a table", markdown: "| a | b |\n|:-:|--:|\n| wide cell | 1 |\n",
      lines: ["    a     │ b", "──────────┼──", "wide cell │ 1"]),
  ]

  /// Creates the renderer, which has no state.
  public init() {}

  /// Writes the page. Its format is ignored.
  public func render(_ page: Page, to output: inout some TextOutputStream) {
    var plain = page
    plain.options.color = .none
    plain.options.hyperlinks = false
    plain.removeFormat()
    PageLayout.forEachLine(of: plain) { line in
      for span in line.spans { output.write(span.text) }
      if !line.isContinued { output.write("\n") }
    }
  }
}
