import MarkdownParse
import Model
import Rendering
import Strategies
import Testing

private let renderers: [any Renderer] = [
  TerminalRenderer(), PlainRenderer(), HTMLRenderer(),
]

private func render(_ renderer: any Renderer, _ page: Page) -> String {
  var output = ""
  renderer.render(page, to: &output)
  return output
}

@Suite struct RenderExampleTests {
  @Test(arguments: renderers.map { type(of: $0).id })
  func `each renderer writes the lines of its examples`(id: String) {
    let renderer = renderers.first { type(of: $0).id == id }!
    #expect(!type(of: renderer).examples.isEmpty)
    for example in type(of: renderer).examples {
      let page = Page(
        document: ParsedDocument(parsing: MarkdownSource(example.markdown)),
        overlays: example.overlays, options: example.options)
      let lines = render(renderer, page).split(separator: "\n", omittingEmptySubsequences: false)
      #expect(lines.dropLast().map(String.init) == example.lines, "\(example.title)")
    }
  }

  @Test func `the plain renderer never writes escape sequences`() {
    let page = Page(
      document: ParsedDocument(parsing: MarkdownSource("# *a* [b](c) \u{1B}[31m `d`")),
      overlays: [Overlay(range: TextRange(utf16: 0..<3), color: .blue)],
      options: PageOptions(color: .trueColor, hyperlinks: true))
    #expect(!render(PlainRenderer(), page).contains("\u{1B}"))
  }

  @Test(arguments: ColorMode.allCases)
  func `each line ends with a reset of all styles`(mode: ColorMode) {
    let page = Page(
      document: ParsedDocument(parsing: MarkdownSource("**bold *both***\n\n- `code` ==m==")),
      overlays: [Overlay(range: TextRange(utf16: 2..<12), color: .pink)],
      options: PageOptions(color: mode))
    let lines = render(TerminalRenderer(), page).split(separator: "\n")
    #expect(lines.contains { $0.contains("\u{1B}[") } || mode == .none)
    for line in lines {
      guard let last = line.range(ofLast: "\u{1B}[") else { continue }
      #expect(line[last...].hasPrefix("\u{1B}[0m"))
    }
  }
}

extension Substring {
  fileprivate func range(ofLast text: String) -> Index? {
    var found: Index?
    var rest = self
    while let range = rest.firstRange(of: text) {
      found = range.lowerBound
      rest = rest[range.upperBound...]
    }
    return found
  }
}
