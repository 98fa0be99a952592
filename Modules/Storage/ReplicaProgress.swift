package import Model

/// The last operation of a replica that this library knows.
package struct ReplicaProgress: Hashable, Sendable {
  /// The sequence number of the last known operation; 0 if none is known.
  package var sequence: Int64
  /// A digest of the operations up to that one, in the format of the sync engine; at most 64 bytes.
  package var chain: [UInt8]
  /// The last operation that was received as part of a snapshot; 0 if there was none. Operations up
  /// to here may not be stored individually.
  package var floor: Int64

  package init(sequence: Int64, chain: [UInt8], floor: Int64 = 0) {
    self.sequence = sequence
    self.chain = chain
    self.floor = floor
  }
}

extension ReadTransaction {
  /// Returns the progress of each known replica. For this replica, it is the last operation that
  /// was sent.
  ///
  /// - Throws: ``StoreError`` if the database cannot be read. Damaged rows are skipped.
  package func progress() throws -> [ReplicaID: ReplicaProgress] {
    var result: [ReplicaID: ReplicaProgress] = [:]
    try forEach("SELECT replica, sequence, chain, floor FROM replica") { row in
      result[ReplicaID(rawValue: try row.bits(0))] = ReplicaProgress(
        sequence: Int64(try row.count(1)), chain: try row.bytes(2), floor: Int64(try row.count(3)))
      return true
    }
    return result
  }

  /// Returns the earlier identities of this copy of the library.
  ///
  /// - Throws: ``StoreError`` if the database cannot be read. Damaged rows are skipped.
  package func formerIdentities() throws -> Set<ReplicaID> {
    Set(
      try list("SELECT replica FROM replica WHERE former > 0") {
        ReplicaID(rawValue: try $0.bits(0))
      })
  }

  /// Returns the last stored operation of each replica. O(operations).
  ///
  /// - Throws: ``StoreError`` if the database cannot be read. Damaged rows are skipped.
  package func lastSequences() throws -> [ReplicaID: Int64] {
    var last: [ReplicaID: Int64] = [:]
    // Read the operations in the order of the table, because a GROUP BY would have to sort them.
    try forEach("SELECT replica, sequence FROM operation ORDER BY sequence, replica") { row in
      last[ReplicaID(rawValue: try row.bits(0))] = Int64(try row.count(1))
      return true
    }
    return last
  }

  /// Returns the operations with the given timestamps, of all replicas. O(operations).
  ///
  /// - Throws: ``StoreError`` if the database cannot be read. Damaged rows are skipped.
  package func operations(at times: Set<Timestamp>) throws -> [Operation] {
    let places = times.map { _ in "?" }.joined(separator: ", ")
    return try list(
      "SELECT \(Operation.columns) FROM operation WHERE time IN (\(places))",
      times.map(\.packed), Operation.init)
  }

  /// Returns the time of the last change to a field of a record; nil if it was never set.
  ///
  /// - Throws: `StoreError.damaged` if the row is damaged; another ``StoreError`` if the database
  ///   cannot be read.
  package func latestTime(of field: Operation.Field, on record: RecordReference) throws
    -> Timestamp?
  {
    try first(
      """
      SELECT max(time) FROM \(Operation.changes(of: "?1", "?2")) WHERE field = ?3
      """, [record.dot.sequence, record.dot.storedReplica, field.rawValue]
    ) { try $0.ifPresent(0, $0.timestamp) } ?? nil
  }

  /// Returns the value that the sync engine stored under a name; nil if it does not exist.
  ///
  /// - Throws: `StoreError.damaged` if the row is damaged; another ``StoreError`` if the database
  ///   cannot be read.
  package func syncState(_ name: String) throws -> [UInt8]? {
    try first("SELECT value FROM sync_state WHERE name = ?", [name]) { try $0.bytes(0) }
  }

