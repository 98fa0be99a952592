import DaemonKit
import Foundation
import TestSupport
import Testing
import Workspace

/// Tests starting, querying and stopping the daemon, and its output.
@Suite struct DaemonLifeTests {
  @Test func `commands start, query and stop the daemon`() throws {
    let watched = try WatchedBench(files: ["a.md"])
    let bench = watched.bench
    #expect(try bench.diple("daemon", "status").code == 1)
    #expect(try bench.diple("daemon", "stop").code == 1)
    let started = try bench.diple("daemon", "start", "--run", "cat >> events")
    defer { _ = try? bench.diple("daemon", "stop") }
    #expect(started.code == 0 && started.output.contains("started: 1 document "), "\(started)")
    let mode = try FileManager.default.attributesOfItem(atPath: watched.socket)
    #expect(mode[.posixPermissions] as? Int == 0o600)
    let again = try bench.diple("daemon", "start")
    #expect(again.code == 1 && again.errors.contains("runs for"), "\(again)")
    let second = try bench.run("dipled", [])
    #expect(second.code == 75 && second.errors.hasPrefix("dipled: a daemon (process "), "\(second)")
    let status = try bench.diple("daemon", "status")
    #expect(status.code == 0 && status.output.hasPrefix("watching: 1 document, "), "\(status)")

    try bench.shell("echo more >> notes/a.md")
    try watched.settle()
    let stopped = try bench.diple("daemon", "stop")
    #expect(stopped.code == 0 && stopped.output == "stopped\n", "\(stopped)")
    let logs = try bench.diple("daemon", "logs", "-n", "2")
    #expect(logs.lines.count == 2 && logs.output.contains("info stopped handled="), "\(logs)")
    #expect(!FileManager.default.fileExists(atPath: watched.socket))
    let events = try bench.read("events").split(separator: "\n")
    #expect(events.contains { $0.contains("\"kind\":\"changed\"") && $0.contains("a.md changed") })
  }

  @Test func `stopping processes pending changes within two seconds`() throws {
    let watched = try WatchedBench(files: ["a.md", "b.md"])
    try watched.start()
    try watched.bench.shell("sed -i '1i New.\\n' notes/a.md")
    // Stop immediately, while the daemon is still waiting for further changes.
    let end = try watched.stop()
    #expect(end.code == 0)
    #expect(end.time < 2, "the goal is 0.5 s on an idle machine")
    let state = try watched.state()
    #expect(state.highlights.contains { $0.hasSuffix("|5") } && state.exact == 2, "\(state)")
  }

