import CodeLexers
import MarkdownParse
import Model
import Testing

@testable import Rendering

@Suite struct ReadableLayoutTests {
  private func lines(
    _ markdown: String, width: Int = 40, color: ColorMode = .none, isOnScreen: Bool = true,
    ordersText: Bool = false, range: TextRange? = nil
  ) -> [String] {
    var options = PageOptions(width: width, color: color, range: range)
    (options.isOnScreen, options.ordersText) = (isOnScreen, ordersText)
    let page = Page(
      document: ParsedDocument(parsing: MarkdownSource(markdown)), options: options)
    return PageLayout.lines(of: page).map { $0.spans.map(\.text).joined() }
  }

  // MARK: - All blocks

  private static let everything = """
    # A *title* with `code`, a [link](https://a.example/) and words that are too many for one line

    - [x] done, and long enough to be wrapped on every page that is narrow
      - > quoted in a list
        1. deep
        10. deeper

    | Name | שם | 名前 | A title | Another | More |
    |---|:-:|--:|---|---|---|
    | alpha | ערך (אחד) | 「日本語」。 | `code` | [x](https://b.example/) | ==m== |
    | supercalifragilistic | | あっ、ーー | ~~s~~ | \t | z |

    ```js
    const x = "שלום" + `日本語 ${y}` // a comment that runs over the edge of each page
    /* unclosed
    ```

    שלום עולם (123) mixed with English and 日本語、「括弧」。 مرحبا بالعالم، كيف الحال؟

    👨‍👩‍👧‍👦 \u{1B}[31m \u{202E}tricky\u{202C} \u{200F}mark e\u{301}\u{302}

    ***
    """

