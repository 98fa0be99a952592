package import FoundationEssentials
package import Model

/// Which steps `undo` and `redo` of a session are about: those of the document before a person's eyes,
/// and of others only what was done since the session began.
package struct SessionScope: Sendable {
  /// The document.
  package var document: Document.ID
  /// When the session began.
  package var began: Date

  /// Makes a scope of its parts.
  package init(document: Document.ID, began: Date) {
    (self.document, self.began) = (document, began)
  }
}

extension ReadTransaction {
  /// The steps in the journal, newest first.
  ///
  /// - Parameter before: the step that the last page ended with; nil to begin with the newest.
  package func journal(before entry: Int64? = nil, limit: Int) throws -> [JournalEntry] {
    try list(
      "SELECT \(JournalEntry.columns) FROM journal WHERE entry < ? ORDER BY entry DESC LIMIT ?",
      [entry ?? Int64.max, limit], JournalEntry.init)
  }

  /// The step with a number.
  package func journalEntry(_ id: Int64) throws -> JournalEntry? {
    try first(
      "SELECT \(JournalEntry.columns) FROM journal WHERE entry = ?", [id], JournalEntry.init)
  }

  /// The step that `undo` reverts: the newest that is not undone already.
  ///
  /// - Parameter scope: what it has to concern; nil for any.
  package func nextUndo(in scope: SessionScope? = nil) throws -> JournalEntry? {
    try first(
      """
      SELECT \(JournalEntry.columns) FROM journal
      WHERE kind IN ('act', 'redo') AND reversed = 0 AND \(Self.concerns)
      ORDER BY entry DESC LIMIT 1
      """, Self.arguments(scope), JournalEntry.init)
  }

  /// The undo that `redo` reverts: the newest since the last act.
  ///
  /// - Parameter scope: as for `nextUndo`.
  package func nextRedo(in scope: SessionScope? = nil) throws -> JournalEntry? {
    try first(
      """
      SELECT \(JournalEntry.columns) FROM journal
      WHERE kind = 'undo' AND reversed = 0 AND entry > \(Self.lastAct) AND \(Self.concerns)
      ORDER BY entry DESC LIMIT 1
      """, Self.arguments(scope), JournalEntry.init)
  }

  /// How many documents a step concerns beside one. O(the step).
  package func otherDocuments(of entry: JournalEntry, than document: Document.ID) throws -> Int {
    try first(
      """
      SELECT count(*) FROM document d WHERE NOT (d.sequence = ?1 AND d.replica = ?2) AND d.key IN (
        SELECT document FROM file_edit WHERE entry = ?3
        UNION SELECT n.key FROM operation o
          JOIN document n ON n.sequence = o.record_sequence AND n.replica = o.record_replica
          WHERE o.record_kind = 1 AND o.replica = (SELECT replica FROM library) AND o.act = ?4
            AND o.sequence BETWEEN ?4 AND (SELECT last FROM journal WHERE entry = ?3)
        UNION SELECT h.document FROM operation o
          JOIN highlight h ON h.sequence = o.record_sequence AND h.replica = o.record_replica
          WHERE o.record_kind = 2 AND o.replica = (SELECT replica FROM library) AND o.act = ?4
            AND o.sequence BETWEEN ?4 AND (SELECT last FROM journal WHERE entry = ?3))
      """, [document.dot.sequence, document.dot.storedReplica, entry.id, entry.group]
    ) { try $0.count(0) } ?? 0
  }

  private static func arguments(_ scope: SessionScope?) -> Arguments {
    [
      scope?.document.dot.sequence, scope?.document.dot.storedReplica,
      scope?.began.milliseconds,
    ]
  }

  /// Whether a step concerns the document ?1 of the replica ?2, or was made since ?3 and concerns what
  /// belongs to no document (names, queries); any does when these are null.
  private static let concerns = """
    (?1 IS NULL OR EXISTS (
      SELECT 1 FROM file_edit f JOIN document d ON d.key = f.document
      WHERE f.entry = journal.entry AND d.sequence = ?1 AND d.replica = ?2
    ) OR EXISTS (
      SELECT 1 FROM operation o
      WHERE o.replica = (SELECT replica FROM library) AND o.act = journal.act
        AND o.sequence BETWEEN journal.act AND journal.last
        AND (o.record_kind = 3 AND journal.time >= ?3
          OR o.record_kind = 2 AND o.field = 'document'
          OR o.record_kind = 1 AND o.record_sequence = ?1 AND o.record_replica = ?2
          OR o.record_kind = 2 AND EXISTS (
            SELECT 1 FROM highlight h JOIN document d ON d.key = h.document
            WHERE h.sequence = o.record_sequence AND h.replica = o.record_replica
              AND d.sequence = ?1 AND d.replica = ?2))
    ))
    """

