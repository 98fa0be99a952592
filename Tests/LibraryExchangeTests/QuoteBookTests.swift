import BuiltIn
import Foundation
import Interchange
import LibrarySupport
import Model
import SystemSupport
import Testing

@testable import LibraryExchange
@testable import Workspace

/// Tests quotes of books, which are placed in matching documents or stored in a new one.
@Suite struct QuoteBookTests {
  let bench: LibraryBench

  init() throws { bench = try LibraryBench() }

  /// Clippings of a Kindle, with the words and location of each.
  private func clippings(
    _ entries: [(words: String, location: String)], of title: String = "On signs (Ann Reed)"
  )
    -> [UInt8]
  {
    Array(
      entries.map { words, location in
        "\(title)\r\n- Your Highlight on Location \(location) | Added on Friday, 27 January 2023 "
          + "05:56:46\r\n\r\n\(words)\r\n==========\r\n"
      }.joined().utf8)
  }

  private func add(_ library: Library, _ texts: [String: String]) async throws {
    for (name, text) in texts { try bench.write(name, text) }
    _ = try await library.add(texts.keys.sorted().map(bench.path))
  }

  private static let passage = "The traveller had gone after dinner, and nobody knew where."

  @Test func `a quote is placed in the only document that contains it`() async throws {
    let library = try bench.open()
    try await add(
      library,
      [
        "a.md": "# Other\n\nSomething about travellers.\n",
        "b.md": "# Away\n\nFirst. \(Self.passage) Last.\n",
      ])
    let report = try await library.importHighlights(
      clippings([(Self.passage.replacing(",", with: " –"), "10-12")]), from: nil, into: nil)
    let placed = try #require(report.made.first)
    #expect(placed.document.path.string == "b.md" && placed.highlight.anchor.state == .exact)
    #expect(placed.highlight.selector.exact == String(Self.passage.dropLast()))
    #expect(placed.highlight.origin?.origin?.location == "location 10-12")
    #expect(report.books.isEmpty)
  }

