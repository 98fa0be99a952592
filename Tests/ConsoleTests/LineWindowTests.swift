import MarkdownParse
import Model
import Rendering
import Testing

@testable import Console

@Suite struct LineWindowTests {
  /// Returns the lines around a passage of a table whose cells are wrapped.
  private func lines(around row: Int) throws -> [String] {
    let rows = (1...40).map { "| row \($0) | some words that are wrapped in this cell |" }
    let markdown = "| a | b |\n|---|---|\n" + rows.joined(separator: "\n")
    let document = ParsedDocument(parsing: MarkdownSource(markdown))
    let text = document.text.string
    let found = try #require(text.firstRange(of: "row \(row)\t"))
    let start = found.lowerBound.utf16Offset(in: text)
    let passage = TextRange(utf16: start..<start + 4)
    var lines: [String] = []
    var window = LineWindow(around: passage) { line in
      lines.append(line.map { $0.spans.map(\.text).joined() } ?? "…")
    }
    var options = PageOptions(width: 30)
    options.range = passage
    PageLayout.forEachLine(of: Page(document: document, options: options)) { window.add($0) }
    window.finish()
    return lines
  }

  @Test(arguments: [1, 2, 7, 20, 38, 40]) func `a rule of a table has rows on both sides`(row: Int)
    throws
  {
    let lines = try lines(around: row)
    #expect(lines.contains { $0.hasPrefix("row \(row) ") })
    for (index, line) in lines.enumerated() where line.contains("─┼─") {
      #expect(index > 0 && lines[index - 1] != "…", "\(lines)")
      #expect(index + 1 < lines.count && lines[index + 1] != "…", "\(lines)")
      #expect(index == 0 || !lines[index - 1].contains("─┼─"), "\(lines)")
    }
    #expect(lines.count < 40)
  }
}
