import Foundation
import Model
import Testing

@testable import Storage

@Suite struct PackingTests {
  let files = TemporaryStore()

  @Test func `the context of a highlight is stored once, and deleted when it is purged`() throws {
    let store = try files.open()
    let words = (0..<64).map { "seldom\($0)" }.joined(separator: " ")
    let id = try store.write { transaction in
      let document = try transaction.document("a.md", "the quick fox \(words)")
      return try transaction.mark(document, "the «quick» fox \(words)").id
    }
    #expect(try store.read { try $0.highlight(id)?.selector.suffix } == " fox \(words)")
    let operations = "SELECT sum(length(value)) FROM operation"
    #expect(try #require(Int(try files.sqlite(operations))) < words.count)
    try store.write { try $0.purge(id) }
    #expect(
      try files.sqlite(
        "SELECT count(*) FROM operation WHERE field = 'selector' AND value IS NOT NULL") == "0")
  }

  @Test func `changes of a record are found without scanning all operations`() throws {
    let changes = Operation.changes(of: "?1", "?2")
    let sql = "EXPLAIN QUERY PLAN SELECT time FROM \(changes) WHERE field = ?3"
    try files.open().read { transaction in
      let steps = try transaction.list(sql, [1, 2, "note"]) { try $0.text(3) }
      #expect(steps.contains { $0.contains("USING PRIMARY KEY (sequence>?") }, "\(steps)")
      #expect(
        steps.contains { $0.contains("INDEX operation_record (record_sequence=?") }, "\(steps)")
      #expect(!steps.contains { $0.hasPrefix("SCAN operation") }, "\(steps)")
    }
  }

}
