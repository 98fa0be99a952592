import FoundationEssentials
package import Model

/// A transaction that reads one consistent state of the database. It is valid only within the call
/// of ``Store/read(_:)`` or ``Store/write(dryRun:_:)`` that passes it.
///
/// Its functions throw `SQLiteError` and `BadValue`. ``Store`` converts both to ``StoreError``,
/// which their documentation names. Lists skip damaged rows; ``Store/takeProblems()`` returns them.
///
/// ```swift
/// let counts = try store.read { transaction in
///   try transaction.document(at: path).map { try transaction.highlightCounts(of: $0.id) }
/// }
/// ```
package class ReadTransaction {
  let database: Database

  init(_ database: Database) { self.database = database }

  /// Returns the result of `make` for the first row; nil if the statement returns no rows.
  func first<T>(_ sql: String, _ arguments: Arguments = [], _ make: (DatabaseRow) throws -> T)
    throws -> T?
  {
    try database.first(sql, arguments, make)
  }

  /// Returns the results of `make` for all rows. Skips and reports damaged rows, so that they do
  /// not hide the others.
  func list<T>(_ sql: String, _ arguments: Arguments = [], _ make: (DatabaseRow) throws -> T?)
    throws -> [T]
  {
    var values: [T] = []
    try forEach(sql, arguments) { row in
      if let value = try make(row) { values.append(value) }
      return true
    }
    return values
  }

  /// Calls `body` for each row until it returns false. Skips and reports damaged rows.
  func forEach(_ sql: String, _ arguments: Arguments = [], _ body: (DatabaseRow) throws -> Bool)
    throws
  {
    try database.forEach(sql, arguments) { row in
      do { return try body(row) } catch let problem as BadValue {
        database.onProblem?(problem)
        return true
      }
    }
  }

  // MARK: - Documents

  /// Returns the documents, ordered by path. Documents that were merged into another are not
  /// listed.
  ///
  /// - Throws: ``StoreError`` if the database cannot be read. Damaged rows are skipped.
  package func documents(includingRemoved: Bool) throws -> [Document] {
    let condition = includingRemoved ? "d.alias IS NULL" : "d.trashed = 0"
    return try list(
      "SELECT \(Document.columns) FROM document d WHERE \(condition) ORDER BY d.path", [],
      Document.init)
  }

  /// Returns the documents with these identities, in the order of their paths. Removed documents
  /// are skipped.
  ///
  /// - Throws: `StoreError.damaged` if a document's row is damaged; another ``StoreError`` if the
  ///   database cannot be read.
  package func documents(_ ids: [Document.ID]) throws -> [Document] {
    // Reading all documents takes less time than looking up very many.
    if ids.count > 100, ids.count > (try documentCount()) / 3 {
      let wanted = Set(ids)
      return try documents(includingRemoved: false).filter { wanted.contains($0.id) }
    }
    return try ids.compactMap(document).filter { $0.state != .removed }.sorted {
      $0.path.string.utf8.lexicographicallyPrecedes($1.path.string.utf8)
    }
  }

  /// Returns the documents whose files did not exist when they were last checked, without removed
  /// documents.
  ///
  /// - Throws: ``StoreError`` if the database cannot be read. Damaged rows are skipped.
  package func missingDocuments() throws -> [Document] {
    try list(
      "SELECT \(Document.columns) FROM document d WHERE d.trashed = 0 AND d.present = 0", [],
      Document.init)
  }

  /// Returns the document with an identifier, even if it is removed; nil if it does not exist.
  ///
  /// - Throws: `StoreError.damaged` if the row is damaged; another ``StoreError`` if the database
  ///   cannot be read.
  package func document(_ id: Document.ID) throws -> Document? {
    try first(
      "SELECT \(Document.columns) FROM document d WHERE d.sequence = ? AND d.replica = ?",
      [id.dot.sequence, id.dot.storedReplica], Document.init)
  }

  /// Whether there is a document with an identifier.
  func exists(_ document: Dot) throws -> Bool {
    try first(
      "SELECT 1 FROM document WHERE sequence = ? AND replica = ?",
      [document.sequence, document.storedReplica]
    ) { _ in true } ?? false
  }

  /// Returns the document at a path of this device; nil if it does not exist. Prefers documents
  /// that are not removed.
  ///
  /// - Throws: `StoreError.damaged` if the row is damaged; another ``StoreError`` if the database
  ///   cannot be read.
  package func document(at path: DocumentPath) throws -> Document? {
    try first(
      """
      SELECT \(Document.columns) FROM document d WHERE d.path = ? AND d.bound = 1
      ORDER BY d.trashed, d.alias LIMIT 1
      """, [path.string], Document.init)
  }

  /// Returns the documents that an id refers to: the document with this number, or those whose
  /// identifier begins with this text, which contains a `-`.
  ///
  /// - Throws: ``StoreError`` if the database cannot be read. Damaged rows are skipped.
  package func documentIDs(named name: String) throws -> [Document.ID] {
    try dots(of: .document, named: name).map(Document.ID.init)
  }

  /// Returns the state of a document's file when it was last read; nil if it was never read.
  ///
  /// - Throws: `StoreError.damaged` if the row is damaged; another ``StoreError`` if the database
  ///   cannot be read.
  package func revision(of document: Document.ID) throws -> Revision? {
    let found: Revision?? = try first(
      "SELECT \(Revision.columns) FROM document WHERE sequence = ? AND replica = ?",
      [document.dot.sequence, document.dot.storedReplica], Revision.read)
    return found ?? nil
  }

  /// Returns the revisions of documents, in the same order. Many are read in one pass over all
  /// documents, which takes a third of the time of single look-ups.
  ///
  /// - Throws: `StoreError.damaged` if a row is damaged; another ``StoreError`` if the database
  ///   cannot be read.
  package func revisions(of documents: [Document]) throws -> [Revision?] {
    if documents.count > 100, documents.count > (try documentCount()) / 3,
      let all = try? allRevisions()
    {
      return documents.map { all[$0.id] }
    }
    return try documents.map { try revision(of: $0.id) }
  }

  private func documentCount() throws -> Int {
    try first("SELECT count(*) FROM document") { try $0.count(0) } ?? 0
  }

  private func allRevisions() throws -> [Document.ID: Revision] {
    var revisions: [Document.ID: Revision] = [:]
    try database.forEach("SELECT \(Revision.columns), replica, sequence FROM document") { row in
      let document = Document.ID(try row.dot(Revision.columnCount))
      revisions[document] = try Revision.read(row)
      return true
    }
    return revisions
  }

  /// Returns a stored text of a document by its hash; nil if it is not stored or damaged.
  ///
  /// - Throws: ``StoreError`` if the database cannot be read.
  package func snapshot(_ digest: ContentDigest, of document: Document.ID) throws -> String? {
    try snapshotFrame(digest, of: document) { Compression.text(from: $0, size: $1) }?.text
  }

  /// Returns the UTF-16 units of a stored text of a document, and the map from the text to its
  /// source in the format of the caller that stored it. Returns nil if the text is not stored or
  /// damaged.
  ///
  /// - Throws: ``StoreError`` if the database cannot be read.
  package func snapshotUnits(_ digest: ContentDigest, of document: Document.ID) throws
    -> (units: [UInt16], positions: [UInt8]?)?
  {
    try snapshotFrame(digest, of: document) { Compression.units(from: $0, size: $1) }.map {
      (units: $0.text, positions: $0.positions)
    }
  }

  /// Reads a stored text of a document and its positions; nil if it is not stored or damaged.
  ///
  /// - Parameter decode: decompresses the text from a frame and its size; nil if it is damaged.
  private func snapshotFrame<Text>(
    _ digest: ContentDigest, of document: Document.ID, _ decode: (Data, Int) -> Text?
  ) throws -> (text: Text, positions: [UInt8]?)? {
    let found: (Text, [UInt8]?)?? = try first(
      """
      SELECT s.data, s.size, s.positions FROM snapshot s JOIN document d ON d.key = s.document
      WHERE s.digest = ? AND d.sequence = ? AND d.replica = ?
      """, [digest.bytes, document.dot.sequence, document.dot.storedReplica]
    ) { row in
      guard let frame = try? row.data(0), let size = try? row.count(1),
        let text = decode(frame, size)
      else { return nil }
      return (text, try? row.ifPresent(2, row.bytes))
    }
    return found ?? nil
  }

  /// Adds a problem, which ``Store/takeProblems()`` returns.
  package func report(_ problem: String) { database.onProblem?(BadValue(description: problem)) }

  // MARK: - Highlights

  /// Returns the highlight with an identifier, even if it is in the trash; nil if it does not
  /// exist.
  ///
  /// - Throws: `StoreError.damaged` if the row is damaged; another ``StoreError`` if the database
  ///   cannot be read.
  package func highlight(_ id: Highlight.ID) throws -> Highlight? {
    try first(
      """
      SELECT \(Highlight.columns()) FROM \(Highlight.source) WHERE h.sequence = ? AND h.replica = ?
      """, [id.dot.sequence, id.dot.storedReplica]
    ) { try Highlight($0) }.flatMap { try labelled([$0]).first }
  }

  /// Returns the imported highlights with the given origin keys, by key. Includes highlights in the
  /// trash, unless their import was undone. Of several highlights with the same key, it prefers
  /// those outside the trash, then the newest.
  ///
  /// - Throws: ``StoreError`` if the database cannot be read. Damaged rows are skipped.
  package func imported(under keys: some Sequence<String>) throws -> [String: Highlight] {
    var found: [String: Highlight] = [:]
    for key in keys {
      try forEach(
        """
        SELECT \(Highlight.columns()) FROM \(Highlight.source)
        WHERE h.origin_key = ? ORDER BY h.trashed, h.sequence DESC
        """, [key]
      ) { row in
        found[key] = try Highlight(row, report: database.onProblem)
        return false
      }
    }
    let undone = try undoneImports(Array(found.values))
    return found.filter { !undone.contains($0.value.id) }
  }

  /// Returns the imported highlights whose origin keys begin with a text, in the order of these.
  /// Includes highlights in the trash, unless their import was undone.
  ///
  /// - Throws: ``StoreError`` if the database cannot be read. Damaged rows are skipped.
  package func imported(underKeysWith prefix: String) throws -> [Highlight] {
    var found: [Highlight] = []
    try forEach(
      """
      SELECT \(Highlight.columns()) FROM \(Highlight.source)
      WHERE h.origin_key >= ?1 AND h.origin_key < ?1 || char(0x10FFFF) ORDER BY h.origin_key
      """, [prefix]
    ) { row in
      found.append(try Highlight(row, report: database.onProblem))
      return true
    }
    let undone = try undoneImports(found)
    return found.filter { !undone.contains($0.id) }
  }

  /// Finds the highlights in the trash whose import was undone.
  private func undoneImports(_ highlights: [Highlight]) throws -> Set<Highlight.ID> {
    let trashed = highlights.filter(\.isTrashed).map(\.id)
    let undone = try undoneCreations(trashed.map { .highlight($0) })
    return Set(trashed.filter { undone[.highlight($0)] != nil })
  }

  /// Returns the highlights that an id refers to, by the rule of `documentIDs(named:)`. Formatted
  /// passages are excluded.
  ///
  /// - Throws: ``StoreError`` if the database cannot be read. Damaged rows are skipped.
  package func highlightIDs(named name: String) throws -> [Highlight.ID] {
    let dots = try dots(of: .highlight, named: name)
    return try dots.map(Highlight.ID.init).filter { try !isFormat($0) }
  }

  /// Whether a highlight record is a formatted passage.
  private func isFormat(_ id: Highlight.ID) throws -> Bool {
    try first(
      "SELECT 1 FROM highlight WHERE sequence = ? AND replica = ? AND format IS NOT NULL",
      [id.dot.sequence, id.dot.storedReplica]
    ) { _ in true } ?? false
  }

  /// Returns the numbers of documents that are not removed, and of their highlights that are not in
  /// the trash. O(highlights).
  ///
  /// - Throws: ``StoreError`` if the database cannot be read.
  package func liveCounts() throws -> (documents: Int, highlights: Int) {
    let documents = try first("SELECT count(*) FROM document WHERE trashed = 0") { try $0.count(0) }
    let highlights = try first(
      """
      SELECT count(*) FROM highlight h JOIN document d ON d.key = h.document
      WHERE h.trashed = 0 AND d.trashed = 0 AND h.format IS NULL
      """
    ) { try $0.count(0) }
    return (documents ?? 0, highlights ?? 0)
  }

  /// Returns the number of highlights in each state, by document. Excludes the trash and formatted
  /// passages.
  ///
  /// - Parameter document: the only document to count; nil for all.
  /// - Throws: ``StoreError`` if the database cannot be read. Damaged rows are skipped.
  package func highlightCounts(of document: Document.ID? = nil) throws
    -> [Document.ID: [AnchorState: Int]]
  {
    var counts: [Document.ID: [AnchorState: Int]] = [:]
    let condition = document == nil ? "" : "AND d.sequence = ? AND d.replica = ?"
    try forEach(
      """
      SELECT d.replica, d.sequence, coalesce(a.state, 'orphaned'), count(*)
      FROM \(Highlight.source)
      WHERE h.trashed = 0 AND d.trashed = 0 AND h.format IS NULL \(condition)
      GROUP BY d.key, 3
      """, document.map { [$0.dot.sequence, $0.dot.storedReplica] } ?? []
    ) { row in
      counts[Document.ID(try row.dot(0)), default: [:]][try row.value(2)] = try row.count(3)
      return true
    }
    return counts
  }

  /// Returns the number of highlights of each colour, by document. Excludes the trash and formatted
  /// passages. O(highlights).
  ///
  /// - Throws: ``StoreError`` if the database cannot be read. Damaged rows are skipped.
  package func colorCounts() throws -> [Document.ID: [HighlightColor: Int]] {
    var counts: [Document.ID: [HighlightColor: Int]] = [:]
    try forEach(
      """
      SELECT d.replica, d.sequence, h.color, count(*)
      FROM highlight h JOIN document d ON d.key = h.document
      WHERE h.trashed = 0 AND d.trashed = 0 AND h.format IS NULL GROUP BY d.key, h.color
      """
    ) { row in
      counts[Document.ID(try row.dot(0)), default: [:]][try row.value(2)] = try row.count(3)
      return true
    }
    return counts
  }

  /// Returns the stored locations of a document's highlights in one of its texts, including
  /// highlights in the trash.
  ///
  /// - Throws: ``StoreError`` if the database cannot be read. Damaged rows are skipped.
  package func anchors(of document: Document.ID, in text: ContentDigest, renderVersion: Int) throws
    -> [Highlight.ID: Anchor]
  {
    let places = try list(
      """
      SELECT h.replica, h.sequence, \(Anchor.columns)
      FROM document d CROSS JOIN highlight h ON h.document = d.key
      JOIN anchor a ON a.highlight = h.key AND a.selector = h.selector
      WHERE d.sequence = ? AND d.replica = ? AND a.digest = ? AND a.render_version = ?
      """, [document.dot.sequence, document.dot.storedReplica, text.bytes, renderVersion]
    ) { (Highlight.ID(try $0.dot(0)), try Anchor($0, at: 2)) }
    return Dictionary(places, uniquingKeysWith: { $1 })
  }

  /// Returns, for each highlight of a document, its location in the newest stored text in which it
  /// was located with certainty.
  ///
  /// - Throws: ``StoreError`` if the database cannot be read. Damaged rows are skipped.
  package func lastPlaced(of document: Document.ID) throws -> [Highlight.ID: LastPlace] {
    var result: [Highlight.ID: LastPlace] = [:]
    try forEach(
      """
      SELECT h.replica, h.sequence, a.digest, a.start, a.end
      FROM document d CROSS JOIN highlight h ON h.document = d.key
      CROSS JOIN snapshot s ON s.document = d.key
      CROSS JOIN anchor a ON a.highlight = h.key AND a.selector = h.selector AND a.digest = s.digest
      WHERE d.sequence = ? AND d.replica = ? AND a.start IS NOT NULL AND a.state <> 'doubtful'
      ORDER BY a.turn
      """, [document.dot.sequence, document.dot.storedReplica]
    ) { row in
      result[Highlight.ID(try row.dot(0))] = LastPlace(
        text: try row.digest(2), range: try row.range(3))
      return true
    }
    return result
  }

  /// Returns the tags of highlights that are not in the trash, with the number of highlights,
  /// ordered by name.
  ///
  /// - Throws: ``StoreError`` if the database cannot be read. Damaged rows are skipped.
  package func tags() throws -> [(name: String, count: Int)] {
    try list(
      """
      SELECT t.name, count(*) FROM tag t JOIN highlight h ON h.key = t.highlight
      JOIN document d ON d.key = h.document WHERE h.trashed = 0 AND d.trashed = 0
      GROUP BY t.name ORDER BY t.name
      """
    ) { (name: try $0.text(0), count: try $0.count(1)) }
  }

  /// Returns the labels of colours in this library. Colours without a label are omitted.
  ///
  /// - Throws: ``StoreError`` if the database cannot be read. Damaged rows are skipped.
  package func labels() throws -> [HighlightColor: String] {
    var labels: [HighlightColor: String] = [:]
    try forEach("SELECT color, name FROM color_label WHERE name <> ''") { row in
      labels[try row.value(0)] = try row.text(1)
      return true
    }
    return labels
  }

  /// Returns the locations of a highlight in the stored texts of its document, oldest text first.
  ///
  /// - Throws: ``StoreError`` if the database cannot be read. Damaged rows are skipped.
  package func sightings(of id: Highlight.ID) throws -> [Sighting] {
    try list(
      """
      SELECT s.digest, s.seen, \(Anchor.columns)
      FROM anchor a JOIN highlight h ON h.key = a.highlight AND h.selector = a.selector
      JOIN snapshot s ON s.document = h.document AND s.digest = a.digest
      WHERE h.sequence = ? AND h.replica = ? ORDER BY s.turn
      """, [id.dot.sequence, id.dot.storedReplica]
    ) { row in
      Sighting(text: try row.digest(0), seen: try row.date(1), anchor: try Anchor(row, at: 2))
    }
  }

  // MARK: - Operations

  /// Returns the identity of this copy of the library; 0 if it is missing.
  ///
  /// - Throws: `StoreError.damaged` if the row is damaged; another ``StoreError`` if the database
  ///   cannot be read.
  package func replica() throws -> ReplicaID {
    ReplicaID(rawValue: try first("SELECT replica FROM library") { try $0.bits(0) } ?? 0)
  }

  /// Returns at most `limit` operations of a replica after a sequence number, in order.
  ///
  /// - Throws: ``StoreError`` if the database cannot be read. Damaged rows are skipped.
  package func operations(of replica: ReplicaID, after sequence: Int64, limit: Int) throws
    -> [Operation]
  {
    try list(
      """
      SELECT \(Operation.columns) FROM operation WHERE replica = ? AND sequence > ?
      ORDER BY sequence LIMIT ?
      """, [Int64(bitPattern: replica.rawValue), sequence, limit], Operation.init)
  }

  /// Returns the operations on a record, oldest first.
  ///
  /// - Throws: ``StoreError`` if the database cannot be read. Damaged rows are skipped.
  package func operations(on record: RecordReference) throws -> [Operation] {
    try list(
      """
      SELECT \(Operation.columns) FROM operation
      WHERE sequence = ?1 AND replica = ?2 AND field = 'created'
      UNION ALL
      SELECT \(Operation.columns) FROM \(Operation.changes(of: "?1", "?2"))
      ORDER BY time, replica, sequence
      """, [record.dot.sequence, record.dot.storedReplica], Operation.init)
  }

  // MARK: - Names

  private func dots(of kind: NumberedRecord, named name: String) throws -> [Dot] {
    let parts = name.split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
    guard let first = parts.first, let number = Int64(first), String(number) == first else {
      return []
    }
    let isWhole = parts.count == 1
    return try list(
      """
      SELECT replica, sequence FROM \(kind) WHERE \(isWhole ? "number" : "sequence") = ?
      ORDER BY replica
      """, [number]
    ) { try $0.dot(0) }.filter { isWhole || $0.description.hasPrefix(name) }
  }
}

