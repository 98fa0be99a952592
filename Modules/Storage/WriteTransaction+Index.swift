import FoundationEssentials
import GRDB
import Model

extension WriteTransaction {
  /// Makes the index entry of a document's newest text, and takes away that of the one before. A
  /// damaged index keeps no text from being stored: it is thrown away, and searches fill it again.
  func index(_ text: String, _ digest: ContentDigest, document key: Int64) throws {
    try index(terms(of: text), digest, document: key)
  }

  /// The same with terms that are made, or are made when they are needed.
  func index(
    _ terms: @autoclosure () -> (words: String, trigrams: String), _ digest: ContentDigest,
    document key: Int64
  ) throws {
    do { try replaceEntry(terms, digest, document: key) } catch let error as DatabaseError
      where error.resultCode == .SQLITE_CORRUPT
    {
      try clearIndex()
      try replaceEntry(terms, digest, document: key)
    }
  }

  private func replaceEntry(
    _ terms: () -> (words: String, trigrams: String), _ digest: ContentDigest,
    document key: Int64
  ) throws {
    if let old = try row(
      "SELECT key, digest, version FROM text_index WHERE document = ?", [key])
    {
      if ContentDigest(old[1] as Data?) == digest, old[2] == TextIndex.version { return }
      try removeEntry(old, document: key)
    }
    try insert(terms(), digest, document: key)
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
      [key, digest.data, TextIndex.version])
    let entry = database.lastInsertedRowID
    try execute("INSERT INTO text_words (rowid, words) VALUES (?, ?)", [entry, terms.words])
    try execute(
      "INSERT INTO text_trigrams (rowid, trigrams) VALUES (?, ?)", [entry, terms.trigrams])
  }

  /// Takes an entry away. An index without texts must be told the words that go; where the old text
  /// is no longer kept they stay behind, under a number that nothing has any more.
  private func removeEntry(_ old: Row, document key: Int64) throws {
    let entry: Int64 = old[0]
    if old[2] == TextIndex.version, let digest: Data = old[1],
      let snapshot = try row(
        "SELECT data, size FROM snapshot WHERE document = ? AND digest = ?", [key, digest]),
      let text = Compression.text(from: snapshot[0], size: snapshot[1])
    {
      let terms = terms(of: text)
      try execute(
        "INSERT INTO text_words (text_words, rowid, words) VALUES ('delete', ?, ?)",
        [entry, terms.words])
      try execute(
        "INSERT INTO text_trigrams (text_trigrams, rowid, trigrams) VALUES ('delete', ?, ?)",
        [entry, terms.trigrams])
    }
    try execute("DELETE FROM text_index WHERE key = ?", [entry])
  }

  /// Indexes documents whose newest text is kept but not in the index. The terms of texts are made on
  /// another thread while those before them are written.
  ///
  /// - Parameters:
  ///   - mark: what the call before gave; 0 to begin.
  ///   - limit: how many are indexed at most.
  /// - Returns: what to go on with; nil when there are no more.
  package func indexMissing(after mark: Int64, limit: Int) throws -> Int64? {
    let missing = try rows(
      """
      SELECT d.key, d.text_digest, s.data, s.size, i.key IS NOT NULL
      FROM document d JOIN snapshot s ON s.document = d.key AND s.digest = d.text_digest
      LEFT JOIN text_index i ON i.document = d.key
      WHERE (i.key IS NULL OR i.digest <> d.text_digest OR i.version <> ?) AND d.key > ?
      ORDER BY d.key LIMIT ?
      """, [TextIndex.version, mark, limit])
    // A text that is damaged stays out of the index, and its file is searched.
    let work = missing.compactMap { row -> TermPrefetcher.Item? in
      guard let digest = ContentDigest(row[1] as Data?) else { return nil }
      return TermPrefetcher.Item(
        key: row[0], digest: digest, text: StoredText(size: row[3], frame: row[2], positions: nil),
        isReplacement: row[4])
    }
    do { try TermPrefetcher.make(of: work, then: insert) } catch let error as DatabaseError
      where error.resultCode == .SQLITE_CORRUPT
    {
      // What was indexed before is gone too, and missing again.
      try clearIndex()
      return 0
    }
    return missing.count < limit ? nil : missing.last?[0]
  }

  private func insert(_ item: TermPrefetcher.Item, _ terms: (words: String, trigrams: String))
    throws
  {
    if item.isReplacement,
      let old = try row(
        "SELECT key, digest, version FROM text_index WHERE document = ?", [item.key])
    {
      try removeEntry(old, document: item.key)
    }
    try insert(terms, item.digest, document: item.key)
  }

  /// Throws the index away and makes its tables anew, empty: also where they are damaged.
  package func clearIndex() throws {
    for table in ["text_words", "text_trigrams"] {
      do { try database.execute(sql: "DROP TABLE IF EXISTS \(table)") } catch let error
        as DatabaseError where error.resultCode == .SQLITE_CORRUPT
      {
        // A virtual table whose own tables are damaged cannot even be dropped, so these are first
        // put back to what they are in a new one: the format's version, no averages, no segments.
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
  }

  /// Gives a saved query its value; empty takes it away. False when that changes nothing.
  package func setQuery(_ value: String, named name: String) throws -> Bool {
    let old = try savedQueries()[name] ?? ""
    guard old != value else { return false }
    try change(.library, .query(name), to: .text(value), from: .text(old))
    return true
  }
}
