import CodeLexers
import Foundation
import MarkdownChecks
import MarkdownParse
import Model
import RichText
import RichTextChecks
import Strategies
import TestSupport
import Testing

@testable import Rendering

@Suite struct HTMLRendererTests {
  private static let colors = HighlightColor.allCases
  private static let allowed: Set = [
    "p", "h1", "h2", "h3", "h4", "h5", "h6", "pre", "code", "blockquote", "div", "ul", "ol", "li",
    "dl", "dt", "dd", "table", "tr", "th", "td", "hr", "span", "mark", "a", "sup", "strong", "em",
    "del", "img", "input",
  ]

  /// Checks what must be true for any document and any highlights.
  private func check(_ page: Page, _ options: HTMLOptions = HTMLOptions()) throws {
    struct Fault: Error { var description: String }
    let text = page.document.text
    let body = HTMLBody(page, options: options)
    let html = try ParsedHTML(body.html)
    var position = 0
    func gap(to place: Int) throws {
      guard place >= position else { throw Fault(description: "\(place) is before \(position)") }
      let between = text.utf16[position..<place]
      guard between.allSatisfy({ $0 == 10 || $0 == 9 }) else {
        throw Fault(description: "\(Array(between)) is left out at \(position)")
      }
    }
    for run in html.runs {
      try gap(to: run.range.lowerBound)
      guard run.count > 0, run.range.upperBound <= text.count,
        Array(run.text.utf16) == Array(text.utf16[run.range])
      else { throw Fault(description: "\(run) is not the text") }
      // There are no gaps within a leaf. A line of the source can have several leaves.
      if run.offset > 0, page.options.source == nil, position != run.range.lowerBound {
        throw Fault(description: "a gap in a leaf before \(run)")
      }
      position = run.range.upperBound
      let around = page.overlays.filter {
        $0.range.utf16.overlaps(run.range) && $0.state != .orphaned
      }
      guard Set(run.marks).isSubset(of: around.map(\.id)), run.marks.isEmpty == around.isEmpty,
        around.count > 24 || run.marks.count == around.count
      else { throw Fault(description: "\(run) has not the highlights \(around)") }
    }
    try gap(to: text.count)
    for (name, attributes) in html.elements {
      guard Self.allowed.contains(name) else { throw Fault(description: "<\(name)>") }
      for (attribute, value) in attributes {
        if attribute.hasPrefix("on") || attribute == "style" {
          throw Fault(description: "\(attribute)=\(value)")
        }
        if attribute == "href", !value.contains(/^#(fn-)?t-/), !LinkSafety.isSafe(value) {
          throw Fault(description: "href=\(value)")
        }
        if attribute == "id", !value.contains(/^((hl|fn|fnref)-)?t-/) {
          throw Fault(description: "id=\(value)")
        }
      }
    }
    let ids = html.elements.compactMap { $0.attributes["id"] }
    guard Set(ids).count == ids.count else { throw Fault(description: "a name twice: \(ids)") }
    guard body.parts.map(\.html).joined() == body.html,
      Set(body.parts.map(\.key)).count == body.parts.count
    else { throw Fault(description: "keys are not unique") }
  }

  private func page(_ bytes: [UInt8], _ random: inout SeededGenerator) -> Page {
    let dialects = MarkdownDialect.allCases
    let dialect = dialects[Int.random(in: 0..<dialects.count, using: &random)]
    let document = ParsedDocument(parsing: MarkdownSource(bytes), options: dialect.options)
    let count = document.text.count
    var overlays: [Overlay] = []
    for index in 0..<Int.random(in: 0...4, using: &random) where count > 0 {
      let start = Int.random(in: 0..<count, using: &random)
      let end = min(count, start + Int.random(in: 1...20, using: &random))
      overlays.append(
        Overlay(
          range: TextRange(utf16: start..<end), color: Self.colors[index % 4],
          state: index == 2 ? .doubtful : .exact, id: "\(index)"))
    }
    var page = Page(document: document, overlays: overlays, lexers: [TableLexer()])
    if Bool.random(using: &random) {
      page.format = try? RandomFormat.format(of: document.text.utf16, &random)
    }
    if Int.random(in: 0..<3, using: &random) == 0 {
      page.options.source = SourceDrawing(hasNumbers: true)
    }
    return page
  }

