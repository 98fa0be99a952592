import FoundationEssentials
import Model

/// The database's tables and their migrations.
///
/// The operations are the source of truth. `document`, `highlight`, `tag` and the other records are
/// derived from them. `snapshot`, `anchor` and the `text_…` tables are local caches.
enum Schema {
  /// `PRAGMA application_id`: "Dipl".
  static let applicationID = 0x4469_706C
  /// The current `PRAGMA user_version`, which is the number of migrations.
  static let version = 14

  /// Creates the tables, or migrates those of an older version, in one transaction.
  ///
  /// - Parameters:
  ///   - database: the database to change.
  ///   - version: the version at which to stop.
  /// - Throws: `SQLiteError`, or `BadValue` if a row refers to a missing row.
  static func migrate(_ database: Database, to version: Int = version) throws {
    // Otherwise, replacing a table would delete the rows that refer to it.
    database.setForeignKeys(false)
    defer { database.setForeignKeys(true) }
    try database.transaction("IMMEDIATE") {
      // Another process may have migrated the database meanwhile.
      let found = try foundVersion(database)
      guard found < version else { return }
      // Only older versions of Diple read these names.
      try database.execute(
        sql: """
          CREATE TABLE IF NOT EXISTS grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY);
          PRAGMA application_id = \(applicationID);
          """)
      for (name, migrate) in migrations[found..<version] {
        try migrate(database)
        try database.execute(
          "INSERT OR IGNORE INTO grdb_migrations (identifier) VALUES (?)", [name])
      }
      try database.execute(sql: "PRAGMA user_version = \(version)")
      let dangling = try database.first("PRAGMA foreign_key_check") { try $0.text(0) }
      if let dangling {
        throw BadValue(description: "a row of \(dangling) refers to one that is not there")
      }
    }
  }

  /// Whether the tables have the current version. Only reads.
  ///
  /// - Throws: `StoreError.foreign` if the database is not a library, `StoreError.newer` if it has
  ///   a newer version.
  static func isCurrent(_ database: Database) throws -> Bool {
    let found = try foundVersion(database)
    let application = try database.first("PRAGMA application_id") { Int(try $0.integer(0)) }
    if application == applicationID {
      if found > version { throw StoreError.newer(path: database.path, version: found) }
      return found == version
    }
    let tables = try database.first("SELECT count(*) FROM sqlite_schema") { try $0.count(0) }
    if application != 0 || tables != 0 { throw StoreError.foreign(path: database.path) }
    return false
  }

  /// Checks that the tables are those of the database's version.
  ///
  /// - Throws: `BadValue` if they differ.
  static func check(_ database: Database) throws {
    // Another process may be migrating the database, so the version and the tables are read in one
    // transaction.
    try database.transaction("DEFERRED") {
      let found = try foundVersion(database)
      if found > 0 { try SchemaCheck.run(database, version: found) }
    }
  }

  private static func foundVersion(_ database: Database) throws -> Int {
    let found = try database.first("PRAGMA user_version") { try $0.integer(0) } ?? 0
    guard found >= 0 else { throw BadValue(description: "its version is \(found)") }
    return Int(found)
  }

