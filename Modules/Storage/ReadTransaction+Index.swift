import FoundationEssentials
package import Model

/// The facts about a document that a search needs before it reads the document's text.
package struct CatalogEntry: Sendable {
  /// The document. Its state is never `removed`.
  package var document: Document
  /// The status of the file when it was last read; nil if it was never read.
  package var stamp: FileStamp?
  /// The version of the rules that rendered its newest text.
  package var renderVersion: Int
  /// The name of the dialect in which it was parsed; empty if unknown.
  package var dialect: String
  /// The number of the index entry for its newest text; nil if the text is not indexed.
  package var indexKey: Int64?

  /// The document's file.
  package var file: KnownFile {
    KnownFile(
      document: document.id, path: document.path, isPresent: document.state == .present,
      stamp: stamp, renderVersion: renderVersion, dialect: dialect)
  }

  /// Whether the newest text is in the index.
  package var isIndexed: Bool { indexKey != nil }
}

extension CatalogEntry {
  /// The columns of an entry, except for the last one, the number of the index entry.
  fileprivate static let columns = """
    \(Document.columns), d.size, d.mtime, d.ctime, d.inode, d.device, d.checked,
    d.render_version, d.dialect
    """

  fileprivate init(_ row: DatabaseRow) throws {
    let start = Document.columnCount
    stamp = try row.ifPresent(start) { try FileStamp(row, at: $0) }
    document = try Document(row)
    renderVersion = try row.ifPresent(start + 6) { try row.count($0) } ?? 0
    dialect = try row.ifPresent(start + 7, row.strategyID) ?? ""
    indexKey = try row.ifPresent(start + 8) { try row.integer($0) }
  }
}

/// A rendered text in its stored, compressed form. The search decompresses it on any thread.
package struct StoredText: Sendable {
  let size: Int
  let frame: Data
  /// The map from the text to its source, in the format of the caller that stored it; nil if
  /// unknown.
  package let positions: [UInt8]?
}

extension StoredText {
  /// Reads the columns size, data and positions.
  init(_ row: DatabaseRow) throws {
    self.init(
      size: try row.count(0), frame: try row.data(1), positions: try row.ifPresent(2, row.bytes))
  }
}

extension ReadTransaction {
  /// A number that changes whenever any connection, including this one, changes the database.
  ///
  /// - Throws: ``StoreError`` if the database cannot be read.
  package func changeCounter() throws -> Int64 {
    try dataVersion() << 40 ^ Int64(database.totalChangesCount)
  }

  /// A number that changes whenever another connection changes the database.
  ///
  /// - Throws: ``StoreError`` if the database cannot be read.
  package func dataVersion() throws -> Int64 {
    try first("PRAGMA data_version") { try $0.integer(0) } ?? 0
  }

  /// A hash of everything that a list of documents shows: the documents, their titles, whether
  /// their files exist, their text hashes, and all operations.
  ///
  /// Hashes are comparable only within one process. O(documents).
  ///
  /// - Throws: ``StoreError`` if the database cannot be read. Damaged rows are skipped.
  package func listState() throws -> Int {
    var hasher = Hasher()
    try forEach("SELECT sequence, clock FROM library") { row in
      hasher.combine(try row.integer(0))
      hasher.combine(try row.integer(1))
      return true
    }
    try forEach(
      "SELECT sequence, replica, present, trashed, text_digest FROM document ORDER BY key"
    ) { row in
      for column in 0..<4 { hasher.combine(try row.integer(column)) }
      hasher.combine(try? row.digest(4))
      return true
    }
    return hasher.finalize()
  }

  /// Whether both tables of the index contain every entry. A missing entry would hide a document
  /// from searches.
  ///
  /// - Throws: ``StoreError`` if the database cannot be read. For a damaged index, the result is
  ///   false instead.
  package func isIndexWhole() throws -> Bool {
    try TextIndex.Table.allCases.allSatisfy(isWhole)
  }

