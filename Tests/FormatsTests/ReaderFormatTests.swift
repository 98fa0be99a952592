import Foundation
import Interchange
import Model
import TestSupport
import Testing

@testable import Formats

/// Tests peculiarities of the exports of reading programs, beyond the examples of their importers.
@Suite struct ReaderFormatTests {
  private func read(_ importer: some Importer, _ text: String, at path: String = "") throws
    -> ImportContent
  {
    try importer.read(ImportSource(Array(text.utf8), path: path))
  }

  // MARK: - Kindle notebooks

  private func notebook(_ entries: String) -> String {
    """
    <html><body><h1><div class='notebookFor'>Notizbuch für</div><div class='bookTitle'>On signs
    </div><div class='authors'>Reed, Ann</div></h1><hr/>\(entries)</body></html>
    """
  }

  private func entry(_ heading: String, _ text: String) -> String {
    "<h3 class='noteHeading'>\(heading)</div><div class='noteText'>\(text)</h3>"
  }

  @Test func `a notebook in another language is read`() throws {
    let content = try read(
      KindleNotebook(),
      notebook(
        "<h2 class='sectionHeading'>Erstes &amp; Zweites</h2>"
          + entry(
            "Markierung (<span class='highlight_pink'>rosa</span>) - Seite xii · Position 1234",
            "Eins<br/>zwei<style>x</style>")
          + entry("Notiz - Seite xii · Position 1235", "Warum?")
          + entry("Lesezeichen - Seite 14 · Position 1300", "")))
    #expect(content.records.map(\.quote) == ["Eins zwei"])
    #expect(content.records.map(\.note) == ["Warum?"])
    #expect(content.records.map(\.color) == [.pink])
    #expect(
      content.records.map(\.location) == ["page xii · location 1234 · Erstes & Zweites"])
    #expect(content.skipped == ["a bookmark"] && content.notes.isEmpty)
  }

  @Test func `a note far from the highlight before it is a note on the book`() throws {
    let content = try read(
      KindleNotebook(),
      notebook(
        entry("Note - Location 3", "first")
          + entry("Highlight (<span class='highlight_blue'>blue</span>) - Location 10", "Look here")
          + entry("Note - Location 90", "far") + entry("Note - Location 10", "late")))
    #expect(content.records.map(\.note) == [""])
    #expect(content.notes.map(\.text) == ["first", "far", "late"])
    #expect(content.notes.map(\.location) == ["location 3", "location 90", "location 10"])
  }

  @Test(arguments: [
    "<html><body class='noteHeading'><div class='bookTitle'></div>notebookFor",
    "<html><p class='notebookFor bookTitle noteHeading noteText'>",
    "<!doctype html>notebookFor bookTitle noteHeading<div class=noteText>a</div>",
  ])
  func `a damaged notebook is read or rejected`(_ text: String) {
    _ = try? read(KindleNotebook(), text)
  }

  @Test func `the attributes of a tag are found in each notation`() {
    func value(_ tag: String) -> String? { HTMLTokens.attribute("class", of: tag[...]) }
    #expect(value("div class=\"a b\" id=x") == "a b")
    #expect(value("div id='class' CLASS = 'a&amp;b'/") == "a&b")
    #expect(value("div disabled class=a") == "a")
    #expect(value("div class") == nil && value("div = class") == nil && value("div") == nil)
    #expect(value("div data-class=\"no\" class=\"") == "")
  }

  // MARK: - Tables of pages

  @Test func `document tags of Readwise are tags of each highlight`() throws {
    let content = try read(
      ReadwiseCSV(),
      """
      Highlight,Book Title,Book Author,Amazon Book ID,Note,Color,Tags,Location Type,Location,Highlighted at,Document tags
      a,T,A,,,,one,order,0,,"books, one"
      b,T,A,,,,,,,,

      """)
    #expect(content.records.map(\.tags) == [["one", "books"], []])
  }

  @Test func `a page of Instapaper without a title has its address as title`() throws {
    let content = try read(
      InstapaperCSV(),
      "URL,Title,Selection,Folder,Timestamp\nhttps://example.org/a,,Words,Unread,x\n")
    #expect(content.records.map(\.title) == ["https://example.org/a"])
    #expect(content.records.map(\.created) == [nil] && content.skipped.isEmpty)
  }

  @Test func `a cell that is not an address does not name a document`() throws {
    let content = try read(
      InstapaperCSV(), "URL,Title,Selection,Folder\nNode.js,,Words of a page,Unread\n")
    #expect(content.records.map(\.source) == [""] && content.records.map(\.title) == ["Node.js"])
    let other = try read(
      RaindropCSV(), "title,excerpt,url,folder,created,highlights\nT,,a.md,,,Words\n")
    #expect(other.records.map(\.source) == [""] && other.records.map(\.title) == ["T"])
  }

  @Test func `highlights of Raindrop without words are the lines of the cell`() throws {
    let content = try read(
      RaindropCSV(),
      "title,excerpt,url,folder,created,highlights\nT,,u,,,\"one\n\ntwo\"\nU,,v,,,\n")
    #expect(content.records.map(\.quote) == ["one", "two"])
    #expect(content.skipped == ["a page without highlights"])
  }

  @Test func `a list of Readwise Reader names the file with the highlights`() throws {
    let source = ImportSource(
      Array("Title,URL,ID,Document tags,Saved date,Reading progress,Location,Seen\n".utf8))
    #expect(ReadwiseReaderCSV().recognizes(source))
    #expect {
      _ = try ReadwiseReaderCSV().read(source)
    } throws: {
      "\($0)".contains("readwise.io/export")
    }
  }

  @Test(arguments: [
    ("a, b", ["a", "b"]), ("[]", []), ("['a', 'b c']", ["a", "b c"]), ("[\"a\"]", ["a"]),
    ("", []), ("['", ["['"]), (",,a,", ["a"]),
  ])
  func `tags are read in each notation`(_ cell: String, _ tags: [String]) {
    #expect(CSVRecords.tags(cell) == tags)
  }

  // MARK: - Zotero

  @Test func `formatted words of Zotero are plain, and other marks literal`() throws {
    let content = try read(
      ZoteroAnnotations(),
      """
      [{"type": "highlight", "color": "#ffec00", "pageLabel": "15", "id": "A", "position": {},
        "text": "An <b>extracted</b> a<sub>i</sub> < b and <x>", "comment": "<i>why</i>"},
       {"type": "note", "color": "#ffec00", "pageLabel": "16", "id": "B", "position": {},
        "comment": "A sticky note"},
       {"type": "ink", "pageLabel": "17", "id": "C", "position": {}}]
      """, at: "/home/ada/signs.json")
    #expect(content.records.map(\.quote) == ["An extracted ai < b and <x>"])
    #expect(content.records.map(\.note) == ["why"])
    #expect(
      content.notes == [SeparateNote(title: "signs", location: "page 16", text: "A sticky note")])
    #expect(content.skipped == ["a mark C of type ink has no text"])
  }

  @Test func `a note of Zotero is plain text`() throws {
    let content = try read(ZoteroAnnotations(), ZoteroAnnotations.examples[1].input)
    #expect(
      content.notes == [
        SeparateNote(
          source: "https://example.org/signs", title: "On signs", author: "Reed, Ann",
          location: "page 5", text: "Typed"),
        SeparateNote(
          source: "https://example.org/signs", title: "On signs", author: "Reed, Ann",
          text: "Read again"),
      ])
  }

  // MARK: - Google Play Books

  /// Returns an archive with files that are stored without compression, or deflated.
  private func archive(_ files: [(name: String, content: [UInt8], method: UInt8)]) -> [UInt8] {
    func number(_ value: Int, _ size: Int) -> [UInt8] {
      (0..<size).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }
    var (bytes, directory) = ([UInt8](), [UInt8]())
    for file in files {
      let name = Array(file.name.utf8)
      let middle =
        [20, 0, 0, 0, file.method, 0] + number(0, 8) + number(file.content.count, 4)
        + number(0, 4) + number(name.count, 2) + [0, 0]
      directory +=
        [0x50, 0x4B, 1, 2, 20, 0] + middle + number(0, 10) + number(bytes.count, 4) + name
      bytes += [0x50, 0x4B, 3, 4] + middle + name + file.content
    }
    let end = number(0, 4) + number(files.count, 2) + number(files.count, 2)
    return bytes + directory + [0x50, 0x4B, 5, 6] + end + number(directory.count, 4)
      + number(bytes.count, 4) + [0, 0]
  }

  private func paragraph(_ text: String, style: String = "", fill: String = "auto") -> String {
    let style = style.isEmpty ? "" : "<w:pStyle w:val=\"\(style)\"/>"
    return "<w:p><w:pPr>\(style)<w:rPr><w:shd w:fill=\"aaaaaa\"/></w:rPr></w:pPr><w:r><w:rPr>"
      + "<w:shd w:fill=\"\(fill)\" w:val=\"clear\"/></w:rPr><w:t xml:space=\"preserve\">\(text)</w:t>"
      + "</w:r></w:p>"
  }

  private func table(_ content: String...) -> String {
    "<w:tbl><w:tr><w:tc><w:tbl><w:tr><w:tc><w:p/>\(content.joined())</w:tc></w:tr></w:tbl>"
      + "<w:p/></w:tc></w:tr></w:tbl>"
  }

  private func document(_ entries: String) -> [UInt8] {
    let text =
      "<?xml version=\"1.0\"?><w:document><w:body>"
      + table(paragraph("On signs", style: "Heading1"), paragraph("Ann Reed"), paragraph("Press"))
      + table(paragraph("This document is overwritten when you make changes in Play Books."))
      + paragraph("4 notes/highlights", style: "Heading1") + paragraph("Created by Ada")
      + entries + "</w:body></w:document>"
    return archive([("word/document.xml", Array(text.utf8), 0)])
  }

  @Test func `a document of Google Play Books is read`() throws {
    let source = ImportSource(
      document(
        paragraph("One &amp; two", style: "Heading2")
          + table(
            paragraph("Look here", fill: "C5E1A5"), paragraph("Why?"), paragraph("March 2, 2016"),
            paragraph("59"))
          + table(
            paragraph("First", fill: "fde096"), paragraph("second", fill: "fde096"),
            paragraph("2. März 2016"), paragraph("xii"))
          + table(paragraph("Alone"), paragraph("March 3, 2016"), paragraph("60"))
          + table(paragraph("March 3, 2016"), paragraph("61"))))
    #expect(GooglePlayBooks().recognizes(source))
    let content = try GooglePlayBooks().read(source)
    #expect(content.records.map(\.quote) == ["Look here", "First\nsecond"])
    #expect(content.records.map(\.note) == ["Why?", ""])
    #expect(content.records.map(\.color) == [.green, .yellow])
    #expect(
      content.records.map(\.location) == ["page 59 · One & two", "page xii · One & two"])
    #expect(content.records.map(\.author) == ["Ann Reed", "Ann Reed"])
    #expect(
      content.records.map { $0.created?.formatted(.iso8601) } == [
        "2016-03-02T00:00:00Z", "2016-03-02T00:00:00Z",
      ])
    #expect(
      content.notes == [
        SeparateNote(
          title: "On signs", author: "Ann Reed", location: "page 60 · One & two", text: "Alone")
      ])
    #expect(content.skipped == ["a bookmark at page 61 · One & two"])
  }

  @Test func `other documents and damaged archives are rejected`() {
    let whole = document(table(paragraph("Look", fill: "fde096"), paragraph("March 2, 2016")))
    var random = SeededGenerator(seed: 5)
    #expect(GooglePlayBooks().recognizes(ImportSource(whole)))
    let other = archive([("word/document.xml", Array("<w:p/>Play Books".utf8), 0)])
    #expect(!GooglePlayBooks().recognizes(ImportSource(other)))
    for length in stride(from: 0, to: whole.count, by: 7) {
      _ = GooglePlayBooks().recognizes(ImportSource(Array(whole.prefix(length))))
    }
    for _ in 0..<500 {
      var bytes = whole
      for _ in 0..<3 {
        bytes[Int.random(in: bytes.count - 120..<bytes.count, using: &random)] =
          UInt8.random(in: 0...255, using: &random)
      }
      _ = GooglePlayBooks().recognizes(ImportSource(bytes))
    }
  }

  // MARK: - Compressed data

  /// The 200 lines that `many` contains.
  private static let lines = (0..<200).map { "line \($0 * $0 % 97) of many\n" }.joined()
  private static let many = """
    7dU9DsIwDAXgnVP0CCRpk/Q4DCAhFZi5PWLMh5QsjBkt/z/bz8f9eV3Oy+u2PC7P9+n4iqEV11bcMc6tHLdWTuhX/DPhK9kT\
    4TFfSyuXiD3RiJ7R71ZP+iJU+G/Y73YvmGKtP/Yb+SvtUH4EnYr9RvhIO9VhORzyBfSV9rNwUE8if7A/0AGtSjmF8ov6NJAH8c\
    xnPbnfjd2KhmiJZhhMw2k5TaftNrgtbpPbVvu76i7/7HoY3Eru35q36K16y956HnBF7DONTCRTpT7PyYPyZBrwrDy8d0mc5PMB\
    zAcwH8B8APMBzAfwzwfwAQ==
    """

  private func bytes(_ base64: String) throws -> [UInt8] {
    Array(try #require(Data(base64Encoded: base64)))
  }

  @Test func `stored, fixed and dynamic blocks are decompressed`() throws {
    let texts = [
      "88nPz1bISC1K1VPwQWOWgNkA": "Look here. Look here. Look there.",
      "AQkA9v9Mb29rIGhlcmU=": "Look here",
      Self.many: Self.lines,
    ]
    for (base64, text) in texts {
      let found = try Inflate.decompress(bytes(base64)[...], limit: 1 << 20)
      #expect(found.map { String(decoding: $0, as: UTF8.self) } == text)
    }
    let file = try #require(ZipFile(archive([("a", [1], 0), ("b/c", try bytes(Self.many), 8)])))
    #expect(file.content(of: "b/c", limit: 1 << 20) == Array(Self.lines.utf8))
    #expect(file.content(of: "a", limit: 1 << 20) == [1])
    #expect(file.content(of: "c", limit: 1 << 20) == nil)
    #expect(file.content(of: "b/c", limit: 3000) == nil)
  }

  @Test func `damaged compressed data is rejected, and never exceeds the limit`() throws {
    let whole = try bytes(Self.many)
    for length in 0..<whole.count {
      #expect(Inflate.decompress(whole.prefix(length), limit: 1 << 20) == nil)
    }
    #expect(Inflate.decompress(whole[...], limit: Self.lines.utf8.count - 1) == nil)
    var random = SeededGenerator(seed: SeededGenerator.runSeed)
    for _ in 0..<2000 {
      var changed = whole
      changed[Int.random(in: 0..<changed.count, using: &random)] =
        UInt8.random(in: 0...255, using: &random)
      let found = Inflate.decompress(changed[...], limit: 10_000)
      #expect((found?.count ?? 0) <= 10_000)
    }
  }
}
