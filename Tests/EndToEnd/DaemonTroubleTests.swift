import DaemonKit
import Foundation
import TestSupport
import Testing
import Workspace

/// Tests folders that can't be watched, and disks that are unmounted.
@Suite struct DaemonTroubleTests {
  private static let unshare: [String]? = [["-m"], ["-rm"]].first { options in
    let bench = try? Workbench()
    let words = ["mkdir disk && unshare \(options[0]) mount -t tmpfs none disk"]
    return (try? bench?.run("sh", ["-c"] + words).code) == 0
  }

  /// Returns a command that runs a program with a lowered kernel limit.
  private static func lowering(_ limit: String, to value: Int) -> [String] {
    ["unshare", "-Ur", "sh", "-c", "echo \(value) > /proc/sys/user/\(limit) && exec \"$@\"", "sh"]
  }

  private static let canLower =
    (try? Workbench().run("env", lowering("max_inotify_watches", to: 10) + ["true"]).code) == 0

  @Test(.enabled(if: canLower, "no limit can be lowered here"))
  func `a lack of watches is reported with the kernel setting, and no change is lost`() throws {
    let watched = try WatchedBench(files: (0..<30).map { "\($0)/a.md" })
    let bench = watched.bench
    try watched.keepTwin()
    try watched.start("--rescan", "1", by: Self.lowering("max_inotify_watches", to: 15))
    let status = try watched.status()
    #expect(!status.complete && (1...15).contains(status.folders))
    let problem = try #require(status.problems.first)
    #expect(
      problem.hasPrefix("only \(status.folders) folders can be watched; ")
        && problem.hasSuffix("`sudo sysctl user.max_inotify_watches=524288` raises it from 15"),
      "\(problem)")
    // The daemon must not claim to be up to date, because not everything is watched.
    #expect(try watched.client().ask(.settled).settled == false)
    try bench.shell(
      """
      cd notes && sed -i '1i New.\n' */a.md && rm 3/a.md 28/a.md && mv 4/a.md 4/b.md &&
      mv 29/a.md 29/b.md && mv 26 sixteen
      """)
    let cold = try watched.coldState()
    try eventually("the library is as after a cold look", every: 0.05) {
      try watched.state()
    } until: {
      $0 == cold
    }
    #expect(
      cold.documents.count == 30 && cold.exact == 28,
      "\(cold.highlights) \(cold.documents.filter { $0.contains("|0|") })")
    // After the limit is raised, it watches everything without a restart.
    try bench.shell(
      "nsenter -U --preserve-credentials -t \(watched.process?.processIdentifier ?? 0) "
        + "sh -c 'echo 1000 > /proc/sys/user/max_inotify_watches'")
    try watched.settle()
    #expect(try watched.status().complete && watched.status().folders > 30)
    try bench.shell("sed -i '1i Newer.\n' notes/sixteen/a.md")
    #expect(try watched.settle().flatMap(\.documents).map(\.path).count == 1)
  }

  @Test(.enabled(if: canLower, "no limit can be lowered here"))
  func `a lack of watchers is reported in one line`() throws {
    let watched = try WatchedBench(files: ["a.md"])
    let program = Workbench.programs.appendingPathComponent("dipled").path
    let result = try watched.bench.run(
      "env", Self.lowering("max_inotify_instances", to: 0) + [program])
    #expect(
      result.code == 6
        && result.errors.hasSuffix(
          "`sudo sysctl user.max_inotify_instances=512` raises it from 0\n")
        && result.errors.hasPrefix("dipled: files cannot be watched: "), "\(result)")
  }

  private static let fakeClock =
    (try? Workbench().run(
      "sh", ["-c", "ls /usr/lib*/faketime/libfaketime.so.1 /usr/lib/*/faketime/libfaketime.so.1"]
    ).lines.first) ?? nil

  @Test(.enabled(if: fakeClock != nil, "faketime is not installed"))
  func `setting the clock forward and back during a burst loses no change`() throws {
    let watched = try WatchedBench(files: (0..<20).map { "\($0).md" })
    let bench = watched.bench
    let words = [
      "LD_PRELOAD=\(try #require(Self.fakeClock))", "FAKETIME_NO_CACHE=1", "NO_FAKE_STAT=1",
      "FAKETIME_DONT_FAKE_MONOTONIC=1", "FAKETIME_TIMESTAMP_FILE=\(bench.path("clock"))",
    ]
    func setClock(_ offset: String) throws {
      try bench.write("clock.new", offset + "\n")
      try bench.shell("mv clock.new clock")
    }
    try setClock("+0")
    try watched.keepTwin()
    try watched.start(by: words)
    // A Swift program can't read its arguments in this environment, so the test uses the REPL.
    let editor = Workbench.programs.appendingPathComponent("diple-repl").path
    _ = try watched.client()
    for (round, offset) in ["+3600", "-3600", "+3600", "-7200", "+0"].enumerated() {
      try bench.shell("sed -i '1i Round \(round).\n' notes/1?.md && echo more >> notes/\(round).md")
      try setClock(offset)
      try bench.shell("sed -i '1i After \(round).\n' notes/?.md")
      let marked = try bench.run(
        "env", words + [editor], input: "mark notes/\(round).md '\"words behind it\"'\n")
      #expect(marked.code == 0, "\(marked)")
    }
    let begin = Date()
    let events = try watched.settle()
    #expect(Date().timeIntervalSince(begin) < 10, "it settles after a second at most")
    // Check that the clock was really changed.
    let times = events.map(\.time)
    #expect(times.contains { $0 > begin + 1800 } || times.contains { $0 < begin - 1800 })
    let (state, cold) = (try watched.state(), try watched.coldState())
    #expect(state.documents == cold.documents && state.highlights.isSuperset(of: cold.highlights))
    #expect(state.exact == 25, "\(state.highlights)")
    let rows = try bench.run(
      "sqlite3",
      [
        "library/library.sqlite",
        """
        SELECT time || ' ' || record_replica || ' ' || record_sequence || ' ' || field
        FROM operation ORDER BY sequence
        """,
      ]
    ).lines.map { $0.split(separator: " ", maxSplits: 1) }
    let clock = rows.compactMap { Int($0[0]) }
    #expect(clock.count > 40 && clock.count == rows.count)
    var latest: [Substring: Int] = [:]
    for (row, time) in zip(rows, clock) {
      #expect(
        time > latest[row[1], default: 0], "each change of a value is later than the last one")
      latest[row[1]] = time
    }
    #expect(clock.last! < clock.first! + 3_000_000 << 16, "a wrong clock is not kept")
    #expect(try watched.stop().code == 0)
  }

  @Test(.enabled(if: getuid() == 0, "only the superuser can act as another user"))
  func `requests of another user are rejected`() throws {
    let watched = try WatchedBench(files: ["a.md"])
    try watched.start()
    try watched.bench.shell("chmod a+rwx . library && chmod a+rw library/*")
    try watched.bench.write(
      "client.py",
      """
      import os, socket
      os.setuid(65534); s = socket.socket(socket.AF_UNIX)
      try: s.connect("\(watched.socket)"); s.sendall(b'\\0\\0\\0\\x1a{"id":1,"command":"status"}')
      except OSError as error: print(error.strerror)
      try: print(s.recv(100))
      except OSError as error: print(error.strerror)
      """)
    try watched.bench.shell("chmod 600 \(watched.socket)")
    func answers() throws -> [String] {
      try watched.bench.run("python3", ["client.py"]).lines
    }
    #expect(try answers().first == "Permission denied")
    // Even with open permissions, the daemon ignores the request.
    let run = URL(filePath: watched.socket).deletingLastPathComponent().path
    try watched.bench.shell("chmod -R a+rwX .local; chmod 666 \(watched.socket)")
    let open = try answers()
    try watched.bench.shell("chmod 700 \(run)")
    #expect(
      ["b''", "Connection reset by peer"].contains(open.last) && !open.contains("Permission denied")
    )
    #expect(try watched.status().subscribers == 1)
  }

  @Test func `a folder without permission is reported, and other files are watched`() throws {
    let watched = try WatchedBench(files: ["a.md", "shut/b.md"])
    let bench = watched.bench
    let program = Workbench.programs.appendingPathComponent("dipled").path
    // The superuser can read everything, so run the daemon as another user.
    let isRoot = getuid() == 0
    let other = isRoot ? ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"] : []
    if try bench.run("env", other + [program, "--help"]).code != 0 {
      try Test.cancel("nobody else can run the programs here")
    }
    if isRoot { try bench.shell("chmod -R a+rwX . && chmod a+rwx .") }
    try bench.shell("chmod 000 notes/shut")
    defer { try? bench.shell("chmod -R a+rwX notes") }
    let process = bench.process("env", other + [program, "--log-file", bench.path("log")])
    process.standardError = FileHandle.nullDevice
    try process.run()
    defer {
      process.terminate()
      _ = try? process.end(within: 20)
    }
    func log(says words: String, file: StaticString = #fileID, line: UInt = #line) throws {
      try eventually("the log contains '\(words)'", file: file, line: line) {
        (try? bench.read("log")) ?? ""
      } until: {
        $0.contains(words)
      }
    }
    try log(says: "info watching")
    let said = try bench.read("log")
    #expect(said.contains("cannot watch \(bench.path("notes/shut")): Permission denied"), "\(said)")
    #expect(said.contains("shut/b.md not refreshed: cannot stat"))
    try bench.shell("echo more >> notes/a.md")
    try log(says: "a.md changed: 1 kept")
  }

  @Test(.enabled(if: unshare != nil, "no mount can be made here"))
  func `after a disk is unmounted, the folder below its mount point is watched`()
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
      umount notes/disk && wait_for 'b.md was found again' 1
      sleep 0.3 && echo more >> notes/disk/b.md && wait_for 'b.md changed' 1
      kill $P && trap - EXIT && wait $P
      """
    let result = try watched.bench.run(
      "unshare", try #require(Self.unshare) + ["sh", "-c", script])
    #expect(result.code == 0, "\(result) \((try? watched.bench.read("log")) ?? "")")
    #expect(try watched.state().exact == 2)
  }

  @Test func `a daemon of another version is reported in one line, and can be stopped`() throws {
    let watched = try WatchedBench(files: ["a.md"])
    let bench = watched.bench
    try bench.write(
      "other.py",
      """
      import json, os, socket, struct
      s = socket.socket(socket.AF_UNIX); s.bind("\(watched.socket)"); s.listen(9)
      open("ready", "w").close()
      def receive(c):
          head = c.recv(4, socket.MSG_WAITALL)
          return json.loads(c.recv(struct.unpack(">I", head)[0], socket.MSG_WAITALL)) if head else None
      def send(c, value):
          data = json.dumps(value).encode(); c.sendall(struct.pack(">I", len(data)) + data)
      command = ""
      while command != "stop":
          c, _ = s.accept()
          while request := receive(c):
              command = request["command"]
              send(c, {"event": {"kind": "dreamt"}})
              send(c, {"id": request["id"], "version": 2, "status": {"mood": "fine"}, "settled": True})
              if command == "stop": break
          c.close()
      os.unlink("\(watched.socket)")
      """)
    let folder = URL(filePath: watched.socket).deletingLastPathComponent()
    try FileManager.default.createDirectory(
      at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    let other = bench.process("python3", ["other.py"])
    try other.run()
    defer { other.killAll() }
    try eventually("the other daemon listens") { (try? bench.read("ready")) != nil }
    let line =
      "the daemon is of another version of Diple: it speaks protocol 2, and this program 1; "
      + "`diple daemon stop` and `diple daemon start` replace it"
    let status = try bench.diple("daemon", "status")
    #expect(status.code == 6 && status.errors == "diple: \(line)\n", "\(status)")
    let doctor = try bench.diple("doctor")
    #expect(doctor.code == 0, "\(doctor)")
    #expect(doctor.lines.suffix(2) == ["daemon      foreign", "advice      \(line)"], "\(doctor)")
    // The foreign daemon claims to be up to date, but commands must not trust it.
    try bench.shell("echo more >> notes/a.md")
    #expect(try bench.diple("list").errors.contains("notes/a.md changed"))
    let stopped = try bench.diple("daemon", "stop")
    #expect(stopped.code == 0 && stopped.output == "stopped\n", "\(stopped)")
    #expect(try other.end(within: 30) == 0)
  }
}
