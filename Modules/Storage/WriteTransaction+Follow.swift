package import Model

/// Follows a replica that was renamed. If two copies of one replica both sent operations, one of
/// them reissues its operations under a new name, and the other replicas follow.
extension WriteTransaction {
  /// Renames operations of another replica to the names under which their author reissued them.
  ///
  /// Operations of this replica on the renamed records are repeated under the new names. The old
  /// names refer to other records from now on, so the original operations must be reverted as soon
  /// as those records are known. O(operations of this replica).
  ///
  /// - Parameters:
  ///   - old: the identity under which the author sent the operations first.
  ///   - last: the last operation that keeps its name.
  ///   - new: the author's new identity.
  ///   - replacements: the reissued operations that are known. They can be stored already.
  /// - Returns: the operations of this replica to revert.
  /// - Throws: ``StoreError`` if the database cannot be written.
  package func follow(
    _ old: ReplicaID, after last: Int64, to new: ReplicaID, replacedBy replacements: [Operation]
  ) throws -> [Operation] {
    let mine = try list(
      "SELECT \(Operation.columns) FROM operation WHERE replica = ? ORDER BY sequence",
      [Int64(bitPattern: replica.rawValue)], Operation.init
    ).filter { operation in
      var renamed = operation.renamed(old, after: last, to: new)
      renamed.group = operation.group
      return renamed != operation
    }
    // The operations of this replica on renamed records that set the current value of their field.
    let current = try mine.filter { operation in
      try operation.field == .created
        ? currentOperation(of: .document, on: operation.record) == nil
        : currentOperation(of: operation.field, on: operation.record)?.dot == operation.dot
    }
    let others = try list(
      """
      SELECT DISTINCT record_kind, record_replica, record_sequence, field FROM operation
      WHERE record_replica = ?1 AND record_sequence > ?2 AND field <> 'created' AND replica <> ?1
        AND \(Operation.isApart())
      """, [Int64(bitPattern: old.rawValue), last]
    ) { (record: try RecordReference($0, at: 0), field: Operation.Field(rawValue: try $0.text(3))) }
    _ = try rename(old, after: last, to: new)
    try deleteRows(of: old, after: last, inFavorOf: new)
    // Replace the renamed operations by the reissued ones, because the values of operations on
    // purged records were deleted in this library.
    try execute(
      "DELETE FROM operation WHERE replica = ? AND sequence <= ?",
      [Int64(bitPattern: new.rawValue), replacements.last?.dot.sequence ?? 0])
    _ = try merge(replacements)
    func name(_ operation: Operation) -> Operation { operation.renamed(old, after: last, to: new) }
    for (record, field) in others {
      let named = name(
        Operation(
          dot: Dot(replica: replica, sequence: 1), time: Timestamp(packed: 0), group: 1,
          record: record, field: field, value: .none))
      try showHolder(of: named.field, on: named.record)
    }
    for operation in current {
      let named = name(operation)
      switch operation.field {
      case .created: try change(named.record, .document, to: named.value)
      case let field where field.keepsVersions:
        try change(named.record, field, to: named.value, replacing: named.basis + [operation.dot])
      default: try change(named.record, named.field, to: named.value)
      }
    }
    try findConflicts()
    return current.filter {
      $0.record != name($0).record && ![.created, .purged].contains($0.field)
    }
  }

  /// Deletes the rows of renamed records that also have a row with the new name.
  private func deleteRows(of old: ReplicaID, after last: Int64, inFavorOf new: ReplicaID) throws {
    let stored = Int64(bitPattern: old.rawValue)
    for table in ["alias", "waiting", "highlight"] {
      try execute("DELETE FROM \(table) WHERE replica = ? AND sequence > ?", [stored, last])
    }
    let documents = try list(
      "SELECT replica, sequence FROM document WHERE replica = ? AND sequence > ?", [stored, last]
    ) { Document.ID(try $0.dot(0)) }
    for id in documents {
      let other = Document.ID(Dot(replica: new, sequence: id.dot.sequence - last))
      if let from = try documentKey(id), let to = try documentKey(other) {
        for column in ["document", "home"] {
          try execute("UPDATE highlight SET \(column) = ?2 WHERE \(column) = ?1", [from, to])
        }
      }
      try purgeRow(of: id)
    }
  }

  /// Reverts an operation of this replica on a record whose name now refers to another record. The
  /// field gets the value of the other replicas. Does nothing if the field was changed since or
  /// if the name refers to no record.
  ///
  /// - Throws: ``StoreError`` if the database cannot be written.
  package func revert(_ operation: Operation) throws {
    let (record, field) = (operation.record, operation.field)
    guard try isBorn(record), try currentOperation(of: field, on: record)?.dot == operation.dot
    else {
      return
    }
    let other = try list(
      """
      SELECT \(Operation.columns) FROM \(Operation.changes(of: "?1", "?2"))
      WHERE field = ?3 AND replica <> ?4
      ORDER BY time DESC, replica DESC, sequence DESC LIMIT 1
      """,
      [
        record.dot.sequence, record.dot.storedReplica, field.rawValue,
        Int64(bitPattern: replica.rawValue),
      ], Operation.init
    ).first
    guard let value = other?.value ?? field.absentValue else { return }
    try change(
      record, field, to: value, from: operation.value,
      replacing: field.keepsVersions ? [operation.dot] + [other?.dot].compactMap { $0 } : nil)
  }

  /// Writes the current value of a field into the record's row, or its initial value if no
  /// operation sets it any more.
  private func showHolder(of field: Operation.Field, on record: RecordReference) throws {
    if let current = try currentOperation(of: field, on: record) {
      return try project(current)
    }
    guard let value = field.absentValue, try !isPurged(record) else { return }
    try project(
      Operation(
        dot: Dot(replica: replica, sequence: 1), time: Timestamp(packed: 0), group: 1,
        record: record, field: field, value: value))
  }
}

extension Operation.Field {
  /// The initial value of the field; nil if every record sets it when it is created, or the field
  /// has no initial value.
  fileprivate var absentValue: Operation.Value? {
    if tag != nil || alias != nil || [.trashed, .detached].contains(self) { return .flag(false) }
    if property != nil || [.note, .title].contains(self) { return .text("") }
    return self == .color ? .text(HighlightColor.yellow.rawValue) : nil
  }
}
