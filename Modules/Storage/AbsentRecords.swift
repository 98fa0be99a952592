package import Model

/// Finds and purges records that other replicas have permanently deleted, by comparison with a
/// snapshot.
///
/// A snapshot contains the creation operation of every record that its author has. If the
/// snapshot's version vector covers a creation operation and the snapshot lacks it, the author has
/// purged the record.
extension ReadTransaction {
  /// Returns the documents and highlights in this library, by the dot of their creation operation.
  /// O(records).
  ///
  /// Includes records in the trash, and highlights whose document has not arrived yet. Excludes the
  /// placeholders of purged documents that still have highlights.
  ///
  /// - Throws: `StoreError` if the library cannot be read.
  package func presentRecords() throws -> [Dot: RecordReference] {
    var records: [Dot: RecordReference] = [:]
    try forEach(
      "SELECT replica, sequence FROM highlight UNION ALL SELECT replica, sequence FROM waiting"
    ) {
      let dot = try $0.dot(0)
      records[dot] = .highlight(Highlight.ID(dot))
      return true
    }
    try forEach(
      """
      SELECT replica, sequence FROM document d WHERE NOT EXISTS (
        SELECT 1 FROM \(Operation.changes(of: "d.sequence", "d.replica")) WHERE field = 'purged')
      """
    ) {
      let dot = try $0.dot(0)
      records[dot] = .document(Document.ID(dot))
      return true
    }
    return records
  }

  /// Returns whether this library stores every known operation of each replica. Operations that it
  /// received in a snapshot are not counted. Operations can be missing after a repair.
  /// O(operations).
  ///
  /// - Throws: `StoreError` if the library cannot be read.
  package func hasAllOperations() throws -> Bool {
    var missing: [Int64: (known: ClosedRange<Int64>, count: Int64)] = [:]
    try forEach(
      """
      SELECT replica, floor, sequence FROM replica WHERE former = 0
      UNION ALL SELECT replica, 0, sequence FROM library
      """
    ) { row in
      let (floor, last) = (Int64(try row.count(1)), Int64(try row.count(2)))
      if last > floor { missing[try row.integer(0)] = (floor + 1...last, last - floor) }
      return true
    }
    // One pass over the table serves all replicas.
    try forEach("SELECT replica, sequence FROM operation") { row in
      let (replica, sequence) = (try row.integer(0), try row.integer(1))
      if let known = missing[replica]?.known, known.contains(sequence) {
        missing[replica]?.count -= 1
      }
      return true
    }
    return missing.values.allSatisfy { $0.count == 0 }
  }
}

extension WriteTransaction {
  /// Permanently deletes records that other replicas have purged. Each deletion is an operation, so
  /// that operations that arrive later do not restore the record.
  ///
  /// - Returns: in `count` the number of deleted records, in `removed` how many of them were not
  ///   in the trash, and in `documents` the documents that changed.
  /// - Throws: `StoreError` if the library cannot be written.
  package func purgeAbsent(_ records: [RecordReference]) throws -> MergeOutcome {
    var outcome = MergeOutcome()
    // Purge the highlights first, because a document's row is deleted with its last highlight.
    for kind in [2, 1] {
      for record in records where record.storedKind == kind {
        if try isTrashed(record) == false { outcome.removed += 1 }
        if let document = try homeDocument(of: record) { outcome.documents.insert(document) }
        try change(record, .purged, to: .flag(true), from: .flag(false))
        outcome.count += 1
      }
    }
    return outcome
  }
}
