import FoundationEssentials
import Model

/// Rebuilds a library's records from its operations, after the readable rows of a damaged file were
/// copied.
final class Rebuild {
  let database: Database
  private let now: Date
  private let digest: (UnsafeBufferPointer<UInt8>) -> ContentDigest
  private var report: RepairReport
  /// The ranges of missing sequence numbers, by replica.
  private(set) var gaps: [ReplicaID: [ClosedRange<Int64>]] = [:]
  /// The records of which invalid operations were removed.
  private var incomplete: Set<RecordReference> = []

  init(
    _ database: Database, now: Date,
    digest: @escaping (UnsafeBufferPointer<UInt8>) -> ContentDigest, report: RepairReport
  ) {
    (self.database, self.now, self.digest, self.report) = (database, now, digest, report)
  }

  /// Deletes operations that no version of Diple can have written, and the operations on records
  /// that only such operations mention.
  private func removeImpossible(for ownReplica: ReplicaID) throws {
    let rows = RowCheck(database: database) { [unowned self] in report.lost.append($0) }
    try rows.remove(from: "operation", Operation.columns) { row in
      let operation = try Operation(row)
      if !operation.isPossible(in: ownReplica) {
        incomplete.insert(operation.record)
        throw row.bad(7)
      }
    } name: { row, _ in
      try? "operation \(row.dot(0)) has a value that Diple does not write"
    }
    try removeStrayOperations()
  }

  /// Rebuilds the library within the caller's transaction. O(size).
  ///
  /// - Returns: the restored and lost data.
  func run() throws -> RepairReport {
    let ownReplica = try ReadTransaction(database).replica()
    try removeImpossible(for: ownReplica)
    try restoreIdentity()
    // An operation can be valid from another replica and invalid from this one, so the operations
    // are checked again if the identity has changed.
    let restored = try ReadTransaction(database).replica()
    if restored != ownReplica { try removeImpossible(for: restored) }
    try findGaps()
    // The values of the old records are used only if operations are missing.
    let old = gaps.isEmpty ? nil : try OldRecords(ReadTransaction(database), incomplete)
    try remakeRecords()
    let transaction = try WriteTransaction(database, now: now)
    transaction.journal(JournalStep(nil))
    if let old {
      try old.restoreDocuments(in: transaction, gaps: gaps)
      // Highlights can be created now, because their documents exist.
      try make("highlight", kind: 2, transaction)
      try old.restoreHighlights(in: transaction, gaps: gaps)
      try old.restoreNames(in: transaction)
      report.corrections += old.lines
    }
    // The removed operations include those on records that could not be restored.
    for dot in try removeStrayOperations() {
      gaps[dot.replica, default: []].append(dot.sequence...dot.sequence)
    }
    try completeRecords(in: transaction)
    try restoreCaches()
    for id in try database.values(
      "SELECT replica, sequence FROM document WHERE place IS NOT NULL", [],
      { Document.ID(try $0.dot(0)) })
    {
      if let key = try transaction.documentKey(id) { try transaction.projectPath(of: id, key: key) }
    }
    try transaction.findConflicts()
    try checkCaches(
      RowCheck(database: database) { [unowned self] in report.lost.append($0) }, transaction)
    try transaction.finish()
    try NumberedRecord.complete(database)
    reportGaps(restored: old?.restoredOperations ?? [])
    try remakeIndex(transaction)
    report.documents = try count("document")
    report.highlights = try count("highlight")
    report.operations = try count("operation")
    report.texts = try count("snapshot")
    return report
  }

  private func count(_ table: String) throws -> Int {
    try database.first("SELECT count(*) FROM \(table)") { try $0.count(0) } ?? 0
  }

