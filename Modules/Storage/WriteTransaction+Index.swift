import CSQLite
import FoundationEssentials
import Model

extension WriteTransaction {
  /// Indexes the newest text of a document and deletes the entry of its previous text.
  ///
  /// If the index is damaged, it is cleared, and later searches rebuild it. A damaged index
  /// therefore never prevents storing a text.
  func index(_ text: String, _ digest: ContentDigest, document key: Int64) throws {
    try index(terms(of: text), digest, document: key)
  }

  /// Indexes the newest text of a document. The terms are generated only if they are needed.
  func index(
    _ terms: @autoclosure () -> (words: String, trigrams: String), _ digest: ContentDigest,
    document key: Int64
  ) throws {
    do { try replaceEntry(terms, digest, document: key) } catch let error as SQLiteError
      where error.code == SQLITE_CORRUPT
    {
      try clearIndex()
      try replaceEntry(terms, digest, document: key)
    }
  }

  /// Marks whether a document's entry is for its newest text, without indexing that text now.
  func postponeEntry(_ digest: ContentDigest, document key: Int64) throws {
    try execute(
      """
      UPDATE text_index SET key = iif(digest = ?2, abs(key), -abs(key)) WHERE document = ?1
      """, [key, digest.bytes])
  }

  private func replaceEntry(
    _ terms: () -> (words: String, trigrams: String), _ digest: ContentDigest,
    document key: Int64
  ) throws {
    if let old = try entry(of: key) {
      if old.digest == digest, old.version == TextIndex.version {
        return try postponeEntry(digest, document: key)
      }
      try removeEntry(old, document: key)
    }
    try insert(terms(), digest, document: key)
  }

  /// An entry of the index.
  private struct Entry {
    /// Its key in `text_index`; negative if it is for an older text than the newest.
    var number: Int64
    /// The hash of the indexed text; nil if it cannot be read.
    var digest: ContentDigest?
    var version: Int64

    /// Its row number in the tables of words and trigrams.
    var key: Int64 { abs(number) }
  }

  private func entry(of document: Int64) throws -> Entry? {
    try first("SELECT key, digest, version FROM text_index WHERE document = ?", [document]) {
      Entry(number: try $0.integer(0), digest: try? $0.digest(1), version: try $0.integer(2))
    }
  }

  private func terms(of text: String) -> (words: String, trigrams: String) {
    var text = text
    text.withUTF8 { indexTerms.read($0) }
    return indexTerms.strings
  }

  private func insert(
    _ terms: (words: String, trigrams: String), _ digest: ContentDigest, document key: Int64
  ) throws {
    try execute(
      "INSERT INTO text_index (document, digest, version) VALUES (?, ?, ?)",
      [key, digest.bytes, TextIndex.version])
    let entry = database.lastInsertedRowID
    try execute("INSERT INTO text_words (rowid, words) VALUES (?, ?)", [entry, terms.words])
    try execute(
      "INSERT INTO text_trigrams (rowid, trigrams) VALUES (?, ?)", [entry, terms.trigrams])
  }

  /// Deletes an entry.
  ///
  /// FTS5 tables that store no texts need the indexed words for a deletion. If the old text is no
  /// longer stored, or was indexed by other rules, the words remain under a row number that is
  /// never used again.
  private func removeEntry(_ old: Entry, document key: Int64) throws {
    if old.version == TextIndex.version, let digest = old.digest,
      let terms = try keptText(digest, of: key).map({ terms(of: $0) })
    {
      try execute(
        "INSERT INTO text_words (text_words, rowid, words) VALUES ('delete', ?, ?)",
        [old.key, terms.words])
      try execute(
        "INSERT INTO text_trigrams (text_trigrams, rowid, trigrams) VALUES ('delete', ?, ?)",
        [old.key, terms.trigrams])
    }
    try execute("DELETE FROM text_index WHERE key = ?", [old.number])
  }

