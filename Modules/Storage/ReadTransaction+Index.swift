import FoundationEssentials
package import Model

/// What a search must know of one document before it looks at its text.
package struct CatalogEntry: Sendable {
  /// The document; never a removed one.
  package var document: Document
  /// What the system said of its file when it was last read; nil when it never was.
  package var stamp: FileStamp?
  /// The rules that rendered its newest text.
  package var renderVersion: Int
  /// The name of the dialect that it was read in; empty for none.
  package var dialect: String
  /// The number of the index's entry for its newest text; nil when it has none.
  package var indexKey: Int64?

  /// Whether the index knows its newest text.
  package var isIndexed: Bool { indexKey != nil }
}

extension CatalogEntry {
  /// What an entry is made of, but for the last column: the number of its entry in the index.
  ///
  /// - Parameter namesake: the expression of `hasNamesake`.
  fileprivate static func columns(namesake: String = Document.namesake) -> String {
    """
    \(Document.plainColumns), \(namesake), d.size, d.mtime, d.ctime, d.inode, d.device, d.checked,
    d.render_version, d.dialect
    """
  }

  fileprivate init(_ row: Row) throws {
    let start = Document.columnCount
    stamp = try row.ifPresent(start) { try FileStamp(row, at: $0) }
    document = try Document(row)
    renderVersion = try row.ifPresent(start + 6) { try row.count($0) } ?? 0
    dialect = try row.ifPresent(start + 7, row.strategyID) ?? ""
    indexKey = try row.ifPresent(start + 8) { try row.integer($0) }
  }
}

/// A rendered text as it is kept; reading it is left to whoever searches, on any thread.
package struct StoredText: Sendable {
  let size: Int
  let frame: Data
  /// Where the text stands in its source, in the form in which it was given; nil when that is not
  /// known.
  package let positions: [UInt8]?
}

extension StoredText {
  /// Reads size, bytes and positions.
  init(_ row: Row) throws {
    self.init(
      size: try row.count(0), frame: try row.data(1), positions: try row.ifPresent(2, row.bytes))
  }
}

extension ReadTransaction {
  /// A number that changes whenever the database does, by whoever it may be.
  package func changeMark() throws -> Int64 {
    try othersMark() << 40 ^ Int64(database.totalChangesCount)
  }

  /// A number that changes whenever somebody else changes the database.
  package func othersMark() throws -> Int64 {
    try first("PRAGMA data_version") { try $0.integer(0) } ?? 0
  }

  /// Stands for what a list of documents shows: which there are, what they are called, whether their files
  /// are there, which text each has, and all that people did. Equal in one process only. O(documents).
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

  /// Whether both tables of the index have every entry: an entry that is lost would hide a document.
  package func isIndexWhole() throws -> Bool {
    try TextIndex.Table.allCases.allSatisfy(isWhole)
  }

