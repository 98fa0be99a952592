import Foundation
import Testing

/// Tests a library with tables that Diple does not create. Their computed values are not evaluated.
@Suite struct ForeignSchemaTests {
  let victim: Victim

  init() throws {
    victim = try Victim()
    try victim.write("clone/a.md", "Some words.\n")
    #expect(try victim.diple("init").code == 0)
    #expect(try victim.diple("add", "a.md").code == 0)
    #expect(try victim.diple("mark", "a.md", "\"words\"").code == 0)
  }

  @Test(arguments: [
    "ALTER TABLE document ADD COLUMN x TEXT AS (printf('%.*c', 500000000, 'x'));",
    "ALTER TABLE color_label RENAME TO y; CREATE VIEW color_label AS SELECT * FROM y;",
    "CREATE INDEX x ON highlight (printf('%.*c', 5000, note));",
    "CREATE VIEW Tag2 AS SELECT 1; ALTER TABLE tag RENAME TO t2; CREATE VIEW TAG AS SELECT * FROM t2;",
  ])
  func `a library with changed tables is rejected`(change: String) throws {
    try victim.sql(change)
    for words in [["list"], ["mark", "a.md", "\"Some\""], ["doctor"]] {
      let result = try victim.run("diple", words)
      #expect(result.code == 8, "\(words): \(result)")
      #expect(result.errors.contains("is not one that Diple made"), "\(words): \(result)")
    }
  }

  @Test func `an additional table or index without effect is accepted`() throws {
    try victim.sql("CREATE TABLE mine (x); CREATE INDEX mine_x ON mine (x); ANALYZE;")
    #expect(try victim.diple("list").code == 0)
    #expect(try victim.diple("mark", "a.md", "\"Some\"").code == 0)
  }
}
