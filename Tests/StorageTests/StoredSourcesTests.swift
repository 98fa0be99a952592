import Foundation
import Model
import TestSupport
import Testing

@testable import Storage

@Suite struct StoredSourcesTests {
  let files = TemporaryStore()

  private func source(_ values: [(Source.Variable, String)]) -> Source {
    var source = Source()
    for (variable, text) in values { source.set(variable, typed: text) }
    return source
  }

  @Test func `setting a source records an operation for each changed variable`() throws {
    let store = try files.open()
    let document = try store.write { try $0.document("a.md") }
    let first = source([(.title, "A"), (.author, "Lee, Ann; {W3C}"), (.issued, "2001")])
    #expect(try store.write { try $0.setSource(first, of: document.id) })
    #expect(try !store.write { try $0.setSource(first, of: document.id) })
    let second = source([(.title, "B"), (.author, "Lee, Ann; {W3C}")])
    #expect(try store.write { try $0.setSource(second, of: document.id) })
    let fields = try store.read { transaction in
      try transaction.operations(of: try transaction.replica(), after: 0, limit: 99)
        .map(\.field.rawValue).filter { $0.hasPrefix("source/") }
    }
    #expect(
      fields == [
        "source/author", "source/issued", "source/title", "source/issued", "source/title",
      ])
    #expect(try store.read { try $0.source(of: document.id) } == second)
    #expect(try store.read { try $0.sources() } == [document.id: second])
    #expect(try store.integrityProblems() == [])
    try store.write { try $0.purge(document.id) }
    #expect(try store.read { try $0.sources() }.isEmpty)
    #expect(try store.integrityProblems() == [])
  }

  @Test func `a later value of another replica is used, in any order of operations`() throws {
    let store = try files.open()
    let document = try store.write { try $0.document("a.md") }
    _ = try store.write {
      try $0.setSource(source([(.title, "A"), (.page, "1")]), of: document.id)
    }
    let replica = ReplicaID(rawValue: 77)
    func operation(_ number: Int64, _ later: Int64, _ value: Model.Operation.Value)
      -> Model.Operation
    {
      let now = Timestamp(milliseconds: Date.now.milliseconds + later)
      return Model.Operation(
        dot: Dot(replica: replica, sequence: number), time: now, group: number,
        record: .document(document.id), field: .source(.title), value: value)
    }
    try store.write { transaction in
      try transaction.apply(operation(2, 2_000_000, .text("\"C\"")))
      try transaction.apply(operation(1, 1_000_000, .text("\"B\"")))
    }
    #expect(try store.read { try $0.source(of: document.id) }.text(.title) == "C")
    // A value that only a newer version can read stays in the log.
    try store.write { try $0.apply(operation(3, 3_000_000, .text("{"))) }
    #expect(try store.read { try $0.source(of: document.id) }.text(.title) == "C")
    try store.write { try $0.apply(operation(4, 4_000_000, .text("null"))) }
    #expect(
      try store.read { try $0.source(of: document.id) } == source([(.page, "1")]))
  }
}