  /// Whether a table of the index contains every entry; false if the table is damaged.
  ///
  /// Usually it is enough to compare the row counts, because SQLite updates the count of the table
  /// in the same transactions. If the counts differ because rows of old texts remain, each entry is
  /// looked up, which takes a fraction of a microsecond.
  private func isWhole(_ table: TextIndex.Table) throws -> Bool {
    func sum(_ sql: String, _ arguments: Arguments = []) throws -> [Double]? {
      try first(sql, arguments) { [try $0.real(0), try $0.real(1)] }
    }
    do {
      let entries = try first("SELECT count(*) FROM text_index") { try $0.integer(0) }
      if try rowCount(of: table) == entries { return true }
      // If the counts and the sums of the row numbers are equal, the rows are equal. Each entry is
      // looked up only if rows of old texts remain.
      let known = try sum("SELECT count(*), total(abs(key)) FROM text_index")
      let marked = try sum(
        "SELECT count(*), total(rowid) FROM \(table) WHERE \(table) MATCH ?", ["\"\(table.mark)\""])
      if marked == known { return true }
      let current = try sum("SELECT count(*), 0 FROM text_index WHERE key > 0")
      let found = try sum(
        """
        SELECT count(*), 0 FROM \(table) t JOIN text_index i ON i.key = t.rowid
        WHERE \(table) MATCH ?
        """, ["\"\(table.mark)\""])
      return found == current
    } catch let error as SQLiteError where error.isOfDamagedTable { return false }
  }

  /// The number of rows in a table of the index, which SQLite stores as the first number of the
  /// table's averages record. Nil if that record is missing.
  private func rowCount(of table: TextIndex.Table) throws -> Int64? {
    try first("SELECT block FROM \(table)_data WHERE id = 1") { row in
      var count: Int64 = 0
      for byte in (try? row.bytes(0))?.prefix(8) ?? [] {
        count = count << 7 | Int64(byte & 0x7F)
        if byte < 0x80 { return count }
      }
      return nil
    } ?? nil
  }

  /// Whether every document has an index entry for its newest text.
  ///
  /// This compares counts and reads the entries with the least and the greatest number; it does not
  /// look up each document. A document has at most one entry. The entry's number is negative if it
  /// indexes an older text than the newest. Entries made by newer rules have greater numbers.
  private func isIndexComplete() throws -> Bool {
    func version(_ order: String) throws -> (key: Int64, version: Int64)? {
      try first("SELECT key, version FROM text_index ORDER BY key \(order) LIMIT 1") {
        (try $0.integer(0), try $0.integer(1))
      }
    }
    let counts = try first(
      "SELECT (SELECT count(*) FROM document), (SELECT count(*) FROM text_index)"
    ) { (try $0.integer(0), try $0.integer(1)) }
    guard let counts, counts.0 == counts.1 else { return false }
    guard let oldest = try version("ASC"), let newest = try version("DESC") else { return true }
    return oldest.key > 0 && oldest.version == TextIndex.version
      && newest.version == TextIndex.version
  }

  /// Whether a document that was not removed has no index entry for its newest text.
  ///
  /// - Throws: ``StoreError`` if the database cannot be read.
  package func hasUnindexedDocuments() throws -> Bool {
    if try isIndexComplete() { return false }
    return try first(
      """
      SELECT 1 FROM document d LEFT JOIN text_index i
        ON i.document = d.key AND i.digest = d.text_digest AND i.version = ?
      WHERE d.trashed = 0 AND i.key IS NULL LIMIT 1
      """, [TextIndex.version]
    ) { _ in true } ?? false
  }

  /// Returns the documents that were not removed, sorted by path. O(documents).
  ///
  /// - Throws: ``StoreError`` if the database cannot be read. Damaged rows are skipped.
  package func catalog() throws -> [CatalogEntry] {
    try list(
      """
      SELECT \(CatalogEntry.columns), i.key
      FROM document d LEFT JOIN text_index i
        ON i.document = d.key AND i.digest = d.text_digest AND i.version = ?
      WHERE d.trashed = 0 ORDER BY d.path
      """, [TextIndex.version], CatalogEntry.init)
  }

