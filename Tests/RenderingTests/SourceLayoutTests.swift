import CodeLexers
import MarkdownParse
import Model
import TestSupport
import Testing

@testable import Rendering

@Suite struct SourceLayoutTests {
  private static let sample = """
    ---
    title: T
    ---

    # A *heading*

    Some **bold** text with a [link](https://diple.example/x "t") &amp; more,\u{20}\u{20}
    on three
    lines.

    > - quoted `code`
    >   and 日本語 👩‍👩‍👧‍👦

    | a | b |
    |---|:-:|
    | c | d |

    <p>One</p><p>two</p>

    ```js
    let a = 1
    \tlet b
    ```

    [^n]: A note, [ref].

    [ref]: y.md
    """

  private func page(
    _ markdown: String, width: Int = 80, numbers: Bool = false, keepsLines: Bool = true,
    color: ColorMode = .none, overlays: [(String, HighlightColor)] = [],
    options: MarkdownOptions = .standard
  ) -> Page {
    let document = ParsedDocument(parsing: MarkdownSource(markdown), options: options)
    var page = PageOptions(width: width, color: color)
    page.source = SourceDrawing(hasNumbers: numbers)
    (page.keepsLines, page.isOnScreen) = (keepsLines, !keepsLines)
    return Page(
      document: document,
      overlays: overlays.compactMap { words, color in
        document.text.string.firstRange(of: words).map { found in
          let start = found.lowerBound.utf16Offset(in: document.text.string)
          return Overlay(
            range: TextRange(utf16: start..<start + words.utf16.count), color: color)
        }
      }, options: page, lexers: [TableLexer()])
  }

  private func text(_ page: Page) -> String {
    var text = ""
    let writer = ANSIWriter(page.options)
    PageLayout.forEachLine(of: page) { writer.write($0, to: &text) }
    return text
  }

  @Test(arguments: [
    sample, "", "a", "a\n\n\n", "\n\na", "\t- x\n\ty  \n", "*a*\n***\n", "a\\\nb\\*c&copy;\n",
    "# x #\n\nT\n===\n", "a[^1]\n\n[^1]: b\n", "<!-- c -->\n\n<b>x</b> <sup>2</sup>\n",
    "- [x] a\n- [ ] b\n\n1. c\n   d\n", "![a *b*](p.png) <https://x.y>\n",
  ])
  func `a pipe gets exactly the source`(markdown: String) {
    for dialect in MarkdownDialect.allCases {
      let shown = text(page(markdown, options: dialect.options))
      let isEnded = markdown.isEmpty || markdown.hasSuffix("\n")
      #expect(shown == (isEnded ? markdown : markdown + "\n"), "\(dialect)")
    }
  }

  @Test func `line endings, a byte order mark and control characters are neutralised`() {
    let page = page("\u{FEFF}a\r\nb\rc **\u{1B}[31m**\u{7}d\n<x \u{9B}31m>\n")
    let shown = text(page)
    #expect(shown.hasPrefix("a\nb\nc **"))
    #expect(!shown.unicodeScalars.contains { $0.value < 32 && $0 != "\n" || 127...159 ~= $0.value })
  }

  @Test func `every character of the text is shown once, at its position`() {
    for markdown in [Self.sample, "a\u{0}b &ngE; <sup>2</sup> *x*\r\ny"] {
      let page = page(markdown)
      let document = page.document
      var place = 0
      for cell in PageLayout.lines(of: page).flatMap(\.spans) {
        guard let range = cell.range?.utf16 else { continue }
        // Line feeds and separators aren't drawn, and several cells may show one character.
        #expect(range.lowerBound >= place || range.upperBound == place)
        let gap = document.text.utf16[min(place, range.lowerBound)..<range.lowerBound]
        #expect(gap.allSatisfy { [9, 10, 32].contains($0) }, "\(Array(gap)) at \(place)")
        place = range.upperBound
      }
      #expect(place == document.text.count)
    }
  }

