package import FoundationEssentials
package import Model

/// One of several versions of a note that were written concurrently on different devices.
package struct NoteVersion: Hashable, Sendable {
  /// The dot of the operation that wrote the version.
  package var dot: Dot
  /// The time of the operation.
  package var date: Date
  /// The note: plain text for a highlight, attributed text as JSON for a document.
  package var text: String
}

/// A record with several concurrent versions of its note.
package struct NoteConflict: Hashable, Sendable {
  /// The highlight or document to which the note belongs.
  package var record: RecordReference
  /// The version that is shown.
  package var current: NoteVersion
  /// The other versions, newest first; never empty.
  package var others: [NoteVersion]
}

extension ReadTransaction {
  /// Returns the conflicting notes that the user has not resolved yet, ordered by record.
  /// O(conflicts).
  ///
  /// Omits conflicts on records that are not in this library, such as a record that was purged
  /// before this replica was created.
  ///
  /// - Throws: ``StoreError`` if the database cannot be read. Damaged rows are skipped.
  package func noteConflicts() throws -> [NoteConflict] {
    try list(
      """
      SELECT record_kind, record_replica, record_sequence FROM note_conflict c
      WHERE EXISTS (SELECT 1 FROM highlight h
          WHERE c.record_kind = 2 AND h.sequence = c.record_sequence AND h.replica = c.record_replica)
        OR EXISTS (SELECT 1 FROM document d
          WHERE c.record_kind = 1 AND d.sequence = c.record_sequence AND d.replica = c.record_replica)
      ORDER BY record_sequence, record_replica
      """
    ) { try RecordReference($0, at: 0) }.compactMap { try noteConflict(of: $0) }
  }

  /// Returns the conflicting notes of a record; nil if there is no conflict.
  ///
  /// - Throws: ``StoreError`` if the database cannot be read. Damaged rows are skipped.
  package func noteConflict(of record: RecordReference) throws -> NoteConflict? {
    let written = try operations(on: record).filter(\.field.keepsVersions)
    guard let last = written.last else { return nil }
    var replaced: Set<Dot> = []
    // The basis of an operation lists the notes that it replaces. An empty basis occurs for the
    // first note of a replica, and for operations stored before bases existed. Such an operation
    // replaces the earlier notes of its replica.
    var earlier: [ReplicaID: [Dot]] = [:]
    for operation in written.sorted(by: { $0.dot.sequence < $1.dot.sequence }) {
      if operation.basis.isEmpty {
        replaced.formUnion(earlier[operation.dot.replica] ?? [])
      } else {
        replaced.formUnion(operation.basis)
      }
      earlier[operation.dot.replica, default: []].append(operation.dot)
    }
    func version(_ operation: Operation) -> NoteVersion {
      NoteVersion(
        dot: operation.dot, date: Date(milliseconds: operation.time.milliseconds),
        text: operation.textValue ?? "")
    }
    let others = written.reversed().filter { operation in
      guard operation.dot != last.dot, !replaced.contains(operation.dot),
        let text = operation.textValue
      else { return false }
      return !text.isEmpty && text != last.textValue
    }
    if others.isEmpty { return nil }
    return NoteConflict(record: record, current: version(last), others: others.map(version))
  }

  /// Returns the operation that sets the current value of a field; nil if it does not exist.
  func currentOperation(of field: Operation.Field, on record: RecordReference) throws -> Operation?
  {
    try list(
      """
      SELECT \(Operation.columns) FROM \(Operation.changes(of: "?1", "?2")) WHERE field = ?3
      ORDER BY time DESC, replica DESC, sequence DESC LIMIT 1
      """, [record.dot.sequence, record.dot.storedReplica, field.rawValue], Operation.init
    ).first
  }
}

extension WriteTransaction {
  /// Updates the table of conflicts for a record.
  func checkNoteVersions(of record: RecordReference) throws {
    let key: Arguments = [record.storedKind, record.dot.sequence, record.dot.storedReplica]
    if try noteConflict(of: record) != nil {
      try execute("INSERT OR IGNORE INTO note_conflict VALUES (?, ?, ?)", key)
    } else {
      try execute(
        """
        DELETE FROM note_conflict
        WHERE record_kind = ? AND record_sequence = ? AND record_replica = ?
        """, key)
    }
  }

  /// Rebuilds the table of conflicts. O(operations).
  ///
  /// - Throws: ``StoreError`` if the database cannot be written.
  package func findConflicts() throws {
    try execute("DELETE FROM note_conflict")
    let records = try list(
      """
      SELECT record_kind, record_replica, record_sequence FROM operation
      WHERE field IN ('note', 'property/note')
      GROUP BY record_kind, record_replica, record_sequence HAVING count(DISTINCT replica) > 1
      """
    ) { try RecordReference($0, at: 0) }
    for record in records { try checkNoteVersions(of: record) }
  }

  /// Resolves the conflicting notes of a record by setting its note.
  ///
  /// - Returns: false if there is no conflict.
  /// - Throws: ``StoreError`` if the database cannot be written.
  package func settleNote(of record: RecordReference, as text: String) throws -> Bool {
    guard let conflict = try noteConflict(of: record) else { return false }
    let field: Operation.Field =
      if case .document = record { .property(.note) } else { .note }
    try change(
      record, field, to: .text(text), from: .text(conflict.current.text),
      replacing: [conflict.current.dot]
        + conflict.others.prefix(DatabaseRow.basisLimit - 1).map(\.dot))
    return true
  }
}