  /// Deletes operations that contradict the kind of their record's creation operation. Also deletes
  /// operations on records that have neither a creation, a purge nor a row, although the library
  /// must have received the creation.
  ///
  /// - Returns: the deleted operations.
  @discardableResult
  private func removeStrayOperations() throws -> [Dot] {
    let stray = try database.values(
      """
      SELECT o.replica, o.sequence FROM operation o
      LEFT JOIN operation c ON c.sequence = o.record_sequence AND c.replica = o.record_replica
        AND c.field = 'created'
      WHERE o.record_kind <> c.record_kind
        OR o.record_kind = 3 AND (o.record_replica, o.record_sequence) <> (0, 1)
        OR o.record_kind IN (1, 2) AND c.sequence IS NULL
          AND (o.record_replica IN (SELECT replica FROM library)
            OR o.record_sequence <= coalesce(
              (SELECT sequence FROM replica r WHERE r.replica = o.record_replica),
              CASE WHEN EXISTS (SELECT 1 FROM replica) THEN 0 ELSE \(DatabaseRow.countLimit) END))
          AND NOT EXISTS (
            SELECT 1 FROM \(Operation.changes(of: "o.record_sequence", "o.record_replica"))
            WHERE field = 'purged')
          AND NOT EXISTS (SELECT 1 FROM document r
            WHERE r.sequence = o.record_sequence AND r.replica = o.record_replica)
          AND NOT EXISTS (SELECT 1 FROM highlight r
            WHERE r.sequence = o.record_sequence AND r.replica = o.record_replica)
      """
    ) { try $0.dot(0) }
    for dot in stray {
      report.lost.append("operation \(dot) has a value that Diple does not write")
      try database.execute(
        "DELETE FROM operation WHERE sequence = ? AND replica = ?",
        [dot.sequence, dot.storedReplica])
    }
    return stray
  }

  // MARK: - The library's identity

  /// Makes sure that the library has an identity, and that its sequence number and clock are at
  /// least those of its operations.
  private func restoreIdentity() throws {
    let stored = try database.first(
      "SELECT replica, sequence, clock, documents, highlights FROM library"
    ) { row in
      (
        replica: try? row.integer(0), sequence: try? row.integer(1, in: 0...DatabaseRow.countLimit),
        clock: try? row.timestamp(2).packed, documents: try? row.integer(3),
        highlights: try? row.integer(4)
      )
    }
    var replica = stored?.replica
    if replica == nil {
      let known = try database.values("SELECT DISTINCT replica FROM operation LIMIT 2") {
        try $0.integer(0)
      }
      // Unless there is exactly one candidate, the library's own replica is unknown. The library
      // then continues with a new identity.
      replica = known.count == 1 ? known[0] : Int64.random(in: .min ... .max)
      report.corrections.append(
        "the library's identity was lost, and was "
          + (known.count == 1 ? "restored from its operations" : "replaced by a new one"))
    }
    let last = try database.first(
      "SELECT coalesce(max(sequence), 0) FROM operation WHERE replica = ?", [replica]
    ) { try $0.integer(0) }
    let time = try database.first("SELECT coalesce(max(time), 0) FROM operation") {
      try $0.integer(0)
    }
    try database.execute("DELETE FROM library")
    // A damaged counter is used only if it is plausible.
    let limit = (last ?? 0) + 1 << 20
    let sequence = max(last ?? 0, stored?.sequence.flatMap { $0 <= limit ? $0 : nil } ?? 0)
    let latest = min(max(0, now.milliseconds) + 86_400_000, 1 << 47 - 1)
    let clockLimit = Timestamp(milliseconds: latest).packed
    let clock = max(time ?? 0, stored?.clock.flatMap { $0 <= clockLimit ? $0 : nil } ?? 0)
    // The same applies to the numbers that were given to records. Almost every number has an
    // operation that created its record.
    let numberLimit = try count("operation") + 1 << 20
    func greatest(_ kind: NumberedRecord, _ stored: Int64?) throws -> Int64 {
      try database.execute(
        "UPDATE \(kind) SET number = NULL WHERE number NOT BETWEEN 1 AND ?", [numberLimit])
      let known = try database.first("SELECT coalesce(max(number), 0) FROM \(kind)") {
        try $0.integer(0)
      }
      let isPlausible = stored.map { $0 <= numberLimit } ?? false
      return max(known ?? 0, isPlausible ? stored ?? 0 : 0)
    }
    try database.execute(
      """
      INSERT INTO library (id, replica, sequence, clock, documents, highlights)
      VALUES (1, ?, ?, ?, ?, ?)
      """,
      [
        replica, sequence, clock, try greatest(.document, stored?.documents),
        try greatest(.highlight, stored?.highlights),
      ])
  }

