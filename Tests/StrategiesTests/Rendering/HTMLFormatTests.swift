import Foundation
import MarkdownChecks
import MarkdownParse
import Model
import RichText
import RichTextChecks
import TestSupport
import Testing

@testable import Rendering

@Suite struct HTMLFormatTests {
  private struct Fault: Error { var description: String }

  /// Returns the expected format of a character, from its attributes, its Markdown and its style.
  private func expected(
    _ own: AttributeSet<CharacterAttribute>, _ style: AttributeSet<CharacterAttribute>,
    _ said: TextStyle
  ) -> AttributeSet<CharacterAttribute> {
    var said: [CharacterAttribute.Kind] = [
      (TextStyle.strikethrough, CharacterAttribute.Kind.strikethrough), (.mark, .background),
    ].filter { said.contains($0.0) }.map(\.1)
    said.append(.link)
    var set = own.inheriting(style.removing(said)).removing([.link])
    // CSS has only one dashed line, and a background without a colour determines that of its text.
    switch set[.underline] {
    case .underline(.dashDot), .underline(.dashDotDot): set.set(.underline(.dashed))
    default: break
    }
    if case .background(.rgb)? = set[.background], set[.color] == .color(.automatic) {
      set.clear(.color)
    }
    return set
  }

  /// Checks that a strict parser finds exactly the format of a page in its HTML.
  private func check(_ page: Page) throws {
    let format = try #require(page.format)
    let body = HTMLBody(page)
    let html = try ParsedHTML(body.html)
    let read = try ReadFormats(body.format.css)
    let document = page.document
    let units = document.text.utf16
    for run in html.runs {
      guard Array(run.text.utf16) == Array(units[run.range]) else {
        throw Fault(description: "\(run) is not the text")
      }
      let index = document.blocks.lastIndex {
        $0.firstChild < 0 && !$0.text.isEmpty && $0.text.utf16.lowerBound == run.leaf
      }!
      let block = document.blocks[index]
      let said = document.styleRuns(in: block).first {
        $0.text.utf16.contains(run.range.lowerBound)
      }
      let found = try read.characters(run.classes)
      let paragraph = try read.paragraph(run.classes)
      for place in run.range where !UTF16.isTrailSurrogate(units[place]) {
        var style: AttributeSet<CharacterAttribute> = []
        var own: AttributeSet<CharacterAttribute> = []
        format.forEachStretch(in: place..<place + 1) { (_, own, style) = ($0, $1, $2) }
        let expected = expected(own, style, said?.style ?? [])
        guard found == expected else {
          throw Fault(description: "\(place): \(found.values), not \(expected.values): \(run)")
        }
        if case .link(let address)? = own[.link], address.hasPrefix("https:") {
          guard run.address == LinkSafety.encoded(address) else {
            throw Fault(description: "\(place) leads to \(run.address ?? "nothing")")
          }
        }
        // The attributes of a paragraph are those of its first unit.
        let isShaped: Bool =
          switch block.kind {
          case .tableCell, .codeBlock: false
          default: true
          }
        let wanted = format.paragraph(at: place).removing([.tabStops, .list, .style])
        guard isShaped ? paragraph == wanted : true else {
          throw Fault(description: "\(place): \(paragraph.values), not \(wanted.values): \(run)")
        }
      }
    }
    // Each class has a rule.
    let worn = Set(html.elements.flatMap { ($0.attributes["class"] ?? "").split(separator: " ") })
    for name in worn where name.hasPrefix("f-") {
      #expect(body.format.css.contains(".\(name){"), "\(name)")
    }
  }

  @Test func `a strict parser finds every attribute of every character`() throws {
    let seed = SeededGenerator.runSeed
    print("seed \(seed)")
    var random = SeededGenerator(seed: seed)
    var documents = DocumentGenerator(seed: seed)
    for round in 0..<1_000 {
      let bytes = round.isMultiple(of: 2) ? documents.next() : documents.nextInDialect()
      let dialect = MarkdownDialect.allCases.randomElement(using: &random)!
      let document = ParsedDocument(parsing: MarkdownSource(bytes), options: dialect.options)
      let count = document.text.count
      if count == 0 { continue }
      var page = Page(document: document)
      if count > 3 {
        page.overlays = [Overlay(range: TextRange(utf16: 1..<count / 2 + 1), color: .blue)]
      }
      page.format = try RandomFormat.format(of: document.text.utf16, &random)
      do { try check(page) } catch {
        Issue.record(
          "round \(round): \(error) in \(String(decoding: bytes, as: UTF8.self).debugDescription)")
        return
      }
    }
  }