  /// Whether a table of the index has every entry. A table with as many rows as there are entries has
  /// them: SQLite counts its rows in the same transactions. O(1), and O(entries), at a fraction of a
  /// microsecond each, if rows of old texts were left behind.
  private func isWhole(_ table: TextIndex.Table) throws -> Bool {
    func sum(_ sql: String, _ arguments: Arguments = []) throws -> [Double]? {
      try first(sql, arguments) { [try $0.real(0), try $0.real(1)] }
    }
    do {
      let entries = try first("SELECT count(*) FROM text_index") { try $0.integer(0) }
      if try rowCount(of: table) == entries { return true }
      // Equal counts and sums of numbers mean equal rows. Only if rows were left behind is each one
      // looked up.
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

  /// The rows that a table of the index has by SQLite's own count, the first number of its record of
  /// averages; nil if it has none.
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

  /// Whether every document has an entry of its newest text. O(1) in the number of documents.
  ///
  /// A document has one entry at most, whose number is negative if it is of another text than the
  /// newest, and a greater one the newer the rules are by which it was made.
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

  /// The documents that were not removed, in the order of their paths. O(documents).
  package func catalog() throws -> [CatalogEntry] {
    // One pass over an index tells the namesakes of all in a fraction of the time of a look-up for each.
    let shared = Set(
      try list("SELECT sequence FROM document GROUP BY sequence HAVING count(*) > 1") {
        try $0.integer(0)
      })
    return try list(
      """
      SELECT \(CatalogEntry.columns(namesake: "0")), i.key
      FROM document d LEFT JOIN text_index i
        ON i.document = d.key AND i.digest = d.text_digest AND i.version = ?
      WHERE d.trashed = 0 ORDER BY d.path
      """, [TextIndex.version]
    ) { row in
      var entry = try CatalogEntry(row)
      if !shared.isEmpty {
        entry.document.hasNamesake = shared.contains(entry.document.id.dot.sequence)
      }
      return entry
    }
  }

  /// What is in the catalog of the documents that a filter lets through, and of those that are not in
  /// the index: the best first for a filter of words, and then the others; in the order of paths for
  /// other filters. Nil when the index cannot tell.
  package func catalog(passing filter: TextFilter) throws -> [CatalogEntry]? {
    guard let (table, query) = TextIndex.query(filter), try isWhole(table),
      var entries = try indexed(
        table, query, columns: "\(CatalogEntry.columns()), i.key", CatalogEntry.init)
    else { return nil }
    if try !isIndexComplete() {
      entries += try list(
        """
        SELECT \(CatalogEntry.columns()), NULL
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

  /// The numbers of the entries that a filter of words lets through, the best first. Nil for other
  /// filters, and when the index does not know every document, or cannot tell.
  package func ranking(passing filter: TextFilter) throws -> [Int64]? {
    guard let (table, _) = TextIndex.query(filter), table == .words, try isWhole(table),
      try isIndexComplete()
    else { return nil }
    return try indexKeys(passing: filter)
  }

  /// What is in the catalog of the documents with some entries of the index, in their order; nothing of
  /// an entry of an old text.
  package func catalog(indexed keys: some Sequence<Int64>) throws -> [CatalogEntry] {
    var entries: [CatalogEntry] = []
    for key in keys {
      entries += try list(
        """
        SELECT \(CatalogEntry.columns()), i.key
        FROM text_index i JOIN document d ON d.key = i.document AND d.text_digest = i.digest
        WHERE i.key = ? AND i.version = ? AND d.trashed = 0
        """, [key, TextIndex.version], CatalogEntry.init)
    }
    return entries
  }

  /// The numbers of the index's entries that a filter lets through, those of texts that are gone too:
  /// the best first for a filter of words, in no order for others. Nil when the index cannot tell: the
  /// filter is too weak for it, or the index is damaged.
  package func indexKeys(passing filter: TextFilter) throws -> [Int64]? {
    guard let (table, query) = TextIndex.query(filter) else { return nil }
    return try unlessDamaged {
      guard table == .words else {
        return try list("SELECT rowid FROM \(table) WHERE \(table) MATCH ?", [query]) {
          try $0.integer(0)
        }
      }
      // Numbers are sorted here: SQLite would sort the places of the words with them.
      var ranked = try list("SELECT rowid, rank FROM \(table) WHERE \(table) MATCH ?", [query]) {
        (key: try $0.integer(0), rank: try $0.real(1))
      }
      ranked.sort { ($0.rank, $0.key) < ($1.rank, $1.key) }
      return ranked.map(\.key)
    }
  }

  private func indexed<T>(
    _ table: TextIndex.Table, _ query: String, columns: String, _ make: (Row) throws -> T
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

  /// What a table of the index answers; nil if it is damaged.
  private func unlessDamaged<T>(_ ask: () throws -> T) throws -> T? {
    do { return try ask() } catch let error as SQLiteError where error.isOfDamagedTable {
      return nil
    }
  }

  /// The newest texts of documents, in their order; nil for one that is not kept.
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
  package func hasDocuments() throws -> Bool {
    try first("SELECT 1 FROM document WHERE trashed = 0 LIMIT 1") { _ in true } ?? false
  }

  /// How many bytes the index takes: words, trigrams, and both.
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

  /// The saved queries by name.
  package func savedQueries() throws -> [String: String] {
    var queries: [String: String] = [:]
    try forEach("SELECT name, value FROM saved_query WHERE value <> ''") { row in
      queries[try row.text(0)] = try row.text(1)
      return true
    }
    return queries
  }
}