  /// Finds missing operations. Each replica numbers its operations without gaps.
  private func findGaps() throws {
    try database.forEach(
      """
      SELECT replica, previous + 1, sequence - 1 FROM (
        SELECT replica, sequence,
          lag(sequence, 1, 0) OVER (PARTITION BY replica ORDER BY sequence) AS previous
        FROM (SELECT replica, sequence FROM operation
          UNION SELECT replica, sequence + 1 FROM library
          UNION SELECT replica, floor FROM replica WHERE floor > 0)
      ) AS list WHERE sequence > previous + 1
        AND sequence > coalesce((SELECT floor FROM replica r WHERE r.replica = list.replica), 0)
      """
    ) { row in
      gaps[ReplicaID(rawValue: try row.bits(0)), default: []].append(
        try row.integer(1)...(try row.integer(2)))
      return true
    }
    try fetchAgain()
  }

  /// Resets the progress of other replicas to before their first gap, so that the next sync fetches
  /// the missing operations.
  private func fetchAgain() throws {
    let synced = try ReadTransaction(database).progress()
    for (replica, ranges) in gaps {
      guard let progress = synced[replica], let first = ranges.map(\.lowerBound).min(),
        progress.sequence >= first, replica != (try ReadTransaction(database).replica())
      else { continue }
      try database.execute(
        "UPDATE replica SET sequence = ?, chain = x'' WHERE replica = ?",
        [first - 1, Int64(bitPattern: replica.rawValue)])
      report.corrections.append(
        "operations of replica \(replica) after \(first - 1) are received again with the next sync"
      )
    }
  }

  private func reportGaps(restored: Set<Dot>) {
    for (replica, ranges) in gaps.sorted(by: { $0.key < $1.key }) {
      let total = ranges.reduce(0) { $0 + Int($1.count) }
      let back = restored.count { $0.replica == replica }
      let shown = ranges.sorted { $0.lowerBound < $1.lowerBound }.prefix(20).map {
        $0.count == 1 ? "\($0.lowerBound)" : "\($0.lowerBound)–\($0.upperBound)"
      }
      report.lost.append(
        "\(StoreRepair.counted(total, "operation")) of replica \(replica): "
          + shown.joined(separator: ", ") + (ranges.count > 20 ? ", …" : "")
          + (back > 0 ? " (\(back) restored from records)" : ""))
    }
  }

  // MARK: - Records

  /// Deletes the records and creates them again from the operations. Rows keep their keys, because
  /// the caches refer to them.
  private func remakeRecords() throws {
    try database.execute(
      sql: """
        CREATE TEMP TABLE old_document AS SELECT * FROM main.document;
        CREATE TEMP TABLE old_highlight AS
          SELECT key, replica, sequence, number FROM main.highlight;
        CREATE INDEX temp.old_document_dot ON old_document (sequence, replica);
        CREATE INDEX temp.old_highlight_dot ON old_highlight (sequence, replica);
        DELETE FROM main.tag; DELETE FROM main.source; DELETE FROM main.document_property;
        DELETE FROM main.highlight; DELETE FROM main.document;
        DELETE FROM main.color_label; DELETE FROM main.saved_query;
        DELETE FROM main.library_property;
        """)
    let transaction = try WriteTransaction(database, now: now)
    try make("document", kind: 1, transaction)
    try make("highlight", kind: 2, transaction)
    try database.forEach(
      """
      SELECT \(Operation.columns) FROM operation WHERE record_kind = 3
      ORDER BY time, replica, sequence
      """
    ) { row in
      try transaction.settle(try Operation(row))
      return true
    }
  }

  /// Creates the missing records of a kind.
  private func make(_ table: String, kind: Int, _ transaction: WriteTransaction) throws {
    var next = try database.first(
      """
      SELECT max(coalesce((SELECT max(key) FROM temp.old_\(table)), 0),
        coalesce((SELECT max(key) FROM main.\(table)), 0)) + 1
      """
    ) { max(1, min(try $0.integer(0), DatabaseRow.countLimit)) }!
    try database.forEach(
      """
      SELECT \(Operation.columns),
        (SELECT key FROM temp.old_\(table) r
         WHERE r.sequence = o.sequence AND r.replica = o.replica AND key BETWEEN 1 AND ?)
      FROM operation o WHERE record_kind = ? AND field = 'created' AND NOT EXISTS (
        SELECT 1 FROM main.\(table) r WHERE r.sequence = o.sequence AND r.replica = o.replica)
      ORDER BY sequence, replica
      """, [DatabaseRow.countLimit, kind]
    ) { row in
      let operation = try Operation(row)
      var key = try row.ifPresent(11) { try row.integer($0) }
      if key == nil { (key, next) = (next, next + 1) }
      try transaction.settle(operation, key: key)
      try transaction.regroupPending()
      return true
    }
  }

