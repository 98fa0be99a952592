import MarkdownParse
import Model
import Rendering

/// A renderer: only the headings, with marks at those that contain a highlight.
struct Outline: Renderer {
  static let id = "outline"
  static let summary = "the headings, with * where something is highlighted"
  static let examples = [
    RenderExample(
      "one highlighted", markdown: "# One\n\n## Two\n",
      overlays: [Overlay(range: TextRange(utf16: 5..<8), color: .yellow)],
      lines: ["One", "  Two *"])
  ]

  func render(_ page: Page, to output: inout some TextOutputStream) {
    for block in page.document.blocks {
      guard case .heading(let level) = block.kind else { continue }
      if let range = page.options.range, !range.overlaps(block.text) { continue }
      let isMarked = page.overlays.contains {
        $0.range.overlaps(block.text) && $0.state != .orphaned
          && HighlightColor.allCases.contains($0.color)
      }
      let text =
        String(repeating: "  ", count: level - 1) + page.document.text.substring(block.text)
      output.write(displayWidth(of: text) > page.options.width ? "…" : text)
      output.write(isMarked ? " *\n" : "\n")
    }
  }
}