  @Test(.enabled(if: !Specification.commonMark.examples.isEmpty, "no specification is installed"))
  func `the examples of CommonMark and GFM have the right offsets`() {
    var random = SeededGenerator(seed: 1)
    for example in Specification.commonMark.examples + Specification.gfm.examples {
      let page = page(Array(example.markdown.utf8), &random)
      #expect(throws: Never.self, "\(example.number): \(example.markdown)") { try check(page) }
    }
  }

  @Test func `generated documents have the right offsets`() {
    let seed = SeededGenerator.runSeed
    print("seed \(seed)")
    var documents = DocumentGenerator(seed: seed)
    var random = SeededGenerator(seed: seed)
    var options = HTMLOptions()
    options.pictureAddress = { $0.hasPrefix("u") ? "data:image/png;base64,AA" : nil }
    options.pictureReason = { $0.hasPrefix("/") ? "not <shown>" : nil }
    let count = ProcessInfo.processInfo.environment["DIPLE_HTML_DOCUMENTS"].flatMap { Int($0) }
    for round in 0..<(count ?? 2_000) {
      let bytes = round.isMultiple(of: 2) ? documents.next() : documents.nextInDialect()
      let page = page(bytes, &random)
      do { try check(page, round.isMultiple(of: 3) ? options : HTMLOptions()) } catch {
        Issue.record("\(error) in \(String(decoding: bytes, as: UTF8.self).debugDescription)")
        return
      }
    }
  }

  @Test(arguments: PathologicalInputs.all + PathologicalInputs.ofDialects)
  func `pathological inputs have the right offsets`(_ input: PathologicalInputs.Input) {
    var random = SeededGenerator(seed: 2)
    let page = page(Array(input.make(300).utf8), &random)
    #expect(throws: Never.self, "\(input.name)") { try check(page) }
  }

  @Test(arguments: [
    "<script>alert(1)</script>", "<img src=x onerror=alert(1)>", "[a](javascript:alert(1))",
    "[a](java&Tab;script:alert(1))", "[a](< javascript:alert(1)>)", "[a](data:text/html,x)",
    "[a](//evil.example/x)", "![a](javascript:x)", "[a](%6Aavascript:x)", "[a](JaVaScRiPt:x)",
    "a\u{0}b\u{1B}[31mred\u{7}\r\u{202E}abc\u{85}\u{9B}31m", "\"><svg onload=x> `\"><b>`",
    "[a](http://x/\"onmouseover=alert(1)//)", "[\"]: <> \"'>\"\n[\"]",
    "# <b id=\"x\" onclick=\"y\">T</b> {#a\"b onclick=x}\n\n[t](#a\"b)",
    "[^a\"><b>]\n\n[^a\"><b>]: x", "```\"><b>\nx\n```", "```{.js title=\"<b>\"}\nx\n```",
    "![a\nb](u \"t\\\"><b>\")", "&#0; &lt;b&gt; &amp;amp; &#x202E;", "👩‍👩‍👧‍👦 é 𝄞 \u{FFFE}",
  ])
  func `a hostile document contains nothing that runs`(_ markdown: String) {
    var random = SeededGenerator(seed: 3)
    for _ in 0..<20 {
      let page = page(Array(markdown.utf8), &random)
      #expect(throws: Never.self, "\(markdown.debugDescription)") { try check(page) }
    }
  }

  private func html(
    _ markdown: String, _ overlays: [Overlay] = [], _ options: HTMLOptions = HTMLOptions()
  ) -> String {
    HTMLBody(
      Page(
        document: ParsedDocument(parsing: MarkdownSource(markdown)), overlays: overlays,
        lexers: [TableLexer()]), options: options
    ).html
  }