  /// Adds lost mandatory values: an empty passage to highlights, so that their notes and tags are
  /// kept, and an invented path to documents.
  private func completeRecords(in transaction: WriteTransaction) throws {
    func without(_ field: String, in table: String) throws -> [Dot] {
      try database.values(
        """
        SELECT r.replica, r.sequence FROM \(table) r WHERE NOT EXISTS (
          SELECT 1 FROM \(Operation.changes(of: "r.sequence", "r.replica"))
          WHERE field = ? AND value IS NOT NULL)
        """, [field]
      ) { try $0.dot(0) }
    }
    for id in try without("path", in: "document").map(Document.ID.init) {
      report.lost.append("the path of document \(id)")
      _ = try transaction.setPath(DocumentPath("lost/\(id).md"), of: id)
    }
    for id in try without("selector", in: "highlight").map(Highlight.ID.init) {
      report.lost.append("the passage of highlight \(id)")
      let selector = Selector(
        exact: "", prefix: "", suffix: "", position: TextRange(utf16: 0..<0), textDigest: nil,
        renderVersion: 0)
      try transaction.change(.highlight(id), .selector, to: .selector(selector), from: .none)
    }
  }

  /// Restores the local data of the documents' files from the old records.
  private func restoreCaches() throws {
    let derived: Set = [
      "key", "replica", "sequence", "path", "title", "trashed", "created", "updated", "bound",
      "alias", "number",
    ]
    let shape = try TableShape.all(of: database).first { $0.name == "document" }
    let names = (shape?.columns ?? []).map(\.name).filter { !derived.contains($0) }
      .joined(separator: ", ")
    try database.execute(
      """
      UPDATE document SET (\(names)) = (
        SELECT \(names) FROM temp.old_document r
        WHERE r.sequence = document.sequence AND r.replica = document.replica)
      WHERE EXISTS (
        SELECT 1 FROM temp.old_document r
        WHERE r.sequence = document.sequence AND r.replica = document.replica)
      """)
    // A lost number is replaced by a new one at the end.
    for kind in NumberedRecord.allCases {
      try database.execute(
        """
        UPDATE OR IGNORE \(kind) SET number = r.number FROM temp.old_\(kind) r
        WHERE r.sequence = \(kind).sequence AND r.replica = \(kind).replica
        """)
    }
    try database.execute(sql: "DROP TABLE temp.old_document; DROP TABLE temp.old_highlight")
  }

  // MARK: - Caches and the journal

  private func checkCaches(_ rows: RowCheck, _ transaction: WriteTransaction) throws {
    try rows.removeDangling()
    // Invalid locations are deleted without a report, because they are computed again. Files of
    // unreadable texts are read again.
    let quiet = RowCheck(database: database) { _ in }
    try quiet.remove(
      from: "anchor", Anchor.columns, in: "anchor a",
      { row in
        guard !row.isNull(2) else { throw row.bad(2) }
        _ = try Anchor(row, at: 0)
      })
    try checkTexts(transaction)
    try rows.remove(from: "journal", JournalEntry.columns) {
      _ = try JournalEntry($0)
    } name: {
      row, _ in
      "step \(try row.integer(0)) of the history cannot be read"
    }
    for entry in try database.values(
      "SELECT DISTINCT entry FROM file_edit", [], { try $0.integer(0) })
    {
      do { _ = try transaction.fileEdits(of: entry) } catch is BadValue {
        report.lost.append("the file edits of step \(entry) of the history")
        // A step cannot be undone partially, so its journal entry is deleted too.
        try database.execute("DELETE FROM file_edit WHERE entry = ?", [entry])
        try database.execute("DELETE FROM journal WHERE entry = ?", [entry])
      }
    }
    try database.execute("DELETE FROM file_edit WHERE entry NOT IN (SELECT entry FROM journal)")
    try forgetUnknownRevisions(transaction)
  }

