import FoundationEssentials
import GRDB
package import Model

/// What a search must know of one document before it looks at its text.
package struct CatalogEntry: Sendable {
  /// The document; never a removed one.
  package var document: Document
  /// What the system said of its file when it was last read; nil when it never was.
  package var stamp: FileStamp?
  /// The rules that rendered its newest text.
  package var renderVersion: Int
  /// The number of the index's entry for its newest text; nil when it has none.
  package var indexKey: Int64?

  /// Whether the index knows its newest text.
  package var isIndexed: Bool { indexKey != nil }
}

extension CatalogEntry {
  /// What an entry is made of, but for the last column: the number of its entry in the index.
  fileprivate static let columns =
    Document.columns
    + ", d.size, d.mtime, d.ctime, d.inode, d.device, d.checked, d.render_version"

  fileprivate init(_ row: Row) {
    if let size: Int64 = row[8] {
      stamp = FileStamp(
        size: size, mtime: row[9], ctime: row[10], inode: UInt64(bitPattern: row[11]),
        device: UInt64(bitPattern: row[12]), checked: row[13])
    }
    document = Document(row)
    renderVersion = row[14] ?? 0
    indexKey = row[15]
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

extension ReadTransaction {
  /// A number that changes whenever the database does, by whoever it may be.
  package func changeMark() throws -> Int64 {
    let others: Int64 = try row("PRAGMA data_version")?[0] ?? 0
    return others << 40 ^ Int64(database.totalChangesCount)
  }

  /// Whether both tables of the index have every entry: an entry that is lost would hide a document.
  /// O(entries), at a fraction of a microsecond each.
  package func isIndexWhole() throws -> Bool {
    let known = try row("SELECT count(*), total(key) FROM text_index")
    let entries: Int = known?[0] ?? 0
    let sum: Double = known?[1] ?? 0
    do {
      return try [
        ("text_words", IndexTerms.wordMark), ("text_trigrams", IndexTerms.trigramMark),
      ].allSatisfy { table, mark in
        // As many entries whose numbers give the same sum: only where entries of texts that are gone
        // were left behind, each has to be looked for.
        let marked = try row(
          "SELECT count(*), total(rowid) FROM \(table) WHERE \(table) MATCH ?", ["\"\(mark)\""])
        if let marked, marked[0] == entries, marked[1] == sum { return true }
        let found: Int? = try row(
          """
          SELECT count(*) FROM \(table) t JOIN text_index i ON i.key = t.rowid
          WHERE \(table) MATCH ?
          """, ["\"\(mark)\""])?[0]
        return found == entries
      }
    } catch let error as DatabaseError
      where [.SQLITE_CORRUPT, .SQLITE_ERROR].contains(error.resultCode)
    {
      return false
    }
  }

  /// The documents that were not removed, in the order of their paths. O(documents).
  package func catalog() throws -> [CatalogEntry] {
    try values(
      """
      SELECT \(CatalogEntry.columns), i.key
      FROM document d LEFT JOIN text_index i
        ON i.document = d.key AND i.digest = d.text_digest AND i.version = ?
      WHERE d.trashed = 0 ORDER BY d.path
      """, [TextIndex.version], CatalogEntry.init)
  }

  /// What is in the catalog of the documents that a filter lets through, and of those that are not in
  /// the index: the best first for a filter of words, and then the others; in the order of paths for
  /// other filters. Nil when the index cannot tell.
  package func catalog(passing filter: TextFilter) throws -> [CatalogEntry]? {
    guard try isIndexWhole(),
      var entries = try indexed(
        passing: filter, columns: "\(CatalogEntry.columns), i.key", CatalogEntry.init)
    else { return nil }
    entries += try values(
      """
      SELECT \(CatalogEntry.columns), NULL
      FROM document d LEFT JOIN text_index i
        ON i.document = d.key AND i.digest = d.text_digest AND i.version = ?
      WHERE d.trashed = 0 AND i.key IS NULL ORDER BY d.path
      """, [TextIndex.version], CatalogEntry.init)
    if case .words = filter { return entries }
    return entries.sorted {
      $0.document.path.string.utf8.lexicographicallyPrecedes($1.document.path.string.utf8)
    }
  }

  /// The numbers of the index's entries that a filter lets through, those of texts that are gone too:
  /// the best first for a filter of words, in no order for others. Nil when the index cannot tell: the
  /// filter is too weak for it, or the index is damaged.
  package func indexKeys(passing filter: TextFilter) throws -> [Int64]? {
    try asking(filter) { table, query in
      let order = table == "text_words" ? "ORDER BY rank" : ""
      return try Int64.fetchAll(
        database.cachedStatement(
          sql: "SELECT rowid FROM \(table) WHERE \(table) MATCH ? \(order)"),
        arguments: [query])
    }
  }

  private func indexed<T>(
    passing filter: TextFilter, columns: String, _ make: (Row) throws -> T
  ) throws -> [T]? {
    try asking(filter) { table, query in
      try values(
        """
        SELECT \(columns)
        FROM \(table) t JOIN text_index i ON i.key = t.rowid
        JOIN document d ON d.key = i.document AND d.text_digest = i.digest
        WHERE \(table) MATCH ? AND i.version = ? AND d.trashed = 0
        \(table == "text_words" ? "ORDER BY t.rank" : "")
        """, [query, TextIndex.version], make)
    }
  }

  /// Asks the table that knows about a filter; nil when none does, or it is damaged.
  private func asking<T>(
    _ filter: TextFilter, _ ask: (_ table: String, _ query: String) throws -> T
  ) throws -> T? {
    let table: String
    let query: String
    if case .words(let words) = filter {
      (table, query) = ("text_words", TextIndex.wordQuery(words))
    } else {
      guard let trigrams = TextIndex.trigramQuery(filter) else { return nil }
      (table, query) = ("text_trigrams", trigrams)
    }
    do { return try ask(table, query) } catch let error as DatabaseError
      where [.SQLITE_CORRUPT, .SQLITE_ERROR].contains(error.resultCode)
    {
      return nil
    }
  }

  /// The newest texts of documents, in their order; nil for one that is not kept.
  package func newestTexts(of documents: [Document.ID]) throws -> [StoredText?] {
    try documents.map { id in
      try row(
        """
        SELECT s.size, s.data, s.positions FROM document d
        JOIN snapshot s ON s.document = d.key AND s.digest = d.text_digest
        WHERE d.sequence = ? AND d.replica = ?
        """, [id.dot.sequence, id.dot.storedReplica]
      ).map {
        StoredText(size: $0[0], frame: $0[1], positions: ($0[2] as Data?).map { Array($0) })
      }
    }
  }

  /// How many bytes the index takes: words, trigrams, and both.
  package func indexSizes() throws -> (words: Int, trigrams: Int) {
    func size(_ table: String) throws -> Int {
      try rows("SELECT name FROM sqlite_schema WHERE name LIKE '\(table)!_%' ESCAPE '!'").reduce(0)
      {
        let name: String = $1[0]
        let columns = name.hasSuffix("_data") ? "block" : name.hasSuffix("_docsize") ? "sz" : "NULL"
        let sum: Int? = try row("SELECT sum(length(\(columns)) + 8) FROM \(name)")?[0]
        return $0 + (sum ?? 0)
      }
    }
    return (try size("text_words"), try size("text_trigrams"))
  }

  /// The saved queries by name.
  package func savedQueries() throws -> [String: String] {
    var queries: [String: String] = [:]
    for row in try rows("SELECT name, value FROM saved_query WHERE value <> ''") {
      queries[row[0]] = row[1]
    }
    return queries
  }
}