  private func body(_ markdown: String, _ change: (inout AttributedText) throws -> Void) rethrows
    -> HTMLBody
  {
    var page = Page(document: ParsedDocument(parsing: MarkdownSource(markdown)))
    var text = AttributedText(units: Array(page.document.text.utf16))
    try change(&text)
    page.format = ShownFormat(layer: text.layer, styles: text.styles, defaults: text.defaults)
    return HTMLBody(page)
  }

  @Test func `a format is written as classes, each with one rule`() throws {
    let body = try body("a **b** c\n") {
      try $0.change(0..<1, [.set(.bold(true)), .set(.size(27))])
      try $0.change(2..<3, [.set(.bold(false)), .set(.size(27))])
      try $0.changeParagraphs(
        0..<1, [.set(.alignment(.right)), .set(.firstLineIndent(Twips(270)))])
    }
    #expect(
      body.html == """
        <p class="f-a-right f-first-270" data-b="0" dir="auto">\
        <span data-o="0" data-n="1" class="f-b-on f-z-27">a</span><span data-o="1" data-n="1"> </span>\
        <strong><span data-o="2" data-n="1" class="f-b-off f-z-27">b</span></strong>\
        <span data-o="3" data-n="2"> c</span></p>

        """)
    #expect(
      body.format.css == """
        .f-a-right{text-align:right}
        .f-b-off{font-weight:normal}
        .f-b-on{font-weight:bold}
        .f-first-270{text-indent:min(13.5pt,40%)}
        .f-z-27{font-size:13.5pt}

        """)
  }

  @Test(arguments: [
    "</style><script>alert(1)</script>", "a\"; } * { display: none } \"", "x\\", "\\\"",
    "@import 'x'",
    "a/**/b", "<!--", "url(x)", "Ünïcode 游明朝", "a'b,c",
  ])
  func `a hostile font name is written as an escaped string`(_ name: String) throws {
    let css = try body("text\n") { try $0.change(0..<2, [.set(.family(name))]) }.format.css
    let line = try #require(css.split(separator: "\n").first)
    #expect(css.split(separator: "\n").count == 1)
    #expect(
      line.wholeMatch(
        of: #/\.f-f-[0-9a-f]{16}\{font-family:"([A-Za-z0-9 ]|\\[0-9a-f]+ )*",(serif|monospace)\}/#)
        != nil, "\(line)")
  }

  @Test func `well-known fonts have fallbacks`() {
    #expect(
      HTMLFormatValues.families("Palatino")
        == #""Palatino","TeX Gyre Pagella","Palatino Linotype",serif"#)
    #expect(HTMLFormatValues.families("Menlo") == #""Menlo","DejaVu Sans Mono",monospace"#)
    #expect(HTMLFormatValues.families("My Mono") == #""My Mono",monospace"#)
  }

  @Test func `every custom colour has enough contrast, on the page, its background and highlights`()
    throws
  {
    let seed = SeededGenerator.runSeed
    print("seed \(seed)")
    var random = SeededGenerator(seed: seed)
    let colors = HTMLPageColors.standard
    for _ in 0..<300 {
      let (color, behind) = (
        UInt32.random(in: 0...0xFFFFFF, using: &random),
        UInt32.random(in: 0...0xFFFFFF, using: &random)
      )
      let css = try body("abc\n") {
        try $0.change(0..<1, [.set(.color(.rgb(color)))])
        try $0.change(1..<2, [.set(.background(.rgb(behind)))])
        try $0.change(2..<3, [.set(.background(.rgb(behind))), .set(.color(.rgb(color)))])
      }.format.css
      func rgb(_ text: Substring?) -> RGB? { text.flatMap { Int($0, radix: 16) }.map { RGB($0) } }
      for line in css.split(separator: "\n") {
        let parts = line.split(separator: "@media (prefers-color-scheme:dark)")
        let isHighlight = line.hasPrefix("mark")
        var shown: (text: RGB?, behind: RGB?)
        for (part, scheme) in zip([parts[0], parts.last!], [colors.light, colors.dark]) {
          if let text = rgb(part.firstMatch(of: #/[;{]color:#([0-9a-f]{6})/#)?.1) {
            shown.text = text
          }
          if let behind = rgb(part.firstMatch(of: #/background:#([0-9a-f]{6})/#)?.1) {
            shown.behind = behind
          } else if part.contains("background:none") {
            shown.behind = nil
          }
          let papers =
            isHighlight ? scheme.highlights : shown.behind.map { [$0] } ?? scheme.papers
          for paper in papers {
            let contrast = try #require(shown.text).contrast(with: paper)
            #expect(contrast >= 4.5, "\(contrast): \(line)")
          }
        }
      }
    }
  }

  @Test func `an unreadable colour gets a background, a readable one only on highlights`() throws {
    let css = try body("ab\n") {
      try $0.change(0..<1, [.set(.color(.rgb(0xFFFF00)))])
      try $0.change(1..<2, [.set(.color(.rgb(0x0000C0)))])
    }.format.css
    #expect(css.contains(".f-c-ffff00{color:#ffff00;background:#000000;"))
    #expect(css.contains(".f-c-ffff00{background:none}"))
    #expect(css.contains(".f-c-0000c0{color:#0000c0}"))
    #expect(css.contains(".f-c-0000c0{background:#ffffff}"))
  }

  @Test func `each paragraph of a leaf is a separate block`() throws {
    let body = try body("one\\\ntwo\n") {
      try $0.changeParagraphs(4..<5, [.set(.alignment(.center))])
    }
    #expect(
      body.html == """
        <p data-b="0" dir="auto"><span class="f-part"><span data-o="0" data-n="4">one
        </span></span><span class="f-part f-a-center"><span data-o="4" data-n="3">two</span></span></p>

        """)
  }

  @Test func `a link has the class of an underline only if its format sets one`() throws {
    let body = try body("[ab](x.md)\n") {
      try $0.change(0..<1, [.set(.underline(.none))])
      try $0.change(1..<2, [.set(.link("https://diple.example/?a&b"))])
    }
    #expect(body.html.contains(#"<a href="x.md" rel="noreferrer nofollow" class="f-u-none">"#))
    #expect(
      body.html.contains(
        #"<a href="https://diple.example/?a&amp;b" rel="noreferrer nofollow"><span data-o="1""#))
    let unsafe = try self.body("ab\n") {
      try $0.change(0..<1, [.set(.link("javascript:alert(1)"))])
    }
    #expect(!unsafe.html.contains("<a") && !unsafe.html.contains("javascript"))
  }

  @Test func `the defaults are one class around the text`() {
    let body = body("# T\n\ntext\n") { $0.defaults = .standard }
    #expect(body.formatClass.hasPrefix("f-body-"))
    #expect(!body.html.contains("f-"))
    #expect(body.format.css.contains("{font-family:\"Palatino\",\"TeX Gyre Pagella\""))
    #expect(
      body.format.css.contains(">p:where([data-b]){text-indent:min(36pt,40%)"))
    #expect(HTMLBody(Page(document: ParsedDocument(parsing: MarkdownSource("a")))).format.css == "")
  }

  @Test func `margins are variables and a padding of low precedence`() {
    let margins = EditorMargins(
      left: .points(50), right: .points(60), top: .points(0), bottom: Twips(15))
    let page = Page(
      document: ParsedDocument(parsing: MarkdownSource("text\n")),
      format: ShownFormat(layer: FormatLayer(), margins: margins))
    let body = HTMLBody(page)
    #expect(body.formatClass.hasPrefix("f-body-"))
    #expect(
      body.format.css == """
        .\(body.formatClass){--page-top:0pt;--page-right:min(60pt,10vw);--page-bottom:0.75pt;\
        --page-left:min(50pt,10vw)}
        :where(.\(body.formatClass)){box-sizing:border-box;padding:0pt min(60pt,10vw) 0.75pt \
        min(50pt,10vw)}

        """)
  }

  @Test func `formats that CSS cannot express are listed`() throws {
    let body = try body("a\tb\n") {
      try $0.changeParagraphs(0..<1, [.set(.tabStops([TabStop(position: .points(30))]))])
      try $0.change(0..<1, [.set(.underline(.dashDot))])
      try $0.change(2..<3, [.set(.color(.rgb(0xFFFFFF))), .set(.background(.rgb(0xFFFFF0)))])
    }
    #expect(body.format.losses.count == 3)
    #expect(body.format.losses[0].hasPrefix("tab stops"))
  }
}