  /// Returns the documents that may match a filter, and all documents without an index entry.
  ///
  /// For a filter of words the best matches are first and documents that are not indexed are last.
  /// For other filters the documents are sorted by path. Nil if the index cannot answer the filter.
  ///
  /// - Throws: ``StoreError`` if the database cannot be read. For a damaged index, the result is
  ///   nil instead.
  package func catalog(passing filter: TextFilter) throws -> [CatalogEntry]? {
    guard let (table, query) = TextIndex.query(filter), try isWhole(table),
      var entries = try indexed(
        table, query, columns: "\(CatalogEntry.columns), i.key", CatalogEntry.init)
    else { return nil }
    if try !isIndexComplete() {
      entries += try list(
        """
        SELECT \(CatalogEntry.columns), NULL
        FROM document d LEFT JOIN text_index i
          ON i.document = d.key AND i.digest = d.text_digest AND i.version = ?
        WHERE d.trashed = 0 AND i.key IS NULL ORDER BY d.path
        """, [TextIndex.version], CatalogEntry.init)
    }
    if table == .words { return entries }
    return entries.sorted {
      $0.document.path.string.utf8.lexicographicallyPrecedes($1.document.path.string.utf8)
    }
  }

  /// Returns the numbers of the index entries that match a filter of words, best first.
  ///
  /// Nil for other filters, and if the index is damaged or does not cover every document.
  ///
  /// - Throws: ``StoreError`` if the database cannot be read. For a damaged index, the result is
  ///   nil instead.
  package func ranking(passing filter: TextFilter) throws -> [Int64]? {
    guard let (table, _) = TextIndex.query(filter), table == .words, try isWhole(table),
      try isIndexComplete()
    else { return nil }
    return try indexKeys(passing: filter)
  }

  /// Returns the number of the newest index entry; 0 if the index is empty. Numbers are never
  /// reused.
  ///
  /// - Throws: ``StoreError`` if the database cannot be read.
  package func lastIndexKey() throws -> Int64 {
    try first("SELECT key FROM text_index ORDER BY key DESC LIMIT 1") { try $0.integer(0) } ?? 0
  }

  /// Returns the documents whose newest text was stored after the index entry with a number. All
  /// documents must have been indexed at that time. O(log documents) if there are none.
  ///
  /// - Throws: ``StoreError`` if the database cannot be read. Damaged rows are skipped.
  package func reindexed(after key: Int64) throws -> [Document] {
    let isSame = try first(
      """
      SELECT ifnull(
        (SELECT min(key) FROM text_index) > 0 AND (SELECT max(key) FROM text_index) <= ?, 0)
      """, [key]
    ) { try $0.flag(0) }
    if isSame == true { return [] }
    let ids = try list(
      """
      SELECT \(CatalogEntry.columns), i.key
      FROM document d LEFT JOIN text_index i
        ON i.document = d.key AND i.digest = d.text_digest AND i.version = ?
      WHERE d.trashed = 0 AND (i.key IS NULL OR i.key > ?) ORDER BY d.path
      """, [TextIndex.version, key], CatalogEntry.init)
    return ids.map(\.document)
  }

  /// Returns the documents of some index entries, in the order of `keys`. Entries of old texts are
  /// skipped.
  ///
  /// - Throws: ``StoreError`` if the database cannot be read. Damaged rows are skipped.
  package func catalog(withKeys keys: some Sequence<Int64>) throws -> [CatalogEntry] {
    var entries: [CatalogEntry] = []
    for key in keys {
      entries += try list(
        """
        SELECT \(CatalogEntry.columns), i.key
        FROM text_index i JOIN document d ON d.key = i.document AND d.text_digest = i.digest
        WHERE i.key = ? AND i.version = ? AND d.trashed = 0
        """, [key, TextIndex.version], CatalogEntry.init)
    }
    return entries
  }

