import DaemonKit
import Foundation
import TestSupport
import Testing
import Workspace

/// Tests the daemon's backups, and its reports of a damaged library.
@Suite struct DaemonBackupTests {
  private let watched: WatchedBench
  private var bench: Workbench { watched.bench }

  init() throws {
    watched = try WatchedBench(files: ["a.md", "b.md"])
    try watched.bench.shell("mkdir -p .config/diple")
    try bench.write(".config/diple/config.toml", "[backup]\nquiet = 0\n")
  }

  @Test func `a backup is created and listed by doctor, and is not repeated for the same content`()
    throws
  {
    let folder = try #require(BackupFolder(of: watched.location))
    #expect(try bench.diple("doctor").output.contains("backup      none"))
    try watched.start()
    let backups = try eventually("a backup is made") {
      folder.entries()
    } until: {
      $0.count == 1
    }
    #expect(try bench.diple("doctor").output.contains("backup      20"))
    // A library can't be replaced while a daemon is running.
    let refused = try bench.run("diple", ["restore", "--yes", backups[0].path])
    #expect(
      refused.code == 6 && refused.errors.contains("diple daemon stop")
        && refused.errors.split(separator: "\n").count == 1, "\(refused)")
    // A sound library needs no repair.
    #expect(try bench.diple("doctor", "--repair").output.contains("nothing to repair"))
    #expect(try watched.stop().code == 0)
    let before = try bench.diple("list").output
    #expect(try bench.diple("hl", "note", "\(try bench.highlights()[0].id)", "other").code == 0)
    #expect(try bench.diple("restore", "--yes", backups[0].path).code == 0)
    #expect(try bench.diple("list").output == before)
    #expect(folder.entries() == backups)
  }

  @Test func `a failed backup is reported once`() throws {
    let folder = try #require(BackupFolder(of: watched.location))
    try FileManager.default.createDirectory(
      atPath: URL(filePath: folder.path).deletingLastPathComponent().path,
      withIntermediateDirectories: true)
    try Data().write(to: URL(filePath: folder.path))
    try watched.start()
    try eventually("it is reported") { try bench.read("log").contains("no backup could be made") }
    try bench.shell("echo more >> notes/a.md")
    try watched.settle()
    #expect(try bench.read("log").ranges(of: "no backup could be made").count == 1)
  }

  @Test func `an unreadable row is reported once, in the log and to subscribers`()
    throws
  {
    try bench.shell(
      "sqlite3 library/library.sqlite \"UPDATE document SET trashed = 7 WHERE path LIKE '%/b.md'\"")
    try watched.start()
    let client = try watched.client()
    var messages: [String] = []
    _ = try client.ask(.rescan)
    try watched.settle()
    try eventually("it is in the log") {
      try bench.read("log").contains("document.trashed is 7")
    }
    messages += try client.takeEvents()?.compactMap(\.message) ?? []
    _ = try client.ask(.rescan)
    try watched.settle()
    #expect(try bench.read("log").ranges(of: "document.trashed is 7").count == 1)
    #expect(messages.count { $0.contains("document.trashed is 7") } <= 1)
  }

  @Test func `SIGHUP with an invalid settings file of the library keeps the old settings`() throws {
    try watched.start()
    try bench.write("library/config.toml", "reader.width = 'wide'\n")
    watched.signal(SIGHUP)
    try eventually("the settings are read") {
      try bench.read("log").contains("configuration read again")
    }
    let log = try bench.read("log")
    #expect(log.contains("the settings stay as they were") && log.contains("config.toml"), "\(log)")
    #expect(try watched.client().ask(.status).status?.state == .watching)
    try bench.write("library/config.toml", "reader.width = 60\n")
    watched.signal(SIGHUP)
    try eventually("they are read again") {
      try bench.read("log").ranges(of: "configuration read again").count == 2
    }
    #expect(try bench.read("log").ranges(of: "the settings stay as they were").count == 1)
  }
}