  @Test func `a missing library and invalid options are reported, and a long library path works`()
    throws
  {
    let bench = try Workbench()
    for (words, code, says) in [
      ([], 4, "there is no library"), (["--nonsense"], 2, "Unknown option"),
      (["--log-level", "loud"], 2, "loud"), (["--rescan", "0"], 2, "takes 1 to 86400"),
      (["--help"], 0, nil),
    ] as [([String], Int32, String?)] {
      let result = try bench.run("dipled", words)
      #expect(
        result.code == code && says.map(result.errors.contains) != false, "\(words): \(result)")
    }
    #expect(try bench.diple("daemon", "start").code == 4)
    // The path of the library may be longer than a socket address.
    let long = String(repeating: "long-name-", count: 15)
    bench.environment["DIPLE_LIBRARY"] = bench.path(long)
    try bench.write("a.md", "text")
    try bench.diple("add", "a.md")
    let started = try bench.diple("daemon", "start")
    #expect(started.code == 0, "\(started)")
    #expect(try bench.diple("daemon", "stop").code == 0)
  }

  @Test func `the daemon ends when its library is deleted`() throws {
    let watched = try WatchedBench(files: ["a.md"])
    try watched.start()
    try watched.bench.shell("mv library elsewhere && echo more >> notes/a.md")
    #expect(try watched.process?.end(within: 60) == 4)
    #expect(try watched.bench.read("log").contains("was deleted"))
  }

  @Test func `changes during a pause are processed afterwards`() throws {
    let watched = try WatchedBench(files: ["a.md"])
    try watched.start()
    let client = try watched.client()
    _ = try client.ask(.pause)
    try watched.bench.shell("echo more >> notes/a.md")
    let status = try eventually("the change is noticed") {
      try watched.status()
    } until: {
      $0.pending > 0
    }
    #expect(status.state == .paused && status.pending == 1)
    #expect(try client.ask(.settled).settled == false)
    // The daemon isn't up to date, so a command checks the files.
    #expect(try watched.bench.diple("list").errors.contains("notes/a.md changed"))
    _ = try client.ask(.resume)
    let kinds = try watched.settle().map(\.kind)
    #expect(
      kinds == [.paused, .resumed, .changed],
      "reported although another process was first: \(kinds)")
    _ = try client.ask(.rescan)
    #expect(try watched.settle().map(\.kind) == [.rescanned])
  }

  @Test func `list trusts the daemon, and checks the files itself with --no-daemon`() throws {
    let watched = try WatchedBench(files: ["a.md"])
    try watched.start()
    try watched.settle()
    // Change the document only in the database, to see which process has checked the file.
    try watched.bench.shell(
      "sqlite3 library/library.sqlite 'UPDATE document SET present = 0, mtime = 0'")
    try watched.settle()
    let trusting = try watched.bench.diple("list").errors
    #expect(!trusting.contains("was found again") && trusting.contains("a.md is missing"))
    #expect(
      try watched.bench.diple("list", "--no-daemon").errors.contains("a.md was found again"))
  }

  @Test func `SIGHUP reloads the list of ignored files`() throws {
    let watched = try WatchedBench(files: ["a.md"])
    try watched.bench.shell("mkdir -p notes/skip/deep")
    try watched.bench.write("library/library.ignore", "skip/\n")
    try watched.start()
    let before = try watched.status().folders
    try watched.bench.write("library/library.ignore", "")
    watched.signal(SIGHUP)
    try watched.settle()
    func waitFor(folders: Int) throws {
      try eventually("\(folders) folders are watched") {
        try watched.status().folders
      } until: {
        $0 == folders
      }
    }
    try waitFor(folders: before + 2)
    // Newly ignored folders are no longer watched, except the documents that the user has added.
    try watched.bench.diple("add", "notes/skip/deep")
    try watched.bench.write("library/library.ignore", "skip/\n")
    watched.signal(SIGHUP)
    try waitFor(folders: before)
    try watched.bench.write("notes/skip/b.md", WatchedBench.text("b.md"))
    try watched.bench.diple("add", "notes/skip/b.md")
    try watched.settle()
    watched.signal(SIGHUP)
    try watched.settle()
    try watched.bench.shell("echo more >> notes/skip/b.md")
    #expect(try watched.settle().flatMap(\.documents).map(\.change) == [.changed])
  }

  @Test func `a hook that hangs or fails does not delay the daemon`() throws {
    let watched = try WatchedBench(files: ["a.md"])
    try watched.start("--run", "exit 3", "--run", "sleep 100 & sleep 100")
    for _ in 0..<3 {
      try watched.bench.shell("echo more >> notes/a.md")
      #expect(try watched.settle().flatMap(\.documents).count == 1)
    }
    #expect(try watched.bench.read("log").contains("a hook failed: it ended with exit code 3"))
    #expect(try watched.stop().code == 0)
  }

  @Test func `invalid requests are rejected, and other clients are still served`() throws {
    let watched = try WatchedBench(files: ["a.md"])
    try watched.start()
    try watched.settle()
    try watched.bench.write(
      "client.py",
      """
      import json, socket, struct
      def connect():
          s = socket.socket(socket.AF_UNIX); s.connect("\(watched.socket)"); s.settimeout(10); return s
      def send(s, data): s.sendall(struct.pack(">I", len(data)) + data)
      def receive(s):
          head = b""
          while len(head) < 4:
              more = s.recv(4 - len(head))
              if not more: return None
              head += more
          body = b""
          while len(body) < struct.unpack(">I", head)[0]: body += s.recv(1)
          return json.loads(body)
      s = connect()
      # A request that comes byte by byte, and two at once.
      request = json.dumps({"id": 7, "command": "status"}).encode()
      for byte in struct.pack(">I", len(request)) + request: s.sendall(bytes([byte]))
      answer = receive(s); print(answer["id"], answer["status"]["state"])
      send(s, b'{"id":8,"command":"settled"}'); send(s, b'{"id":9,"command":"nonsense"}')
      print(receive(s)["settled"]); print(receive(s)["error"])
      send(s, b"no json"); print(receive(s)["error"]); print(receive(s))
      s = connect(); s.sendall(b"\\xff\\xff\\xff\\xff"); print(receive(s)["error"]); print(receive(s))
      s.close()
      # Who comes after others have gone is served, even if the daemon has not looked meanwhile.
      for _ in range(20):
          many = [connect() for _ in range(100)]
          for other in many: other.close()
          s = connect(); send(s, request); assert receive(s)["id"] == 7; s.close()
      s = connect(); send(s, request); print(receive(s)["id"])
      """)
    let result = try watched.bench.run("python3", ["client.py"])
    #expect(
      result.lines == [
        "7 watching", "True",
        "unknown command; the commands are status, settled, documents, subscribe, rescan, pause, "
          + "resume, stop",
        "a request must have the form {\"id\":NUMBER,\"command\":\"WORD\"}", "None",
        "a request of 4294967295 bytes is too long", "None", "7",
      ], "\(result)")
  }

  @Test func `systemd is notified when the daemon is ready, alive and stopping`() throws {
    let watched = try WatchedBench(files: ["a.md"])
    let bench = watched.bench
    try bench.write(
      "manager.py",
      """
      import os, socket, subprocess, sys
      s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM); s.settimeout(20)
      name = sys.argv[1]; s.bind("\\0" + name[1:] if name[0] == "@" else name)
      os.environ.update(NOTIFY_SOCKET=name, WATCHDOG_USEC="100000", JOURNAL_STREAM="1:2")
      daemon = subprocess.Popen([sys.argv[2]], stderr=open("journal", "w"))
      def wait(word):
          while True:
              lines = s.recv(4096).decode().split("\\n")
              if word in lines: print(word, flush=True); return
      for word in ["READY=1", "WATCHDOG=1", "WATCHDOG=1"]: wait(word)
      daemon.send_signal(1); wait("RELOADING=1"); wait("READY=1")
      daemon.terminate(); wait("STOPPING=1"); print(daemon.wait())
      """)
    let program = Workbench.programs.appendingPathComponent("dipled").path
    for name in [bench.path("notify"), "@diple-\(UUID().uuidString)"] {
      let result = try bench.run("python3", ["manager.py", name, program])
      #expect(
        result.lines == [
          "READY=1", "WATCHDOG=1", "WATCHDOG=1", "RELOADING=1", "READY=1", "STOPPING=1", "0",
        ], "\(result)")
      #expect(try bench.read("journal").hasPrefix("<6>started library="))
    }
  }

  @Test func `the installed unit contains the paths of this library and this program`() throws {
    let watched = try WatchedBench(files: ["a.md"])
    let bench = watched.bench
    try bench.shell("mv library 'my lib-1.x'")
    bench.environment["DIPLE_LIBRARY"] = bench.path("my lib-1.x")
    let installed = try bench.diple("daemon", "install", "--run", "notify-send \"50% $X\"")
    #expect(installed.code == 0, "\(installed)")
    let unit = try bench.read(".config/systemd/user/dipled@.service")
    let program = Workbench.programs.appendingPathComponent("dipled").path
    #expect(
      unit.contains(
        "ExecStart=\"\(program)\" \"--library\" %f \"--run\" \"notify-send \\\"50%% $$X\\\"\"\n"))
    #expect(
      unit.contains("Type=notify\n")
        && unit.contains("ReadWritePaths=%f \"-\(bench.path(".local/state/diple"))\"\n"))
    let escaped = bench.path("").split(separator: "/").joined(separator: "-")
      .replacing("diple-", with: "diple\\x2d")
    #expect(installed.output.contains("my\\x20lib\\x2d1.x.service'"), "\(installed) \(escaped)")
    if try bench.run("sh", ["-c", "command -v systemd-escape"]).code == 0 {
      let name = try bench.run("systemd-escape", ["--path", bench.path("my lib-1.x")]).lines[0]
      #expect(installed.output.contains("'dipled@\(name).service'"))
    }
  }
}

