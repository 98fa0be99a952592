import Foundation
import Model
import TestSupport
import Testing

@testable import Storage

@Suite struct JournalTests {
  private let temporary = TemporaryStore()

  /// Undoes or redoes the newest step, as the library does.
  private func undo(_ store: Store, _ kind: StepKind = .undo) throws -> (Int, Int)? {
    try store.write { transaction in
      guard let entry = try kind == .undo ? transaction.nextUndo() : transaction.nextRedo() else {
        return nil
      }
      transaction.journal(JournalStep(kind, of: entry.id))
      return try transaction.reverse(try transaction.operations(of: entry))
    }
  }

  @Test func `each user action is a step, and automatic changes are not`() throws {
    let store = try temporary.open()
    let document = try store.write { try $0.document("a.md") }
    let highlight = try store.write { try $0.mark(document, "the «quick» fox", tags: ["x", "y"]) }
    _ = try store.write { try $0.setColor(.blue, of: highlight.id) }
    _ = try store.write { try $0.setColor(.blue, of: highlight.id) }
    _ = try store.write { transaction in
      transaction.journal(JournalStep(nil))
      return try transaction.setPath(DocumentPath("b.md"), of: document.id)
    }
    let journal = try store.read { try $0.journal(limit: 10) }
    #expect(journal.map(\.kind) == [.act, .act, .act])
    let counts = try store.read { transaction in
      try journal.map { try transaction.operations(of: $0).count }
    }
    #expect(counts == [1, 6, 3])
  }

  @Test func `undo and redo reach both ends of the history`() throws {
    let store = try temporary.open()
    let document = try store.write { try $0.document("a.md") }
    let highlight = try store.write { try $0.mark(document, "the «quick» fox", tags: ["x"]) }
    _ = try store.write { try $0.setNote("another", of: highlight.id) }
    _ = try store.write { try $0.setTag("x", false, of: highlight.id) }
    _ = try store.write { try $0.setTag("y", true, of: highlight.id) }
    _ = try store.write { try $0.setTrashed(true, of: highlight.id) }
    _ = try store.write { try $0.setLabel("question", of: .green) }
    func state() throws -> [String] {
      try store.read { transaction in
        let found = try transaction.highlight(highlight.id)
        return [
          found.map { "\($0.note) \($0.tags) \($0.isTrashed)" } ?? "",
          try transaction.labels().description,
          try transaction.document(document.id)?.state.rawValue ?? "",
        ]
      }
    }
    var states = [try state()]
    while let result = try undo(store) {
      #expect(result.0 > 0 && result.1 == 0)
      states.append(try state())
    }
    #expect(states.count == 8)
    #expect(states.last?[2] == "removed")
    for expected in states.dropLast().reversed() {
      #expect(try undo(store, .redo) != nil)
      let now = try state()
      #expect(now == expected)
    }
    #expect(try undo(store, .redo) == nil)
    for expected in states.dropFirst() {
      #expect(try undo(store) != nil)
      let now = try state()
      #expect(now == expected)
    }
    #expect(try undo(store) == nil)
    #expect(try store.integrityProblems() == [])
  }

  @Test func `a new change clears redo`() throws {
    let store = try temporary.open()
    let document = try store.write { try $0.document("a.md") }
    _ = try store.write { try $0.setTitle("One", of: document.id) }
    #expect(try undo(store) != nil)
    _ = try store.write { try $0.setTitle("Two", of: document.id) }
    #expect(try undo(store, .redo) == nil)
    #expect(try undo(store) != nil)
    #expect(try store.read { try $0.document(document.id)?.title } == "Title of a.md")
  }

