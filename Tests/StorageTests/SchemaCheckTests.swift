import TestSupport
import Testing

@testable import Storage

@Suite struct SchemaCheckTests {
  @Test func `the compiled-in schema equals that of the migrations`() throws {
    let database = try Database(":memory:", .create)
    try Schema.migrate(database)
    let created = try SchemaCheck.description(of: database)
    #expect(created == SchemaCheck.current.description, "the new text:\n\(created)")
  }

  @Test func `a schema with different blanks is accepted, one with another column is not`() throws {
    let database = try Database(":memory:", .create)
    try Schema.migrate(database)
    try database.execute(
      sql: """
        DROP INDEX tag_name;
        CREATE INDEX tag_name  ON tag ( name );
        """)
    try SchemaCheck.run(database, version: Schema.version)
    try database.execute(sql: "ALTER TABLE tag ADD COLUMN more TEXT AS (upper(name))")
    #expect(throws: BadValue.self) { try SchemaCheck.run(database, version: Schema.version) }
  }

  @Test func `an additional index of an expression is rejected`() throws {
    let database = try Database(":memory:", .create)
    try Schema.migrate(database)
    try database.execute(sql: "CREATE INDEX zzz ON tag (upper(name))")
    #expect(throws: BadValue.self) { try SchemaCheck.run(database, version: Schema.version) }
  }
}
