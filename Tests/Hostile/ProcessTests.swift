import BuiltIn
import DaemonKit
import Editing
import Foundation
import Glibc
import Model
import ProcessPlugins
import SystemSupport
import Testing
import Workspace

/// Tests plugins that try to outlive their run, and clients that keep connections to the daemon
/// open.
@Suite final class ProcessTests {
  private let folder = NSTemporaryDirectory() + "/diple-procs-" + UUID().uuidString

  deinit { try? FileManager.default.removeItem(atPath: folder) }

  private func add(_ id: String, _ kind: String, _ script: String, seconds: Double = 5) throws
    -> PluginSet
  {
    let source = folder + "/source/" + id
    try FileManager.default.createDirectory(atPath: source, withIntermediateDirectories: true)
    let manifest: [String: Any] = [
      "diple": 1, "id": id, "kind": kind, "summary": "a test", "run": ["python3", "-c", script],
      "offsets": "utf16", "seconds": seconds, "megabytes": 512, "output": 1,
    ]
    try JSONSerialization.data(withJSONObject: manifest)
      .write(to: URL(filePath: source + "/plugin.json"))
    let plugins = PluginFolder(path: folder + "/plugins")
    _ = try plugins.add(source)
    return PluginSet.builtIn.adding(plugins) { _ in }
  }

  private func isAlive(_ process: pid_t) -> Bool {
    // A zombie is not alive.
    guard let status = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8) else {
      return false
    }
    return !status.contains(") Z ")
  }

  private func expectEnded(_ file: String, count: Int) throws {
    let text = try String(contentsOfFile: file, encoding: .utf8)
    let processes = text.split(whereSeparator: \.isWhitespace).compactMap { pid_t($0) }
    #expect(processes.count == count, "\(text)")
    let end = Date().addingTimeInterval(10)
    while processes.contains(where: isAlive), Date() < end { usleep(10_000) }
    for process in processes {
      #expect(!isAlive(process), "\(process)")
      if isAlive(process) { kill(process, SIGKILL) }
    }
  }

  @Test(arguments: [false, true])
  func `child processes in separate sessions end with their plugin`(hangs: Bool) throws {
    let note = folder + "/children"
    let script = """
      import json, os, sys, time
      def leave(depth):
          if os.fork(): return
          os.setsid()
          if depth: leave(depth - 1)
          open("\(note)", "a").write(str(os.getpid()) + "\\n")
          os.close(1); os.close(2)
          while True: time.sleep(1)
      for i in range(3): leave(2)
      while len(open("\(note)", "a+").read() or open("\(note)").read().split()) < 9: time.sleep(0.01)
      \(hangs ? "time.sleep(100)" : "")
      print(json.dumps({"start": 0, "end": 1})); print(json.dumps({"done": True}))
      """
    let plugins = try add("leaver", "highlight", script, seconds: 2)
    let strategy = try plugins.highlighting.strategy("leaver")
    let parsed = ParsedText.sample
    let ranges = try? strategy.ranges(from: TextRange(utf16: 0..<3), in: parsed)
    #expect((ranges == nil) == hangs)
    try expectEnded(note, count: 9)
  }

  @Test func `a plugin inherits only three descriptors`() throws {
    // A descriptor without close-on-exec, with a number so high that no other code opens it.
    let left = fcntl(0, F_DUPFD, 200)
    defer { close(left) }
    let script = """
      import json, os
      open("\(folder)/descriptors", "w").write(" ".join(sorted(os.listdir("/proc/self/fd"))))
      print(json.dumps({"done": True}))
      """
    let plugins = try add("looker", "highlight", script)
    _ = try plugins.highlighting.strategy("looker").ranges(
      from: TextRange(utf16: 0..<3), in: ParsedText.sample)
    let found = try String(contentsOfFile: folder + "/descriptors", encoding: .utf8)
    // Any other number is the descriptor with which the script lists the folder.
    #expect(Array(found.split(separator: " ").prefix(3)) == ["0", "1", "2"])
    #expect(!found.split(separator: " ").contains { Int($0) ?? 0 >= 10 })
  }

  @Test func `equal ranges of a plugin are combined`() throws {
    let script = """
      import json
      for i in range(5000): print(json.dumps({"start": 0, "end": 3}))
      print(json.dumps({"start": 4, "end": 6})); print(json.dumps({"done": True}))
      """
    let plugins = try add("repeater", "highlight", script)
    let ranges = try plugins.highlighting.strategy("repeater").ranges(
      from: TextRange(utf16: 0..<3), in: ParsedText.sample)
    #expect(ranges == [TextRange(utf16: 0..<3), TextRange(utf16: 4..<6)])
  }

  @Test func `idle clients do not block other clients`() throws {
    let victim = try Victim()
    #expect(try victim.diple("init").code == 0)
    #expect(try victim.diple("daemon", "start").code == 0)
    defer { _ = try? victim.diple("daemon", "stop") }
    var location = LibraryLocation(folder: victim.clone.path + "/.diple")
    location.usePersonalFolders(of: victim.environment)
    let end = Date().addingTimeInterval(20)
    var idle: [Int32] = []
    while idle.count < 80, Date() < end {
      // Connecting does not wait while the daemon has not accepted the earlier connections.
      if let client = ControlSocket(of: location).connect() {
        idle.append(client)
      } else {
        usleep(5_000)
      }
    }
    defer { for client in idle { close(client) } }
    #expect(idle.count == 80)
    let status = try victim.diple("daemon", "status")
    #expect(status.code == 0 && status.output.hasPrefix("watching"), "\(status)")
  }
}
