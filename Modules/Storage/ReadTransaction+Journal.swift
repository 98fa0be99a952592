package import FoundationEssentials
package import Model

/// The steps that a session's undo and redo consider.
///
/// These are the steps that concern the open document, and steps concerning the whole library that
/// were made since the session began.
package struct SessionScope: Sendable {
  /// The document that is open in the session.
  package var document: Document.ID
  /// The time at which the session began.
  package var began: Date
  /// Whether a step is refused whose undo would remove the document from the library, because the
  /// document is on the screen.
  package var keepsDocument: Bool

  /// Creates a scope for a session.
  package init(document: Document.ID, began: Date, keepsDocument: Bool = false) {
    (self.document, self.began, self.keepsDocument) = (document, began, keepsDocument)
  }
}

extension ReadTransaction {
  /// Returns steps of the journal, newest first.
  ///
  /// - Parameters:
  ///   - before: the last step of the previous page; nil to start with the newest.
  ///   - limit: the maximum number of steps to return.
  /// - Throws: ``StoreError`` if the database cannot be read. Damaged rows are skipped.
  package func journal(before entry: Int64? = nil, limit: Int) throws -> [JournalEntry] {
    try list(
      "SELECT \(JournalEntry.columns) FROM journal WHERE entry < ? ORDER BY entry DESC LIMIT ?",
      [entry ?? Int64.max, limit], JournalEntry.init)
  }

  /// Returns the step with a number; nil if there is no such step.
  ///
  /// - Throws: `StoreError.damaged` if the row is damaged; another ``StoreError`` if the database
  ///   cannot be read.
  package func journalEntry(_ id: Int64) throws -> JournalEntry? {
    try first(
      "SELECT \(JournalEntry.columns) FROM journal WHERE entry = ?", [id], JournalEntry.init)
  }

  /// Returns the step that `undo` would revert: the newest step that is not undone; nil if all
  /// steps are undone.
  ///
  /// - Parameters:
  ///   - scope: restricts the steps to those of a session; nil for no restriction.
  ///   - includingFinal: whether the result may be a step that cannot be undone.
  /// - Throws: `StoreError.damaged` if the row is damaged; another ``StoreError`` if the database
  ///   cannot be read.
  package func nextUndo(in scope: SessionScope? = nil, includingFinal: Bool = false) throws
    -> JournalEntry?
  {
    try first(
      """
      SELECT \(JournalEntry.columns) FROM journal
      WHERE kind IN ('act', 'redo'\(includingFinal ? ", 'final'" : "")) AND reversed = 0
        AND \(Self.concerns)
      ORDER BY entry DESC LIMIT 1
      """, Self.arguments(scope), JournalEntry.init)
  }

  /// Returns the undo that `redo` would revert: the newest undo since the last action; nil if no
  /// undo followed it.
  ///
  /// - Parameters:
  ///   - scope: restricts the undos and the actions to those of a session; nil for no restriction.
  ///   - beforeActions: whether the result may be an undo before the last action.
  /// - Throws: `StoreError.damaged` if the row is damaged; another ``StoreError`` if the database
  ///   cannot be read.
  package func nextRedo(in scope: SessionScope? = nil, beforeActions: Bool = false) throws
    -> JournalEntry?
  {
    try first(
      """
      SELECT \(JournalEntry.columns) FROM journal
      WHERE kind = 'undo' AND reversed = 0 AND \(Self.concerns)
        \(beforeActions ? "" : "AND entry > \(Self.lastAct(where: Self.concerns))")
      ORDER BY entry DESC LIMIT 1
      """, Self.arguments(scope), JournalEntry.init)
  }

  /// The number of other documents, besides `document`, that a step concerns. O(operations of the
  /// step).
  ///
  /// - Throws: ``StoreError`` if the database cannot be read.
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

  /// Returns whether a step added a document to the library or took it out of the trash, so that
  /// undoing it removes the document. O(operations on the document).
  ///
  /// - Throws: ``StoreError`` if the database cannot be read.
  package func adds(_ document: Document.ID, in entry: JournalEntry) throws -> Bool {
    try first(
      """
      SELECT 1 FROM operation
      WHERE record_sequence = ?1 AND record_replica = ?2 AND record_kind = 1
        AND (field = 'created' OR field = 'trashed' AND value = 0)
        AND replica = (SELECT replica FROM library) AND act = ?3
        AND sequence BETWEEN ?3 AND (SELECT last FROM journal WHERE entry = ?4)
      LIMIT 1
      """, [document.dot.sequence, document.dot.storedReplica, entry.group, entry.id]
    ) { _ in true } ?? false
  }

  /// Returns the documents whose file or own fields a step changed, at most `limit`.
  /// O(operations of the step).
  ///
  /// - Throws: ``StoreError`` if the database cannot be read.
  package func documents(of entry: JournalEntry, limit: Int) throws -> [Document.ID] {
    try database.values(
      """
      SELECT d.replica, d.sequence FROM document d WHERE d.key IN (
        SELECT document FROM file_edit WHERE entry = ?1
        UNION SELECT n.key FROM operation o
          JOIN document n ON n.sequence = o.record_sequence AND n.replica = o.record_replica
          WHERE o.record_kind = 1 AND o.replica = (SELECT replica FROM library) AND o.act = ?2
            AND o.sequence BETWEEN ?2 AND (SELECT last FROM journal WHERE entry = ?1))
      LIMIT ?3
      """, [entry.id, entry.group, limit]
    ) { Document.ID(try $0.dot(0)) }
  }