  /// Returns the values that the sync engine stored under names with a prefix. The keys are the
  /// names without the prefix.
  ///
  /// - Throws: ``StoreError`` if the database cannot be read. Damaged rows are skipped.
  package func syncStates(withPrefix prefix: String) throws -> [String: [UInt8]] {
    var states: [String: [UInt8]] = [:]
    try forEach(
      "SELECT name, value FROM sync_state WHERE substr(name, 1, ?) = ?",
      [prefix.unicodeScalars.count, prefix]
    ) { row in
      states[String(try row.text(0).dropFirst(prefix.count))] = try row.bytes(1)
      return true
    }
    return states
  }

  /// Returns the hashes of a document's known texts: texts in which its highlights were made, and
  /// stored texts.
  ///
  /// - Throws: ``StoreError`` if the database cannot be read. Damaged rows are skipped.
  package func knownTexts(of document: Document.ID) throws -> [ContentDigest] {
    try list(
      """
      SELECT h.text_digest FROM highlight h JOIN document d ON d.key = h.document
      WHERE d.sequence = ?1 AND d.replica = ?2 AND h.text_digest IS NOT NULL
      UNION SELECT s.digest FROM snapshot s JOIN document d ON d.key = s.document
      WHERE d.sequence = ?1 AND d.replica = ?2
      """, [document.dot.sequence, document.dot.storedReplica]
    ) { try $0.digest(0) }
  }

  /// Returns the hashes of the stored texts of a document, in ascending order.
  ///
  /// - Throws: ``StoreError`` if the database cannot be read. Damaged rows are skipped.
  package func keptTexts(of document: Document.ID) throws -> [ContentDigest] {
    try list(
      """
      SELECT s.digest FROM snapshot s JOIN document d ON d.key = s.document
      WHERE d.sequence = ? AND d.replica = ? ORDER BY s.digest
      """, [document.dot.sequence, document.dot.storedReplica]
    ) { try $0.digest(0) }
  }

  /// Returns the documents that operations of a replica changed, directly or through a highlight.
  /// Excludes removed documents. O(operations).
  ///
  /// - Parameters:
  ///   - sequence: only later operations count.
  ///   - replica: the author of the operations.
  /// - Throws: ``StoreError`` if the database cannot be read. Damaged rows are skipped.
  package func documentsConcerned(after sequence: Int64, of replica: ReplicaID) throws -> [Document]
  {
    try list(
      """
      SELECT \(Document.columns) FROM document d WHERE d.trashed = 0 AND d.key IN (
        SELECT r.key FROM operation o
        JOIN document r ON r.sequence = o.record_sequence AND r.replica = o.record_replica
        WHERE o.replica = ?1 AND o.sequence > ?2 AND o.record_kind = 1
        UNION SELECT h.document FROM operation o
        JOIN highlight h ON h.sequence = o.record_sequence AND h.replica = o.record_replica
        WHERE o.replica = ?1 AND o.sequence > ?2 AND o.record_kind = 2)
      """, [Int64(bitPattern: replica.rawValue), sequence], Document.init)
  }

  /// Returns the number of operations that this replica has made.
  ///
  /// - Throws: `StoreError.damaged` if the row is damaged; another ``StoreError`` if the database
  ///   cannot be read.
  package func lastSequence() throws -> Int64 {
    try first("SELECT sequence FROM library") { Int64(try $0.count(0)) } ?? 0
  }

  /// Whether the operation that created a record is stored.
  func isBorn(_ record: RecordReference) throws -> Bool {
    try first(
      "SELECT 1 FROM operation WHERE sequence = ? AND replica = ? AND field = 'created'",
      [record.dot.sequence, record.dot.storedReplica]
    ) { _ in true } ?? false
  }
}

extension WriteTransaction {
  /// Stores the progress of a replica.
  ///
  /// - Throws: ``StoreError`` if the database cannot be written.
  package func setProgress(_ progress: ReplicaProgress, of replica: ReplicaID) throws {
    try execute(
      """
      INSERT INTO replica (replica, sequence, chain, floor) VALUES (?, ?, ?, ?)
      ON CONFLICT (replica) DO UPDATE
      SET sequence = excluded.sequence, chain = excluded.chain, floor = excluded.floor
      """,
      [Int64(bitPattern: replica.rawValue), progress.sequence, progress.chain, progress.floor])
  }

