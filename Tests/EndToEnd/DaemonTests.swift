import DaemonKit
import Foundation
import TestSupport
import Testing
import Workspace

/// Tests the daemon as a process: how it keeps the library up to date.
@Suite struct DaemonTests {
  @Test
  func `a deleted file is reported as missing, and its document is unchanged when it returns`()
    throws
  {
    let watched = try WatchedBench(files: ["a.md", "b.md"])
    try watched.start()
    let before = try watched.state()
    try watched.bench.shell("cp notes/a.md kept && rm notes/a.md")
    var events = try watched.settle()
    #expect(events.flatMap(\.documents).map(\.change) == [.missing])
    try watched.bench.shell("cp kept notes/a.md")
    events = try watched.settle()
    #expect(events.flatMap(\.documents).map(\.change) == [.returned])
    #expect(try watched.state() == before)
  }

  @Test func `swapped and overwritten files are matched to their documents`() throws {
    let watched = try WatchedBench(files: ["a.md", "b.md", "c.md", "d.md"])
    try watched.start()
    try watched.bench.shell("cd notes && mv a.md t && mv b.md a.md && mv t b.md && mv c.md d.md")
    try watched.settle()
    let places = try watched.bench.run(
      "sqlite3",
      [
        "library/library.sqlite",
        """
        SELECT replace(d.path, rtrim(d.path, replace(d.path, '/', '')), ''), d.present, h.exact
        FROM highlight h JOIN document d ON d.key = h.document ORDER BY h.sequence
        """,
      ]
    ).lines
    // The documents a and b moved with their files. The file c.md replaced d.md, so the document d
    // has a new text, and the document c is missing.
    #expect(
      places == [
        "b.md|1|marked passage a.md", "a.md|1|marked passage b.md", "c.md|0|marked passage c.md",
        "d.md|1|marked passage d.md",
      ])
  }

  @Test func `a file that is huge, binary or a FIFO is reported once, until it is readable again`()
    throws
  {
    let watched = try WatchedBench(files: ["a.md", "b.md", "c.md"])
    try watched.start()
    let begin = """
      truncate -s 80M notes/a.md; printf 'a\\000b' > notes/b.md; rm notes/c.md; mkfifo notes/c.md
      """
    try watched.bench.shell(begin)
    func told() throws -> [String] {
      var found: [String] = []
      return try eventually("three problems are reported") {
        found += try watched.client().takeEvents()?.flatMap(\.documents).map(\.summary) ?? []
        return found
      } until: {
        $0.count >= 3
      }
    }
    let first = try told()
    #expect(first.count == 3 && first.allSatisfy { $0.contains("not refreshed") }, "\(first)")
    let before = try watched.status().handled
    try watched.bench.shell("touch notes/a.md; printf 'a\\000b' > notes/b.md")
    try eventually("both events are handled") {
      try watched.status().handled
    } until: {
      $0 >= before + 2
    }
    let again = try watched.client().takeEvents() ?? []
    #expect(again.flatMap(\.documents).isEmpty, "\(again)")
    #expect(try watched.status().problems.count == 3)
    try watched.bench.write("notes/a.md", WatchedBench.text("a.md"))
    try watched.bench.write("notes/b.md", WatchedBench.text("b.md"))
    try watched.bench.shell("rm notes/c.md")
    try watched.bench.write("notes/c.md", WatchedBench.text("c.md"))
    try watched.settle()
    #expect(try watched.state().exact == 3)
    #expect(try watched.status().problems.isEmpty, "a readable file is not a problem any more")
  }

  @Test func `a file that grows while it is read is read again`() throws {
    let watched = try WatchedBench(files: ["a.md"])
    try watched.start()
    try watched.keepTwin()
    // The writer keeps the file open. After each write, it sets the file's time, which causes an
    // event.
    try watched.bench.write(
      "writer.py",
      """
      import os, time
      end = time.time() + 1.5
      with open("notes/a.md", "a") as file:
          while time.time() < end:
              file.write("One more line of a file that grows.\\n" * 50); file.flush()
              os.utime("notes/a.md"); time.sleep(0.0005)
      """)
    #expect(try watched.bench.run("python3", ["writer.py"]).code == 0)
    try watched.settle()
    #expect(try watched.state() == watched.coldState())
    #expect(try watched.state().exact == 1)
  }

  @Test
  func `a changed text is indexed when its event is handled, and an incomplete index is completed`()
    throws
  {
    let watched = try WatchedBench(files: (0..<20).map { "\($0).md" })
    try watched.bench.shell("sqlite3 library/library.sqlite 'DELETE FROM text_index'")
    func indexed() throws -> [String] {
      try watched.bench.run(
        "sqlite3",
        [
          "library/library.sqlite",
          """
          SELECT count(*) FROM text_index i
          JOIN document d ON d.key = i.document AND d.text_digest = i.digest
          """,
        ]
      ).lines
    }
    #expect(try indexed() == ["0"])
    try watched.start()
    try eventually("the index is complete") { try !watched.status().indexing }
    #expect(try indexed() == ["20"])
    try watched.bench.shell("sed -i '1i Quokka.\n' notes/*.md")
    #expect(try watched.settle().flatMap(\.documents).count == 20)
    #expect(try indexed() == ["20"])
    #expect(try watched.bench.diple("search", "quokka").lines.count == 20)
  }

  @Test func `documents that are added while the daemon is running are watched`() throws {
    let watched = try WatchedBench(files: ["a.md"])
    try watched.start()
    try watched.bench.shell("mkdir other && echo '# Other' > other/x.md && echo text > other/y.txt")
    try watched.bench.diple("add", "other", "other/y.txt")
    try watched.settle()
    #expect(try watched.status().documents == 3)
    try watched.bench.shell("echo more >> other/x.md; echo more >> other/y.txt")
    let changed = try watched.settle().flatMap(\.documents).map(\.path).sorted()
    #expect(changed == [watched.bench.path("other/x.md"), watched.bench.path("other/y.txt")])
  }

  @Test func `two daemons reach the same state while commands also write`() throws {
    let first = try WatchedBench(files: (0..<12).map { "\($0).md" })
    try first.keepTwin()
    try first.bench.shell("cp -R twin library2")
    try first.start()
    func launch() throws -> Process {
      let process = first.bench.process("dipled", ["--library", "library2"])
      process.standardError = FileHandle.nullDevice
      try process.run()
      return process
    }
    var second = try launch()
    defer { second.killAll() }
    let other = first.location(of: first.bench.path("library2"))
    try eventually("the second daemon answers", within: 300) {
      if !second.isRunning {
        // All tests share the system's limit of 128 watchers for a user.
        Thread.sleep(forTimeInterval: 1)
        second = try launch()
      }
      return DaemonClient(other) != nil
    }
    for round in 0..<4 {
      try first.bench.shell(
        "for i in $(seq 0 11); do sed -i \"1i Round \(round).\\n\" notes/$i.md; done")
      try first.bench.diple("mark", "notes/\(round).md", "\"Round \(round)\"")
    }
    try first.settle()
    let client = try #require(DaemonClient(other))
    try eventually("the second daemon settles", within: 60) {
      try client.ask(.settled, timeout: 20_000).settled == true
    }
    let states = (
      try first.state(),
      try WatchedBench.State(first.bench, "library2", refreshing: false), try first.coldState()
    )
    #expect(states.0.documents == states.2.documents && states.1 == states.2)
    #expect(states.0.highlights.isSuperset(of: states.2.highlights))
    #expect(states.0.highlights.count == states.2.highlights.count + 4)
  }

  /// The maximum number of events that the kernel queues for a watcher.
  private static let queueLength =
    Int(
      (try? String(contentsOfFile: "/proc/sys/fs/inotify/max_queued_events", encoding: .utf8))?
        .filter(\.isNumber) ?? "") ?? 0

  @Test(
    .enabled(if: (1...40_000).contains(queueLength), "the queue of events is too long to fill here")
  )
  func `after an overflow of the event queue, the state is that of a check of all files`() throws {
    let watched = try WatchedBench(files: (0..<20).map { "\($0).md" })
    let limit = Self.queueLength
    try watched.start()
    try watched.keepTwin()
    watched.signal(SIGSTOP)
    for index in 0..<(limit + 200) {
      close(open(watched.bench.path("notes/\(index % 2).md"), O_WRONLY))
    }
    try watched.bench.shell(
      """
      cd notes && sed -i '1i New.\\n' 2.md 3.md && rm 4.md && mv 5.md five.md && mkdir in &&
      mv 6.md 7.md in && sed -i 's/marked passage 8/something else/' 8.md
      """)
    watched.signal(SIGCONT)
    try watched.settle()
    let status = try watched.status()
    #expect(status.overflows >= 1 && status.rescans >= 2)
    #expect(status.problems.contains { $0.contains("fs.inotify.max_queued_events") })
    let (state, cold) = (try watched.state(), try watched.coldState())
    #expect(state == cold)
    try watched.bench.shell("sed -i '1i Newer.\\n' notes/in/6.md")
    #expect(try watched.settle().flatMap(\.documents).count == 1)
  }

  @Test
  func `after kill -9 during changes, the next start reaches the state of a check of all files`()
    throws
  {
    let seed = SeededGenerator.runSeed
    print("seed \(seed)")
    var random = SeededGenerator(seed: seed)
    let watched = try WatchedBench(files: (0..<60).map { "\($0 / 10)/\($0).md" })
    try watched.keepTwin()
    for round in 0..<3 {
      try watched.start()
      try watched.bench.shell(
        """
        cd notes && for i in [345]/*.md; do sed -i '1i Round \(round).\\n' $i; done
        mv \(round) moved\(round) && rm 5/5\(round).md
        """)
      usleep(UInt32.random(in: 50_000...400_000, using: &random))
      #expect(try watched.stop(SIGKILL).code == SIGKILL, "it ran until it was killed")
    }
    try watched.start()
    try watched.settle()
    let doctor = try watched.bench.diple("doctor")
    #expect(doctor.code == 0, "\(doctor)")
    let (state, cold) = (try watched.state(), try watched.coldState())
    #expect(state.documents.symmetricDifference(cold.documents) == [])
    #expect(state.highlights.symmetricDifference(cold.highlights) == [])
    #expect(state.documents.count == 60 && state.exact == 57)
  }
}
