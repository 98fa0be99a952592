import Foundation
import Model
import TestSupport
import Testing

@testable import Storage

@Suite struct TextIndexTests {
  let files = TemporaryStore()

  private func passing(_ filter: TextFilter, _ store: Store) throws -> [String]? {
    try store.read { transaction in
      try transaction.catalog(passing: filter)?.filter(\.isIndexed).map(\.document.path.string)
    }
  }

  private func words(_ text: String...) -> TextFilter {
    .words(
      WordFilter(alternatives: [.init(wanted: text.map { .init(dividing: $0) })]))
  }

  private func revision(_ byte: UInt8) -> Revision {
    var revision = sampleRevision(byte)
    revision.sourceDigest = digest(byte)
    return revision
  }

  @Test func `substrings and words are found without regard to case and diacritics`() throws {
    let store = try files.open()
    try store.write { transaction in
      _ = try transaction.document("a.md", "The quick Fox — a Café in 北京大学.")
      _ = try transaction.document("b.md", "nothing of that kind")
    }
    for text in ["quick", "K FO", "CAFÉ", "cafe", "cafe\u{301}", "京大学", "fox — a", "学."] {
      #expect(try passing(.substring(text), store) == (text.count < 3 ? nil : ["a.md"]), "\(text)")
    }
    #expect(try passing(.substring("quack"), store) == [])
    #expect(try passing(.any([.substring("quack"), .substring("kind")]), store) == ["b.md"])
    #expect(try passing(.all([.substring("fox"), .substring("kind")]), store) == [])
    #expect(try passing(.any([.substring("fox"), .everything]), store) == nil)
    #expect(try passing(words("cafe", "FOX"), store) == ["a.md"])
    #expect(try passing(words("北京"), store) == ["a.md"])
    #expect(try passing(words("quick fox"), store) == ["a.md"])
    #expect(try passing(words("fox quick"), store) == [])
    #expect(try passing(words("ick"), store) == [])
  }

  @Test func `documents with more matches in less text rank first`() throws {
    let store = try files.open()
    try store.write { transaction in
      _ = try transaction.document(
        "few.md", "fox " + String(repeating: "and other things ", count: 90))
      _ = try transaction.document("many.md", "fox fox fox")
      for name in 0..<9 { _ = try transaction.document("no\(name).md", "something else") }
    }
    #expect(try passing(words("fox"), store) == ["many.md", "few.md"])
    func ranked() throws -> [String]? {
      try store.read { transaction in
        try transaction.ranking(passing: words("fox"))
          .map { try transaction.catalog(withKeys: $0) }?.map(\.document.path.string)
      }
    }
    #expect(try ranked() == ["many.md", "few.md"])
    try store.write { try $0.clearIndex() }
    #expect(try ranked() == nil)
  }

  @Test func `every document that contains the text is found`() throws {
    let seed = SeededGenerator.runSeed
    print("seed \(seed)")
    var random = SeededGenerator(seed: seed)
    let letters = [
      "a", "b", "B", "é", "e\u{301}", "京", "ſ", "S", "\u{212A}", "k", " ", "\n", "😀", ".", "ς", "Σ",
    ]
    let store = try files.open()
    var texts: [String] = []
    try store.write { transaction in
      for number in 0..<60 {
        let text = (0..<3 + random.next() % 60).map { _ in letters.randomElement(using: &random)! }
          .joined()
        texts.append(text)
        _ = try transaction.document("\(number).md", text)
      }
    }
    for (number, text) in texts.enumerated() {
      let scalars = Array(text.unicodeScalars)
      for _ in 0..<10 {
        let start = Int(random.next() % UInt64(scalars.count))
        let end = min(scalars.count, start + 3 + Int(random.next() % 6))
        var part = String.UnicodeScalarView()
        part.append(contentsOf: scalars[start..<end])
        for form in [String(part), String(part).uppercased(), String(part).lowercased()] {
          guard let found = try passing(.substring(form), store) else { continue }
          // Skip characters that grow when their case changes, such as ß.
          guard form.unicodeScalars.count == part.count else { continue }
          #expect(found.contains("\(number).md"), "seed \(seed): '\(form)' in '\(text)'")
        }
      }
    }
  }

