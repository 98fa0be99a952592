import FoundationEssentials
import GRDB
import Model

/// The database's tables. Operations are the truth of what people did; `document`, `highlight` and
/// `tag` are what they add up to; `snapshot`, `anchor` and the `text_…` tables are a local cache.
enum Schema {
  /// `PRAGMA application_id`: "Dipl".
  static let applicationID = 0x4469_706C
  /// `PRAGMA user_version`: the number of migrations.
  static let version = 5

  /// Makes the tables, or brings those of an older Diple up to date.
  ///
  /// - Throws: `StoreError.foreign` or `.newer` when that cannot be.
  static func prepare(_ writer: any DatabaseWriter, path: String) throws {
    if try writer.read({ try isCurrent($0, path: path) }) { return }
    try migrator.migrate(writer)
  }

  /// Whether the tables are those of this version.
  static func isCurrent(_ database: Database, path: String) throws -> Bool {
    let found = try Int.fetchOne(database, sql: "PRAGMA user_version") ?? 0
    let application = try Int.fetchOne(database, sql: "PRAGMA application_id") ?? 0
    if application == applicationID {
      if found > version { throw StoreError.newer(path: path, version: found) }
      return found == version
    }
    let tables = try Int.fetchOne(database, sql: "SELECT count(*) FROM sqlite_schema") ?? 0
    if application != 0 || tables > 0 { throw StoreError.foreign(path: path) }
    return false
  }

  static var migrator: DatabaseMigrator {
    var migrator = DatabaseMigrator()
    migrator.registerMigration("1: documents, highlights, operations") { database in
      try database.execute(
        sql: """
          PRAGMA application_id = \(applicationID);
          PRAGMA user_version = 1;

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
      let replica = Int64.random(in: .min ... .max)
      try database.execute(
        sql: "INSERT INTO library (id, replica, sequence, clock) VALUES (1, ?, 0, 0)",
        arguments: [replica])
    }
    migrator.registerMigration("2: compressed texts, detached highlights, names of colours") {
      database in
      try database.execute(
        sql: """
          PRAGMA user_version = 2;

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
      let old = try Row.fetchCursor(
        database,
        sql: """
          SELECT s.document, s.digest, s.turn, coalesce(d.seen, 0), s.text
          FROM snapshot_1 s JOIN document d ON d.key = s.document
          """)
      while let row = try old.next() {
        let text: String = row[4]
        try database.execute(
          sql: "INSERT INTO snapshot VALUES (?, ?, ?, ?, ?, ?)",
          arguments: [
            row[0] as Int64, row[1] as Data, row[2] as Int64, row[3] as Int64, text.utf8.count,
            Compression.compress(text),
          ])
      }
      try database.execute(sql: "DROP TABLE snapshot_1")
    }
    migrator.registerMigration("3: an index of the texts, saved queries") { database in
      try database.execute(
        sql: """
          PRAGMA user_version = 3;

          ALTER TABLE snapshot ADD COLUMN positions BLOB;

          CREATE TABLE saved_query (
            name TEXT PRIMARY KEY,
            value TEXT NOT NULL
          ) STRICT, WITHOUT ROWID;

          \(TextIndex.tables)
          """)
    }
    migrator.registerMigration("4: a journal for undo") { database in
      // The acts of before can be taken back as well: their operations say how.
      try database.execute(
        sql: """
          PRAGMA user_version = 4;

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
    migrator.registerMigration("5: places by the selector that they are of") { database in
      try database.execute(
        sql: """
          PRAGMA user_version = 5;

          ALTER TABLE highlight ADD COLUMN selector INTEGER NOT NULL DEFAULT 0;
          """)
      let highlights = try Row.fetchAll(
        database, sql: "SELECT key, exact, prefix, suffix, start, end FROM highlight")
      for row in highlights {
        let hash = Selector.storedHash(
          exact: row[1], prefix: row[2], suffix: row[3], start: row[4], end: row[5])
        try database.execute(
          sql: "UPDATE highlight SET selector = ? WHERE key = ?",
          arguments: [hash, row[0] as Int64])
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
    return migrator
  }
}
