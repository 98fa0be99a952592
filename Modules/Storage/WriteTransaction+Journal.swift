import FoundationEssentials
package import Model

extension WriteTransaction {
  /// For how many of the newest steps the files' bytes are kept.
  private static let resultLimit: Int64 = 100
  /// How many bytes they may take, compressed.
  private static let resultBytes = 64 << 20

  /// Says what this transaction is in the journal; without it, an act.
  package func journal(_ step: JournalStep) { self.step = step }

  /// Makes the entry of the step before any of its operations, for edits of files: they have to be
  /// on record before a file is touched.
  ///
  /// - Returns: the entry's number.
  package func beginStep(_ edits: [FileEdit]) throws -> Int64 {
    let entry = try insertStep(group: nil, last: nil)
    for edit in edits {
      guard let key = try documentKey(edit.document) else { continue }
      try execute(
        """
        INSERT INTO file_edit (entry, document, before, after, places, size, patch, result_size,
          result, pending)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 1)
        """,
        [
          entry, key, edit.before.bytes, edit.after.bytes, edit.places, edit.patch.count,
          edit.patch.withUnsafeBufferPointer(Compression.compress), edit.result?.count,
          edit.result?.withUnsafeBufferPointer(Compression.compress),
        ])
    }
    try execute(
      """
      WITH kept AS (
        SELECT rowid AS id, entry,
          sum(length(result)) OVER (ORDER BY entry DESC, rowid DESC) AS total
        FROM file_edit WHERE result IS NOT NULL
      )
      UPDATE file_edit SET result = NULL, result_size = NULL
      WHERE rowid IN (SELECT id FROM kept WHERE entry <= ? OR total > ?)
      """, [entry - Self.resultLimit, Self.resultBytes])
    return entry
  }

  /// Says that an edit was written.
  ///
  /// - Returns: false when somebody found meanwhile that it was not.
  package func confirmEdit(of document: Document.ID, in entry: Int64) throws -> Bool {
    guard let key = try documentKey(document) else { return false }
    try execute(
      "UPDATE file_edit SET pending = 0 WHERE entry = ? AND document = ? AND pending = 1",
      [entry, key])
    return database.changesCount == 1
  }

  /// Forgets an edit that was not written; and its step, when nothing else belongs to it.
  package func dropEdit(of document: Document.ID, in entry: Int64) throws {
    guard let key = try documentKey(document) else { return }
    try execute("DELETE FROM file_edit WHERE entry = ? AND document = ?", [entry, key])
    let target = try journalEntry(entry)?.target
    try execute(
      """
      DELETE FROM journal WHERE entry = ?1 AND act IS NULL
        AND NOT EXISTS (SELECT 1 FROM file_edit WHERE entry = ?1)
      """, [entry])
    if database.changesCount == 1, let target {
      try execute("UPDATE journal SET reversed = 0 WHERE entry = ?", [target])
    }
  }

  /// Reverts the operations of a step by new ones. A field that somebody changed since keeps
  /// what it says now.
  ///
  /// - Returns: how many were reverted, and how many fields keep their later values.
  package func reverse(_ operations: [Operation]) throws -> (reversed: Int, kept: Int) {
    let born = Set(operations.lazy.filter { $0.field == .created }.map(\.record))
    var result = (reversed: 0, kept: 0)
    for operation in operations.reversed() {
      if operation.field == .created {
        guard try isTrashed(operation.record) == false else { continue }
        try change(operation.record, .trashed, to: .flag(true), from: .flag(false))
        result.reversed += 1
      } else if !born.contains(operation.record), operation.value != operation.previous {
        guard operation.previous != .none, try stillSays(operation) else {
          result.kept += 1
          continue
        }
        try change(
          operation.record, operation.field, to: operation.previous, from: operation.value)
        result.reversed += 1
      }
    }
    return result
  }

  /// Whether a field says what an operation of this replica wrote, and this replica wrote it last:
  /// undoing and redoing other steps may have written it again.
  private func stillSays(_ operation: Operation) throws -> Bool {
    let last = try operations(on: operation.record).last { $0.field == operation.field }
    return last?.dot.replica == operation.dot.replica && last?.value == operation.value
  }

  /// Says that a step needs no taking back any more.
  package func skip(_ entry: Int64) throws {
    try execute("UPDATE journal SET reversed = 1 WHERE entry = ?", [entry])
  }

  /// Whether a record is in the trash; nil when there is no such record.
  func isTrashed(_ record: RecordReference) throws -> Bool? {
    switch record {
    case .document(let id): try document(id).map { $0.state == .removed }
    case .highlight(let id): try highlight(id)?.isTrashed
    case .library, .other: nil
    }
  }

  /// Puts the operations of the transaction into the journal.
  func recordStep(group: Int64, last: Int64) throws {
    if let entry = step.entry {
      try execute("UPDATE journal SET act = ?, last = ? WHERE entry = ?", [group, last, entry])
    } else if step.group != nil {
      try mergeOutline(group: group)
      try execute("UPDATE journal SET last = ? WHERE act = ?", [last, group])
    } else if step.kind != nil {
      _ = try insertStep(group: group, last: last)
    }
    // Few operations are read again when they are asked for.
    guard outline.count > StepOutline.limit else { return }
    try execute("UPDATE journal SET outline = ? WHERE act = ?", [try outline.stored(), group])
  }

  /// Puts what earlier transactions of the same group did before what was done here.
  private func mergeOutline(group: Int64) throws {
    if var whole = step.outline {
      whole.add(outline)
      outline = whole
      return
    }
    guard
      let entry = try first(
        "SELECT \(JournalEntry.columns) FROM journal WHERE act = ?", [group], JournalEntry.init)
    else { return }
    var whole = try self.outline(of: entry)
    whole.add(outline)
    outline = whole
  }

  private func insertStep(group: Int64?, last: Int64?) throws -> Int64 {
    try execute(
      "INSERT INTO journal (time, kind, target, act, last, label) VALUES (?, ?, ?, ?, ?, ?)",
      [wall.milliseconds, (step.kind ?? .act).rawValue, step.target, group, last, step.label])
    let entry = database.lastInsertedRowID
    if let target = step.target {
      try execute("UPDATE journal SET reversed = 1 WHERE entry = ?", [target])
    }
    return entry
  }
}
