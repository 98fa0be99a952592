import Foundation
import Model
import TestSupport
import Testing

@testable import Storage

/// Tests the integrity check of `doctor`.
@Suite struct IntegrityTests {
  let files = TemporaryStore()

  private func fill() throws -> Store {
    let store = try files.open()
    try store.write { transaction in
      let document = try transaction.document("a.md", "the quick fox")
      let highlight = try transaction.mark(document, "the «quick» fox", tags: ["x", "y"])
      _ = try transaction.setTag("x", false, of: highlight.id)
      _ = try transaction.setNote("another", of: highlight.id)
      let other = try transaction.document("b.md", "the quick dog")
      let moved = try transaction.mark(document, "«the»")
      try transaction.reattach(
        moved.id, to: selector("the quick «dog»"), in: other.id,
        anchor: Anchor(range: TextRange(utf16: 10..<13), state: .exact, score: 1, method: "m"))
      let purged = try transaction.mark(other, "«the»")
      try transaction.purge(purged.id)
      let dropped = try transaction.document("c.md")
      _ = try transaction.mark(dropped, "«the»")
      try transaction.purge(dropped.id)
      _ = try transaction.setLabel("question", of: .pink)
      _ = try transaction.setLabel("", of: .pink)
      _ = try transaction.setQuery("fox", named: "foxes")
      _ = try transaction.detach(highlight.id)
      _ = try transaction.setProperty(.margins, "wide", of: .document(document.id))
      _ = try transaction.setProperty(.style("big"), "{}", of: .library)
      _ = try transaction.createFormat(
        "{\"characters\":{\"bold\":true}}", in: document.id,
        selector: selector("the quick «fox»"),
        anchor: Anchor(range: TextRange(utf16: 10..<13), state: .exact, score: 1, method: "m"))
      var source = Source()
      source.set(.title, typed: "Foxes")
      source.set(.page, typed: "7")
      _ = try transaction.setSource(source, of: document.id)
      source.set(.page, typed: "")
      _ = try transaction.setSource(source, of: document.id)
    }
    return store
  }

  @Test func `a valid library has no problems`() throws {
    #expect(try fill().integrityProblems() == [])
  }

  @Test(arguments: [
    ("UPDATE document SET path = 'z.md' WHERE path = 'a.md'", "the path of document"),
    ("UPDATE document SET title = 'z' WHERE path = 'a.md'", "the title of document"),
    ("UPDATE document SET trashed = 1 WHERE path = 'a.md'", "should not be removed"),
    ("PRAGMA foreign_keys = 1; DELETE FROM document WHERE path = 'a.md'", "is missing"),
    ("UPDATE highlight SET color = 'pink'", "the colour of highlight"),
    ("UPDATE highlight SET note = 'z'", "the note of highlight"),
    ("UPDATE highlight SET exact = 'z'", "the passage of highlight"),
    (
      "UPDATE operation SET value = substr(value, 1, length(value) - 1) WHERE field = 'selector'",
      "operation.value is a blob"
    ),
    ("UPDATE highlight SET document = 2", "the document of highlight"),
    ("UPDATE highlight SET origin_key = 'z'", "the origin of highlight"),
    ("UPDATE highlight SET trashed = 1", "should not be in the trash"),
    ("UPDATE highlight SET detached = 0", "should be marked as gone"),
    ("DELETE FROM tag", "the tags of highlight"),
    ("PRAGMA foreign_keys = 1; DELETE FROM highlight WHERE exact = 'quick'", "is missing"),
    ("DELETE FROM operation WHERE field = 'created'", "was never created by an operation"),
    ("UPDATE operation SET value = x'0b7d' WHERE field = 'note'", "operation.value is a blob"),
    (
      "UPDATE operation SET value = x'7b7d' WHERE field = 'note'",
      "has a value that Diple does not write"
    ),
    ("UPDATE operation SET value = '{}' WHERE field = 'note'", "the note of highlight"),
    ("UPDATE highlight SET start = -1", "highlight.start is -1"),
    ("UPDATE anchor SET score = 2", "anchor.score is 2"),
    ("UPDATE anchor SET end = 14 WHERE start IS NOT NULL", "ends beyond a text of document"),
    ("UPDATE highlight SET end = 14", "the passage of highlight"),
    ("UPDATE snapshot SET data = substr(data, 1, 20)", "cannot be read"),
    ("DELETE FROM saved_query", "the saved query 'foxes'"),
    ("UPDATE source SET value = '\"Dogs\"'", "the source of document"),
    ("DELETE FROM source", "the source of document"),
    ("DELETE FROM document_property", "a property of document"),
    ("UPDATE document_property SET value = 'narrow'", "a property of document"),
    ("DELETE FROM library_property", "a property of the library"),
    ("UPDATE highlight SET format = NULL WHERE format IS NOT NULL", "the format of highlight"),
    ("UPDATE highlight SET format = '{}' WHERE exact = 'quick'", "the format of highlight"),
    ("INSERT INTO source VALUES (2, 'page', '1')", "the source of document"),
    ("UPDATE source SET value = '{'", "source.value is '{'"),
    ("UPDATE source SET variable = 'a b'", "source.variable is 'a b'"),
    (
      "UPDATE operation SET value = '{' WHERE field = 'source/title'",
      "has a value that Diple does not write"
    ),
    ("UPDATE journal SET kind = 'z'", "journal.kind is 'z'"),
    ("PRAGMA foreign_keys = 0; UPDATE tag SET highlight = 99", "refers to a missing highlight"),
  ])
  func `the integrity check finds each kind of change`(_ change: String, _ problem: String) throws {
    let store = try fill()
    try files.sqlite(change)
    let problems = try store.integrityProblems()
    #expect(problems.contains { $0.contains(problem) }, "\(problems)")
    try expectSameInParts(problems, of: store)
  }