  /// Deletes texts that do not match their hashes, and locations beyond the ends of the other
  /// texts.
  private func checkTexts(_ transaction: WriteTransaction) throws {
    let reader = StoredTextReader()
    var bad: [Int64] = []
    var ends: [(document: Int64, digest: [UInt8], units: Int)] = []
    try database.forEach(
      """
      SELECT s.size, s.data, s.positions, s.digest, s.rowid, s.document, d.path, s.turn, s.seen
      FROM snapshot s JOIN document d ON d.key = s.document
      """
    ) { row in
      let expected = try? row.digest(3)
      let text = try? StoredText(row)
      let units = text.flatMap { text in
        reader.withUTF8(of: text) { bytes in
          digest(bytes) == expected
            ? bytes.reduce(0) { $0 + ($1 & 0xC0 == 0x80 ? 0 : $1 >= 0xF0 ? 2 : 1) } : nil
        } ?? nil
      }
      guard let units, let expected, (try? row.count(7)) != nil, (try? row.date(8)) != nil else {
        bad.append(try row.integer(4))
        report.lost.append("a text of \((try? row.text(6)) ?? "a document")")
        return true
      }
      let hasTooLong =
        try database.first(
          """
          SELECT 1 FROM highlight h LEFT JOIN anchor a ON a.highlight = h.key AND a.digest = ?2
          WHERE h.document = ?1 AND (a.end > ?3 OR h.text_digest = ?2 AND h.end > ?3) LIMIT 1
          """, [try row.integer(5), expected.bytes, units]
        ) { _ in true } ?? false
      if hasTooLong { ends.append((try row.integer(5), expected.bytes, units)) }
      return true
    }
    for row in bad { try database.execute("DELETE FROM snapshot WHERE rowid = ?", [row]) }
    for (document, digest, units) in ends {
      try database.execute(
        """
        DELETE FROM anchor WHERE digest = ? AND end > ?
          AND highlight IN (SELECT key FROM highlight WHERE document = ?)
        """, [digest, units, document])
      try loosen(document, digest, units, transaction)
    }
  }

  /// Resets the position of highlights beyond the end of their text. They are then located by their
  /// quote only.
  private func loosen(
    _ document: Int64, _ digest: [UInt8], _ units: Int, _ transaction: WriteTransaction
  ) throws {
    let highlights = try database.values(
      """
      SELECT replica, sequence FROM highlight
      WHERE document = ? AND text_digest = ? AND end > ?
      """, [document, digest, units]
    ) { Highlight.ID(try $0.dot(0)) }
    for id in highlights {
      guard let highlight = try transaction.highlight(id) else { continue }
      var selector = highlight.selector
      selector.textDigest = nil
      selector.position = TextRange(utf16: 0..<0)
      try transaction.change(
        .highlight(id), .selector, to: .selector(selector), from: .selector(highlight.selector))
      report.corrections.append(
        "highlight \(id) was beyond the end of its text: it is found again by its quote")
    }
  }

  /// Causes files to be read again if their newest text or a location in it is missing.
  private func forgetUnknownRevisions(_ transaction: WriteTransaction) throws {
    let ids = try database.values("SELECT replica, sequence, key FROM document") {
      (id: Document.ID(try $0.dot(0)), key: try $0.integer(2))
    }
    for (id, key) in ids {
      let revision = try? transaction.revision(of: id)
      let isKept =
        try revision.map {
          try database.first(
            "SELECT 1 FROM snapshot WHERE document = ? AND digest = ?", [key, $0.textDigest.bytes]
          ) { _ in true } ?? false
        } ?? false
      let hasPresence =
        (try? database.first("SELECT present FROM document WHERE key = ?", [key]) { try $0.flag(0) })
        ?? nil
      if hasPresence == nil {
        try database.execute("UPDATE document SET present = 0 WHERE key = ?", [key])
      }
      if !isKept {
        try database.execute(
          """
          UPDATE document SET source_digest = NULL, text_digest = NULL, render_version = NULL,
            dialect = NULL, size = NULL, mtime = NULL, ctime = NULL, inode = NULL, device = NULL, checked = NULL,
            seen = NULL
          WHERE key = ?
          """, [key])
        continue
      }
      let isPlaced =
        try database.first(
          """
          SELECT 1 FROM \(Highlight.source) WHERE h.document = ? AND a.highlight IS NULL LIMIT 1
          """, [key]
        ) { _ in true } == nil
      if !isPlaced {
        try database.execute(
          """
          UPDATE document SET source_digest = zeroblob(32), size = 0, mtime = 0, ctime = 0,
            checked = 0
          WHERE key = ?
          """, [key])
      }
    }
  }

  /// Rebuilds the search index of the stored texts.
  private func remakeIndex(_ transaction: WriteTransaction) throws {
    try transaction.clearIndex()
    var mark: Int64? = 0
    while let last = mark { mark = try transaction.indexMissing(after: last, limit: 256) }
  }
}
