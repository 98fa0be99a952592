import Model

extension Schema {
  /// Stores what operations say without JSON, and the words around a passage nowhere but there: in a
  /// large library they were nearly all of it. The birth of a record is found by its own name, and
  /// needs no place in the index of those on it.
  ///
  /// What an operation says that no Diple can have written stays a text, as which it is as wrong.
  static func packOperations(_ database: Database) throws {
    try database.execute(
      sql: """
        DROP INDEX operation_record;
        ALTER TABLE operation RENAME TO operation_6;
        CREATE TABLE operation (
          replica INTEGER NOT NULL,
          sequence INTEGER NOT NULL,
          time INTEGER NOT NULL,
          act INTEGER NOT NULL,
          record_kind INTEGER NOT NULL,
          record_replica INTEGER NOT NULL,
          record_sequence INTEGER NOT NULL,
          field TEXT NOT NULL,
          value ANY,
          previous ANY,
          PRIMARY KEY (sequence, replica)
        ) STRICT, WITHOUT ROWID;
        """)
    /// What is stored now in place of JSON.
    func packed(_ row: Row, _ column: Int) throws -> (any Bindable)? {
      let stored = try row.text(column)
      guard let value = try? Operation.Value(stored: stored) else { return stored }
      return database.coder.stored(value)
    }
    try database.forEach(
      """
      SELECT replica, sequence, time, act, record_kind, record_replica, record_sequence, field,
        value, previous
      FROM operation_6 ORDER BY sequence, replica
      """
    ) { row in
      try database.execute(
        "INSERT INTO operation VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (0..<7).map { try row.integer($0) } + [
          try row.text(7), try packed(row, 8), try packed(row, 9),
        ])
      return true
    }
    try database.execute(
      sql: """
        DROP TABLE operation_6;
        CREATE INDEX operation_record
          ON operation (record_sequence, record_replica, field, time) WHERE field <> 'created';
        ALTER TABLE highlight DROP COLUMN prefix;
        ALTER TABLE highlight DROP COLUMN suffix;
        """)
  }
}