  /// After an act nothing that was undone before is done again. What cannot be undone changes
  /// nothing that can.
  private static let lastAct =
    "coalesce((SELECT entry FROM journal WHERE kind = 'act' ORDER BY entry DESC LIMIT 1), 0)"

  /// Of records in the trash those that nobody moved there: an undo here reverted that they were
  /// made. O(operations on the records).
  ///
  /// - Returns: for each whether `redo` can still make it again.
  package func undoneCreations(_ records: some Sequence<RecordReference>) throws
    -> [RecordReference: Bool]
  {
    let replica = try replica()
    let lastAct = try first("SELECT \(Self.lastAct)") { try $0.integer(0) } ?? 0
    // By the group of an undo, the one that it reverted in the end.
    var known: [Int64: (group: Int64, canRedo: Bool)?] = [:]
    var result: [RecordReference: Bool] = [:]
    for record in records {
      let operations = try operations(on: record)
      guard let birth = operations.first(where: { $0.field == .created }),
        let last = operations.last(where: { $0.field == .trashed }),
        birth.dot.replica == replica, last.dot.replica == replica, last.value == .flag(true)
      else { continue }
      if known[last.group] == nil {
        known[last.group] = .some(
          try undone(by: last.group).map { ($0.group, $0.undo > lastAct) })
      }
      if let found = known[last.group] ?? nil, found.group == birth.group {
        result[record] = found.canRedo
      }
    }
    return result
  }

  /// The group that an undo reverted, directly or by way of others; nil when the operations of
  /// `group` are no undo.
  private func undone(by group: Int64) throws -> (group: Int64, undo: Int64)? {
    var entry = try first(
      "SELECT \(JournalEntry.columns) FROM journal WHERE act = ? AND kind = 'undo'", [group],
      JournalEntry.init)
    guard let undo = entry?.id else { return nil }
    while let target = entry?.target { entry = try journalEntry(target) }
    return entry?.group.map { ($0, undo) }
  }

  /// The operations of a step, in the order in which they were made.
  package func operations(of entry: JournalEntry, limit: Int = .max) throws -> [Operation] {
    try list(
      """
      SELECT \(Operation.columns) FROM operation
      WHERE replica = (SELECT replica FROM library) AND act = ?1
        AND sequence BETWEEN ?1 AND (SELECT last FROM journal WHERE entry = ?2)
      ORDER BY sequence LIMIT ?3
      """, [entry.group, entry.id, limit], Operation.init)
  }

  /// The newest changes of a document's path back to the last that a person made: its file was
  /// followed, which the journal leaves out. The latest first. O(operations on the document).
  package func followedPaths(of document: Document.ID) throws -> [Operation] {
    let replica = try replica()
    let changes = try operations(on: .document(document)).filter { $0.field == .path }
    return try Array(
      changes.reversed().prefix { change in
        let entry = try first("SELECT entry FROM journal WHERE act = ?", [change.group]) {
          try $0.integer(0)
        }
        return change.dot.replica == replica && entry == nil
      })
  }

  /// What a step changed in files.
  ///
  /// - Throws: `StoreError.damaged` when it can no longer be read.
  package func fileEdits(of entry: Int64) throws -> [FileEdit] {
    try database.values(
      """
      SELECT d.replica, d.sequence, f.before, f.after, f.places, f.patch, f.size,
        f.result, f.result_size, f.entry
      FROM file_edit f JOIN document d ON d.key = f.document WHERE f.entry = ?
      ORDER BY d.path
      """, [entry]
    ) { row in
      guard let patch = Compression.bytes(from: try row.data(5), size: try row.count(6)) else {
        throw row.bad(5)
      }
      return FileEdit(
        document: Document.ID(try row.dot(0)), before: try row.digest(2), after: try row.digest(3),
        places: try row.count(4), patch: patch,
        result: try row.ifPresent(7) {
          Compression.bytes(from: try row.data($0), size: try row.count($0 + 1))
        } ?? nil)
    }
  }

  /// The steps of which it is not known whether their edits of files were written: a process was
  /// killed meanwhile, or is just doing it.
  package func pendingSteps() throws -> [Int64] {
    try list("SELECT DISTINCT entry FROM file_edit WHERE pending = 1 ORDER BY entry") {
      try $0.integer(0)
    }
  }
}

extension JournalEntry {
  static let columns = "entry, time, kind, target, reversed, act, label"

  init(_ row: Row) throws {
    let id = try row.integer(0, in: 1...Row.countLimit)
    self.init(
      id: id, date: try row.date(1), kind: try row.value(2),
      // Only what was done before can be undone, so that whoever goes from target to target
      // comes to an end.
      target: try row.ifPresent(3) { try row.integer($0, in: 0...id - 1) },
      isReversed: try row.flag(4), group: try row.ifPresent(5) { try row.integer($0) },
      label: try row.text(6))
  }
}