  private func keptText(_ digest: ContentDigest, of document: Int64) throws -> String? {
    try first(
      "SELECT size, data, NULL FROM snapshot WHERE document = ? AND digest = ?",
      [document, digest.bytes]
    ) { try? StoredText($0) }.flatMap { $0 }.flatMap {
      Compression.text(from: $0.frame, size: $0.size)
    }
  }

  /// Indexes documents whose newest text is stored but not indexed. A second thread generates terms
  /// while this one writes.
  ///
  /// - Parameters:
  ///   - mark: the result of the previous call; 0 to start.
  ///   - limit: the maximum number of documents to index.
  /// - Returns: the mark for the next call; nil if there are no more documents.
  /// - Throws: ``StoreError`` if the database cannot be written.
  package func indexMissing(after mark: Int64, limit: Int) throws -> Int64? {
    var last = mark
    var count = 0
    // A damaged text is not indexed. Searches read its file.
    let work = try list(
      """
      SELECT s.size, s.data, NULL, d.key, d.text_digest, i.key IS NOT NULL
      FROM document d JOIN snapshot s ON s.document = d.key AND s.digest = d.text_digest
      LEFT JOIN text_index i ON i.document = d.key
      WHERE (i.key IS NULL OR i.digest <> d.text_digest OR i.version <> ?) AND d.key > ?
      ORDER BY d.key LIMIT ?
      """, [TextIndex.version, mark, limit]
    ) { row in
      last = try row.integer(3)
      count += 1
      return TermPrefetcher.Item(
        key: last, digest: try row.digest(4), text: try StoredText(row),
        isReplacement: try row.flag(5))
    }
    do { try TermPrefetcher.make(of: work, then: insert) } catch let error as SQLiteError
      where error.code == SQLITE_CORRUPT
    {
      // This deletes the entries made so far, too, so the caller must start again.
      try clearIndex()
      return 0
    }
    return count < limit ? nil : last
  }

  private func insert(_ item: TermPrefetcher.Item, _ terms: (words: String, trigrams: String))
    throws
  {
    if item.isReplacement, let old = try entry(of: item.key) {
      try removeEntry(old, document: item.key)
    }
    try insert(terms, item.digest, document: item.key)
  }

  /// Deletes the whole index and creates its tables again, even if they are damaged. The numbers of
  /// deleted entries are not used again, because another process may be searching with them.
  ///
  /// - Throws: ``StoreError`` if the database cannot be written.
  package func clearIndex() throws {
    let last = try first("SELECT seq FROM sqlite_sequence WHERE name = 'text_index'") {
      try $0.integer(0)
    }
    for table in ["text_words", "text_trigrams"] {
      do { try database.execute(sql: "DROP TABLE IF EXISTS \(table)") } catch let error
        as SQLiteError where error.code == SQLITE_CORRUPT
      {
        // A virtual table with damaged content cannot be dropped. Its content is therefore reset
        // first to that of a new table: the version of the format, no averages, no segments.
        try database.execute(
          sql: """
            DELETE FROM \(table)_data;
            INSERT INTO \(table)_data VALUES (1, x''), (10, x'00000000000000');
            DELETE FROM \(table)_idx;
            DELETE FROM \(table)_config;
            INSERT INTO \(table)_config VALUES ('version', 4);
            DROP TABLE \(table);
            """)
      }
    }
    try database.execute(sql: "DROP TABLE IF EXISTS text_index; \(TextIndex.tables)")
    // Diple did not write a greater number, because no disk can store so many entries.
    if let last, (0..<1 << 40).contains(last) {
      try execute("INSERT INTO sqlite_sequence (name, seq) VALUES ('text_index', ?)", [last])
    }
  }

  /// Saves a query under a name, or deletes it if `value` is empty.
  ///
  /// - Returns: false if the value is unchanged.
  /// - Throws: ``StoreError`` if the database cannot be written.
  package func setQuery(_ value: String, named name: String) throws -> Bool {
    let old = try savedQueries()[name] ?? ""
    guard old != value else { return false }
    try change(.library, .query(name), to: .text(value), from: .text(old))
    return true
  }
}
