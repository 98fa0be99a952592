import Model

extension Schema {
  /// Migrates to version 7: stores the values of operations in binary instead of JSON, and the text
  /// around a passage only in its operation. Both were most of the size of a large library.
  ///
  /// The index of operations on a record no longer contains creation operations, which are found by
  /// their own dots. A value that no version of Diple can have written is kept as text, which is
  /// equally invalid.
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
    /// Converts a JSON value to its binary encoding.
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

  /// Migrates to version 13: stores the origins of imported highlights only in the operations, in a
  /// third of the bytes.
  static func packOriginsOnce(_ database: Database) throws {
    try packOrigins(database)
    try database.execute(sql: "ALTER TABLE highlight DROP COLUMN origin")
  }

  /// Compresses the origins in operations. Keeps 10,000 operations at a time in memory.
  /// O(operations).
  static func packOrigins(_ database: Database) throws {
    var last: (sequence: Int64, replica: Int64)? = (.min, .min)
    while let after = last {
      last = nil
      // Rows must not be written while they are being read, so each part is read first.
      let part = try database.values(
        """
        SELECT sequence, replica, value, previous FROM operation
        WHERE field = 'origin' AND (sequence, replica) > (?, ?)
        ORDER BY sequence, replica LIMIT 10000
        """, [after.sequence, after.replica]
      ) { row in
        func packed(_ column: Int) throws -> (any Bindable)? {
          let isOld =
            try row.isBlob(column) && row.withBytes(column, OperationCoder.isOldText)
          // Unreadable values are not changed.
          guard row.isText(column) || isOld,
            case .text(let text)? = try? row.value(column) as Operation.Value
          else { return row.raw(column) }
          return database.coder.stored(.text(text), of: .origin)
        }
        return (
          sequence: try row.integer(0), replica: try row.integer(1), value: try packed(2),
          previous: try packed(3)
        )
      }
      for row in part {
        try database.execute(
          "UPDATE operation SET value = ?, previous = ? WHERE sequence = ? AND replica = ?",
          [row.value, row.previous, row.sequence, row.replica])
        last = (row.sequence, row.replica)
      }
    }
  }
}