  @Test func `undo keeps later changes of another replica`() throws {
    let store = try temporary.open()
    let document = try store.write { try $0.document("a.md") }
    _ = try store.write { try $0.setTitle("Mine", of: document.id) }
    let last = try store.read { try $0.operations(on: .document(document.id)).last }
    let time = try #require(last?.time)
    try store.write {
      try $0.apply(
        Operation(
          dot: Dot(replica: ReplicaID(rawValue: 7), sequence: 1),
          time: Timestamp(packed: time.packed + 1), group: 1, record: .document(document.id),
          field: .title, value: .text("Theirs"), previous: .text("Mine")))
    }
    #expect(try #require(try undo(store)) == (0, 1))
    #expect(try store.read { try $0.document(document.id)?.title } == "Theirs")
  }

  @Test func `an action in several transactions is one step`() throws {
    let store = try temporary.open()
    let group = try store.write { transaction in
      _ = try transaction.document("a.md")
      return transaction.group
    }
    _ = try store.write { transaction in
      transaction.journal(JournalStep(group: group))
      return try transaction.document("b.md")
    }
    #expect(try store.read { try $0.journal(limit: 9) }.count == 1)
    #expect(try undo(store) != nil)
    #expect(try store.read { try $0.documents(includingRemoved: false) }.isEmpty)
  }

  @Test func `a purged record is not restored by undo or by later operations`() throws {
    let store = try temporary.open()
    let document = try store.write { try $0.document("a.md") }
    let highlight = try store.write { try $0.mark(document, "the «quick» fox", tags: ["x"]) }
    _ = try store.write { try $0.setTrashed(true, of: highlight.id) }
    try store.write { transaction in
      transaction.journal(JournalStep(.final, label: "emptied"))
      try transaction.purge(highlight.id)
    }
    let operations = try store.read { try $0.operations(on: .highlight(highlight.id)) }
    #expect(
      operations.filter { $0.field != .created && $0.field != .purged }.allSatisfy {
        $0.value == .none && $0.previous == .none
      })
    let late = Operation(
      dot: Dot(replica: ReplicaID(rawValue: 7), sequence: 1),
      time: Timestamp(milliseconds: 1 << 46), group: 1, record: .highlight(highlight.id),
      field: .note, value: .text("late"))
    try store.write { try $0.apply(late) }
    #expect(try store.read { try $0.highlight(highlight.id) } == nil)
    #expect(try undo(store)?.0 == 0)
    #expect(try store.read { try $0.highlight(highlight.id) } == nil)

    try store.write { try $0.purge(document.id) }
    #expect(try store.read { try $0.documents(includingRemoved: true) }.isEmpty)
    #expect(try store.integrityProblems() == [])
    // In another replica the purge may arrive first.
    let other = try Store.inMemory()
    let all = try store.read { try $0.operations(of: try $0.replica(), after: 0, limit: 1000) }
    try other.write { transaction in
      for operation in all.reversed() { try transaction.apply(operation) }
    }
    #expect(try other.read { try $0.documents(includingRemoved: true) }.isEmpty)
    #expect(try other.read { try $0.highlights(HighlightFilter(trash: .included)) }.isEmpty)
  }

  @Test func `a file edit is stored completely, and deleted if it was not written`() throws {
    let store = try temporary.open()
    let document = try store.write { try $0.document("a.md") }
    let edit = FileEdit(
      document: document.id, before: digest(1), after: digest(2), places: 1,
      patch: Array(repeating: 7, count: 10_000))
    func begin() throws -> Int64 {
      try store.write { transaction in
        transaction.journal(JournalStep(label: "replaced"))
        return try transaction.beginStep([edit])
      }
    }
    let first = try begin()
    #expect(try store.read { try $0.fileEdits(of: first) } == [edit])
    #expect(try store.read { try $0.pendingSteps() } == [first])
    #expect(try store.write { try $0.confirmEdit(of: document.id, in: first) })
    #expect(try !store.write { try $0.confirmEdit(of: document.id, in: first) })
    let second = try begin()
    try store.write { try $0.dropEdit(of: document.id, in: second) }
    #expect(try !store.write { try $0.confirmEdit(of: document.id, in: second) })
    #expect(try store.read { try $0.journal(limit: 9).map(\.id) } == [first, 1])
    #expect(try store.read { try $0.pendingSteps() }.isEmpty)
  }

}
