import Files
import Formats
import Foundation
import Interchange
import MarkdownParse
import Model
import RichText
import Testing

@testable import Rendering

@Suite struct HTMLPageFormatTests {
  private func document(_ markdown: String, _ changes: [AttributeChange<CharacterAttribute>]) throws
    -> ExportedDocument
  {
    var page = Page(document: ParsedDocument(parsing: MarkdownSource(markdown)))
    var text = AttributedText(units: Array(page.document.text.utf16))
    try text.change(0..<text.units.count, changes)
    page.format = ShownFormat(layer: text.layer, styles: text.styles, defaults: .standard)
    return ExportedDocument(
      head: ExportedHead(source: "\(markdown.prefix(1)).md", title: "T", count: 0), page: page,
      records: [])
  }

  private func html(_ documents: [ExportedDocument]) throws -> String {
    var html = ""
    try HTMLPage().export(documents, contents: documents.map(\.head), to: &html)
    return html
  }

  @Test func `one style sheet has the rules of all documents, and the policy contains its hash`()
    throws
  {
    let html = try html([
      document("one\n", [.set(.size(30)), .set(.family("</style><script>"))]),
      document("two\n", [.set(.size(30)), .set(.color(.rgb(0xFF0000)))]),
    ])
    let sheets = html.matches(of: #/<style>((?s).*?)<\/style>/#)
    #expect(sheets.count == 1)
    let sheet = try #require(sheets.first?.1)
    #expect(sheet.ranges(of: ".f-z-30{font-size:15pt}").count == 1)
    #expect(sheet.contains(".f-c-ff0000{"))
    #expect(html.ranges(of: "class=\"f-body-").count == 2)
    let digits = ContentDigest(sha256: Array(sheet.utf8)).description
    let bytes = stride(from: 0, to: digits.count, by: 2).compactMap { index in
      UInt8(digits.dropFirst(index).prefix(2), radix: 16)
    }
    #expect(html.contains("style-src 'sha256-\(Data(bytes).base64EncodedString())';"))
    #expect(!html.contains(" style=") && !html.contains("<script"))
  }

  @Test func `formats that CSS cannot express are listed in the head`() throws {
    let html = try html([document("one\n", [.set(.underline(.dashDot))])])
    #expect(html.contains("<meta name=\"diple-lost-formats\" content=\"underlines of dashes"))
  }

  @Test func `the colours for contrast checks are those of the page`() throws {
    let html = try html([document("one\n", [])])
    let colors = HTMLPageColors.standard
    for color in [colors.light, colors.dark].flatMap({ $0.papers + $0.highlights }) {
      let digits = [color.red, color.green, color.blue].map {
        ($0 < 16 ? "0" : "") + String($0, radix: 16)
      }
      #expect(html.contains("#\(digits.joined())"))
    }
  }
}