  /// Expects the same problems, in any order, for each division of the check, on one connection and
  /// on two.
  private func expectSameInParts(_ problems: [String], of store: Store) throws {
    let path = files.path
    let second: @Sendable () throws -> Database = { try StoreFile.openToRead(path) }
    for size: Int64 in [1, 5] {
      for second in [nil, second] {
        let found = try store.read {
          try Integrity($0, digest: nil).problems(besides: second, partSize: size)
        }
        #expect(
          found.sorted() == problems.sorted(), "parts of \(size), \(second == nil ? "one" : "two")")
      }
    }
  }

  @Test(arguments: ["", "abc", "größe", "a😀b", "界隈"])
  func `the UTF-16 units of a text are counted from its UTF-8 bytes`(_ part: String) {
    // The second text is longer than the parts in which bytes are counted.
    for text in [part, String(repeating: part, count: 20_000)] {
      let count = Array(text.utf8).withUnsafeBufferPointer(Integrity.utf16Count)
      #expect(count == text.utf16.count)
    }
  }

  @Test func `if the second connection fails, everything is checked on the first`() throws {
    let store = try fill()
    try files.sqlite("UPDATE highlight SET note = 'z'")
    let problems = try store.read { transaction in
      try Integrity(transaction, digest: nil).problems(
        besides: { throw StoreError.readOnly(path: "") }, partSize: 2)
    }
    #expect(try problems == store.integrityProblems() && !problems.isEmpty)
  }

  @Test func `a row with a huge sequence number does not increase the number of parts`() throws {
    let store = try fill()
    try files.sqlite(
      """
      UPDATE operation SET sequence = \(Int64.max >> 1)
      WHERE sequence = (SELECT max(sequence) FROM operation)
      """)
    try expectSameInParts(try store.integrityProblems(), of: store)
  }

  @Test func `a text that does not match its digest is found`() throws {
    let store = try fill()
    #expect(try store.integrityProblems { _ in digest(1) } == [])
    let problems = try store.integrityProblems { text in
      String(decoding: text, as: UTF8.self) == "the quick dog" ? digest(9) : digest(1)
    }
    #expect(problems.count == 1 && problems[0].contains("differs from its hash"))
  }

  @Test func `each operation is checked once, also with several replicas`() throws {
    let store = try fill()
    let own = try store.read { try $0.operations(of: try $0.replica(), after: 0, limit: 999) }
    for number in [1, UInt64.max] {
      let replica = ReplicaID(rawValue: number)
      func copy(_ dot: Dot) -> Dot { Dot(replica: replica, sequence: dot.sequence) }
      try store.write { transaction in
        for var operation in own {
          operation.dot = copy(operation.dot)
          switch operation.record {
          case .document(let id): operation.record = .document(Document.ID(copy(id.dot)))
          case .highlight(let id): operation.record = .highlight(Highlight.ID(copy(id.dot)))
          case .library, .other: break
          }
          if case .reference(let dot) = operation.value { operation.value = .reference(copy(dot)) }
          try transaction.apply(operation)
        }
      }
    }
    try store.read { transaction in
      var seen: [Dot] = []
      var last: RecordKey?
      let operations = try OrderedOperations(of: transaction) { Issue.record("\($0)") }
      while let key = operations.key {
        if let last { #expect(last < key) }
        last = key
        try operations.take(key) {
          #expect($0.record.dot == key.dot)
          seen.append($0.dot)
        }
      }
      #expect(seen.count == 3 * own.count && Set(seen).count == seen.count)
    }
    #expect(try store.integrityProblems() == [])
  }

  @Test func `the number of reported problems is limited`() throws {
    let store = try files.open()
    try store.write { transaction in
      for number in 0...Integrity.limit { _ = try transaction.document("\(number).md") }
    }
    try files.sqlite("UPDATE document SET title = ''")
    #expect(try store.integrityProblems().count == Integrity.limit)
  }
}
