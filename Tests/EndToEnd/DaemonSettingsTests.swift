import DaemonKit
import Foundation
import TestSupport
import Testing
import Workspace

/// Tests the settings of the daemon and how it reloads them.
@Suite struct DaemonSettingsTests {
  private let watched: WatchedBench
  private var bench: Workbench { watched.bench }
  private var config: String { bench.path(".config/diple/config.toml") }

  init() throws {
    watched = try WatchedBench(files: ["a.md"])
    try watched.bench.shell("mkdir -p .config/diple")
  }

  private func set(_ lines: String...) throws {
    try bench.write(".config/diple/config.toml", lines.joined(separator: "\n") + "\n")
  }

  /// Makes the daemon reload its settings, and waits until it has.
  private func reload() throws {
    func count() throws -> Int {
      try bench.read("log").ranges(of: "configuration read again").count
    }
    let before = try count()
    watched.signal(SIGHUP)
    try eventually("the settings are read") { try count() > before }
  }

  private func lines(_ file: String) -> [Substring] {
    ((try? bench.read(file)) ?? "").split(separator: "\n")
  }

  @Test func `hooks are run at their events, and SIGHUP reloads them`() throws {
    try set("[hooks]", "changed = 'cat >> one'", "stopping = 'echo $DIPLE_EVENT > end'")
    try watched.start()
    try bench.shell("echo more >> notes/a.md")
    try watched.settle()
    try eventually("the hook is run") { lines("one").count == 1 }
    #expect(lines("one")[0].contains("\"kind\":\"changed\""))

    try set("[hooks]", "changed = 'cat >> two'", "rescanned = 'cat >> looks'")
    try reload()
    try bench.shell("echo more >> notes/a.md")
    try watched.settle()
    _ = try watched.client().ask(.rescan)
    try watched.settle()
    try eventually("the new hooks are run") { lines("two").count == 1 && !lines("looks").isEmpty }
    #expect(lines("one").count == 1, "a replaced hook is not run any more")
    #expect(
      try watched.stop().code == 0 && lines("end").isEmpty, "a removed hook is not run any more")
  }

  @Test func `an invalid settings file is reported in one line, and the old settings are kept`()
    throws
  {
    try set("hooks.changed = 'cat >> one'")
    try watched.start()
    try set("hooks.changed = 'cat >> two'", "daemon.settle = 'soon'")
    try reload()
    let problem =
      "the settings stay as they were: \(config):2: daemon.settle takes a whole number from 0 to "
      + "10000, not \"soon\""
    let warnings = lines("log").filter { $0.contains("the settings stay as they were") }
    #expect(warnings.count == 1 && warnings[0].contains("warning \(problem)"), "\(warnings)")
    #expect(try watched.status().problems == [problem])
    try bench.shell("echo more >> notes/a.md")
    try watched.settle()
    try eventually("the old hook is run") { lines("one").count == 1 }
    #expect(lines("two").isEmpty)
    try set("daemon.settle = 10")
    try reload()
    #expect(try watched.status().problems.isEmpty, "a corrected file is not a problem any more")
  }

  @Test func `options override settings`() throws {
    try set(
      "daemon = { log_level = 'error', rescan = 7 }", "[hooks]", "changed = 'touch never'")
    try watched.start("--log-level", "info", "--run", "cat >> events")
    try reload()
    try bench.shell("echo more >> notes/a.md")
    try watched.settle()
    try eventually("the hook is run") {
      lines("events").contains { $0.contains("\"kind\":\"changed\"") }
    }
    #expect(lines("never").isEmpty && !FileManager.default.fileExists(atPath: bench.path("never")))
    #expect(lines("log").contains { $0.contains("info watching") })
  }

  @Test func `the log level can be changed while the daemon is running`() throws {
    try set("daemon.log_level = 'warning'")
    try watched.start()
    try bench.shell("echo more >> notes/a.md")
    try watched.settle()
    #expect(lines("log").isEmpty)
    try set("daemon.log_level = 'debug'")
    try reload()
    try bench.shell("echo more >> notes/a.md")
    try watched.settle()
    #expect(lines("log").contains { $0.contains(" info ") && $0.contains("a.md changed") })
    #expect(
      lines("log").contains { $0.contains("debug refreshed") },
      "the library's messages are logged, too")
  }

  @Test func `changes are delayed by the configured time`() throws {
    try set("daemon.settle = 700")
    try watched.start()
    try watched.settle()
    func time() throws -> TimeInterval {
      let begin = Date()
      try bench.shell("echo more >> notes/a.md")
      #expect(try watched.settle().flatMap(\.documents).count == 1)
      return Date().timeIntervalSince(begin)
    }
    #expect(try time() >= 0.7)
    // A file that changes constantly is checked after `settle_max`.
    try set("daemon.settle = 10_000", "daemon.settle_max = 100")
    try reload()
    #expect(try time() < 5)
  }

  @Test func `the index is not updated if indexing is disabled`() throws {
    try bench.shell("sqlite3 library/library.sqlite 'DELETE FROM text_index'")
    try set("daemon.index = false")
    try watched.start()
    try watched.settle()
    #expect(try watched.status().indexing == false)
    func indexed() throws -> String {
      try bench.run("sqlite3", ["library/library.sqlite", "SELECT count(*) FROM text_index"]).output
    }
    #expect(try indexed() == "0\n")
    try set("daemon.index = true")
    try reload()
    try eventually("the index is filled") { try indexed() == "1\n" }
  }

  @Test(arguments: [
    (".config/diple/config.toml", "daemon.rescan = 0", "takes a whole number from 1 to 86400"),
    (".config/diple/config.toml", "hooks.moved = 'x'", "there is no setting 'hooks.moved'"),
  ])
  func `the daemon does not start with invalid settings`(file: String, line: String, says: String)
    throws
  {
    try bench.write(file, line + "\n")
    let result = try bench.run("dipled", [])
    #expect(result.code == 2 && result.errors.split(separator: "\n").count == 1, "\(result)")
    #expect(result.errors.hasPrefix("dipled: \(bench.path(file)):1: "), "\(result)")
    #expect(result.errors.contains(says), "\(result)")
    // The error is also reported if the daemon is started in the background.
    let started = try bench.diple("daemon", "start")
    #expect(started.code != 0, "\(started)")
  }
}
