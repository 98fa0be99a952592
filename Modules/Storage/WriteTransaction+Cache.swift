import FoundationEssentials
package import Model

/// Stores what Diple computes from files. No user action is involved, so none of this creates an
/// operation.
extension WriteTransaction {
  /// The maximum number of older texts of a document with highlights, in addition to those in which
  /// highlights were made.
  private static let snapshotLimit = 15
  /// The maximum number of older texts that are stored because highlights were made in them.
  private static let baseLimit = 64
  /// The maximum total size of a document's older texts in bytes, compressed.
  private static let snapshotBytes = 32 << 20

  /// Stores a new revision of a document's file with the locations of the highlights in it.
  ///
  /// - Parameters:
  ///   - document: the document.
  ///   - old: the hash of the file's bytes on which the caller's work is based; nil if there was no
  ///     revision.
  ///   - revision: the new revision.
  ///   - text: the rendered text.
  ///   - positions: the map from the text to its source, in the caller's format.
  ///   - anchors: the locations of the highlights in the text.
  /// - Returns: false, with nothing stored, if another process has stored a revision meanwhile, so
  ///   that the present one is not `old`.
  /// - Throws: `StoreError.damaged` if the document's row is damaged; another ``StoreError`` if the
  ///   database cannot be written.
  package func replaceRevision(
    of document: Document.ID, expecting old: ContentDigest?, with revision: Revision,
    text: String, positions: [UInt8]? = nil, anchors: [Highlight.ID: Anchor]
  ) throws -> Bool {
    guard try self.revision(of: document)?.sourceDigest == old,
      let key = try documentKey(document)
    else { return false }
    let turn = try lastTurn(of: key) + 1
    try store(revision, text: text, positions: positions, of: document, turn: turn)
    try store(
      anchors, text: revision.textDigest, version: revision.renderVersion, of: document)
    try prune(key, keeping: revision.textDigest, turn: turn)
    return true
  }

  /// Returns the greatest turn of a document's stored texts; 0 if no text is stored. Turns number
  /// the texts in the order in which they were stored.
  private func lastTurn(of key: Int64) throws -> Int64 {
    try first("SELECT coalesce(max(turn), 0) FROM snapshot WHERE document = ?", [key]) {
      Int64(try $0.count(0))
    } ?? 0
  }

  /// Stores a revision and its text, and indexes the text unless it is too long.
  func store(
    _ revision: Revision, text: String, positions: [UInt8]?, of document: Document.ID, turn: Int64
  ) throws {
    guard let key = try documentKey(document) else { return }
    try store(
      revision,
      StoredText(size: text.utf8.count, frame: Compression.compress(text), positions: positions),
      of: document, key, turn: turn)
    guard text.utf8.count <= indexedTextLimit else {
      return try postponeEntry(revision.textDigest, document: key)
    }
    try index(text, revision.textDigest, document: key)
  }

  /// Stores the first revision of a new document and its text.
  func store(_ revision: Revision, _ text: PreparedText, of document: Document.ID) throws {
    guard let key = try documentKey(document) else { return }
    try store(
      revision, StoredText(size: text.size, frame: text.frame, positions: text.positions),
      of: document, key, turn: 1)
    try index(text.terms, revision.textDigest, document: key)
  }

  private func store(
    _ revision: Revision, _ text: StoredText, of document: Document.ID, _ key: Int64, turn: Int64
  ) throws {
    try execute(
      """
      UPDATE document
      SET source_digest = ?, text_digest = ?, render_version = ?, dialect = ?, seen = ?
      WHERE key = ?
      """,
      [
        revision.sourceDigest.bytes, revision.textDigest.bytes, revision.renderVersion,
        revision.dialect.isEmpty ? nil : revision.dialect, revision.seen.milliseconds, key,
      ])
    try setStamp(revision.stamp, of: document)
    try execute(
      """
      INSERT INTO snapshot (document, digest, turn, seen, size, data, positions)
      VALUES (?, ?, ?, ?, ?, ?, ?)
      ON CONFLICT (document, digest) DO UPDATE
      SET turn = excluded.turn, seen = excluded.seen, positions = excluded.positions
      """,
      [
        key, revision.textDigest.bytes, turn, revision.seen.milliseconds, text.size, text.frame,
        text.positions,
      ])
  }

  /// Stores the locations of highlights in one text.
  func store(
    _ anchors: [Highlight.ID: Anchor], text: ContentDigest, version: Int, of document: Document.ID
  ) throws {
    guard !anchors.isEmpty, let key = try documentKey(document) else { return }
    let turn = try lastTurn(of: key)
    for (id, anchor) in anchors {
      try execute(
        """
        INSERT OR REPLACE INTO anchor (highlight, selector, digest, render_version, turn, start, end,
          state, score, runner_up, method, line, column)
        SELECT key, selector, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ? FROM highlight
        WHERE sequence = ? AND replica = ?
        """,
        [
          text.bytes, version, turn, anchor.range?.utf16.lowerBound,
          anchor.range?.utf16.upperBound, anchor.state.rawValue, Self.share(anchor.score),
          Self.share(anchor.runnerUp),
          anchor.method, anchor.line?.line, anchor.line?.column, id.dot.sequence,
          id.dot.storedReplica,
        ])
    }
  }

