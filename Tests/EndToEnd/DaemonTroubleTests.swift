import Foundation
import Testing
import Workspace

/// Folders that cannot be watched, and disks that go away.
@Suite struct DaemonTroubleTests {
  private static let unshare: [String]? = [["-m"], ["-rm"]].first { options in
    let bench = try? Workbench()
    let words = ["mkdir disk && unshare \(options[0]) mount -t tmpfs none disk"]
    return (try? bench?.run("sh", ["-c"] + words).code) == 0
  }

  @Test func `a folder without permission is told, and hides no other`() throws {
    let watched = try WatchedBench(files: ["a.md", "shut/b.md"])
    let bench = watched.bench
    let program = Workbench.programs.appendingPathComponent("dipled").path
    // The superuser may read everything, so somebody else watches.
    let isRoot = getuid() == 0
    let other = isRoot ? ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"] : []
    guard try bench.run("env", other + [program, "--help"]).code == 0 else { return }
    if isRoot { try bench.shell("chmod -R a+rwX . && chmod a+rwx .") }
    try bench.shell("chmod 000 notes/shut")
    defer { try? bench.shell("chmod -R a+rwX notes") }
    let process = bench.process("env", other + [program, "--log-file", bench.path("log")])
    process.standardError = FileHandle.nullDevice
    try process.run()
    defer {
      process.terminate()
      process.waitUntilExit()
    }
    func log(says words: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
      let end = Date().addingTimeInterval(20)
      while Date() < end, (try? bench.read("log").contains(words)) != true { usleep(10_000) }
      #expect(try bench.read("log").contains(words), sourceLocation: sourceLocation)
    }
    try log(says: "info watching")
    let said = try bench.read("log")
    #expect(said.contains("cannot watch \(bench.path("notes/shut")): Permission denied"), "\(said)")
    #expect(said.contains("shut/b.md not refreshed: cannot look at"))
    try bench.shell("echo more >> notes/a.md")
    try log(says: "a.md changed: 1 kept")
  }

  @Test(.enabled(if: unshare != nil, "no mount can be made here"))
  func `after a disk is unmounted, what lay below it is watched`()
    throws
  {
    let watched = try WatchedBench(files: ["a.md", "disk/b.md"])
    let programs = Workbench.programs.path
    let script = """
      set -e
      said() { test "$(grep -c "$1" log)" -ge $2; }
      wait_for() { i=0; until said "$1" $2; do i=$((i + 1)); test $i -lt 400; sleep 0.05; done; }
      cp notes/disk/b.md kept && mount -t tmpfs none notes/disk && cp kept notes/disk/b.md
      \(programs)/dipled 2>log & P=$!
      trap 'kill $P' EXIT
      wait_for 'info watching' 1
      rm notes/disk/b.md && wait_for 'b.md is missing' 1
      umount notes/disk && wait_for 'b.md is back' 1
      sleep 0.3 && echo more >> notes/disk/b.md && wait_for 'b.md changed' 1
      kill $P && trap - EXIT && wait $P
      """
    let result = try watched.bench.run(
      "unshare", try #require(Self.unshare) + ["sh", "-c", script])
    #expect(result.code == 0, "\(result) \((try? watched.bench.read("log")) ?? "")")
    #expect(try watched.state().exact == 2)
  }
}