  @Test func `a new text replaces the old index entry completely`() throws {
    let store = try files.open()
    let document = try store.write { try $0.document("a.md", "the quick fox jumped") }
    let before = try store.read { try $0.indexSizes() }
    for round in 0..<40 {
      let text = round % 2 == 0 ? "a lazy dog slept" : "the quick fox jumped"
      let stored = try store.write {
        try $0.replaceRevision(
          of: document.id, expecting: digest(UInt8(round + 1)), with: revision(UInt8(round + 2)),
          text: text, anchors: [:])
      }
      #expect(stored)
      #expect(try passing(.substring("quick"), store) == (round % 2 == 0 ? [] : ["a.md"]))
      #expect(try passing(words("dog"), store) == (round % 2 == 0 ? ["a.md"] : []))
    }
    try store.write { transaction in
      for table in ["text_words", "text_trigrams"] {
        try transaction.database.execute(
          sql: "INSERT INTO \(table) (\(table)) VALUES ('optimize')")
      }
    }
    let after = try store.read { try $0.indexSizes() }
    #expect(after.words <= before.words + 200 && after.trigrams <= before.trigrams + 200)
  }

  @Test func `an index entry with another digest or version is ignored`() throws {
    let store = try files.open()
    try store.write { transaction in
      _ = try transaction.document("a.md", "the quick fox")
      _ = try transaction.document("b.md", "the quick dog")
      try transaction.execute("UPDATE text_index SET digest = ? WHERE key = 1", [digest(9).bytes])
      try transaction.execute("UPDATE text_index SET version = 1 WHERE key = 2")
    }
    #expect(try passing(.substring("quick"), store) == [])
    #expect(try store.read { try $0.catalog() }.map(\.isIndexed) == [false, false])
    #expect(try store.write { try $0.indexMissing(after: 0, limit: 10) } == nil)
    #expect(Set(try #require(try passing(.substring("quick"), store))) == ["a.md", "b.md"])
    #expect(try store.read { try $0.catalog() }.map(\.isIndexed) == [true, true])
  }

  @Test func `a lost index is rebuilt, and a damaged one is not used`() throws {
    let store = try files.open()
    try store.write { transaction in
      for name in 0..<20 { _ = try transaction.document("\(name).md", "the quick fox \(name)") }
    }
    try store.write { try $0.clearIndex() }
    #expect(try passing(.substring("quick"), store) == [])
    #expect(try store.read { try $0.catalog() }.allSatisfy { !$0.isIndexed })
    var mark: Int64? = 0
    var calls = 0
    while let after = mark {
      mark = try store.write { try $0.indexMissing(after: after, limit: 7) }
      calls += 1
    }
    #expect(calls == 3)
    #expect(try passing(.substring("quick"), store)?.count == 20)

    try store.write { try $0.execute("UPDATE text_trigrams_data SET block = x'00ff00ff00ff'") }
    let again = try Store(at: files.path)
    #expect(try passing(.substring("quick"), again) == nil)
    // A text can be stored despite a damaged index.
    _ = try again.write { try $0.document("new.md", "another quick fox") }
    #expect(try passing(.substring("quick"), again) == ["new.md"])
    _ = try again.write { try $0.indexMissing(after: 0, limit: 100) }
    #expect(try passing(.substring("quick"), again)?.count == 21)
    #expect(try again.integrityProblems().isEmpty)
  }

