import Model
import TestSupport
import Testing

@testable import Storage

@Suite struct SchemaCheckTests {
  @Test func `a new database has exactly the listed tables`() throws {
    let database = try Database(":memory:", .create)
    try Schema.prepare(database)
    let created = try SchemaCheck.description(of: database)
    #expect(created == Schema.tables.description, "the new text:\n\(created)")
  }

  @Test func `a schema may differ in its spaces, but not in its columns`() throws {
    let database = try Database(":memory:", .create)
    try Schema.prepare(database)
    try database.execute(
      sql: """
        DROP INDEX tag_name;
        CREATE INDEX tag_name  ON tag ( name );
        """)
    try SchemaCheck.run(database)
    try database.execute(sql: "ALTER TABLE tag ADD COLUMN more TEXT AS (upper(name))")
    #expect(throws: BadValue.self) { try SchemaCheck.run(database) }
  }

  @Test func `an additional index of an expression is rejected`() throws {
    let database = try Database(":memory:", .create)
    try Schema.prepare(database)
    try database.execute(sql: "CREATE INDEX zzz ON tag (upper(name))")
    #expect(throws: BadValue.self) { try SchemaCheck.run(database) }
  }

  @Test func `a library of the previous version is updated, and loses only an unused table`() throws
  {
    let files = TemporaryStore()
    let id = try files.open().write { transaction in
      try transaction.mark(try transaction.document("a.md", "the quick fox"), "the «quick» fox").id
    }
    try files.sqlite(
      "CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY)")
    try files.makeOlder(version: 14)
    #expect(throws: StoreError.readOnly(path: files.path)) {
      try Store(at: files.path, access: .readOnly)
    }
    let store = try files.open()
    #expect(try store.read { try $0.highlight(id)?.selector.exact } == "quick")
    #expect(try store.integrityProblems().isEmpty)
    #expect(try files.sqlite("PRAGMA user_version") == "\(Schema.version)")
    #expect(
      try files.sqlite("SELECT count(*) FROM sqlite_schema WHERE name GLOB 'grdb*'") == "0")
    let database = try Database(files.path, .readOnly)
    #expect(try SchemaCheck.description(of: database) == Schema.tables.description)
  }

  @Test func `the tables of an older version are compared with those of that version`() throws {
    let files = TemporaryStore()
    _ = try files.open()
    try files.makeOlder(version: 15)
    try files.sqlite("ALTER TABLE highlight ADD COLUMN number TEXT")
    #expect(throws: StoreError.self) { try files.open() }
    #expect(try files.sqlite("PRAGMA user_version") == "15")
  }

  @Test func `a library of an older version is rejected and unchanged`() throws {
    let files = TemporaryStore()
    _ = try files.open()
    try files.sqlite("PRAGMA user_version = 13")
    for access in [Store.Access.readWrite, .readOnly] {
      #expect(throws: StoreError.older(path: files.path, version: 13)) {
        try Store(at: files.path, access: access)
      }
    }
    #expect(try files.sqlite("PRAGMA user_version") == "13")
  }
}
