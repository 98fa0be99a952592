package import Model

/// Records that other replicas removed for good, as far as a snapshot shows it: a snapshot contains the
/// birth of every record that its writer has, so a birth that its vector covers and that it lacks was
/// removed for good where it was written.
extension ReadTransaction {
  /// The documents and highlights in this library, also those in the trash, by the name of their birth.
  /// Highlights whose document has not arrived are among them; documents that were removed for good and
  /// only stand for highlights that are left are not. O(records).
  package func presentRecords() throws -> [Dot: RecordReference] {
    var records: [Dot: RecordReference] = [:]
    try forEach(
      "SELECT replica, sequence FROM highlight UNION SELECT replica, sequence FROM waiting"
    ) {
      let dot = try $0.dot(0)
      records[dot] = .highlight(Highlight.ID(dot))
      return true
    }
    try forEach(
      """
      SELECT replica, sequence FROM document d WHERE NOT EXISTS (
        SELECT 1 FROM operation WHERE record_sequence = d.sequence AND record_replica = d.replica
          AND field = 'purged' AND field <> 'created')
      """
    ) {
      let dot = try $0.dot(0)
      records[dot] = .document(Document.ID(dot))
      return true
    }
    return records
  }

  /// Whether every operation of each replica is on record, after those that came in a snapshot and up to
  /// those that are known. After a repair some may be lost. O(operations).
  package func hasAllOperations() throws -> Bool {
    try first(
      """
      SELECT 1 FROM (
        SELECT replica, sequence AS last, floor FROM replica WHERE former = 0
        UNION ALL SELECT replica, sequence, 0 FROM library) AS known
      WHERE last - floor > (
        SELECT count(*) FROM operation o
        WHERE o.replica = known.replica AND o.sequence > known.floor AND o.sequence <= known.last)
      LIMIT 1
      """
    ) { _ in true } == nil
  }
}

extension WriteTransaction {
  /// Takes records away for good that other replicas have removed. This replica says so with operations
  /// of its own, so that the records stay away whatever arrives later.
  ///
  /// - Returns: how many of them were in sight, and the documents that are different now.
  package func purgeAbsent(_ records: [RecordReference]) throws -> MergeOutcome {
    var outcome = MergeOutcome()
    // Highlights first: a document's row goes with the last of them.
    for kind in [2, 1] {
      for record in records where record.storedKind == kind {
        if try isTrashed(record) == false { outcome.vanished += 1 }
        if let document = try homeDocument(of: record) { outcome.documents.insert(document) }
        try change(record, .purged, to: .flag(true), from: .flag(false))
        outcome.count += 1
      }
    }
    return outcome
  }
}