  @Test func `a search that began before the index was rebuilt finds every document`() throws {
    let store = try files.open()
    try store.write { transaction in
      for name in 0..<20 { _ = try transaction.document("\(name).md", "the quick fox \(name)") }
    }
    let (keys, last) = try store.read {
      (try #require(try $0.ranking(passing: words("fox"))), try $0.lastIndexKey())
    }
    let other = try Store(at: files.path)
    func found() throws -> Set<String> {
      try store.read {
        Set(
          try $0.catalog(withKeys: keys.dropFirst(5)).map(\.document.path.string)
            + $0.reindexed(after: last).map(\.path.string))
      }
    }
    #expect(try found().count == 15)
    try other.write { try $0.clearIndex() }
    #expect(try found().count == 20)
    // A document that reuses another one's number isn't mistaken for it.
    try other.write { _ = try $0.indexMissing(after: 10, limit: 100) }
    #expect(try found().count == 20)
    try other.write { _ = try $0.indexMissing(after: 0, limit: 100) }
    #expect(try found().count == 20)
  }

  @Test func `in a library without index entries, no document is reported as reindexed`() throws {
    let store = try files.open()
    #expect(try store.read { try $0.ranking(passing: words("fox")) } == [])
    #expect(try store.read { try $0.reindexed(after: 0) } == [])
  }

  @Test func `an index key beyond the largest possible one does not prevent a rebuild`() throws {
    let store = try files.open()
    try store.write { transaction in
      _ = try transaction.document("a.md", "the quick fox")
      try transaction.execute(
        "UPDATE sqlite_sequence SET seq = ? WHERE name = 'text_index'", [Int64.max])
      try transaction.clearIndex()
      #expect(try transaction.indexMissing(after: 0, limit: 100) == nil)
    }
    #expect(try passing(words("fox"), store) == ["a.md"])
  }

  @Test func `a text without a current index entry is recognised, also when an old text returns`()
    throws
  {
    let store = try files.open()
    let document = try store.write { transaction in
      _ = try transaction.document("other.md", "the quick dog")
      return try transaction.document("a.md", "the quick fox")
    }
    func isIndexed() throws -> [Bool]? {
      try store.read { try $0.catalog(passing: .substring("quick")) }?.map(\.isIndexed)
    }
    func replace(_ number: UInt8, _ text: String, limit: Int) throws {
      let stored = try store.write { transaction in
        transaction.limitIndexing(toTextsOf: limit)
        var revision = revision(number + 1)
        revision.textDigest = digest(UInt8(text.utf8.count))
        return try transaction.replaceRevision(
          of: document.id, expecting: digest(number), with: revision, text: text, anchors: [:])
      }
      #expect(stored)
    }
    #expect(try isIndexed() == [true, true])
    try replace(1, "a lazy fox", limit: 0)
    #expect(try isIndexed() == [false, true])
    try replace(2, "a lazy fox slept", limit: 0)
    #expect(try isIndexed() == [false, true])
    try replace(3, "a lazy fox", limit: .max)
    #expect(try isIndexed() == [true])
    try replace(4, "a quick fox slept", limit: 0)
    try replace(5, "a lazy fox", limit: 0)
    #expect(try isIndexed() == [true])
    try replace(6, "a quick fox jumped", limit: 0)
    _ = try store.write { try $0.indexMissing(after: 0, limit: 10) }
    #expect(try isIndexed() == [true, true])
    try replace(7, "a lazy fox", limit: 0)
    try replace(8, "a quick fox jumped", limit: .max)
    #expect(try isIndexed() == [true, true])
    #expect(try store.integrityProblems().isEmpty)
  }

  @Test func `removed documents are not searched, and are found after restoring them`() throws {
    let store = try files.open()
    let document = try store.write { try $0.document("a.md", "the quick fox") }
    _ = try store.write { try $0.setTrashed(true, of: document.id) }
    #expect(try passing(.substring("quick"), store) == [])
    #expect(try store.read { try $0.catalog() }.isEmpty)
    _ = try store.write { try $0.setTrashed(false, of: document.id) }
    #expect(try passing(.substring("quick"), store) == ["a.md"])
  }

  @Test func `the change counter changes with every write by any process`() throws {
    let (store, other) = (try files.open(), try files.open())
    var marks = [try store.read { try $0.changeCounter() }]
    #expect(try store.read { try $0.changeCounter() } == marks[0])
    _ = try store.write { try $0.document("a.md") }
    marks.append(try store.read { try $0.changeCounter() })
    _ = try other.write { try $0.document("b.md") }
    marks.append(try store.read { try $0.changeCounter() })
    #expect(Set(marks).count == 3)
  }

  @Test func `saved queries are operations, and the last one is used`() throws {
    let store = try files.open()
    #expect(try store.write { try $0.setQuery("one", named: "a") })
    #expect(try store.write { try $0.setQuery("one", named: "a") } == false)
    #expect(try store.write { try $0.setQuery("two", named: "a") })
    #expect(try store.read { try $0.savedQueries() } == ["a": "two"])
    let operations = try store.read { try $0.operations(on: .library) }
    #expect(operations.map(\.value) == [.text("one"), .text("two")])
    #expect(operations.last?.previous == .text("one"))
    let other = try Store.inMemory()
    try other.write { transaction in
      for operation in operations.reversed() { try transaction.apply(operation) }
    }
    #expect(try other.read { try $0.savedQueries() } == ["a": "two"])
    #expect(try store.write { try $0.setQuery("", named: "a") })
    #expect(try store.read { try $0.savedQueries() }.isEmpty)
  }
}
