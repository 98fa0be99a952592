import FoundationEssentials
import GRDB
package import Model

extension ReadTransaction {
  /// The steps in the journal, newest first.
  package func journal(limit: Int) throws -> [JournalEntry] {
    try values(
      "SELECT \(JournalEntry.columns) FROM journal ORDER BY entry DESC LIMIT ?", [limit],
      JournalEntry.init)
  }

  /// The step with a number.
  package func journalEntry(_ id: Int64) throws -> JournalEntry? {
    try row("SELECT \(JournalEntry.columns) FROM journal WHERE entry = ?", [id])
      .map(JournalEntry.init)
  }

  /// The step that `undo` takes back: the newest that is not taken back already.
  package func nextUndo() throws -> JournalEntry? {
    try row(
      """
      SELECT \(JournalEntry.columns) FROM journal
      WHERE kind IN ('act', 'redo') AND reversed = 0 ORDER BY entry DESC LIMIT 1
      """
    ).map(JournalEntry.init)
  }

  /// The undo that `redo` takes back: the newest since the last act.
  package func nextRedo() throws -> JournalEntry? {
    try row(
      """
      SELECT \(JournalEntry.columns) FROM journal
      WHERE kind = 'undo' AND reversed = 0 AND entry > \(Self.lastAct)
      ORDER BY entry DESC LIMIT 1
      """
    ).map(JournalEntry.init)
  }

  /// After an act nothing that was undone before is done again. What cannot be taken back changes
  /// nothing that can.
  private static let lastAct = "(SELECT coalesce(max(entry), 0) FROM journal WHERE kind = 'act')"

  /// Of records in the trash those that nobody threw away: an undo here took back that they were
  /// made. O(operations on the records).
  ///
  /// - Returns: for each whether `redo` can still make it again.
  package func undoneCreations(_ records: some Sequence<RecordReference>) throws
    -> [RecordReference: Bool]
  {
    let replica = try replica()
    let lastAct: Int64 = try row("SELECT \(Self.lastAct)")?[0] ?? 0
    // By the act of an undo, the one that it took back in the end.
    var known: [Int64: (act: Int64, canRedo: Bool)?] = [:]
    var result: [RecordReference: Bool] = [:]
    for record in records {
      let operations = try operations(on: record)
      guard let birth = operations.first(where: { $0.field == .created }),
        let last = operations.last(where: { $0.field == .trashed }),
        birth.dot.replica == replica, last.dot.replica == replica, last.value == .flag(true)
      else { continue }
      if known[last.group] == nil {
        known[last.group] = .some(
          try undone(by: last.group).map { ($0.act, $0.undo > lastAct) })
      }
      if let found = known[last.group] ?? nil, found.act == birth.group {
        result[record] = found.canRedo
      }
    }
    return result
  }

  /// The act that an undo took back, directly or by way of others; nil when the operations of `act`
  /// are no undo.
  private func undone(by act: Int64) throws -> (act: Int64, undo: Int64)? {
    var entry = try row(
      "SELECT \(JournalEntry.columns) FROM journal WHERE act = ? AND kind = 'undo'", [act]
    ).map(JournalEntry.init)
    guard let undo = entry?.id else { return nil }
    while let target = entry?.target { entry = try journalEntry(target) }
    return entry?.act.map { ($0, undo) }
  }

  /// The operations of a step, in the order in which they were made.
  package func operations(of entry: JournalEntry) throws -> [Operation] {
    try rows(
      """
      SELECT \(Operation.columns) FROM operation
      WHERE replica = (SELECT replica FROM library) AND act = ?1
        AND sequence BETWEEN ?1 AND (SELECT last FROM journal WHERE entry = ?2)
      ORDER BY sequence
      """, [entry.act, entry.id]
    ).compactMap(Operation.init)
  }

  /// What a step changed in files.
  ///
  /// - Throws: `StoreError.damaged` when it can no longer be read.
  package func fileEdits(of entry: Int64) throws -> [FileEdit] {
    try values(
      """
      SELECT d.replica, d.sequence, f.before, f.after, f.places, f.patch, f.size,
        f.result, f.result_size
      FROM file_edit f JOIN document d ON d.key = f.document WHERE f.entry = ?
      ORDER BY d.path
      """, [entry]
    ) { row in
      guard let before = ContentDigest(row[2] as Data?), let after = ContentDigest(row[3] as Data?),
        let patch = Compression.bytes(from: row[5], size: row[6])
      else { throw StoreError.damaged(path: "library", detail: "an edit in its journal") }
      return FileEdit(
        document: Document.ID(Dot(replica: row[0], sequence: row[1])), before: before,
        after: after, places: row[4], patch: patch,
        result: (row[7] as Data?).flatMap { Compression.bytes(from: $0, size: row[8] ?? 0) })
    }
  }

  /// The steps of which it is not known whether their edits of files were written: a process was
  /// killed meanwhile, or is just doing it.
  package func pendingSteps() throws -> [Int64] {
    try rows("SELECT DISTINCT entry FROM file_edit WHERE pending = 1 ORDER BY entry").map { $0[0] }
  }
}

extension JournalEntry {
  static let columns = "entry, time, kind, target, reversed, act, label"

  init(_ row: Row) {
    self.init(
      id: row[0], date: Date(milliseconds: row[1]), kind: StepKind(rawValue: row[2]) ?? .final,
      target: row[3], isReversed: row[4], act: row[5], label: row[6])
  }
}