  private static func arguments(_ scope: SessionScope?) -> Arguments {
    [
      scope?.document.dot.sequence, scope?.document.dot.storedReplica,
      scope?.began.milliseconds,
    ]
  }

  /// An SQL condition for the steps of a scope. It is true for every step if the arguments are
  /// null. Otherwise it is true for a step that:
  ///
  /// - concerns the document with the sequence number ?1 and the replica ?2
  /// - moves a highlight to another document
  /// - was made since ?3 and concerns something that belongs to no document, such as a label, a
  ///   query or the trash.
  private static let concerns = """
    (?1 IS NULL OR EXISTS (
      SELECT 1 FROM file_edit f JOIN document d ON d.key = f.document
      WHERE f.entry = journal.entry AND d.sequence = ?1 AND d.replica = ?2
    ) OR journal.kind = 'final' AND journal.time >= ?3 OR EXISTS (
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

  /// Returns the SQL expression for the newest action that meets a condition. Undos before it can
  /// no longer be redone. Steps that cannot be undone don't count as actions.
  private static func lastAct(where condition: String = "1") -> String {
    """
    coalesce((
      SELECT entry FROM journal WHERE kind = 'act' AND \(condition) ORDER BY entry DESC LIMIT 1
    ), 0)
    """
  }

  /// Finds the records whose creation was undone on this replica, among records that are in the
  /// trash.
  ///
  /// Records that a user moved to the trash are not in the result. O(operations on the records).
  ///
  /// - Returns: for each such record, whether `redo` can restore it.
  /// - Throws: ``StoreError`` if the database cannot be read. Damaged rows are skipped.
  package func undoneCreations(_ records: some Sequence<RecordReference>) throws
    -> [RecordReference: Bool]
  {
    let replica = try replica()
    let lastAct = try first("SELECT \(Self.lastAct())") { try $0.integer(0) } ?? 0
    // The group that each undo reverted, directly or through other steps, by the undo's group.
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

  /// Returns the group that an undo reverted, directly or through other steps, and the number of
  /// the undo; nil if `group` is not the group of an undo.
  private func undone(by group: Int64) throws -> (group: Int64, undo: Int64)? {
    var entry = try first(
      "SELECT \(JournalEntry.columns) FROM journal WHERE act = ? AND kind = 'undo'", [group],
      JournalEntry.init)
    guard let undo = entry?.id else { return nil }
    while let target = entry?.target { entry = try journalEntry(target) }
    return entry?.group.map { ($0, undo) }
  }

  /// Returns at most `limit` operations of a step, in the order in which they were made.
  ///
  /// - Throws: ``StoreError`` if the database cannot be read. Damaged rows are skipped.
  package func operations(of entry: JournalEntry, limit: Int = .max) throws -> [Operation] {
    try list(
      """
      SELECT \(Operation.columns) FROM operation
      WHERE replica = (SELECT replica FROM library) AND act = ?1
        AND sequence BETWEEN ?1 AND (SELECT last FROM journal WHERE entry = ?2)
      ORDER BY sequence LIMIT ?3
      """, [entry.group, entry.id, limit], Operation.init)
  }

  /// Returns the path changes of a document since its path was last changed by a user, newest
  /// first.
  ///
  /// These changes were made when Diple followed a moved file, which the journal does not record.
  /// O(operations on the document).
  ///
  /// - Throws: ``StoreError`` if the database cannot be read. Damaged rows are skipped.
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

  /// Returns the edits that a step made to files, sorted by the documents' paths.
  ///
  /// - Throws: ``StoreError/damaged(path:detail:)`` if an edit cannot be read.
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

  /// Returns the steps with file edits that are not confirmed: either the process was killed before
  /// it confirmed them, or it is still writing.
  ///
  /// - Throws: ``StoreError`` if the database cannot be read. Damaged rows are skipped.
  package func pendingSteps() throws -> [Int64] {
    try list("SELECT DISTINCT entry FROM file_edit WHERE pending = 1 ORDER BY entry") {
      try $0.integer(0)
    }
  }
}

extension JournalEntry {
  static let columns = "entry, time, kind, target, reversed, act, label"

  init(_ row: DatabaseRow) throws {
    let id = try row.integer(0, in: 1...DatabaseRow.countLimit)
    self.init(
      id: id, date: try row.date(1), kind: try row.value(2),
      // A target has a smaller number than the step itself, so following targets always ends.
      target: try row.ifPresent(3) { try row.integer($0, in: 0...id - 1) },
      isReversed: try row.flag(4), group: try row.ifPresent(5) { try row.integer($0) },
      label: try row.text(6))
  }
}
