import FoundationEssentials
import GRDB
import Model

extension WriteTransaction {
  /// Makes the index entry of a document's newest text, and takes away that of the one before. A
  /// damaged index keeps no text from being stored: it is thrown away, and searches fill it again.
  func index(_ text: String, _ digest: ContentDigest, document key: Int64) throws {
    do { try replaceEntry(text, digest, document: key) } catch let error as DatabaseError
      where error.resultCode == .SQLITE_CORRUPT
    {
      try clearIndex()
      try replaceEntry(text, digest, document: key)
    }
  }

  private func replaceEntry(_ text: String, _ digest: ContentDigest, document key: Int64) throws {
    if let old = try row(
      "SELECT key, digest, version FROM text_index WHERE document = ?", [key])
    {
      if ContentDigest(old[1] as Data?) == digest, old[2] == TextIndex.version { return }
      try removeEntry(old, document: key)
    }
    try execute(
      "INSERT INTO text_index (document, digest, version) VALUES (?, ?, ?)",
      [key, digest.data, TextIndex.version])
    let entry = database.lastInsertedRowID
    try write(text, as: entry, "INSERT INTO %T (rowid, %C) VALUES (?, ?)")
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
      try write(text, as: entry, "INSERT INTO %T (%T, rowid, %C) VALUES ('delete', ?, ?)")
    }
    try execute("DELETE FROM text_index WHERE key = ?", [entry])
  }

  /// Runs a statement with a text's terms on both tables; `%T` and `%C` stand for table and column.
  private func write(_ text: String, as entry: Int64, _ statement: String) throws {
    var text = text
    text.withUTF8 { indexTerms.read($0) }
    for (table, column, terms) in [
      ("text_words", "words", indexTerms.words), ("text_trigrams", "trigrams", indexTerms.trigrams),
    ] {
      try execute(
        statement.replacing("%T", with: table).replacing("%C", with: column),
        [entry, String(decoding: terms, as: UTF8.self)])
    }
  }

  /// Indexes documents whose newest text is kept but not in the index.
  ///
  /// - Parameters:
  ///   - mark: what the call before gave; 0 to begin.
  ///   - limit: how many are indexed at most.
  /// - Returns: what to go on with; nil when there are no more.
  public func indexMissing(after mark: Int64, limit: Int) throws -> Int64? {
    let missing = try rows(
      """
      SELECT d.key, d.text_digest, s.data, s.size
      FROM document d JOIN snapshot s ON s.document = d.key AND s.digest = d.text_digest
      LEFT JOIN text_index i
        ON i.document = d.key AND i.digest = d.text_digest AND i.version = ?
      WHERE i.key IS NULL AND d.key > ? ORDER BY d.key LIMIT ?
      """, [TextIndex.version, mark, limit])
    for row in missing {
      // A text that is damaged stays out of the index, and its file is searched.
      guard let digest = ContentDigest(row[1] as Data?),
        let text = Compression.text(from: row[2], size: row[3])
      else { continue }
      try index(text, digest, document: row[0])
    }
    return missing.count < limit ? nil : missing.last?[0]
  }

  /// Throws the index away and makes its tables anew, empty: also where they are damaged.
  public func clearIndex() throws {
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
  public func setQuery(_ value: String, named name: String) throws -> Bool {
    let old = try savedQueries()[name] ?? ""
    guard old != value else { return false }
    try change(.library, .query(name), to: .text(value), from: .text(old))
    return true
  }
}
