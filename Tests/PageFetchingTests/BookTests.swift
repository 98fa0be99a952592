import Foundation
import Interchange
import TestSupport
import Testing

@Suite(.enabled(if: WebServer.isAvailable)) struct BookTests {
  private let desk: Desk

  init() throws { desk = try Desk() }

  private func read(_ entries: [BookMaker.Entry]) throws -> Desk.Outcome {
    let path = desk.path + "/book.epub"
    try BookMaker.write(entries, to: path)
    return try desk.fetch(.file(path))
  }

  private static let chapters = [
    (
      name: "one.xhtml",
      body:
        "<h1>First</h1><p>One<a epub:type=\"noteref\" href=\"#n1\">1</a>, see <a href=\"two.xhtml#x\">two</a>.</p><aside epub:type=\"footnote\" id=\"n1\"><p>A note.</p></aside>"
    ),
    (
      name: "two.xhtml",
      body:
        "<h1>Second</h1><p><a id=\"x\"/>Two &amp; <i>more</i>&nbsp;words. <img src=\"../img/a.png\" alt=\"A\"/><img src=\"../../../../etc/passwd\" alt=\"B\"/></p>"
    ),
  ]
  private static let picture = BookMaker.Entry(
    "OEBPS/img/a.png", "\u{89}PNG\r\n\u{1A}\n", fault: "bytes")

  @Test(arguments: [false, true]) func `chapters become files that link to each other`(
    _ isOld: Bool
  ) throws {
    let outcome = try read(
      BookMaker.entries(chapters: Self.chapters, isOld: isOld) + [Self.picture])
    #expect(outcome.answer.problem == nil)
    #expect(outcome.answer.isBook)
    let origin = outcome.answer.origin
    #expect(
      origin.title == "The Book" && origin.authors == ["Ada Lovelace"]
        && origin.isbn == "9780306406157")
    #expect(origin.publisher == "Taylor" && origin.date == "1843" && origin.language == "en")
    #expect(outcome.answer.texts.map(\.name) == ["00-contents.md", "01-part-1.md", "02-part-2.md"])
    #expect(
      outcome.texts[0].contains(
        "# The Book\n\nAda Lovelace\n\n- [Part 1](01-part-1.md)\n- [Part 2](02-part-2.md)\n"))
    #expect(
      outcome.texts[1].contains("# First\n\nOne[^1], see [two](02-part-2.md).\n\n[^1]: A note.\n"))
    #expect(outcome.texts[2].contains("Two & *more*\u{A0}words. ![A](pictures/a.png)B\n"))
    #expect(
      outcome.texts[1].hasPrefix(
        "---\ntitle: \"Part 1\"\nauthor: \"Ada Lovelace\"\ndate: \"1843\"\ncsl-type: chapter\ncontainer-title: \"The Book\"\npublisher: \"Taylor\"\nlanguage: \"en\"\nisbn: \"9780306406157\"\n---\n"
      ))
    #expect(outcome.answer.pictures.map(\.name) == ["a.png"])
  }

  @Test func `highlights of an exported book have their place, color and comment`() throws {
    func mark(_ number: Int, _ color: String, _ words: String) -> String {
      "<mark class=\"diple-\(color)\" data-diple=\"\(number)\">\(words)</mark>"
    }
    func note(_ number: Int, _ id: Int) -> String {
      "<span class=\"diple-note\" data-diple=\"\(number)\"><a href=\"#fn\(id)\" class=\"footnote-ref\" epub:type=\"noteref\">\(id)</a></span>"
    }
    func footnote(_ id: Int, _ text: String) -> String {
      "<li id=\"fn\(id)\" epub:type=\"footnote\"><p>\(text)<a href=\"#fnref\(id)\" class=\"footnote-back\">↩︎</a></p></li>"
    }
    let own = "<a href=\"#fn3\" class=\"footnote-ref\" epub:type=\"noteref\">3</a>"
    let body = """
      <h1>\(mark(0, "blue", "Fi"))rst</h1>
      <p>One \(mark(1, "green", "two"))<em>\(mark(1, "green", "three"))</em>\(note(1, 1)) four\(own)
      \(mark(2, "pink", "a " + mark(3, "yellow", "b")))\(mark(3, "yellow", "c"))\(note(2, 2))
      <mark>plain</mark></p>
      <section class="footnotes" epub:type="footnotes"><hr/><ol>
      \(footnote(1, "[G] Why?<br/>\n#a, #b c"))\(footnote(2, "[P] x"))\(footnote(3, "Own note."))
      </ol></section>
      """
    let last =
      "<h1>Last</h1><p>\(mark(4, "green", "End"))\(note(4, 1)).</p><section class=\"footnotes\"><hr/><ol>\(footnote(1, "[G] y"))</ol></section>"
    let outcome = try read(
      BookMaker.entries(chapters: [
        (name: "one.xhtml", body: body), (name: "two.xhtml", body: last),
      ]))
    let text = try #require(outcome.texts.dropFirst().first)
    #expect(text.contains("# First\n"))
    #expect(text.hasSuffix("[^1]: Own note.\n"))
    #expect(!text.contains("Why?") && !text.unicodeScalars.contains { $0.value >= 0xF0000 })
    let found = try #require(outcome.answer.texts[1].highlights)
    #expect(found.map(\.quote) == ["Fi", "twothree", "a b", "bc"])
    #expect(found.map(\.color) == ["blue", "green", "pink", "yellow"])
    #expect(found.map(\.comment) == ["", "[G] Why?\n#a, #b c", "[P] x", ""])
    #expect(found[0].start == 0 && found[1].start == 10)
    #expect(outcome.texts[2].hasSuffix("# Last\n\nEnd.\n"))
    #expect(outcome.answer.texts[2].highlights?.map(\.comment) == ["[G] y"])
    // A text that uses the characters of marks has no highlights.
    let occupied = try read(
      BookMaker.entries(chapters: [
        (name: "one.xhtml", body: "<h1>A\u{F0000}</h1><p>\(mark(0, "blue", "b"))</p>"),
        (name: "two.xhtml", body: last),
      ]))
    #expect(occupied.answer.texts[1].highlights == [])
    #expect(occupied.texts[1].contains("A\u{F0000}"))
  }

  @Test func `an invalid book is rejected in one line`() throws {
    let good = BookMaker.entries(chapters: Self.chapters)
    let many = (0..<20_100).map { BookMaker.Entry("f\($0)", "") }
    let drm = BookMaker.Entry(
      "META-INF/encryption.xml",
      "<encryption><EncryptedData><EncryptionMethod Algorithm=\"http://www.w3.org/2001/04/xmlenc#aes128-cbc\"/></EncryptedData></encryption>"
    )
    func with(_ name: String, fault: String, times: Int = 1) -> [BookMaker.Entry] {
      good.map { entry in
        entry.hasName(name)
          ? BookMaker.Entry(name, entry.content, times: times, fault: fault) : entry
      }
    }
    let cases: [([BookMaker.Entry], String)] = [
      ([BookMaker.Entry("a", "b")], "META-INF/container.xml is missing"),
      (good + [BookMaker.Entry("OEBPS/book.opf", "x")], "two files of the name OEBPS/book.opf"),
      (many, "20100 files"), (good + [drm], "protected (DRM)"),
      (with("OEBPS/text/one.xhtml", fault: "crc"), "one.xhtml is damaged"),
      (with("OEBPS/text/one.xhtml", fault: "link"), "one.xhtml is a link"),
      (with("OEBPS/text/one.xhtml", fault: "encrypted"), "the book is encrypted"),
      (with("OEBPS/text/one.xhtml", fault: "", times: 200_000), "one.xhtml is too large"),
      (
        good.map {
          $0.hasName("OEBPS/book.opf") ? BookMaker.Entry("OEBPS/book.opf", "<package>") : $0
        }, "book.opf is damaged"
      ),
      (
        good.filter { !$0.hasName("OEBPS/text/one.xhtml") && !$0.hasName("OEBPS/text/two.xhtml") },
        "the book has no text"
      ),
    ]
    try desk.write("text.epub", "PK\u{3}\u{4} and no more")
    #expect(try desk.fetch(.file(desk.path + "/text.epub")).problem.hasPrefix("not a book"))
    for (entries, wanted) in cases {
      let problem = try read(entries).problem
      #expect(problem.contains(wanted), "\(wanted): \(problem)")
    }
  }

  @Test func `obfuscated fonts are ignored, and invalid pictures are skipped`()
    throws
  {
    let fonts = BookMaker.Entry(
      "META-INF/encryption.xml",
      "<encryption><EncryptedData><EncryptionMethod Algorithm=\"http://www.idpf.org/2008/embedding\"/></EncryptedData></encryption>"
    )
    let outcome = try read(
      BookMaker.entries(chapters: Self.chapters) + [
        fonts, BookMaker.Entry("OEBPS/img/a.png", "<svg/>"),
      ])
    #expect(outcome.answer.problem == nil)
    #expect(outcome.answer.pictures.isEmpty)
    #expect(
      outcome.answer.warnings == [
        "skipped pictures that are not PNG, JPEG, GIF or WebP: OEBPS/img/a.png"
      ])
    #expect(outcome.texts[2].contains("words. AB\n"))
  }

  @Test func `missing and empty chapters are named, and the others are read`() throws {
    let chapters =
      Self.chapters + [
        (name: "three.xhtml", body: "<p> </p>"), (name: "four.xhtml", body: "<p>d</p>"),
      ]
    let entries = BookMaker.entries(chapters: chapters).filter {
      !$0.hasName("OEBPS/text/two.xhtml")
    }
    let outcome = try read(entries)
    #expect(outcome.answer.problem == nil)
    #expect(outcome.answer.texts.map(\.name) == ["00-contents.md", "01-part-1.md", "02-part-4.md"])
    #expect(
      outcome.answer.warnings == [
        "skipped chapters that are missing: OEBPS/text/two.xhtml",
        "skipped chapters that have neither text nor pictures: OEBPS/text/three.xhtml",
      ])
  }

  @Test func `a book of one text is one file, and its title page is omitted`() throws {
    let title = (name: "title.xhtml", body: "<h1>The Book</h1><p>Ada Lovelace</p><p>1843</p>")
    let text = (name: "one.xhtml", body: "<h1>The Book</h1><p>All of it.</p>")
    let single = try read(BookMaker.entries(chapters: [title, text]))
    #expect(single.answer.problem == nil && single.answer.isBook)
    #expect(single.answer.texts.map(\.name) == ["the-book.md"])
    #expect(single.answer.texts.map(\.title) == ["The Book"])
    #expect(single.texts[0].hasPrefix("---\ntitle: \"The Book\"\nauthor: \"Ada Lovelace\"\n"))
    #expect(single.texts[0].contains("\ncsl-type: book\n"))
    #expect(single.texts[0].hasSuffix("# The Book\n\nAll of it.\n"))
    let several = try read(BookMaker.entries(chapters: [title] + Self.chapters))
    #expect(several.answer.texts.map(\.name) == ["00-contents.md", "01-part-2.md", "02-part-3.md"])
    // Without another text, the title page is the book.
    #expect(try read(BookMaker.entries(chapters: [title])).texts[0].contains("# The Book\n"))
  }

  @Test func `chapters beyond the limit are counted, and the others are read`() throws {
    let chapters = (1...2005).map { (name: "c\($0).xhtml", body: "<p>\($0)</p>") }
    let outcome = try read(BookMaker.entries(chapters: chapters))
    #expect(outcome.answer.problem == nil)
    #expect(outcome.answer.texts.count == 2000)
    #expect(
      outcome.answer.warnings == ["skipped the last 6 chapters: a book has at most 1999"])
  }

  @Test func `drawings show their text, and a picture with two names is stored once`() throws {
    let copy = BookMaker.Entry("OEBPS/img/b.png", Self.picture.content, fault: "bytes")
    let drawing =
      "<svg><title>T</title><text>One</text><g><text>Two</text></g><image href=\"../img/b.png\"/></svg>"
    let outcome = try read(
      BookMaker.entries(chapters: Self.chapters + [(name: "three.xhtml", body: drawing)])
        + [Self.picture, copy])
    #expect(outcome.answer.pictures.map(\.name) == ["a.png"])
    #expect(outcome.texts[3].hasSuffix("One\\\nTwo![](pictures/a.png)\n"))
  }
}