  /// Clamps a strategy's score to 0...1; 0 for NaN.
  private static func share(_ score: Double) -> Double { score.isNaN ? 0 : min(max(score, 0), 1) }

  /// The maximum number of highlight locations stored for a document, about 100 bytes each.
  static let placeLimit = 100_000
  /// The number of stored texts after which the locations are counted.
  private static let placeCheck: Int64 = 64

  /// Deletes the oldest texts of a document. Texts in which highlights were made are deleted last.
  ///
  /// A highlight whose text is deleted is located by its quote. The locations are kept, so that
  /// they are valid again if the file returns to an earlier text.
  private func prune(_ key: Int64, keeping present: ContentDigest, turn: Int64) throws {
    let hasHighlights =
      try first("SELECT 1 FROM highlight WHERE document = ? LIMIT 1", [key]) { _ in true } ?? false
    try execute(
      """
      WITH base AS (
        SELECT text_digest FROM highlight WHERE document = ?1 AND text_digest IS NOT NULL
      ), old AS (
        SELECT digest, turn, length(data) AS size, digest IN base AS is_base
        FROM snapshot WHERE document = ?1 AND digest <> ?2
      ), ranked AS (
        SELECT digest, is_base,
          row_number() OVER (PARTITION BY is_base ORDER BY turn DESC) AS place,
          sum(size) OVER (ORDER BY is_base DESC, turn DESC ROWS UNBOUNDED PRECEDING) AS total
        FROM old
      )
      DELETE FROM snapshot WHERE document = ?1 AND digest IN (
        SELECT digest FROM ranked
        WHERE place > CASE is_base WHEN 1 THEN ?3 ELSE ?4 END OR total > ?5)
      """,
      [
        key, present.bytes, Self.baseLimit, hasHighlights ? Self.snapshotLimit : 0,
        Self.snapshotBytes,
      ])
    if turn % Self.placeCheck == 0 { try prunePlaces(of: key, to: Self.placeLimit) }
  }

  /// Deletes the locations in the texts that were seen least recently, if there are more than
  /// `limit`. Locations in stored texts are kept. O(locations).
  func prunePlaces(of key: Int64, to limit: Int) throws {
    let turns = try list(
      """
      SELECT a.turn, count(*) FROM highlight h JOIN anchor a ON a.highlight = h.key
      WHERE h.document = ?1 GROUP BY a.turn ORDER BY a.turn DESC
      """, [key]
    ) { (turn: try $0.integer(0), count: try $0.count(1)) }
    var total = 0
    guard
      let last = turns.first(where: {
        total += $0.count; return total > limit
      })?.turn
    else {
      return
    }
    try execute(
      """
      DELETE FROM anchor WHERE highlight IN (SELECT key FROM highlight WHERE document = ?1)
        AND turn <= ?2 AND digest NOT IN (SELECT digest FROM snapshot WHERE document = ?1)
      """, [key, last])
  }

  /// Stores a text of a document that another device sent.
  ///
  /// - Throws: ``StoreError`` if the database cannot be written.
  package func keepCarriedText(
    _ text: String, digest: ContentDigest, renderVersion: Int, of document: Document.ID
  ) throws {
    guard let key = try homePlace(document)?.document else { return }
    try execute(
      """
      INSERT OR IGNORE INTO snapshot (document, digest, turn, seen, size, data)
      VALUES (?, ?, 0, ?, ?, ?)
      """, [key, digest.bytes, wall.milliseconds, text.utf8.count, Compression.compress(text)])
  }

  /// Stores the locations of highlights made on other devices, in the texts in which they were
  /// made, if those texts are stored.
  ///
  /// - Throws: ``StoreError`` if the database cannot be written.
  package func adoptPlaces(of document: Document.ID) throws {
    guard let key = try documentKey(document) else { return }
    try execute(
      """
      INSERT OR IGNORE INTO anchor (highlight, selector, digest, render_version, turn, start, end,
        state, score, runner_up, method)
      SELECT h.key, h.selector, h.text_digest, h.render_version, s.turn, h.start, h.end,
        'exact', 1, 0, 'marked'
      FROM highlight h JOIN snapshot s ON s.document = h.document AND s.digest = h.text_digest
      WHERE h.document = ?
      """, [key])
  }

  /// Stores a new stamp for a file whose content is unchanged.
  ///
  /// - Throws: ``StoreError`` if the database cannot be written.
  package func setStamp(_ stamp: FileStamp, of document: Document.ID) throws {
    try execute(
      """
      UPDATE document SET size = ?, mtime = ?, ctime = ?, inode = ?, device = ?, checked = ?
      WHERE sequence = ? AND replica = ?
      """,
      [
        stamp.size, stamp.mtime, stamp.ctime, Int64(bitPattern: stamp.inode),
        Int64(bitPattern: stamp.device), stamp.checked, document.dot.sequence,
        document.dot.storedReplica,
      ])
  }

  /// Stores whether a document's file exists.
  ///
  /// - Throws: ``StoreError`` if the database cannot be written.
  package func setPresence(_ isPresent: Bool, of document: Document.ID) throws {
    try execute(
      "UPDATE document SET present = ? WHERE sequence = ? AND replica = ?",
      [isPresent, document.dot.sequence, document.dot.storedReplica])
  }
}