  @Test func `the source has the positions of the text, and its markup is not text`() throws {
    let markdown = "---\na: b\n---\n\n# T *x*\n\na &amp; **b**\nc\n\n```js\nlet a\n```\n"
    let document = ParsedDocument(parsing: MarkdownSource(markdown))
    #expect(document.text.string == "T x\na & b c\nlet a")
    var page = Page(
      document: document,
      overlays: [Overlay(range: TextRange(utf16: 6..<9), color: .green, id: "1")],
      lexers: [TableLexer()])
    page.options.source = SourceDrawing(hasNumbers: true)
    try check(page)
    let html = HTMLBody(page).html
    for part in [
      #"<div class="line" data-line="1"><span class="markup" data-x>---</span>"#,
      #"<div class="line" data-line="5" data-b="0"><span class="markup" data-x># </span><span data-o="0" data-n="2">T </span>"#,
      #"<mark data-h="1" class="green"><span data-o="2" data-n="1" data-shown="&amp;amp;">&amp;</span>"#,
      #"<span class="markup" data-x>**</span>"#, #"class="k-keyword">let</span>"#,
    ] {
      #expect(html.contains(part), "\(part) in \(html)")
    }
    #expect(try ParsedHTML(html).runs.map(\.text).joined() == "T xa & b clet a")
    #expect(html.ranges(of: "class=\"line\"").count == 12)
  }

  @Test func `a highlight that ends in a footnote mark does not duplicate an id`() throws {
    let overlay = Overlay(range: TextRange(utf16: 0..<3), color: .blue, id: "1")
    let document = ParsedDocument(parsing: MarkdownSource("a[^long] b[^long]\n\n[^long]: note\n"))
    try check(Page(document: document, overlays: [overlay]))
  }

  @Test func `a highlight never divides a character`() throws {
    let text = MarkedText("a𝄞b")
    let overlay = Overlay(range: TextRange(utf16: 2..<3), color: .yellow, id: "1")
    let runs = try ParsedHTML(html(text.text, [overlay])).runs
    #expect(runs.map(\.text) == ["a", "𝄞", "b"])
    #expect(runs.map(\.marks) == [[], ["1"], []])
  }

  @Test func `a highlight over several blocks has one beginning and one end`() {
    let overlay = Overlay(range: TextRange(utf16: 2..<9), color: .pink, id: "7", hasNote: true)
    let html = html("a *b c*\n\n- d e\n- f g\n", [overlay])
    #expect(html.ranges(of: "highlight start").count == 1)
    #expect(html.ranges(of: "highlight end").count == 1)
    #expect(html.ranges(of: "id=\"hl-t-7\"").count == 1)
    #expect(html.contains("P✎"))
  }