  /// Stores a value of the sync engine under a name; nil deletes it.
  ///
  /// - Throws: ``StoreError`` if the database cannot be written.
  package func setSyncState(_ name: String, _ value: [UInt8]?) throws {
    if let value {
      try execute("INSERT OR REPLACE INTO sync_state (name, value) VALUES (?, ?)", [name, value])
    } else {
      try execute("DELETE FROM sync_state WHERE name = ?", [name])
    }
  }

  /// Deletes the state of synchronization, except the earlier identities and the location of this
  /// copy of the library.
  ///
  /// - Throws: ``StoreError`` if the database cannot be written.
  package func forgetSync() throws {
    try execute("DELETE FROM sync_state WHERE name NOT IN (?, ?)", [placeKey, copiedKey])
    try execute("DELETE FROM replica WHERE former = 0")
  }

  /// Assigns a new identity to this copy of the library, because another copy continues under the
  /// old one.
  ///
  /// Unsent operations are renamed to the new identity. Earlier changes are kept, but can no longer
  /// be undone. This must be the first change of its transaction.
  ///
  /// - Parameters:
  ///   - new: the new identity.
  ///   - sent: the last operation under the old identity that other replicas know; nil if they know
  ///     none.
  /// - Throws: ``StoreError`` if the database cannot be written.
  package func renewIdentity(as new: ReplicaID, after sent: ReplicaProgress?) throws {
    let old = replica
    let last = sent?.sequence ?? 0
    try execute(
      """
      INSERT INTO replica (replica, sequence, chain, floor, former) VALUES (?1, ?2, ?3, 0, ?2)
      ON CONFLICT (replica) DO UPDATE SET former = ?2
      """, [Int64(bitPattern: old.rawValue), last, sent?.chain ?? []])
    let unsent = try rename(old, after: last, to: new)
    try execute(
      "UPDATE library SET replica = ?, sequence = ?",
      [Int64(bitPattern: new.rawValue), unsent])
    try execute("UPDATE journal SET act = NULL, last = NULL, reversed = 1 WHERE act IS NOT NULL")
    try setSyncState(copiedKey, nil)
    try findConflicts()
  }

  /// Renames a replica's operations after `last`, and the records that they created. Operations and
  /// rows that have the new name already are kept.
  ///
  /// - Returns: the number of renamed operations.
  func rename(_ old: ReplicaID, after last: Int64, to new: ReplicaID) throws -> Int {
    let renamed = try operations(of: old, after: last, limit: .max)
    try execute(
      "DELETE FROM operation WHERE replica = ? AND sequence > ?",
      [Int64(bitPattern: old.rawValue), last])
    for table in ["document", "highlight", "alias", "waiting"] {
      try execute(
        """
        UPDATE OR IGNORE \(table) SET replica = ?, sequence = sequence - ?
        WHERE replica = ? AND sequence > ?
        """, [Int64(bitPattern: new.rawValue), last, Int64(bitPattern: old.rawValue), last])
    }
    for operation in renamed { _ = try insert(operation.renamed(old, after: last, to: new)) }
    return renamed.count
  }
}

extension Operation {
  /// Returns this operation with new names for the operations that a replica made after `last`:
  /// they belong to the replica `new`, with sequence numbers from 1.
  package func renamed(_ old: ReplicaID, after last: Int64, to new: ReplicaID) -> Operation {
    func name(_ dot: Dot) -> Dot {
      dot.replica == old && dot.sequence > last
        ? Dot(replica: new, sequence: dot.sequence - last) : dot
    }
    var operation = self
    operation.dot = name(dot)
    operation.group = operation.dot.sequence
    operation.basis = basis.map(name)
    switch record {
    case .document(let id): operation.record = .document(Document.ID(name(id.dot)))
    case .highlight(let id): operation.record = .highlight(Highlight.ID(name(id.dot)))
    case .other(let kind, let dot): operation.record = .other(kind: kind, dot: name(dot))
    case .library: break
    }
    if case .reference(let dot) = value { operation.value = .reference(name(dot)) }
    if case .reference(let dot) = previous { operation.previous = .reference(name(dot)) }
    if let other = field.alias { operation.field = .alias(Document.ID(name(other.dot))) }
    return operation
  }
}