  @Test func `a highlight covers the markup in its middle, but not at its ends`() {
    let page = page(
      "a **b c** d *e*\n", color: .ansi16, overlays: [("a b", .green), ("c d", .blue)])
    let spans = PageLayout.lines(of: page)[0].spans.dropFirst()
    let marked = { (color: HighlightColor) in
      spans.filter { $0.spanStyle.highlight == color }.map(\.text).joined()
    }
    #expect(marked(.green) == "a **b")
    #expect(marked(.blue) == "c** d")
    #expect(spans.first { $0.text == "e" }?.spanStyle.style == .emphasis)
    #expect(spans.last?.text == "*" && spans.last?.range == nil)
  }

  @Test func `brackets are beside the text that they enclose`() {
    let page = page(
      "x **bold** &amp; y\n", overlays: [("bold", .yellow), ("&", .pink)])
    #expect(text(page) == "x **[Y:bold]** [P:&amp;] y\n")
  }

  @Test func `lines have numbers, and continued lines a mark`() {
    let words = (1...12).map { "word\($0)" }.joined(separator: " ")
    let page = page("# T\n\n\(words)\n", width: 40, numbers: true, keepsLines: false)
    #expect(
      text(page) == """
        1  # T
        2
        3  word1 word2 word3 word4 word5 word6\u{20}
         ↪ word7 word8 word9 word10 word11\u{20}
         ↪ word12

        """)
  }

  @Test(arguments: [
    sample, String(repeating: "word ", count: 9_000), String(repeating: "日本", count: 9_000),
    String(repeating: "*a* &amp; ", count: 4_000),
    (1...3_000).map { "- line \($0)" }.joined(separator: "\n"),
    "```\n" + (1...3_000).map { "line \($0)" }.joined(separator: "\n") + "\n```\n",
  ])
  func `a lazy page has the same characters, and finds each offset`(markdown: String) throws {
    let page = page(markdown, numbers: true, keepsLines: false)
    let blocks = PageBlocks(page.document, longest: LazyLayout.longestChunk, showsSource: true)
    var lazy = LazyLayout(page, blocks)
    for index in 0..<lazy.count {
      #expect(lazy.range(ofChunk: index).count <= 4 * LazyLayout.longestChunk)
    }
    let rows = (0..<lazy.count).flatMap { lazy.rows(ofChunk: $0) }
    let shown = { (cells: [Cell]) in String(cells.filter { $0.range != nil }.map(\.text)) }
    var whole = ""
    PageLayout.forEachLine(of: page) { line in
      whole += line.spans.filter { $0.range != nil }.map(\.text).joined()
    }
    #expect(rows.map { shown($0.content) }.joined() == whole)
    let count = page.document.text.count
    for offset in Swift.stride(from: 0, to: count, by: max(1, count / 97)) {
      let place = lazy.position(of: TextOffset(utf16: offset))
      let range = try #require(lazy.row(at: place)?.range)
      // An offset of a line feed or separator is at the end of the row before it.
      let unit = page.document.text.utf16[offset]
      #expect(range.contains(offset) || [9, 10, 32].contains(unit) && range.upperBound <= offset)
    }
  }

  @Test func `lines of code and rows of tables are whole where lines are kept`() {
    let code = String(repeating: "0123456789 ", count: 4_000)
    let cell = String(repeating: "cell ", count: 40)
    let markdown = "```\n\(code)\n```\n\n| a | b |\n|---|---|\n| \(cell)| \(cell)|\n| x | y |\n"
    var page = page(markdown)
    page.options.source = nil
    let lines = text(page).split(separator: "\n")
    #expect(lines.contains("    \(code.dropLast())") || lines.contains("    \(code)"))
    #expect(lines.contains { $0.hasPrefix("cell cell") && $0.hasSuffix("cell") && $0.count > 380 })
    #expect(lines.count { $0.contains("─┼─") } == 1, "no rules between rows")
    page.options.keepsLines = false
    #expect(text(page).split(separator: "\n").allSatisfy { $0.count <= 80 })
  }

  @Test func `a table whose cells differ extremely is wrapped`() {
    let rows = (1...20_000).map { "| \($0) | x |" }.joined(separator: "\n")
    let page = page(
      "| a | b |\n|---|---|\n| \(String(repeating: "w ", count: 5_000))| x |\n\(rows)\n")
    var plain = page
    plain.options.source = nil
    #expect(text(plain).utf8.count < 8_000_000)
  }
}
