import Files
import Formats
import Foundation
import Interchange
import MarkdownParse
import Model
import Rendering
import TestSupport
import Testing

@Suite struct HTMLPageTests {
  private func page(_ markdown: String, _ records: [AnnotationRecord]) throws -> String {
    let parsed = ParsedDocument(parsing: MarkdownSource(markdown))
    let overlays = records.compactMap { record in
      record.textRange.map {
        Overlay(
          range: TextRange(utf16: $0), color: record.color, state: record.state, id: record.id,
          hasNote: !record.note.isEmpty)
      }
    }
    var document = ExportedDocument(
      head: ExportedHead(source: "a.md", title: "A & B", count: records.count),
      page: Page(document: parsed, overlays: overlays), records: records)
    document.author = "Reed <Ann>"
    var output = ""
    try HTMLPage().export([document], contents: [document.head], to: &output)
    return output
  }

  private func record(_ id: String, _ range: Range<Int>?, note: String = "") -> AnnotationRecord {
    var record = AnnotationRecord(
      id: id, quote: "q<\(id)>", position: range.map { .utf16(TextRange(utf16: $0)) },
      source: "a.md", title: "A & B", color: .green, note: note)
    if range == nil { record.state = .orphaned }
    return record
  }

  @Test func `a note is at the block in which its highlight begins`() throws {
    let html = try page("one\n\ntwo\n\nthree\n", [record("1", 4..<7, note: "N<1>")])
    let order = [">one</span>", "N&lt;1&gt;", ">two</span>", ">three</span>"].map {
      html.firstRange(of: $0)?.lowerBound
    }
    #expect(
      order.allSatisfy { $0 != nil }
        && order.compactMap(\.self) == order.compactMap(\.self).sorted())
    #expect(html.contains("href=\"#n-d1-1\"") && html.contains("id=\"n-d1-1\""))
    #expect(html.contains("href=\"#hl-d1-1\"") && html.contains("id=\"hl-d1-1\""))
  }

  @Test func `notes are Markdown, and show all of their text`() throws {
    let html = try page(
      "one\n\n# why\n",
      [
        record("1", 0..<3, note: "# why\n\n*so* [x](https://a.example)\n\n- point"),
        record("2", 0..<2, note: "a <this> *word*"),
      ])
    let aside = try #require(html.firstMatch(of: #/<aside((?s).*?)<\/aside>/#)?.1)
    #expect(aside.contains("<em>") && aside.contains("<li>") && aside.contains("https://a.example"))
    #expect(aside.contains("a &lt;this&gt; *word*"))
    #expect(aside.contains("id=\"noted1-1-why\"") && html.contains("id=\"d1-why\""))
  }

  @Test(arguments: [
    ("# A & B\n\ntext\n", 1, true), ("# a  &  *b*: a study\n\ntext\n", 1, true),
    ("intro\n\n# A & B\n", 1, false), ("# A Bee\n\ntext\n", 2, true), ("text\n", 1, true),
  ])
  func `the title is on the page once`(_ markdown: String, _ count: Int, _ isInHead: Bool) throws {
    let html = try page(markdown, [record("1", 0..<1)])
    #expect(html.ranges(of: "<h1").count == count)
    let head = try #require(html.firstMatch(of: #/<header>((?s).*?)<\/header>/#)?.1)
    #expect(head.contains("<h1") == isInHead)
    // A title with a note keeps the note beside it.
    #expect(try page(markdown, [record("1", 0..<1, note: "N")]).ranges(of: ">N<").count == 1)
  }

  @Test func `the letters of one line are in different columns of the margin`() throws {
    let html = try page(
      "one two three four\n\nfive\n",
      [record("1", 0..<3), record("2", 4..<7), record("3", 8..<13), record("4", 19..<23)])
    let signs = html.matches(of: #/<sup class="(sign[a-z ]*)"/#).map { String($0.1) }
    #expect(signs == ["sign", "sign second", "sign more", "sign"])
  }

  @Test func `the letter of a highlight begins its text, so that it is beside its first line`()
    throws
  {
    let long = String(repeating: "word ", count: 60)
    let html = try page(
      "\(long)[a link](https://a.example)\n",
      [record("1", 0..<200), record("2", 210..<214, note: "N"), record("3", 302..<304, note: "N")])
    let signs = html.matches(
      of: #/start\]<.span>(?:<a [^>]*>)?<mark[^>]*><(sup|a) class="sign/#)
    // A link in a link would be invalid.
    #expect(signs.map { String($0.1) } == ["sup", "a", "sup"])
    #expect(html.ranges(of: "class=\"sign").count == 3)
    // The words for the ear and the letters do not decide the direction of a paragraph.
    #expect(html.matches(of: #/class="hint"[^>]*dir="ltr"/#).count == 6)
    #expect(html.matches(of: #/class="sign[^>]*dir="ltr"/#).count == 3)
  }

  @Test func `a link to Diple is named for what it does`() throws {
    var linked = record("1", 0..<3, note: "N")
    linked.link = "diple://x"
    let html = try page("one\n", [linked])
    #expect(html.ranges(of: "<a href=\"diple://x\">Open</a>").count == 2)
  }

  @Test func `highlights without an anchor are listed under a separate heading`() throws {
    let html = try page("one\n", [record("1", 0..<3), record("2", nil, note: "lost")])
    let heading = try #require(html.firstRange(of: "Highlights without a place in the text"))
    #expect(html[heading.upperBound...].contains("q&lt;2&gt;"))
    #expect(!html[heading.upperBound...].contains("q&lt;1&gt;"))
    #expect(html.contains("lost"))
  }

  @Test func `every internal link has a target`() throws {
    let records = [
      record("urn:diple:1-00", 0..<2, note: "a"), record("2", 1..<5), record("3", 1..<2, note: "b"),
      record("4", nil, note: "c"),
    ]
    let html = try page("# one two\n\nthree [x](#one-two)[^f]\n\n[^f]: note\n", records)
    let targets = Set(html.matches(of: #/ id="([^"]*)"/#).map { String($0.1) })
    let ids = html.matches(of: #/ id="([^"]*)"/#).map { String($0.1) }
    #expect(ids.count == targets.count, "an id occurs twice: \(ids)")
    for link in html.matches(of: #/ href="#([^"]*)"/#) {
      #expect(targets.contains(String(link.1)), "\(link.1)")
    }
  }

  @Test func `the page's policy allows only its own style sheet`() throws {
    let html = try page("<script>alert(1)</script> [a](javascript:x)\n", [record("1", 0..<2)])
    let policy = try #require(
      html.firstMatch(of: #/Content-Security-Policy" content="([^"]*)"/#)?.1)
    #expect(policy.hasPrefix("default-src 'none'; img-src data:; style-src 'sha256-"))
    #expect(!html.contains("<script") && !html.contains("=\"javascript:"))
    // The sheet is allowed by its hash, and no element has a style attribute.
    let sheet = try #require(html.firstMatch(of: #/<style>((?s).*?)<\/style>/#)?.1)
    let digits = ContentDigest(sha256: Array(sheet.utf8)).description
    let bytes = stride(from: 0, to: digits.count, by: 2).compactMap { index in
      UInt8(digits.dropFirst(index).prefix(2), radix: 16)
    }
    #expect(bytes.count == 32 && policy.contains("'sha256-\(Data(bytes).base64EncodedString())'"))
    #expect(html.ranges(of: " style=").isEmpty)
  }

  @Test func `every text colour has enough contrast on every background`() throws {
    let sheet = try #require(try page("x\n", []).firstMatch(of: #/<style>((?s).*?)<\/style>/#)?.1)
    let themes = sheet.matches(of: #/:root \{((?s).*?)\}/#)
    #expect(themes.count == 2)
    for theme in themes {
      let colors = Dictionary(
        theme.1.matches(of: #/--([a-z-]+): #([0-9a-f]{6})/#).map {
          (String($0.1), RGB(Int($0.2, radix: 16)!))
        }, uniquingKeysWith: { first, _ in first })
      for text in [
        "ink", "faint", "link", "keyword", "string", "number", "comment", "type", "tip", "caution",
      ] {
        for paper in ["paper", "box", "yellow", "green", "blue", "pink"] {
          let contrast = try #require(colors[text]).contrast(with: try #require(colors[paper]))
          #expect(contrast >= 4.5, "\(text) on \(paper): \(contrast)")
        }
      }
    }
  }

  @Test func `several documents have a table of contents and distinct ids`() throws {
    let heads = ["a", "b"].map { ExportedHead(source: "\($0).md", title: "T<\($0)>", count: 1) }
    let documents = heads.map { head in
      ExportedDocument(
        head: head,
        page: Page(
          document: ParsedDocument(
            parsing: MarkdownSource("# One\n\n[x](#one) [y](./b.md#one) [z](c.md)\n")),
          overlays: [Overlay(range: TextRange(utf16: 0..<3), color: .blue, id: "1")]),
        records: [record("1", 0..<3)])
    }
    var html = ""
    try HTMLPage().export(documents, contents: heads, to: &html)
    #expect(html.contains("<a href=\"#d2\" dir=\"auto\">T&lt;b&gt;</a>"))
    #expect(html.contains("id=\"d1-one\"") && html.contains("id=\"d2-one\""))
    #expect(html.contains("href=\"#d2-one\""))
    // A link to another exported document stays on the page.
    #expect(html.contains("href=\"#d2\" rel=") && html.contains("href=\"c.md\""))
  }
}
