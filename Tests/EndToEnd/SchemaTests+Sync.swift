import Foundation
import TestSupport
import Testing

extension SchemaTests {
  /// Syncs two libraries with the same document by a shared folder. A third library asks to join.
  func sync(_ printed: Printed) throws {
    bench.environment["DIPLE_SYNC_PASSPHRASE"] = "correct horse battery"
    let text =
      "# Shared\n\nThe committee decided that the bridge should be painted green.\n\nEnd.\n"
    try bench.shell("mkdir shared one two three")
    for home in ["one", "two"] { try bench.write("\(home)/shared.md", text) }
    func run(_ home: String, _ command: String, _ words: String..., code: Int32 = 0) throws {
      try printed.run(
        bench, command, words: ["--library", "\(home)/.diple"] + words, code: code)
    }
    func diple(_ home: String, _ words: String...) throws -> Workbench.Result {
      try bench.run("diple", words + ["--library", "\(home)/.diple"])
    }
    #expect(try diple("one", "add", "one/shared.md").code == 0)
    try run("one", "sync now", code: 1)
    let marked = try diple("one", "mark", "one/shared.md", "\"the bridge\"", "--note", "first")
    let id = try #require(marked.output.split(separator: " ").first.map(String.init))
    try run("one", "sync init", "folder", "shared", "--device", "one")
    try run("one", "sync init", "folder", "shared", code: 6)
    try run("two", "sync join", "folder", "shared", "--device", "two")
    #expect(try diple("two", "mark", "two/shared.md", "word:1", "--tag", "t").code == 0)
    try run("two", "sync now")
    try run("one", "sync status")
    for home in ["one", "two"] { #expect(try diple(home, "note", id, home).code == 0) }
    try run("one", "sync status")
    for home in ["one", "two", "one"] { try run(home, "sync now") }
    try run("one", "sync conflicts")
    try run("one", "sync conflicts", id, "--keep", "9", code: 2)
    try run("one", "sync conflicts", id, "--both")
    try run("one", "sync conflicts", code: 1)
    // A new note replaces all versions, and says so.
    for home in ["two", "one", "two"] { try run(home, "sync now") }
    for home in ["one", "two"] { #expect(try diple(home, "note", id, "again \(home)").code == 0) }
    for home in ["one", "two", "one"] { try run(home, "sync now") }
    try run("one", "sync conflicts")
    #expect(try diple("one", "note", id, "settled").errors.contains("replaces all versions"))
    try run("one", "sync conflicts", code: 1)

    // A damaged file defers the changes in it on the next device.
    try run("three", "sync join", "folder", "shared", "--pair", "--device", "three")
    try run("one", "sync pair", code: 1)
    let asking = try diple("one", "sync", "pair", "--json").output
    let code = try #require(asking.firstMatch(of: #/"code":"([0-9 ]+)"/#)?.1)
    try run("one", "sync pair", "--code", String(code))
    try run("one", "sync pair", code: 1)
    try run("one", "sync verify")
    try bench.shell("for file in shared/v1/*/*/*.seg; do echo damaged >$file; done")
    try run("three", "sync now")
    try run("three", "sync status")
    try run("three", "sync devices")
    try run("one", "sync verify", code: 3)
    try run("one", "sync export")
    try run("one", "sync now")
    try run("one", "sync revoke", "three", "--no-passphrase", "--yes")
    try run("one", "sync status")
    try run("one", "status")
    try run("three", "sync now", code: 6)
    try run("one", "sync passphrase")
    try run("one", "sync passphrase", code: 2)
    try run("two", "sync leave", "--yes")
    try run("one", "sync devices")
    bench.environment["DIPLE_SYNC_PASSPHRASE"] = nil
  }

  /// The folder of PostgreSQL's programs; nil if it is not installed.
  static let postgres: String? = {
    let top = "/usr/lib/postgresql"
    let versions = (try? FileManager.default.contentsOfDirectory(atPath: top)) ?? []
    return versions.sorted { (Int($0) ?? 0) > (Int($1) ?? 0) }.map { "\(top)/\($0)/bin" }
      .first { FileManager.default.isExecutableFile(atPath: $0 + "/pg_ctl") }
  }()

  /// Runs a PostgreSQL server, and prepares a database of it for sync.
  func preparation(_ printed: Printed) throws {
    guard let programs = Self.postgres else { return }
    // The server refuses to run as root.
    let demote =
      geteuid() == 0 ? "setpriv --reuid=postgres --regid=postgres --clear-groups" : ""
    let control = "\(demote) \(programs)/pg_ctl -D \"$PWD/database\" -s -w"
    // The bench would wait until the server ends, so start it with `ChildProgram`.
    let folder = bench.path(".")
    let start = try ChildProgram(
      [
        "sh", "-ec",
        """
        chmod 755 .; mkdir database socket
        \(geteuid() == 0 ? "chown postgres database socket" : "")
        \(demote) \(programs)/initdb -A trust -U postgres --no-sync -D "$PWD/database"
        \(control) -l "$PWD/database/log" \
          -o "-c listen_addresses= -c unix_socket_directories=$PWD/socket" start
        """,
      ], in: folder)
    defer {
      _ = try? ChildProgram(["sh", "-ec", "\(control) -m immediate stop"], in: folder).end()
    }
    #expect(try start.end() == 0)
    let address = "host=\(bench.path("socket")) user=postgres dbname=team"
    try printed.run(bench, "sync prepare", "postgres", address, "ada", "bob")
    try printed.run(bench, "sync prepare", "postgres", address + "x", "", code: 2)
  }
}