  /// The migrations, each from the version before, with the names under which the database records
  /// them.
  private static let migrations: [(name: String, migrate: @Sendable (Database) throws -> Void)] = [
    (
      "1: documents, highlights, operations",
      { database in
        try database.execute(
          sql: """
            CREATE TABLE library (
              id INTEGER PRIMARY KEY CHECK (id = 1),
              replica INTEGER NOT NULL,
              sequence INTEGER NOT NULL,
              clock INTEGER NOT NULL
            ) STRICT;

            CREATE TABLE operation (
              replica INTEGER NOT NULL,
              sequence INTEGER NOT NULL,
              time INTEGER NOT NULL,
              act INTEGER NOT NULL,
              record_kind INTEGER NOT NULL,
              record_replica INTEGER NOT NULL,
              record_sequence INTEGER NOT NULL,
              field TEXT NOT NULL,
              value TEXT NOT NULL,
              previous TEXT NOT NULL,
              PRIMARY KEY (sequence, replica)
            ) STRICT, WITHOUT ROWID;
            CREATE INDEX operation_record
              ON operation (record_sequence, record_replica, field, time);

            CREATE TABLE document (
              key INTEGER PRIMARY KEY,
              replica INTEGER NOT NULL,
              sequence INTEGER NOT NULL,
              path TEXT NOT NULL DEFAULT '',
              title TEXT NOT NULL DEFAULT '',
              trashed INTEGER NOT NULL DEFAULT 0,
              present INTEGER NOT NULL DEFAULT 0,
              created INTEGER NOT NULL,
              updated INTEGER NOT NULL,
              source_digest BLOB,
              text_digest BLOB,
              render_version INTEGER,
              size INTEGER, mtime INTEGER, ctime INTEGER,
              inode INTEGER, device INTEGER, checked INTEGER,
              seen INTEGER,
              UNIQUE (sequence, replica)
            ) STRICT;
            CREATE INDEX document_path ON document (path);

            CREATE TABLE snapshot (
              document INTEGER NOT NULL REFERENCES document (key) ON DELETE CASCADE,
              digest BLOB NOT NULL,
              turn INTEGER NOT NULL,
              text TEXT NOT NULL,
              UNIQUE (document, digest)
            ) STRICT;

            CREATE TABLE highlight (
              key INTEGER PRIMARY KEY,
              replica INTEGER NOT NULL,
              sequence INTEGER NOT NULL,
              document INTEGER NOT NULL REFERENCES document (key) ON DELETE CASCADE,
              color TEXT NOT NULL DEFAULT 'yellow',
              note TEXT NOT NULL DEFAULT '',
              trashed INTEGER NOT NULL DEFAULT 0,
              created INTEGER NOT NULL,
              updated INTEGER NOT NULL,
              exact TEXT NOT NULL DEFAULT '',
              prefix TEXT NOT NULL DEFAULT '',
              suffix TEXT NOT NULL DEFAULT '',
              start INTEGER NOT NULL DEFAULT 0,
              end INTEGER NOT NULL DEFAULT 0,
              text_digest BLOB,
              render_version INTEGER NOT NULL DEFAULT 0,
              UNIQUE (sequence, replica)
            ) STRICT;
            CREATE INDEX highlight_document ON highlight (document);

            CREATE TABLE tag (
              highlight INTEGER NOT NULL REFERENCES highlight (key) ON DELETE CASCADE,
              name TEXT NOT NULL,
              PRIMARY KEY (highlight, name)
            ) STRICT, WITHOUT ROWID;

            CREATE TABLE anchor (
              highlight INTEGER NOT NULL REFERENCES highlight (key) ON DELETE CASCADE,
              digest BLOB NOT NULL,
              render_version INTEGER NOT NULL,
              turn INTEGER NOT NULL,
              start INTEGER,
              end INTEGER,
              state TEXT NOT NULL,
              score REAL NOT NULL,
              runner_up REAL NOT NULL,
              method TEXT NOT NULL,
              line INTEGER,
              column INTEGER,
              PRIMARY KEY (highlight, digest, render_version)
            ) STRICT, WITHOUT ROWID;
            """)
        try database.execute(
          "INSERT INTO library (id, replica, sequence, clock) VALUES (1, ?, 0, 0)",
          [Int64.random(in: .min ... .max)])
      }
    ),
    (
      "2: compressed texts, detached highlights, names of colours",
      { database in
        try database.execute(
          sql: """
            ALTER TABLE highlight ADD COLUMN detached INTEGER NOT NULL DEFAULT 0;

            CREATE TABLE color_label (
              color TEXT PRIMARY KEY,
              name TEXT NOT NULL
            ) STRICT, WITHOUT ROWID;

            ALTER TABLE snapshot RENAME TO snapshot_1;
            CREATE TABLE snapshot (
              document INTEGER NOT NULL REFERENCES document (key) ON DELETE CASCADE,
              digest BLOB NOT NULL,
              turn INTEGER NOT NULL,
              seen INTEGER NOT NULL,
              size INTEGER NOT NULL,
              data BLOB NOT NULL,
              UNIQUE (document, digest)
            ) STRICT;
            """)
        try database.forEach(
          """
          SELECT s.document, s.digest, s.turn, coalesce(d.seen, 0), s.text
          FROM snapshot_1 s JOIN document d ON d.key = s.document
          """
        ) { row in
          let text = try row.text(4)
          try database.execute(
            "INSERT INTO snapshot VALUES (?, ?, ?, ?, ?, ?)",
            [
              try row.integer(0), try row.bytes(1), try row.integer(2), try row.integer(3),
              text.utf8.count, Compression.compress(text),
            ])
          return true
        }
        try database.execute(sql: "DROP TABLE snapshot_1")
      }
    ),
    (
      "3: an index of the texts, saved queries",
      { database in
        try database.execute(
          sql: """
            ALTER TABLE snapshot ADD COLUMN positions BLOB;

            CREATE TABLE saved_query (
              name TEXT PRIMARY KEY,
              value TEXT NOT NULL
            ) STRICT, WITHOUT ROWID;

            \(TextIndex.tables)
            """)
      }
    ),
    (
      "4: a journal for undo",
      { database in
        // Earlier changes can be undone too, because the operations store the previous values.
        try database.execute(
          sql: """
            CREATE TABLE journal (
              entry INTEGER PRIMARY KEY,
              time INTEGER NOT NULL,
              kind TEXT NOT NULL,
              target INTEGER,
              reversed INTEGER NOT NULL DEFAULT 0,
              act INTEGER,
              last INTEGER,
              label TEXT NOT NULL DEFAULT ''
            ) STRICT;
            CREATE UNIQUE INDEX journal_act ON journal (act);

            CREATE TABLE file_edit (
              entry INTEGER NOT NULL REFERENCES journal (entry) ON DELETE CASCADE,
              document INTEGER NOT NULL REFERENCES document (key) ON DELETE CASCADE,
              before BLOB NOT NULL,
              after BLOB NOT NULL,
              places INTEGER NOT NULL,
              size INTEGER NOT NULL,
              patch BLOB NOT NULL,
              result_size INTEGER,
              result BLOB,
              pending INTEGER NOT NULL,
              UNIQUE (entry, document)
            ) STRICT;

            INSERT INTO journal (time, kind, act, last)
              SELECT min(o.time) >> 16, 'act', o.act, max(o.sequence)
              FROM operation o JOIN library l ON o.replica = l.replica
              GROUP BY o.act ORDER BY o.act;
            """)
      }
    ),
    (
      "5: places by the selector that they are of",
      { database in
        try database.execute(
          sql: """
            ALTER TABLE highlight ADD COLUMN selector INTEGER NOT NULL DEFAULT 0;
            """)
        let highlights = try database.values(
          "SELECT key, exact, prefix, suffix, start, end FROM highlight"
        ) { row in
          (
            key: try row.integer(0),
            hash: Selector.storedHash(
              exact: try row.text(1), prefix: try row.text(2), suffix: try row.text(3),
              start: Int(try row.integer(4)), end: Int(try row.integer(5)))
          )
        }
        for (key, hash) in highlights {
          try database.execute("UPDATE highlight SET selector = ? WHERE key = ?", [hash, key])
        }
        try database.execute(
          sql: """
            ALTER TABLE anchor RENAME TO anchor_4;
            CREATE TABLE anchor (
              highlight INTEGER NOT NULL REFERENCES highlight (key) ON DELETE CASCADE,
              selector INTEGER NOT NULL,
              digest BLOB NOT NULL,
              render_version INTEGER NOT NULL,
              turn INTEGER NOT NULL,
              start INTEGER,
              end INTEGER,
              state TEXT NOT NULL,
              score REAL NOT NULL,
              runner_up REAL NOT NULL,
              method TEXT NOT NULL,
              line INTEGER,
              column INTEGER,
              PRIMARY KEY (highlight, selector, digest, render_version)
            ) STRICT, WITHOUT ROWID;
            INSERT INTO anchor
              SELECT a.highlight, h.selector, a.digest, a.render_version, a.turn, a.start, a.end,
                a.state, a.score, a.runner_up, a.method, a.line, a.column
              FROM anchor_4 a JOIN highlight h ON h.key = a.highlight;
            DROP TABLE anchor_4;
            """)
      }
    ),
    (
      "6: what the steps of the journal did, indexes for large libraries",
      { database in
        try database.execute(
          sql: """
            ALTER TABLE journal ADD COLUMN outline TEXT;

            CREATE INDEX tag_name ON tag (name);
            CREATE INDEX highlight_trashed ON highlight (document) WHERE trashed = 1;
            CREATE INDEX document_missing ON document (key) WHERE trashed = 0 AND present = 0;
            CREATE INDEX file_edit_pending ON file_edit (entry) WHERE pending = 1;
            """)
      }
    ),
    ("7: what operations say in few bytes, and once", packOperations),
    (
      "8: the dialects of documents",
      { database in
        try database.execute(sql: "ALTER TABLE document ADD COLUMN dialect TEXT")
      }
    ),
    (
      "9: the origins of imported highlights",
      { database in
        try database.execute(
          sql: """
            ALTER TABLE highlight ADD COLUMN origin TEXT;
            ALTER TABLE highlight ADD COLUMN origin_key TEXT;
            CREATE INDEX highlight_origin ON highlight (origin_key) WHERE origin_key IS NOT NULL;
            """)
      }
    ),
    (
      "10: the sources of documents",
      { database in
        try database.execute(
          sql: """
            CREATE TABLE source (
              document INTEGER NOT NULL REFERENCES document (key) ON DELETE CASCADE,
              variable TEXT NOT NULL,
              value TEXT NOT NULL,
              PRIMARY KEY (document, variable)
            ) WITHOUT ROWID;
            """)
      }
    ),
    (
      "11: formatted passages, properties of documents and the library",
      { database in
        try database.execute(
          sql: """
            ALTER TABLE highlight ADD COLUMN format TEXT;
            CREATE INDEX highlight_format ON highlight (document) WHERE format IS NOT NULL;

            CREATE TABLE document_property (
              document INTEGER NOT NULL REFERENCES document (key) ON DELETE CASCADE,
              name TEXT NOT NULL,
              value TEXT NOT NULL,
              PRIMARY KEY (document, name)
            ) STRICT, WITHOUT ROWID;

            CREATE TABLE library_property (
              name TEXT PRIMARY KEY,
              value TEXT NOT NULL
            ) STRICT, WITHOUT ROWID;

            CREATE TABLE copied_format (
              name TEXT PRIMARY KEY,
              value TEXT NOT NULL
            ) STRICT, WITHOUT ROWID;
            """)
      }
    ),
    (
      "12: what other replicas said",
      { database in
        try database.execute(
          sql: """
            ALTER TABLE operation ADD COLUMN basis BLOB;

            ALTER TABLE document ADD COLUMN bound INTEGER NOT NULL DEFAULT 1;
            ALTER TABLE document ADD COLUMN place TEXT;
            ALTER TABLE document ADD COLUMN alias INTEGER;
            CREATE INDEX document_alias ON document (alias) WHERE alias IS NOT NULL;
            ALTER TABLE highlight ADD COLUMN home INTEGER;
            CREATE INDEX highlight_home ON highlight (home) WHERE home IS NOT NULL;

            CREATE TABLE alias (
              document INTEGER NOT NULL REFERENCES document (key) ON DELETE CASCADE,
              replica INTEGER NOT NULL,
              sequence INTEGER NOT NULL,
              PRIMARY KEY (document, sequence, replica)
            ) STRICT, WITHOUT ROWID;
            CREATE INDEX alias_other ON alias (sequence, replica);

            CREATE TABLE waiting (
              document_sequence INTEGER NOT NULL,
              document_replica INTEGER NOT NULL,
              sequence INTEGER NOT NULL,
              replica INTEGER NOT NULL,
              PRIMARY KEY (document_sequence, document_replica, sequence, replica)
            ) STRICT, WITHOUT ROWID;

            CREATE TABLE note_conflict (
              record_kind INTEGER NOT NULL,
              record_sequence INTEGER NOT NULL,
              record_replica INTEGER NOT NULL,
              PRIMARY KEY (record_kind, record_sequence, record_replica)
            ) STRICT, WITHOUT ROWID;

            CREATE TABLE replica (
              replica INTEGER PRIMARY KEY,
              sequence INTEGER NOT NULL,
              chain BLOB NOT NULL,
              floor INTEGER NOT NULL DEFAULT 0,
              former INTEGER NOT NULL DEFAULT 0
            ) STRICT;

            CREATE TABLE sync_state (
              name TEXT PRIMARY KEY,
              value BLOB NOT NULL
            ) STRICT, WITHOUT ROWID;
            """)
      }
    ),
    ("13: origins in few bytes, and once", packOriginsOnce),
    (
      "14: a smaller index of operations, origins in fewer bytes",
      { database in
        try database.execute(
          sql: """
            DROP INDEX operation_record;
            CREATE INDEX operation_record ON operation (record_sequence, record_replica, field, time)
              WHERE \(Operation.isApart());
            """)
        try packOrigins(database)
      }
    ),
  ]
}
