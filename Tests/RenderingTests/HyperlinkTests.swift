import MarkdownParse
import Model
import Testing

@testable import Rendering

struct HyperlinkTests {
  private func page(_ markdown: String) -> String {
    let options = PageOptions(width: 60, color: .ansi16, hyperlinks: true)
    let page = Page(document: ParsedDocument(parsing: MarkdownSource(markdown)), options: options)
    let writer = ANSIWriter(options)
    var text = ""
    for line in PageLayout.lines(of: page) { writer.write(line, to: &text) }
    return text
  }

  @Test func `characters of an address other than visible ASCII are percent-encoded`() {
    let text = page("[a](<https://de.example/Größe é 日.html?q=%20>)")
    #expect(
      text.contains(
        "\u{1B}]8;;https://de.example/Gr%C3%B6%C3%9Fe%20%C3%A9%20%E6%97%A5.html?q=%20\u{1B}\\"),
      "\(text)")
    let starts = text.split(separator: "\u{1B}]8;;").dropFirst()
    #expect(starts.allSatisfy { $0.prefix { $0 != "\u{1B}" }.utf8.allSatisfy { $0 < 0x7F } })
  }

  @Test func `the name of a note is not written as an address`() {
    let source = MarkdownSource("see [[Some note]] and [b](https://b.example/)\n")
    let document = ParsedDocument(
      parsing: source, options: MarkdownDialect.obsidian.options)
    let options = PageOptions(width: 60, color: .ansi16, hyperlinks: true)
    let writer = ANSIWriter(options)
    var text = ""
    for line in PageLayout.lines(of: Page(document: document, options: options)) {
      writer.write(line, to: &text)
    }
    #expect(text.contains("[[Some note]]"), "\(text)")
    #expect(!text.contains("]8;;[["), "\(text)")
    #expect(text.contains("]8;;https://b.example/"), "\(text)")
  }
}
