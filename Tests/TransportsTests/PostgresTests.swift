import Foundation
import Model
import NetworkTransports
import Sync
import TestSupport
import Testing
import Transports

@Suite(.enabled(if: Engine.isThere("postgres"))) struct PostgresTests {
  @Test func `a PostgreSQL database passes the checks of every transport`() async throws {
    let fixture = try PostgresFixture()
    defer { fixture.engine.stop() }
    try await Conformance(fixture).check()
  }

  @Test func `one command prepares a database for a team, and can be repeated`() async throws {
    let fixture = try PostgresFixture(isPrepared: false)
    defer { fixture.engine.stop() }
    let home = try ProgramHome()
    let owner = fixture.address(of: "postgres")
    let early = try home.diple("sync", "init", "postgres", owner)
    #expect(early.code == 4 && early.output.contains("does not exist"), "\(early)")
    // An error changes nothing.
    let long = String(repeating: "x", count: 64)
    #expect(try home.diple("sync", "prepare", "postgres", owner, "ada", long).code == 2)
    #expect(try home.diple("sync", "init", "postgres", owner).output.contains("does not exist"))
    let folder = try home.diple("sync", "prepare", "folder", home.folder.path)
    #expect(folder.code == 2 && folder.output.contains("needs no preparation"), "\(folder)")
    let done = try home.diple("sync", "prepare", "postgres", owner, "ada", "o'\"neil; x")
    #expect(done.code == 0, "\(done)")
    #expect(done.output == "prepared \(owner) for ada, o'\"neil; x\n")
    let members = """
      SELECT u.rolname FROM pg_auth_members m JOIN pg_roles r ON r.oid = m.roleid
        JOIN pg_roles u ON u.oid = m.member
      WHERE r.rolname = 'diple_member' AND u.rolcanlogin ORDER BY 1
      """
    #expect(try fixture.sql(members) == "ada\no'\"neil; x\n")
    try fixture.sql("CREATE ROLE bob LOGIN")
    for _ in 0..<2 {
      #expect(try home.diple("sync", "prepare", "postgres", owner, "bob").code == 0)
    }
    #expect(try fixture.sql(members) == "ada\nbob\no'\"neil; x\n")
    // A role without the permission gets an error, and an earlier schema is migrated.
    let refused = try home.diple("sync", "prepare", "postgres", fixture.address(of: "ada"), "eve")
    #expect(refused.code == 6 && refused.output.contains("permission denied"), "\(refused)")
    #expect(try fixture.sql("SELECT count(*) FROM pg_roles WHERE rolname = 'eve'") == "0\n")
    try fixture.sql("DROP FUNCTION diple.ends; UPDATE diple.server SET version = 1")
    let object = ObjectMaker()
    try await fixture.withConnection { connection in
      try await connection.put([object("1-1.seg", "abcdef")])
      #expect(try await connection.ends(of: object.name("1-1.seg"), count: 2) == nil)
    }
    #expect(try home.diple("sync", "prepare", "postgres", owner).code == 0)
    try await fixture.withConnection { connection in
      let ends = try await connection.ends(of: object.name("1-1.seg"), count: 2)
      #expect(ends == ObjectEnds(first: Array("ab".utf8), last: Array("ef".utf8)))
    }
    // A member that was created before can set up a vault.
    #expect(try home.diple("init").code == 0)
    let begun = try home.diple("sync", "init", "postgres", fixture.address(of: "bob"))
    #expect(begun.code == 0, "\(begun)")
  }

  @Test func `only members can read the ends of a large object, without the rest`() async throws {
    let fixture = try PostgresFixture()
    defer { fixture.engine.stop() }
    let object = ObjectMaker()
    try await fixture.checkEnds(of: object)
    let other = try await fixture.connect(as: "bob")
    #expect(try await other.ends(of: object.name("1-1.seg"), count: 100) == nil)
    await other.close()
  }

  @Test func `a stopped database is reported, and used again after its restart`() async throws {
    let fixture = try PostgresFixture()
    defer { fixture.engine.stop() }
    try await fixture.checkStop()
  }

  @Test func `a killed writer leaves no partial object`() async throws {
    let killed = try KilledCarrier("postgres")
    let fixture = try PostgresFixture()
    defer { fixture.engine.stop() }
    try await killed.check(fixture)
  }

  @Test func `a member sees only the vaults to which it was admitted`() async throws {
    let fixture = try PostgresFixture()
    defer { fixture.engine.stop() }
    let object = ObjectMaker()
    let ada = try await fixture.connect(as: "ada")
    let bob = try await fixture.connect(as: "bob")
    try await ada.put([object("1-1.seg", "ada's")])
    #expect(try await bob.list(since: nil).entries.isEmpty)
    #expect(try await bob.get(object.name("1-1.seg")) == nil)
    await fails(.refused) { try await bob.put([object.other("1-1.seg", "bob's")]) }
    await fails(.refused) { try await bob.delete([object.name("1-1.seg")]) }
    #expect(try fixture.sql("SELECT count(*) FROM diple.objects", as: "bob") == "0\n")
    for statement in [
      "INSERT INTO diple.members VALUES ('\\x\(object.vault)', 'bob')",
      "INSERT INTO diple.objects SELECT * FROM diple.objects", "DELETE FROM diple.vaults",
      "SELECT diple.grant_vault('\\x\(object.vault)', 'bob')", "UPDATE diple.vaults SET last = 0",
    ] {
      #expect(throws: (any Error).self, "\(statement)") { try fixture.sql(statement, as: "bob") }
    }
    // A role that is not a member has no access.
    #expect(throws: (any Error).self) { try fixture.sql("SELECT * FROM diple.server", as: "eve") }
    await fails(.refused) { _ = try await fixture.connect(as: "eve") }

    try fixture.sql("SELECT diple.grant_vault('\\x\(object.vault)', 'bob')", as: "ada")
    #expect(try await bob.list(object.vault).count == 1)
    #expect(try await bob.get(object.name("1-1.seg")) == Array("ada's".utf8))
    let bobs = object.other
    try await bob.put([bobs("1-1.seg", "bob's")])
    #expect(try await ada.list(object.vault).count == 2)
    // Only its author writes to a replica. The owner of a vault can delete objects.
    await fails(.refused) { try await bob.put([object("2-2.seg", "forged")]) }
    await fails(.refused) { try await bob.delete([object.name("1-1.seg")]) }
    try await ada.delete([bobs.name("1-1.seg")])
    try fixture.sql("SELECT diple.revoke_vault('\\x\(object.vault)', 'bob')", as: "ada")
    #expect(try await bob.list(since: nil).entries.isEmpty)
    for connection in [ada, bob] { await connection.close() }
  }

  @Test func `functions have a fixed search path and are restricted to members`() throws {
    let fixture = try PostgresFixture()
    defer { fixture.engine.stop() }
    let functions = "FROM pg_proc p WHERE pronamespace = 'diple'::regnamespace"
    #expect(try fixture.sql("SELECT count(*) > 6 \(functions)") == "t\n")
    #expect(
      try fixture.sql(
        "SELECT count(*) \(functions) AND NOT coalesce('search_path=pg_catalog, pg_temp' = ANY (proconfig), false)"
      ) == "0\n")
    #expect(
      try fixture.sql(
        "SELECT count(*) \(functions) AND has_function_privilege('eve', oid, 'EXECUTE')")
        == "0\n")
    // A second installation changes nothing.
    let identity = try fixture.sql("SELECT identity FROM diple.server")
    try PostgresSchema.prepare(fixture.address(of: "postgres"), for: [])
    #expect(try fixture.sql("SELECT identity FROM diple.server") == identity)
  }

  @Test func `a cursor lists later changes, and a cursor of another database lists everything`()
    async throws
  {
    let fixture = try PostgresFixture()
    defer { fixture.engine.stop() }
    let object = ObjectMaker()
    try await fixture.withConnection { connection in
      try await connection.put([object("1-1.seg", "x"), object("2-2.seg", "y")])
      let first = try await connection.list(since: nil)
      try await connection.put([object("3-3.seg", "z"), object("1-1.seg", "x")])
      let second = try await connection.list(since: first.cursor)
      #expect(second.entries.map(\.name) == [object.name("3-3.seg")])
      #expect(!second.isWhole)
      #expect(try await connection.list(since: second.cursor).entries.isEmpty)
      // A restored backup has a lower number.
      try fixture.sql("DELETE FROM diple.objects WHERE seq = 3; UPDATE diple.vaults SET last = 2")
      #expect(try await connection.list(since: second.cursor).entries.count == 2)
      try fixture.sql("UPDATE diple.server SET identity = gen_random_uuid()")
    }
    try await fixture.withConnection { connection in
      let listing = try await connection.list(since: nil)
      #expect(listing.entries.count == 2 && listing.isWhole)
    }
    let numbers = try fixture.sql("SELECT seq FROM diple.objects ORDER BY seq")
    #expect(numbers == "1\n2\n")
  }

  @Test func `a connection that the server ends is reopened`() async throws {
    let fixture = try PostgresFixture()
    defer { fixture.engine.stop() }
    let object = ObjectMaker()
    try await fixture.withConnection { connection in
      for round in 1...5 {
        try await connection.put([object("\(round)-\(round).seg", "x")])
        try fixture.sql(
          "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'ada'")
      }
      #expect(try await connection.list(object.vault).count == 5)
    }
  }

  @Test func `a database without the schema is reported`() async throws {
    let fixture = try PostgresFixture()
    defer { fixture.engine.stop() }
    try fixture.sql("DROP SCHEMA diple CASCADE")
    await fails(.absent) { _ = try await fixture.connect() }
  }

  @Test(arguments: [
    "", "team", "postgresql://ada:secret@127.0.0.1/x", "password=secret", "x=y", "a\0=b",
  ])
  func `an invalid address, or one with a password, is rejected`(_ address: String) async {
    await fails(.usage, address) {
      _ = try await PostgreSQL().connect(to: TransportPlace(address: address, cache: "/nowhere"))
    }
    do {
      _ = try await PostgreSQL().connect(to: TransportPlace(address: address, cache: "/nowhere"))
    } catch { #expect(!"\(error)".contains("secret")) }
  }
}
