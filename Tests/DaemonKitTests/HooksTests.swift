import Foundation
import Logging
import Synchronization
import SystemSupport
import TestSupport
import Testing

@testable import DaemonKit

/// Tests commands that are run at events by a real shell.
@Suite final class HooksTests {
  private let folder = NSTemporaryDirectory() + "/diple-hooks-" + UUID().uuidString
  private let lines = Lines()

  /// Collects log messages.
  private final class Lines: Sendable {
    private let all = Mutex<[String]>([])
    func add(_ line: String) { all.withLock { $0.append(line) } }
    var now: [String] { all.withLock { $0 } }
  }

  private struct Gatherer: LogHandler {
    let lines: Lines
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.trace
    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
      get { metadata[key] }
      set { metadata[key] = newValue }
    }
    func log(event: LogEvent) { lines.add("\(event.level) \(event.message)") }
  }

  init() throws {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: folder) }

  private func hooks(
    _ commands: [LibraryEvent.Kind: [String]], time: Duration = .seconds(30)
  ) -> Hooks {
    let lines = lines
    let hooks = Hooks(
      library: folder, events: folder, log: Logger(label: "test") { _ in Gatherer(lines: lines) },
      time: time)
    hooks.use(commands.mapValues { $0.map { "cd \"$DIPLE_LIBRARY\"; \($0)" } })
    return hooks
  }

  /// Ends the hooks on a separate thread, as the daemon does.
  private func end(_ hooks: Hooks, in time: Int = 20_000) async {
    await withCheckedContinuation { (done: CheckedContinuation<Void, Never>) in
      Thread {
        hooks.end(by: Clock.now + time)
        done.resume()
      }.start()
    }
  }

  private func read(_ name: String) -> String {
    (try? String(contentsOfFile: folder + "/" + name, encoding: .utf8)) ?? ""
  }

  private func wait(
    for text: String, in name: String, file: StaticString = #fileID, line: UInt = #line
  ) async throws {
    try await eventuallyAsync("\(name) contains \(text.debugDescription)", file: file, line: line) {
      read(name)
    } until: {
      $0 == text
    }
  }

  /// Expects that no file of an event remains in the library.
  private func expectNoRest(sourceLocation: SourceLocation = #_sourceLocation) throws {
    let rest = try FileManager.default.contentsOfDirectory(atPath: folder)
    #expect(!rest.contains { $0.hasPrefix(".event") }, "\(rest)", sourceLocation: sourceLocation)
  }

  @Test func `a command receives the event as one line, and its kind in a variable`() async throws {
    let hooks = hooks([.problem: ["cat > got; echo \"$DIPLE_EVENT\" >> got; echo done > end"]])
    hooks.run(LibraryEvent(.problem, message: "größer\n\"2\""))
    try await wait(for: "done\n", in: "end")
    let got = read("got").split(separator: "\n")
    try #require(got.count == 2, "\(got)")
    let event = try FrameBuffer.value(LibraryEvent.self, from: Data(got[0].utf8))
    #expect(event.message == "größer\n\"2\"" && got[1] == "problem")
    await end(hooks)
    #expect(lines.now.isEmpty)
    try expectNoRest()
  }

  @Test func `commands are run one after the other, in the order of the events`() async throws {
    let hooks = hooks([
      .paused: ["sleep 0.05; echo a >> got", "echo b >> got"], .resumed: ["echo c >> got"],
    ])
    for kind in [.paused, .resumed, .stopping, .paused] as [LibraryEvent.Kind] {
      hooks.run(LibraryEvent(kind))
    }
    try await wait(for: "a\nb\nc\na\nb\n", in: "got")
    // Replaced commands apply to later events.
    hooks.use([.resumed: ["echo d >> \"$DIPLE_LIBRARY/got\""]])
    hooks.run(LibraryEvent(.paused))
    hooks.run(LibraryEvent(.resumed))
    try await wait(for: "a\nb\nc\na\nb\nd\n", in: "got")
    await end(hooks)
  }

  @Test func `a command that does not read its input is not an error`() async throws {
    let hooks = hooks([.problem: ["exec <&-; echo no >> got", "true", "echo yes >> got"]])
    // The message is longer than a pipe can buffer.
    hooks.run(LibraryEvent(.problem, message: String(repeating: "x", count: 1 << 20)))
    try await wait(for: "no\nyes\n", in: "got")
    await end(hooks)
    #expect(lines.now.isEmpty, "\(lines.now)")
    try expectNoRest()
  }

  @Test func `a failed command is logged with its first line of output, and the next one is run`()
    async throws
  {
    let hooks = hooks([
      .paused: [
        "echo oops >&2; echo more >&2; exit 3", "exit 4", "yes | head -c 300000 >&2",
        "echo end > got",
      ]
    ])
    hooks.run(LibraryEvent(.paused))
    try await wait(for: "end\n", in: "got")
    await end(hooks)
    let messages = lines.now
    try #require(messages.count == 3, "\(messages)")
    #expect(messages[0] == "warning a hook failed: oops")
    #expect(messages[1] == "warning a hook failed: it ended with exit code 4")
    try expectNoRest()
  }

  @Test(arguments: [
    "sleep 100", "trap '' TERM INT; while :; do sleep 0.05; done", "sleep 100 & sleep 100",
  ])
  func `a command that times out is ended with its children, and the next one is run`(
    command: String
  ) async throws {
    let mark = "DIPLE_HOOK_MARK=\(UUID().uuidString)"
    let hooks = hooks(
      [
        .paused: ["export \(mark); echo begun >> got; \(command)", "echo next >> got"]
      ], time: .milliseconds(300))
    // On a busy machine the timeout may expire before the shell starts. Then run it again.
    var rounds = 0
    try await eventuallyAsync("both commands are run") {
      hooks.run(LibraryEvent(.paused))
      rounds += 1
      try await eventuallyAsync("run \(rounds) is ended") {
        lines.now.count
      } until: {
        $0 >= rounds
      }
      try await Task.sleep(for: .milliseconds(200))
      return read("got")
    } until: {
      $0.contains("begun") && $0.contains("next")
    }
    try await eventuallyAsync("no process of the command runs", every: 0.02) {
      try processes(with: mark)
    } until: {
      $0.isEmpty
    }
    await end(hooks)
    #expect(
      lines.now.allSatisfy { $0 == "warning a hook failed: timed out after 0.3 seconds" },
      "\(lines.now)")
    try expectNoRest()
  }

  @Test func `a command that is ended before it begins leaves no file in the library`() async throws
  {
    let hooks = hooks([.paused: ["echo begun >> got"]], time: .nanoseconds(1))
    for _ in 0..<5 { hooks.run(LibraryEvent(.paused)) }
    await end(hooks)
    try expectNoRest()
  }

  @Test func `at the end the running command is ended, and waiting ones are not started`()
    async throws
  {
    let hooks = hooks([.paused: ["echo begun >> got; exec sleep 100"]])
    for _ in 0..<3 { hooks.run(LibraryEvent(.paused)) }
    try await wait(for: "begun\n", in: "got")
    let begin = ContinuousClock.now
    await end(hooks, in: 0)
    #expect(ContinuousClock.now - begin < .seconds(20))
    #expect(read("got") == "begun\n")
  }

  @Test func `if the queue is full, new events are skipped and this is logged`() async throws {
    let hooks = hooks([.paused: ["until test -e go; do sleep 0.02; done"], .resumed: ["true"]])
    hooks.run(LibraryEvent(.paused))
    for _ in 0..<300 { hooks.run(LibraryEvent(.resumed)) }
    #expect(lines.now.contains("warning hooks are too slow: an event was dropped"))
    #expect(lines.now.count >= 300 - 257 && lines.now.count <= 300 - 255, "\(lines.now.count)")
    _ = FileManager.default.createFile(atPath: folder + "/go", contents: nil)
    await end(hooks, in: 0)
  }
}
