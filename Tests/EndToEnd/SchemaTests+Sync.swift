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
    bench.environment["DIPLE_SYNC_PASSPHRASE"] = nil
  }
}
