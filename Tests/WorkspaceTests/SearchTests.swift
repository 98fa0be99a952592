import BuiltIn
import Editing
import Files
import Foundation
import LibrarySupport
import Model
import Search
import Storage
import Synchronization
import SystemSupport
import TestSupport
import Testing

@testable import Workspace

@Suite final class LibrarySearchTests {
  let folder = NSTemporaryDirectory() + "/diple-search-" + UUID().uuidString

  init() throws {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: folder) }

  private func write(_ name: String, _ text: String, age: TimeInterval = 60) throws {
    let path = folder + "/" + name
    try Data(text.utf8).write(to: URL(fileURLWithPath: path))
    let date = Date(timeIntervalSinceNow: -age)
    try FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: path)
  }

  private func open(_ opening: Library.Opening = .create) throws -> Library {
    try Library(
      at: LibraryLocation(folder: folder + "/.diple"), plugins: .builtIn, opening: opening)
  }

  /// Runs SQL on the database, without the library.
  private func sql(_ statement: String) throws {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["sqlite3", folder + "/.diple/library.sqlite", statement]
    try process.run()
    #expect(try process.end() == 0)
  }

  private final class Gathered: @unchecked Sendable {
    // Not locked: only one search calls `take` at a time.
    var results: [SearchResult] = []
    var reports: [RefreshReport] = []
    var most = Int.max

    func take(_ event: SearchEvent) -> Bool {
      switch event {
      case .found(let result): results.append(result)
      case .written: break
      case .report(let report): reports.append(report)
      }
      return results.count < most
    }

    /// Returns `path:line:column` and the matched words of each match.
    var lines: [String] {
      results.flatMap { result in
        result.matches.map { match in
          let units = Array(match.line.utf16)
          let words = String(decoding: units[match.lineRange.utf16], as: UTF16.self)
          let place = match.position.map { ":\($0.line):\($0.column)" } ?? ""
          return "\(result.document.path.string)\(place) \(words)"
        }
      }
    }
  }

  private func search(
    _ text: String, in library: Library, _ change: (inout SearchRequest) -> Void = { _ in }
  ) async throws -> [String] {
    var request = SearchRequest(query: try SearchQuery(text))
    change(&request)
    let gathered = Gathered()
    let outcome = try await library.search(request) { gathered.take($0) }
    #expect(outcome == .complete)
    return gathered.lines
  }

  @Test
  func `positions are line and column in the file, also after front matter and wide characters`()
    async throws
  {
    try write("a.md", "---\ntitle: fox\n---\n# A **fox** 😀 fox\n\n> - the [fox](fox.md)\n")
    let library = try open()
    _ = try await library.add([folder])
    #expect(
      try await search("fox", in: library) == ["a.md:4:7 fox", "a.md:4:16 fox", "a.md:6:10 fox"])
  }

  @Test func `superscripts, subscripts and small print are found by their plain characters`()
    async throws
  {
    try write("a.md", "10<sup>6</sup> or 106, H<sub>2</sub>O, 값<sup>Tainting</sup>은\n")
    let library = try open()
    _ = try await library.add([folder])
    #expect(try await search("106", in: library) == ["a.md:1:1 10⁶", "a.md:1:19 106"])
    #expect(try await search("H2O", in: library) == ["a.md:1:24 H₂O"])
    #expect(try await search("h2o", in: library) == ["a.md:1:24 H₂O"])
    #expect(try await search("tainting", in: library) == ["a.md:1:46 Tainting"])
  }

  @Test func `a search reports how many of the documents it has searched`() async throws {
    for name in ["a", "b", "c"] { try write("\(name).md", "The fox of \(name).\n") }
    let library = try open()
    _ = try await library.add([folder])
    let reports = Mutex<[(count: Int, total: Int)]>([])
    _ = try await library.search(
      SearchRequest(query: try SearchQuery("fox")),
      progress: { count, total in reports.withLock { $0.append((count, total)) } }
    ) { _ in true }
    #expect(reports.withLock { $0.map(\.count).sorted() } == [1, 2, 3])
    #expect(reports.withLock { $0.allSatisfy { $0.total == 3 } })
  }

  @Test func `a search sees files as they are now, not as they were indexed`()
    async throws
  {
    try write("a.md", "The quick fox.\n")
    try write("b.md", "A lazy dog.\n")
    try write("c.md", "Another fox.\n")
    let library = try open()
    _ = try await library.add([folder])
    #expect(try await search("fox", in: library) == ["a.md:1:11 fox", "c.md:1:9 fox"])
    // a.md no longer matches and b.md does, but the index is stale.
    try write("a.md", "The quick cat.\n", age: 50)
    try write("b.md", "A lazy\nfox.\n", age: 50)
    let lastSeen = try await search("fox", in: library) { $0.checksFiles = false }
    #expect(lastSeen == ["a.md:1:11 fox", "c.md:1:9 fox"])
    #expect(Set(try await search("fox", in: library)) == ["b.md:2:1 fox", "c.md:1:9 fox"])
    try FileManager.default.removeItem(atPath: folder + "/c.md")
    let gathered = Gathered()
    _ = try await library.search(SearchRequest(query: try SearchQuery("fox"))) { gathered.take($0) }
    #expect(Set(gathered.lines) == ["b.md:2:1 fox", "c.md:1:9 fox"])
    #expect(gathered.reports.map(\.change) == [.unreadable])
    try write("c.md", "fox\n", age: 40)
    #expect(Set(try await search("fox", in: library)) == ["b.md:2:1 fox", "c.md:1:1 fox"])
  }

  @Test
  func
    `unindexed documents are searched, and missing files as they were last seen`()
    async throws
  {
    for name in ["b", "a", "c"] { try write("\(name).md", "The fox of \(name).\n") }
    try write("z.md", "Nothing.\n")
    _ = try await open().add([folder])
    try FileManager.default.removeItem(atPath: folder + "/c.md")
    _ = try await open(.existing).refresh()
    // Unindexed documents are searched too.
    try FileManager.default.createDirectory(
      atPath: folder + "/late", withIntermediateDirectories: true)
    try write("late/d.md", "A late fox.\n")
    _ = try await open(.existing).add([folder + "/late"])
    try sql("DELETE FROM text_index WHERE document = (SELECT max(key) FROM document)")
    for strategy in ["literal", "text"] {
      // Each search opens the library again, so nothing is cached.
      let seen = try await search("fox", in: open(.existing)) {
        ($0.strategy, $0.checksFiles) = (strategy, false)
      }
      let expected = ["a.md:1:5 fox", "b.md:1:5 fox", "c.md:1:5 fox", "late/d.md:1:8 fox"]
      #expect(strategy == "literal" ? seen == expected : Set(seen) == Set(expected))
      let settled = try await search("fox", in: open(.existing)) {
        ($0.strategy, $0.filesAreSettled) = (strategy, true)
      }
      #expect(Set(settled) == Set(expected))
    }
  }

  @Test func `results do not depend on the index: complete, missing, stale or damaged`()
    async throws
  {
    let seed = SeededGenerator.runSeed
    print("seed \(seed)")
    var random = SeededGenerator(seed: seed)
    let words = [
      "fox", "Fox", "dog", "café", "cafe\u{301}", "北京", "foxes", "red", "x", "größe", "GRÖSSE",
      "don't",
    ]
    for name in 0..<40 {
      let text = (0..<4 + random.next() % 12).map { _ in words.randomElement(using: &random)! }
        .joined(separator: random.next() % 2 == 0 ? " " : ", ")
      try write("\(name).md", text + "\n")
    }
    let library = try open()
    _ = try await library.add([folder])
    let queries: [(String, String)] = [
      ("literal", "fox"), ("literal", "Fox"), ("literal", "café"), ("literal", "北京"),
      ("literal", "x"),
      ("regex", "fox|dog"), ("regex", "(fox|red).*dog"), ("regex", "gr.+e"), ("regex", "\\bd\\w+t"),
      ("words", "red dog"), ("any-word", "red dog"), ("near", "fox dog ~3"), ("text", "cafe"),
      ("text", "fox -dog"), ("text", "\"red fox\" OR 京"), ("text", "fo*"),
      ("fuzzy", "red foxs dog"),
    ]
    func all(_ what: String) async throws -> [Set<String>] {
      var found: [Set<String>] = []
      for (strategy, text) in queries {
        for diacritics in strategy == "regex" ? [false] : [false, true] {
          let query = try SearchQuery(text, ignoresDiacritics: diacritics)
          var request = SearchRequest(query: query)
          request.strategy = strategy
          let gathered = Gathered()
          #expect(try await library.search(request) { gathered.take($0) } == .complete)
          found.append(Set(gathered.lines))
        }
      }
      return found
    }
    // Without an index every text is scanned. These results are the reference.
    try sql("DELETE FROM text_index;")
    let truth = try await all("none")
    #expect(truth.count { !$0.isEmpty } >= queries.count, "seed \(seed): too little is found")
    #expect(try await library.indexedCount() == 40, "searches fill the index again")
    #expect(try await all("filled") == truth, "seed \(seed)")
    try sql("UPDATE text_index SET digest = x'00' WHERE document % 3 = 0;")
    #expect(try await all("stale") == truth, "seed \(seed)")
    try sql(
      "UPDATE text_trigrams_data SET block = x'00ff'; UPDATE text_words_data SET block = x'01';")
    #expect(try await all("damaged") == truth, "seed \(seed)")
    try await library.rebuildIndex()
    #expect(try await library.indexedCount() == 40)
    #expect(try await all("new") == truth, "seed \(seed)")
  }

  @Test func `a ranked search returns the best documents first`() async throws {
    try write("a.md", "one fox and " + String(repeating: "many other words ", count: 50) + "\n")
    try write("b.md", "Fox, fox and fox.\n")
    try write("c.md", "nothing\n")
    let library = try open()
    _ = try await library.add([folder])
    let found = try await search("fox", in: library) {
      $0.strategy = "text"
      $0.matchesPerDocument = 2
    }
    #expect(found == ["b.md:1:1 Fox", "b.md:1:6 fox", "a.md:1:5 fox"])
  }

  @Test func `countsAll counts the matches beyond matchesPerDocument`()
    async throws
  {
    try write("a.md", String(repeating: "fox and ", count: 70) + "end\n")
    let library = try open()
    _ = try await library.add([folder])
    let note = String(repeating: "a fox ", count: 30)
    _ = try await library.mark("a.md", "\"end\"", note: note)
    for (countsAll, wanted) in [(true, [70, 30]), (false, [5, 5])] {
      var request = SearchRequest(query: try SearchQuery("fox"))
      request.place = .all
      (request.matchesPerDocument, request.countsAll) = (5, countsAll)
      let found = Mutex<[SearchResult]>([])
      _ = try await library.search(request) { event in
        if case .found(let result) = event { found.withLock { $0.append(result) } }
        return true
      }
      let results = found.withLock { $0 }
      #expect(results.map(\.count) == wanted)
      #expect(results.map(\.matches.count) == [5, 5])
    }
  }

  /// Writes each match's position, its ranges, and the length of its line.
  private struct PlaceFormatter: MatchFormatter {
    func append(_ found: FoundText, from first: Int, to bytes: inout [UInt8], until size: Int)
      -> Int
    {
      var index = first
      while index < found.matches.count, bytes.count < size {
        bytes += Self.line(of: found.results(index..<index + 1)[0]).utf8
        index += 1
      }
      return index
    }

    static func line(of match: SearchResult.Match) -> String {
      let (at, place) = (match.position?.line ?? 0, match.position?.column ?? 0)
      let (range, inLine) = (match.range?.utf16 ?? 0..<0, match.lineRange.utf16)
      return "\(at):\(place) \(range.lowerBound)-\(range.upperBound) "
        + "\(inLine.lowerBound)-\(inLine.upperBound) of \(match.line.utf8.count)\n"
    }
  }

  @Test func `many matches are delivered in batches, with the same results by a formatter`()
    async throws
  {
    let many = String(repeating: "äb, ab 😀 ab\n", count: 10_500)
    try write("a.md", many + "\n" + String(repeating: "ab ", count: 2_000) + "end\n")
    try write("b.md", "# one ab\n\nand *no* more than two ab\n")
    let library = try open()
    _ = try await library.add([folder])
    for (most, wanted) in [(nil, 23_002), (20_000, 20_002), (16_384, 16_386), (3, 5)] {
      for (strategy, text) in [("literal", "ab"), ("regex", "(?<!ä)ab|b"), ("words", "ab")] {
        var request = SearchRequest(query: try SearchQuery(text))
        (request.matchesPerDocument, request.strategy) = (most, strategy)
        let gathered = Gathered()
        #expect(try await library.search(request) { gathered.take($0) } == .complete)
        let matches = gathered.results.flatMap(\.matches)
        let written = Mutex<(bytes: [UInt8], count: Int)>(([], 0))
        let outcome = try await library.search(request, writing: PlaceFormatter()) { event in
          if case .written(let bytes, let count) = event {
            written.withLock {
              $0.bytes += bytes
              $0.count += count
            }
          }
          return true
        }
        #expect(outcome == .complete)
        if strategy == "literal" { #expect(matches.count == wanted) }
        #expect(written.withLock { $0.count } == matches.count)
        let lines = String(decoding: written.withLock { $0.bytes }, as: UTF8.self)
        #expect(lines == matches.map(PlaceFormatter.line).joined(), "\(strategy) \(most ?? 0)")
        #expect(gathered.results.allSatisfy { $0.matches.count <= 16_384 })
      }
    }
  }

  @Test func `notes, quotes and the text of filtered highlights can be searched`() async throws {
    try write("a.md", "A red fox and a brown fox.\n\nGone words of a fox.\n")
    let library = try open()
    _ = try await library.add([folder])
    let document = try await library.document("a.md")
    var request = MarkRequest()
    (request.note, request.tags, request.color) = ("About the Fox", ["animal"], .green)
    _ = try await library.mark(document, try SelectionSpec(parsing: "\"red fox\""), request)
    _ = try await library.mark("a.md", "\"Gone words of a fox\"")
    try write("a.md", "Before.\n\nA red fox and a brown fox.\n", age: 30)
    func find(_ text: String, _ change: (inout SearchRequest) -> Void) async throws -> [String] {
      try await search(text, in: library, change)
    }
    #expect(try await find("fox") { $0.place = .notes } == ["a.md:3:3 Fox"])
    #expect(try await find("fox") { $0.place = .highlights } == ["a.md:3:3 fox", "a.md fox"])
    #expect(
      try await find("fox") { $0.highlights = HighlightFilter(colors: [.green]) } == [
        "a.md:3:7 fox"
      ])
    #expect(try await find("fox") { $0.highlights = HighlightFilter(tags: ["other"]) } == [])
    #expect(
      try await find("fox") {
        $0.place = .highlights
        $0.highlights = HighlightFilter(states: [.orphaned])
      } == ["a.md fox"])
    #expect(
      try await find("fox") { $0.place = .all } == [
        "a.md:3:7 fox", "a.md:3:23 fox", "a.md:3:3 fox", "a.md:3:3 Fox", "a.md fox",
      ])
    #expect(try await find("fox") { $0.documents = [] } == [])
    #expect(try await find("brown") { _ in } == ["a.md:3:17 brown"])
  }

  @Test func `a cancelled or timed-out search ends with that outcome`()
    async throws
  {
    for name in 0..<40 { try write("\(name).md", "a fox\n") }
    let library = try open()
    _ = try await library.add([folder])
    let gathered = Gathered()
    gathered.most = 3
    var request = SearchRequest(query: try SearchQuery("fox"))
    #expect(try await library.search(request) { gathered.take($0) } == .cancelled)
    #expect(gathered.results.count == 3)
    request.timeLimit = .zero
    #expect(try await library.search(request) { _ in true } == .timedOut)
    let task = Task { [request] in
      var request = request
      request.timeLimit = nil
      withUnsafeCurrentTask { $0?.cancel() }
      return try await library.search(request) { _ in true }
    }
    #expect(try await task.value == .cancelled)
  }

  @Test func `a pattern that backtracks too much in one document still finds matches in others`()
    async throws
  {
    try write("a.md", String(repeating: "a", count: 60) + "b\n")
    try write("b.md", "caaa\n")
    let library = try open()
    _ = try await library.add([folder])
    var request = SearchRequest(query: try SearchQuery("(a+)+$"))
    request.strategy = "regex"
    let gathered = Gathered()
    let outcome = try await library.search(request) { gathered.take($0) }
    guard case .failed(let cause) = outcome else {
      Issue.record("\(outcome)")
      return
    }
    #expect(cause.hasPrefix("a.md: ") && gathered.lines == ["b.md:1:2 aaa"])
  }

  @Test func `a read-only library can be searched`() async throws {
    try write("a.md", "a fox\n")
    _ = try await open().add([folder])
    try write("a.md", "no\nfox\n", age: 30)
    // The superuser ignores file modes, so the library is also opened read-only.
    let path = folder + "/.diple/library.sqlite"
    try FileManager.default.setAttributes([.posixPermissions: 0o444], ofItemAtPath: path)
    let library = try open(.readOnly)
    #expect(try await search("fox", in: library) == ["a.md:2:1 fox"])
    #expect(try await search("fox", in: library) == ["a.md:2:1 fox"])
  }

  /// A ranked search reads the best documents first, the others in the order of their index rows.
  @Test func `a document that another process indexes during a ranked search is found once`()
    async throws
  {
    for number in 0..<300 {
      try write("\(number).md", "A needle.\n" + String(repeating: "hay ", count: number) + "\n")
    }
    _ = try await open().add([folder])
    let library = try open()
    let other = try Store(at: folder + "/.diple/library.sqlite")
    let last = try await library.document("299.md")
    let revision = try #require(try other.read { try $0.revision(of: last.id) })
    // When the first document is found, another process stores a new revision of the last one.
    let text = "Hay and a needle."
    try write("299.md", text)
    let status = try #require(try FileSystem.status(of: folder + "/299.md"))
    let change = Mutex<Revision?>(
      Revision(
        sourceDigest: ContentDigest(sha256: Array(text.utf8)),
        textDigest: ContentDigest(sha256: Array(text.utf8)), renderVersion: revision.renderVersion,
        dialect: revision.dialect, stamp: FileStamp(status, checked: FileStamp.currentTime),
        seen: Date()))
    var request = SearchRequest(query: try SearchQuery("needle"))
    request.strategy = "text"
    let found = Mutex<[String]>([])
    let outcome = try await library.search(request) { event in
      guard case .found(let result) = event else { return true }
      found.withLock { $0.append(result.document.path.string) }
      if let new = change.withLock({ $0.take() }) {
        let isStored = try? other.write {
          try $0.replaceRevision(
            of: last.id, expecting: revision.sourceDigest, with: new, text: text, anchors: [:])
        }
        #expect(isStored == true)
      }
      return true
    }
    #expect(outcome == .complete)
    let names = found.withLock { $0 }
    #expect(names.count == 300 && names.last == "299.md", "\(names.count), \(names.last ?? "")")
    #expect(Set(names).count == 300)
  }

  @Test func `adding many files indexes each one and reports them in order`() async throws {
    let names = (100..<400).map { "\($0).md" }
    for name in names { try write(name, "# \(name)\n\nWords of \(name).\n") }
    let library = try open()
    let paths = (names + ["none.md"]).map { folder + "/" + $0 }
    let report = try await library.add(paths)
    #expect(
      report.additions.map { $0.document.path.string.split(separator: "/").last.map(String.init) }
        == names)
    #expect(report.problems.map(\.code) == [.notFound])
    #expect(try await library.indexedCount() == names.count)
    let again = try await library.add(paths)
    #expect(again.additions.allSatisfy { $0.kind == .known })
    #expect(again.additions.map(\.document.id) == report.additions.map(\.document.id))
  }
}