extension Revision {
  /// The columns that `read` reads. They include the sequence, which error messages need to
  /// identify the row.
  fileprivate static let columns = """
    source_digest, text_digest, render_version, size, mtime, ctime, inode, device, checked, seen,
    sequence, dialect
    """

  /// The number of columns that ``read(_:)`` reads.
  fileprivate static let columnCount = 12

  /// Reads a revision; nil if the document's file was never read.
  fileprivate static func read(_ row: DatabaseRow) throws -> Revision? {
    guard !row.isNull(0), !row.isNull(1) else { return nil }
    return Revision(
      sourceDigest: try row.digest(0), textDigest: try row.digest(1),
      renderVersion: try row.count(2), dialect: try row.ifPresent(11, row.strategyID) ?? "",
      stamp: try FileStamp(row, at: 3), seen: try row.date(9))
  }
}

extension FileStamp {
  /// Reads a stamp from six columns that begin at an index.
  init(_ row: DatabaseRow, at index: Int) throws {
    self.init(
      size: try row.integer(index, in: 0...DatabaseRow.countLimit),
      mtime: try row.fileTime(index + 1),
      ctime: try row.fileTime(index + 2), inode: try row.bits(index + 3),
      device: try row.bits(index + 4), checked: try row.fileTime(index + 5))
  }
}