  @Test func `a quote with several matches is stored in a document of quotes`()
    async throws
  {
    let library = try bench.open()
    try await add(
      library,
      [
        "a.md": "# One\n\n\(Self.passage)\n", "b.md": "# Two\n\nAgain: \(Self.passage)\n",
        "c.md": "# Three\n\nThey looked for him everywhere. They looked for him everywhere.\n",
      ])
    let report = try await library.importHighlights(
      clippings([(Self.passage, "10-12"), ("They looked for him everywhere.", "14")]), from: nil,
      into: nil)
    #expect(
      report.made.map(\.document.path.string)
        == Array(repeating: "Quotes/On signs - Ann Reed.md", count: 2))
  }

  @Test func `a document with the book's title gets all quotes, even those that it lacks`()
    async throws
  {
    let library = try bench.open()
    try await add(library, ["signs.md": "# On: Signs\n\nLook here, and there.\n"])
    let report = try await library.importHighlights(
      clippings([("Look here", "10"), ("words that are not in it", "14")]), from: nil, into: nil)
    #expect(report.made.map(\.document.path.string) == ["signs.md", "signs.md"])
    #expect(report.made.map(\.highlight.anchor.state) == [.exact, .orphaned])
    #expect(report.placed == 1)
  }

  @Test(arguments: [
    ("Klabnik, Steve;Nichols, Carol", "Steve Klabnik and Carol Nichols"),
    ("Ann Lee, Bo Ek", "Ann Lee and Bo Ek"), ("Thoreau, Henry David", "Henry David Thoreau"),
  ])
  func `exports of quotes name the book and its authors`(author: String, names: String)
    async throws
  {
    let library = try bench.open()
    _ = try await library.importHighlights(
      clippings([("Ownership is a set of rules.", "900-910")], of: "The Book (\(author))"),
      from: nil, into: nil)
    #expect(try await library.documents().map(\.title) == ["Quotes of The Book"])
    for format in ["readwise", "csv", "org", "anki", "w3c", "markdown"] {
      let text = try await library.export(HighlightFilter(), as: format, to: "")
      // The words before a quote in the file may be its heading.
      let others = text.split(separator: "\n").filter { !$0.contains("\"prefix\"") }
      #expect(
        text.contains("The Book") && !others.contains { $0.contains("Quotes of The Book") },
        "\(text)")
      if !["w3c", "markdown"].contains(format) { #expect(text.contains(names), "\(text)") }
    }
    let readwise = try await library.export(HighlightFilter(), as: "readwise", to: "")
    #expect(readwise.contains(",900,"), "\(readwise)")
  }

  @Test func `a quote whose location is read better is not imported again`() async throws {
    let library = try bench.open()
    func importTwin(_ location: String, at seconds: Double?) async throws -> ImportReport {
      var record = AnnotationRecord(
        id: "", quote: "Look here", source: "", title: "On signs", color: .yellow,
        created: seconds.map { Date(timeIntervalSince1970: $0) })
      record.location = location
      return try await library.importRecords(
        ImportContent(records: [record]), of: "kindle", called: "Kindle", into: nil, dryRun: false)
    }
    let made = try #require(try await importTwin("location 12", at: nil).made.first?.highlight)
    let file = bench.path("Quotes/On signs.md")
    let text = try String(contentsOfFile: file, encoding: .utf8)
    // The date could not be read, then the page could not.
    for (location, seconds) in [("page 3", 60.0), ("page 3 · location 12", 60)] {
      let again = try await importTwin(location, at: seconds)
      #expect(again.made.isEmpty && again.known == 1 && again.updated.isEmpty)
      #expect(try String(contentsOfFile: file, encoding: .utf8) == text)
      let now = try await library.highlight(made.id.description)
      #expect(now.origin?.origin?.location == location)
    }
    for location in ["location 12", "page 3 · location 12"] {
      #expect(try await importTwin(location, at: 60).made.isEmpty)
    }
    #expect(try await importTwin("location 40", at: 90).made.count == 1)
  }

  @Test func `pages have separate quotes even if one address begins like the other`() async throws {
    let library = try bench.open()
    func importPage(_ address: String, _ words: String) async throws -> ImportReport {
      try await library.importHighlights(
        Array(
          "URL,Title,Selection,Folder,Timestamp,Tags\n\(address),,\(words),Unread,60,[]\n"
            .utf8), from: nil, into: nil)
    }
    #expect(try await importPage("https://example.org/signs/old", "Once").made.count == 1)
    let made = try await importPage("https://example.org/signs", "Again").made
    #expect(made.map(\.document.title) == ["Quotes of https://example.org/signs"])
  }

  @Test func `a dry run of several books has the identifiers of the real run`() async throws {
    let library = try bench.open()
    let input =
      clippings([("One.", "1"), ("Two.", "2")], of: "A") + clippings([("Three.", "3")], of: "B")
      + clippings([("Four.", "4")], of: "C")
    func identifiers(_ report: ImportReport) -> [[String]] {
      report.made.map {
        ["\($0.highlight.id)", "\($0.highlight.number ?? 0)", "\($0.document.id)"]
      }
    }
    let dry = try await library.importHighlights(input, from: nil, into: nil, dryRun: true)
    #expect(Set(dry.made.map(\.document.id)).count == 3)
    #expect(try await library.documents().isEmpty)
    let real = try await library.importHighlights(input, from: nil, into: nil)
    #expect(identifiers(dry) == identifiers(real))
  }

  @Test
  func `quotes of a book without a document are stored in a new document, which is extended later`()
    async throws
  {
    let library = try bench.open()
    let first: [(String, String)] = [
      ("Look *here*.\n\n1. And # there", "10-12"), ("- not <b>a</b> list", "20"), ("Twin", "30"),
      ("Twin", "40"),
    ]
    let rehearsal = try await library.importHighlights(
      clippings(first), from: nil, into: nil, dryRun: true)
    #expect(rehearsal.made.count == 4 && rehearsal.books.map(\.isNew) == [true])
    #expect(try await library.documents().isEmpty)
    #expect(!FileManager.default.fileExists(atPath: bench.path("Quotes")))

    let report = try await library.importHighlights(clippings(first), from: nil, into: nil)
    #expect(report.made.map(\.highlight.anchor.state) == Array(repeating: .exact, count: 4))
    #expect(
      report.made.map { $0.highlight.selector.exact.split(separator: "\n") } == [
        ["Look *here*.", "1. And # there"], ["- not <b>a</b> list"], ["Twin"], ["Twin"],
      ])
    #expect(try await library.documents().map(\.title) == ["Quotes of On signs"])
    let file = bench.path("Quotes/On signs - Ann Reed.md")
    let text = try String(contentsOfFile: file, encoding: .utf8)
    #expect(text.hasPrefix("# Quotes of On signs\n\nAnn Reed\n\n> Look \\*here\\*.\n"))

    // The user edits the document, and more quotes are imported.
    try (text.replacing("\nlocation 20\n", with: "\nlocation 20\n\nMy own words.\n")).write(
      toFile: file, atomically: true, encoding: .utf8)
    let more = try await library.importHighlights(
      clippings(first + [("A new one", "50")]), from: nil, into: nil)
    #expect(more.made.map(\.highlight.selector.exact) == ["A new one"] && more.known == 4)
    let now = try String(contentsOfFile: file, encoding: .utf8)
    #expect(now.contains("My own words.") && now.hasSuffix("> A new one\n\nlocation 50\n"))
    let all = try await library.highlights(HighlightFilter())
    #expect(all.count == 5 && all.allSatisfy { $0.anchor.range != nil })
    #expect(Set(all.compactMap(\.anchor.range)).count == 5)
    #expect(try await library.integrityProblems().isEmpty)
  }

  @Test func `undo reverts the whole import, and importing again restores it`() async throws {
    let library = try bench.open()
    let input = clippings([("Look here", "10")]) + clippings([("Elsewhere", "5")], of: "Another")
    _ = try await library.importHighlights(input, from: nil, into: nil)
    #expect(try await library.documents().count == 2)
    #expect(try await library.history(limit: 9).count == 1)
    _ = try await library.undo()
    #expect(try await library.documents().isEmpty)
    #expect(try await library.highlights(HighlightFilter()).isEmpty)
    let before = try String(contentsOfFile: bench.path("Quotes/Another.md"), encoding: .utf8)
    let again = try await library.importHighlights(input, from: nil, into: nil)
    #expect(again.made.count == 2 && again.made.allSatisfy { $0.highlight.anchor.state == .exact })
    #expect(try await library.documents().count == 2)
    #expect(try String(contentsOfFile: bench.path("Quotes/Another.md"), encoding: .utf8) == before)
    #expect(try await library.integrityProblems().isEmpty)
  }

  @Test func `a longer version of a quote updates its highlight`() async throws {
    let library = try bench.open()
    _ = try await library.importHighlights(
      clippings([("Look here", "10-12")]), from: nil, into: nil)
    let report = try await library.importHighlights(
      clippings([("Look here", "10-12"), ("Look here and there", "10-13")]), from: nil, into: nil)
    #expect(report.updated.map(\.highlight.selector.exact) == ["Look here and there"])
    let all = try await library.highlights(HighlightFilter())
    #expect(all.count == 1 && all[0].anchor.state == .exact)
    #expect(all[0].origin?.origin?.earlier?.map(\.quote) == ["Look here"])
  }

  @Test func `an annotation of a file outside the library is rejected`() async throws {
    let library = try bench.open()
    let input = Array(
      #"[{"type":"Annotation","target":{"source":"nowhere.md","selector":{"type":"TextQuoteSelector","exact":"x"}}}]"#
        .utf8)
    let report = try await library.importHighlights(input, from: nil, into: nil)
    #expect(report.failed == 1 && report.problems.map(\.code) == [.notFound])
  }

  @Test func `a book's title and a symbolic link cannot write outside the library`() async throws {
    let library = try bench.open()
    let outside = NSTemporaryDirectory() + "/diple-outside-" + UUID().uuidString
    try FileManager.default.createDirectory(atPath: outside, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: outside) }
    symlink(outside, bench.path("Quotes"))
    let report = try await library.importHighlights(
      clippings([("Look here", "10")], of: "../../x"), from: nil, into: nil)
    #expect(report.made.isEmpty && report.failed == 1)
    #expect(try FileManager.default.contentsOfDirectory(atPath: outside).isEmpty)
  }

  @Test
  func `file names are derived from titles, without separators and within the maximum length`() {
    func name(_ title: String, _ author: String = "") -> String {
      var record = AnnotationRecord(id: "", quote: "x", source: "", title: title, color: .yellow)
      record.author = author
      return QuoteBook(of: record).fileName
    }
    #expect(name("On signs", "Ann Reed") == "On signs - Ann Reed.md")
    #expect(name("") == "Quotes.md")
    #expect(name("a/b").hasPrefix("a-b ") && name("a/b") != name("a-b"))
    #expect(name("../x").hasPrefix("-x ") && !name(".hidden").hasPrefix("."))
    #expect(name(String(repeating: "ö", count: 300)).utf8.count < 140)
    #expect(name("a\u{0}b\nc") == "a b c.md")
  }
}