  @Test func `bullets and bars are on the side on which the first letter begins`() throws {
    let text = """
      - שלום, world
      - two
        - three

      1. 2 (3) שלום

      > English.
      >
      > - 42 עברית

      > [!NOTE]
      > مرحبا

      | א | b |
      |---|---|

      - 1 2 3
      """
    let html = HTMLBody(
      Page(
        document: ParsedDocument(
          parsing: MarkdownSource(text), options: MarkdownDialect.obsidian.options))
    ).html
    let containers = html.matches(
      of: /<(ul|ol|blockquote|div class="callout[^"]*" role="note"|div class="table")([^>]*)>/
    ).map { "\($0.1.prefix { $0 != " " })\($0.2)" }
    #expect(
      containers == [
        "ul class=\"tight\" dir=\"rtl\"", "ul class=\"tight\" dir=\"ltr\"",
        "ol class=\"tight\" dir=\"rtl\"", "blockquote", "ul class=\"tight\" dir=\"rtl\"",
        "div dir=\"rtl\"", "div dir=\"rtl\"", "ul class=\"tight\"",
      ])
    // A long text without letters is read once.
    let digits = String(repeating: "> 1\n\n", count: 20_000)
    let lines = HTMLBody(Page(document: ParsedDocument(parsing: MarkdownSource(digits)))).parts
    #expect(lines.count == 20_000)
  }

  @Test func `links refer only to headings, footnotes and safe addresses`() throws {
    let html = html(
      "# The End\n\n[a](#the-end) [b](#nowhere) [c](other.md) [d](ftp://x/y) n[^x]\n\n[^x]: note\n")
    let addresses = try ParsedHTML(html).elements.compactMap { $0.attributes["href"] }
    #expect(addresses == ["#t-the-end", "other.md", "#fn-t-1"])
  }

  @Test func `an allowed picture is one run, and is highlighted only if it is completely covered`()
    throws
  {
    var options = HTMLOptions()
    options.pictureAddress = { $0 == "a.png" ? "data:image/png;base64,AA" : nil }
    let overlay = Overlay(range: TextRange(utf16: 5..<6), color: .blue, id: "1")
    let parsed = try ParsedHTML(
      html("x ![an owl](a.png) ![far](http://x/y.png)", [overlay], options))
    #expect(parsed.runs.map(\.text) == ["x ", "an owl", " ", "far"])
    #expect(parsed.runs.map(\.marks) == [[], ["1"], [], []])
    #expect(parsed.elements.filter { $0.name == "img" }.count == 1)
  }

  @Test func `a picture that is not shown is its description with the reason, which is not text`()
    throws
  {
    var options = HTMLOptions()
    options.pictureAddress = { $0 == "a.png" ? "data:image/png;base64,AA" : nil }
    options.pictureReason = { $0 == "b.png" ? "<gone>" : nil }
    let html = html("![a](a.png) ![the *second* one](b.png) ![c](c.png)", [], options)
    let runs = try ParsedHTML(html).runs.map(\.text)
    #expect(runs == ["a", " ", "the ", "second", " one", " ", "c"])
    #expect(html.contains(" one</span><span class=\"why\" data-x> (&lt;gone&gt;)</span>"))
    #expect(html.components(separatedBy: "class=\"why\"").count == 2)
  }

  @Test func `of two highlights with the same start the shorter one is on top`() throws {
    let inner = Overlay(range: TextRange(utf16: 0..<3), color: .pink, id: "1")
    let outer = Overlay(range: TextRange(utf16: 0..<7), color: .yellow, id: "2")
    for overlays in [[inner, outer], [outer, inner]] {
      let html = html("one two", overlays, HTMLOptions())
      #expect(html.contains("<mark data-h=\"2 1\" class=\"pink\">"), "\(html)")
      #expect(html.contains("<mark data-h=\"2\" class=\"yellow\">"), "\(html)")
    }
  }

  @Test func `a block that was only moved keeps its key`() {
    func parts(_ markdown: String) -> [HTMLBody.Part] {
      HTMLBody(Page(document: ParsedDocument(parsing: MarkdownSource(markdown)))).parts
    }
    let old = parts("one\n\ntwo *three*\n\n- a\n- b\n\none\n")
    let new = parts("one and more\n\ntwo *three*\n\n- a\n- b\n\none\n")
    #expect(old.map(\.key)[1...2] == new.map(\.key)[1...2])
    #expect(old[0].key != new[0].key)
    #expect(old[0].key != old[3].key)
    #expect(new[1].range.lowerBound - old[1].range.lowerBound == 9)
  }

  @Test func `code has the colours of its language, and keeps its blank first line`() throws {
    let html = html("```swift\n\nlet x = \"é\" // why\n```\n")
    #expect(html.contains("class=\"k-keyword\">let</span>"))
    #expect(html.contains("class=\"k-comment\">// why</span>"))
    #expect(try ParsedHTML(html).runs.first?.text.hasPrefix("\n") == true)
  }
}
