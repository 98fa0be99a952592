import FoundationEssentials
package import Model

extension WriteTransaction {
  /// The number of newest steps for which the edited files' bytes are stored.
  private static let resultLimit: Int64 = 100
  /// The maximum size of the stored bytes of edited files, compressed.
  private static let resultBytes = 64 << 20

  /// Sets how this transaction is recorded in the journal. The default is a user action.
  package func journal(_ step: JournalStep) { self.step = step }

  /// Creates the journal entry of a step before its first operation, because file edits must be
  /// recorded before a file is changed.
  ///
  /// - Parameter edits: the edits, which are pending until ``confirmEdit(of:in:)``.
  /// - Returns: the number of the entry.
  /// - Throws: ``StoreError`` if the database cannot be written.
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

  /// Records that an edit was written.
  ///
  /// - Returns: false if the edit is no longer pending, because another process has found that it
  ///   was not written.
  /// - Throws: ``StoreError`` if the database cannot be written.
  package func confirmEdit(of document: Document.ID, in entry: Int64) throws -> Bool {
    guard let key = try documentKey(document) else { return false }
    try execute(
      "UPDATE file_edit SET pending = 0 WHERE entry = ? AND document = ? AND pending = 1",
      [entry, key])
    return database.changesCount == 1
  }

  /// Deletes an edit that was not written, and its step if the step has no other edits or
  /// operations.
  ///
  /// - Throws: ``StoreError`` if the database cannot be written.
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

  /// Reverts the operations of a step with new operations. Fields that were changed later are not
  /// reverted.
  ///
  /// - Returns: the number of operations that were reverted, and the number of fields that keep a
  ///   later value.
  /// - Throws: ``StoreError`` if the database cannot be written.
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

  /// Whether this replica was the last to write a field, and the field still has the value that an
  /// operation wrote. Undoing and redoing other steps may have written that value again.
  private func stillSays(_ operation: Operation) throws -> Bool {
    let last = try operations(on: operation.record).last { $0.field == operation.field }
    return last?.dot.replica == operation.dot.replica && last?.value == operation.value
  }

  /// Marks a step as reverted without reverting anything.
  ///
  /// - Throws: ``StoreError`` if the database cannot be written.
  package func skip(_ entry: Int64) throws {
    try execute("UPDATE journal SET reversed = 1 WHERE entry = ?", [entry])
  }

  /// Whether a record is in the trash; nil if it does not exist or is of a kind that has no trash.
  func isTrashed(_ record: RecordReference) throws -> Bool? {
    switch record {
    case .document(let id): try document(id).map { $0.state == .removed }
    case .highlight(let id): try highlight(id)?.isTrashed
    case .library, .other: nil
    }
  }

  /// Records the transaction's operations in the journal.
  func recordStep(group: Int64, last: Int64) throws {
    if let entry = step.entry {
      try execute("UPDATE journal SET act = ?, last = ? WHERE entry = ?", [group, last, entry])
    } else if step.group != nil {
      try mergeOutline(group: group)
      try execute("UPDATE journal SET last = ? WHERE act = ?", [last, group])
    } else if step.kind != nil {
      _ = try insertStep(group: group, last: last)
    }
    // The summary of a short step is computed from its operations when it is needed.
    guard outline.count > StepOutline.limit else { return }
    try execute("UPDATE journal SET outline = ? WHERE act = ?", [try outline.stored(), group])
  }

  /// Adds the summary of earlier transactions in the same group to the transaction's own.
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
