package import Model

extension ReadTransaction {
  /// Whether this replica has unsent operations with a later time than a correct clock can have.
  ///
  /// - Parameters:
  ///   - sent: the last operation that other replicas know.
  ///   - latest: the latest possible time of a correct clock.
  /// - Throws: ``StoreError`` if the database cannot be read.
  package func isAhead(after sent: Int64, of latest: Timestamp) throws -> Bool {
    try first(
      """
      SELECT 1 FROM operation
      WHERE sequence > ? AND replica = (SELECT replica FROM library) AND time > ? LIMIT 1
      """, [sent, latest.packed]
    ) { _ in true } ?? false
  }
}

/// Corrects operations that were made on this device while the wall clock was wrong.
extension WriteTransaction {
  /// Assigns new times to unsent operations that are too far in the future. The new times begin now
  /// and keep the order of the operations. If an operation replaces an operation that other
  /// replicas know, its new time is later than that operation's.
  ///
  /// - Parameter sent: the last operation that other replicas know.
  /// - Throws: ``StoreError`` if the database cannot be written.
  package func restamp(after sent: Int64) throws {
    let ownReplica = Int64(bitPattern: replica.rawValue)
    let limit = latestTime
    let ahead = try list(
      """
      SELECT \(Operation.columns) FROM operation
      WHERE sequence > ? AND replica = ? AND time > ? ORDER BY sequence
      """, [sent, ownReplica, limit.packed], Operation.init)
    var last = Timestamp(packed: 0)
    for operation in ahead {
      last = last.next(wallMilliseconds: wall.milliseconds)
      var time = last
      if operation.field != .created {
        let other =
          try first(
            """
            SELECT max(time) FROM \(Operation.changes(of: "?1", "?2"))
            WHERE field = ?3 AND NOT (replica = ?4 AND sequence > ?5 AND time > ?6)
            """,
            [
              operation.record.dot.sequence, operation.record.dot.storedReplica,
              operation.field.rawValue, ownReplica, sent, limit.packed,
            ]
          ) { try $0.ifPresent(0, $0.timestamp) } ?? nil
        if let other, other >= time { time = Timestamp(packed: other.packed + 1) }
        if time <= limit { last = max(last, time) }
      }
      try execute(
        "UPDATE operation SET time = ? WHERE sequence = ? AND replica = ?",
        [time.packed, operation.dot.sequence, ownReplica])
    }
    for record in Set(ahead.map(\.record)) { try dateRow(of: record) }
    for record in Set(ahead.filter(\.field.keepsVersions).map(\.record)) {
      try checkNoteVersions(of: record)
    }
  }

  /// The latest possible time of a correct clock.
  private var latestTime: Timestamp {
    Timestamp(milliseconds: min(max(0, wall.milliseconds) + Timestamp.tolerance, 1 << 47 - 1))
  }

  /// Updates the dates of a record's row from its operations.
  private func dateRow(of record: RecordReference) throws {
    let table: String
    switch record {
    case .document: table = "document"
    case .highlight: table = "highlight"
    case .library, .other: return
    }
    let times = try operations(on: record).map { ($0.field, $0.time.milliseconds) }
    guard let birth = times.first(where: { $0.0 == .created })?.1 else { return }
    try execute(
      "UPDATE \(table) SET created = ?, updated = ? WHERE sequence = ? AND replica = ?",
      [
        birth, times.map(\.1).max() ?? birth, record.dot.sequence, record.dot.storedReplica,
      ])
  }
}