  /// Returns the numbers of the index entries that match a filter, including entries of old texts.
  ///
  /// For a filter of words the best matches are first; for other filters the order is unspecified.
  /// Nil if the index cannot answer: the filter is too unspecific, or the index is damaged.
  ///
  /// - Throws: ``StoreError`` if the database cannot be read. For a damaged index, the result is
  ///   nil instead.
  package func indexKeys(passing filter: TextFilter) throws -> [Int64]? {
    guard let (table, query) = TextIndex.query(filter) else { return nil }
    return try unlessDamaged {
      guard table == .words else {
        return try list("SELECT rowid FROM \(table) WHERE \(table) MATCH ?", [query]) {
          try $0.integer(0)
        }
      }
      // Sort in memory, because SQLite would sort the word positions along with the numbers.
      var ranked = try list("SELECT rowid, rank FROM \(table) WHERE \(table) MATCH ?", [query]) {
        (key: try $0.integer(0), rank: try $0.real(1))
      }
      ranked.sort { ($0.rank, $0.key) < ($1.rank, $1.key) }
      return ranked.map(\.key)
    }
  }

  private func indexed<T>(
    _ table: TextIndex.Table, _ query: String, columns: String, _ make: (DatabaseRow) throws -> T
  ) throws -> [T]? {
    try unlessDamaged {
      try list(
        """
        SELECT \(columns)
        FROM \(table) t JOIN text_index i ON i.key = t.rowid
        JOIN document d ON d.key = i.document AND d.text_digest = i.digest
        WHERE \(table) MATCH ? AND i.version = ? AND d.trashed = 0
        \(table == .words ? "ORDER BY t.rank" : "")
        """, [query, TextIndex.version], make)
    }
  }

  /// Returns the result of a query of the index; nil if the index is damaged.
  private func unlessDamaged<T>(_ ask: () throws -> T) throws -> T? {
    do { return try ask() } catch let error as SQLiteError where error.isOfDamagedTable {
      return nil
    }
  }

  /// Returns the newest texts of documents, in the same order; nil for a text that is not stored.
  ///
  /// - Throws: `StoreError.damaged` if a text's row is damaged; another ``StoreError`` if the
  ///   database cannot be read.
  package func newestTexts(of documents: [Document.ID]) throws -> [StoredText?] {
    try documents.map { id in
      try first(
        """
        SELECT s.size, s.data, s.positions FROM document d
        JOIN snapshot s ON s.document = d.key AND s.digest = d.text_digest
        WHERE d.sequence = ? AND d.replica = ?
        """, [id.dot.sequence, id.dot.storedReplica], StoredText.init)
    }
  }

  /// Whether the library has a document that was not removed.
  ///
  /// - Throws: ``StoreError`` if the database cannot be read.
  package func hasDocuments() throws -> Bool {
    try first("SELECT 1 FROM document WHERE trashed = 0 LIMIT 1") { _ in true } ?? false
  }

  /// The size of the index in bytes: the table of words and the table of trigrams.
  ///
  /// - Throws: ``StoreError`` if the database cannot be read.
  package func indexSizes() throws -> (words: Int, trigrams: Int) {
    func size(_ table: String) throws -> Int {
      let names = try list(
        "SELECT name FROM sqlite_schema WHERE name LIKE '\(table)!_%' ESCAPE '!'"
      ) { try $0.text(0) }
      return try names.reduce(0) { total, name in
        let columns = name.hasSuffix("_data") ? "block" : name.hasSuffix("_docsize") ? "sz" : "NULL"
        return try total
          + (first("SELECT total(length(\(columns)) + 8) FROM \(name)") { Int(try $0.real(0)) } ?? 0)
      }
    }
    return (try size("text_words"), try size("text_trigrams"))
  }

  /// The saved queries, by name.
  ///
  /// - Throws: ``StoreError`` if the database cannot be read. Damaged rows are skipped.
  package func savedQueries() throws -> [String: String] {
    var queries: [String: String] = [:]
    try forEach("SELECT name, value FROM saved_query WHERE value <> ''") { row in
      queries[try row.text(0)] = try row.text(1)
      return true
    }
    return queries
  }
}