/// Tests the daemon's notices in the REPL.
@Suite(.enabled(if: Terminal.isThere, Terminal.need)) struct DaemonNoticeTests {
  @Test func `a notice is printed above the half-typed line, which is kept`() throws {
    let watched = try WatchedBench(files: ["a.md"])
    try watched.start()
    let terminal = try Terminal(watched.bench, "diple-repl", columns: 160)
    try terminal.wait(lastLine: "›")
    try terminal.press("list --col")
    try terminal.wait(lastLine: "› list --col")
    try watched.bench.shell("sed -i '1i New.\\n' notes/a.md")
    try terminal.wait("the notice is above the line") {
      $0.contains("notes/a.md changed: 1 kept (1 shifted)\n") && $0.hasSuffix("\n› list --col")
    }
    try terminal.press("or yellow", "Enter")
    try terminal.wait("the whole line is run") { $0.contains("“marked passage a.md”") }
    // A document that is added in the REPL is watched from then on.
    try watched.bench.write("new.md", "# New\n")
    try terminal.press("add new.md", "Enter")
    try terminal.wait("it is added") { $0.contains("added ") }
    try watched.settle()
    try watched.bench.shell("echo more >> new.md")
    try terminal.wait("its change is reported") { $0.contains("new.md changed") }
    // The REPL keeps running without the daemon and connects to the next one.
    #expect(try watched.stop().code == 0)
    try terminal.press("tags", "Enter")
    try watched.start()
    try terminal.press("x", "C-u")
    try watched.settle()
    try watched.bench.shell("rm notes/a.md")
    try terminal.wait("the next daemon is heard") { $0.contains("notes/a.md is missing") }
  }
}