  @Test(arguments: [20, 23, 40, 80, 120], ColorMode.allCases)
  func `nothing is wider than the page, and all text occurs once`(
    width: Int, mode: ColorMode
  ) {
    let document = ParsedDocument(parsing: MarkdownSource(Self.everything))
    let overlays = stride(from: 0, to: document.text.count - 9, by: 13).map {
      Overlay(range: TextRange(utf16: $0..<$0 + 9), color: .pink)
    }
    for (isOnScreen, ordersText) in [(false, false), (true, false), (true, true)] {
      var options = PageOptions(width: width, color: mode)
      (options.isOnScreen, options.ordersText) = (isOnScreen, ordersText)
      let page = Page(
        document: document, overlays: overlays, options: options, lexers: [TableLexer()])
      let lines = PageLayout.lines(of: page)
      for line in lines {
        #expect(line.width <= width, "\(line.spans.map(\.text).joined())")
      }
      let shown = lines.flatMap(\.spans).filter { $0.range != nil }.map(\.text).joined()
      let isLetter: (Character) -> Bool = { $0.isLetter || $0.isNumber }
      #expect(
        shown.filter(isLetter).sorted() == document.text.string.filter(isLetter).sorted())
    }
  }

  // MARK: - Headings

  @Test func `headings of different levels differ, with and without colours`() {
    let markdown = (1...6).map { String(repeating: "#", count: $0) + " Ab" }.joined(separator: "\n")
    let plain = lines(markdown, width: 20).filter { !$0.isEmpty }
    #expect(
      plain == [
        "# Ab", String(repeating: "━", count: 20), "## Ab", "─────", "### Ab", "#### Ab",
        "##### Ab",
        "###### Ab",
      ])
    let colored = lines(markdown, width: 20, color: .ansi16).filter { !$0.isEmpty }
    #expect(colored.prefix(4) == ["Ab", String(repeating: "━", count: 20), "Ab", "──"])
    #expect(!lines(markdown, isOnScreen: false).contains { $0.contains("─") || $0.contains("━") })
    for mode in [ColorMode.ansi16, .xterm256, .trueColor] {
      let writer = ANSIWriter(PageOptions(color: mode))
      let looks = (1...6).map { level in
        var style = SpanStyle()
        style.heading = level
        return writer.parameters(of: style)
      }
      #expect(!looks.contains(""), "\(mode)")
      if mode != .ansi16 { #expect(Set(looks).count == 6, "\(mode)") }
    }
  }

  // MARK: - Lists and tables

  @Test func `the content of a task is indented below it`() {
    let markdown = """
      - [x] a task that is too long for one line of this page
        - nested
          - [ ] deeper

      9. nine
      10. ten
      """
    #expect(
      lines(markdown) == [
        "• [x] a task that is too long for one", "      line of this page", "  • nested",
        "    • [ ] deeper", "", " 9. nine", "10. ten",
      ])
  }

  private static let wide = """
    | Name | Kind | Long description | State | Notes |
    |---|---|---|---|---|
    | alpha beta | a kind of thing | some words | is open | nothing here |
    | gamma | other | | closed | done |
    """

  @Test func `a table that is too wide is shown as records, with a line for each cell`() {
    #expect(
      lines(Self.wide) == [
        "Name: alpha beta", "Kind: a kind of thing", "Long description: some words",
        "State: is open", "Notes: nothing here", "", "Name: gamma", "Kind: other", "State: closed",
        "Notes: done",
      ])
    #expect(lines(Self.wide, width: 80)[0].contains("Name"))
    #expect(lines(Self.wide, width: 80)[1].contains("─┼─"))
  }

  @Test(arguments: [40, 60, 80, 100, 120])
  func `a table whose words would be divided is shown as records`(width: Int) {
    let markdown = """
      | Setting | Where it is read | What it says | Default |
      |---|---|---|---|
      | `reader.selectable-background` | configuration/library.toml | internationalization of text | \
      environment-variable |
      | short | x | https://example.org/a/very/long/address/that/fits/on/no/line/of/a/page/at/all/\
      because/it/goes/on/and/on/and/on | y |
      """
    let drawn = lines(markdown, width: width).joined(separator: "\n")
    for word in [
      "reader.selectable-background", "configuration/library.toml", "internationalization",
      "environment-variable",
    ] { #expect(drawn.contains(word), "\(drawn)") }
    #expect(drawn.split(separator: "\n").allSatisfy { displayWidth(of: String($0)) <= width })
  }

  @Test func `the markers of a right-to-left list are on the right`() {
    let markdown = "- שלום\n- עולם\n\n1. אחת שתיים שלוש ארבע חמש\n2. two\n\n- [x] כן\n"
    let document = ParsedDocument(parsing: MarkdownSource(markdown))
    var options = PageOptions(width: 20)
    options.ordersText = true
    let lines = PageLayout.lines(of: Page(document: document, options: options)).map {
      $0.spans.map(\.text).joined()
    }
    let visual = { (text: String) in String(text.reversed()) }
    #expect(
      lines == [
        "              \(visual("שלום")) •", "              \(visual("עולם")) •", "",
        "   \(visual("אחת שתיים שלוש")) .1", "         \(visual("ארבע חמש"))", "2. two", "",
        "            \(visual("כן")) [x] •",
      ], "\(lines)")
  }

  @Test func `in a table that is shown as records, each part of the text occurs once`() {
    for width in [20, 40] {
      let document = ParsedDocument(parsing: MarkdownSource(Self.wide))
      let page = Page(document: document, options: PageOptions(width: width))
      let spans = PageLayout.lines(of: page).flatMap(\.spans)
      let shown = spans.filter { $0.range != nil }.map(\.text).joined()
      let isLetter: (Character) -> Bool = { !$0.isWhitespace }
      #expect(
        shown.filter(isLetter).sorted() == document.text.string.filter(isLetter).sorted())
    }
  }

  @Test func `rows are separated by rules if one has several lines`() {
    let markdown = """
      | a | b |
      |---|---|
      | one | words that go on and on until they are wrapped |
      | two | short |
      """
    let drawn = lines(markdown)
    #expect(drawn.filter { $0.contains("┼") }.count == 2, "\(drawn)")
    #expect(lines(markdown, width: 80).filter { $0.contains("┼") }.count == 1)
  }

  // MARK: - Links

  @Test func `a part of a page has the link numbers of the whole page`() {
    let markdown = "[a](https://a.example/)\n\n[b](https://b.example/) and [c](https://c.example/)"
    #expect(
      lines(markdown, width: 60, range: TextRange(utf16: 2..<3)) == [
        "b[2] and c[3]", "", "[2] https://b.example/", "[3] https://c.example/",
      ])
  }

  // MARK: - Chinese, Japanese, Korean

  @Test(arguments: 4...30) func `Japanese lines do not begin or end with forbidden characters`(
    width: Int
  ) {
    let text =
      "「行頭」に、句読点。や（括弧）が来ない！コンピューターのッャュー、ちょっと『待って』々々。あ…い"
    let first = Set("」、。）！ーッャュょっ』々…")
    let cells = text.map {
      Cell(text: $0, width: displayWidth(of: $0), spanStyle: SpanStyle(), range: 0..<1)
    }
    let lines = LineBreaker.wrap(cells, width: width)
    #expect(lines.flatMap { $0 }.map(\.text) == cells.map(\.text))
    for (index, line) in lines.enumerated() where width >= 12 {
      #expect(index == 0 || !first.contains(line[0].text), "\(String(line.map(\.text)))")
      #expect(!"「（『".contains(line.last!.text), "\(String(line.map(\.text)))")
    }
    #expect(lines.allSatisfy { LineBreaker.width(of: $0) <= width })
  }

  // MARK: - Text from right to left

  @Test func `Hebrew is drawn in visual order, and a highlight in it keeps its range`() {
    let markdown = "abc שלום (עולם) 12"
    #expect(lines(markdown, ordersText: true) == ["abc 12 (םלוע) םולש"])
    #expect(lines(markdown) == ["abc שלום (עולם) 12"])
    let right = lines("שלום abc", width: 20, ordersText: true)
    #expect(right == [String(repeating: " ", count: 12) + "abc םולש"])
    var options = PageOptions(width: 40)
    options.ordersText = true
    let document = ParsedDocument(parsing: MarkdownSource(markdown))
    let overlay = Overlay(range: TextRange(utf16: 4..<8), color: .green)
    options.color = .ansi16
    let page = Page(document: document, overlays: [overlay], options: options)
    let spans = PageLayout.lines(of: page).flatMap(\.spans)
    let marked = spans.filter { $0.spanStyle.highlight == .green }
    #expect(marked.map(\.text) == ["םולש"])
    #expect(marked[0].range == TextRange(utf16: 4..<8))
  }

  @Test(arguments: [3, 7, 20, 33]) func `nothing is lost when text is reordered`(width: Int) {
    let markdown =
      "אבג דהו abc 123 (זחט) [x](y) يكتب مرحبا.\n\n| שלום | b |\n|---|---|\n| a | עולם |\n"
    let letters: (String) -> [Character] = { $0.filter { $0.isLetter || $0.isNumber }.sorted() }
    let ordered = lines(markdown, width: width, ordersText: true).joined()
    #expect(letters(ordered) == letters(lines(markdown, width: width).joined()))
  }

  @Test func `code stays left to right`() {
    let drawn = lines("```\na = \"שלום\"\n```", ordersText: true)
    #expect(drawn == ["  a = \"םולש\""])
  }

  @Test func `in an HTML table that is shown as records, missing cells have no lines`() {
    let row = "<tr><td>b"
    let table = "<table><tr>" + String(repeating: "<td>a", count: 300)
    let lines = lines(table + String(repeating: row, count: 400) + "</table>")
    #expect(lines.count < 1_200 && lines.count { $0 == "b" } == 400)
    #expect(lines.allSatisfy { $0.count <= 40 })
  }
}
