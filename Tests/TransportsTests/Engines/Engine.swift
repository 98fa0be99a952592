import Foundation
import TestSupport
import Testing

/// A server that a test runs on the loopback address, with a separate folder.
final class Engine: @unchecked Sendable {
  /// Returns the path of a program, or nil if it is not installed. Servers are not in every user's
  /// `PATH`.
  static func program(_ name: String) -> String? {
    let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
    let folders = path.split(separator: ":").map(String.init) + ["/usr/sbin", "/usr/local/sbin"]
    let postgres =
      (try? FileManager.default.contentsOfDirectory(atPath: "/usr/lib/postgresql")) ?? []
    let versions = postgres.sorted { (Int($0) ?? 0) > (Int($1) ?? 0) }
    return (folders + versions.map { "/usr/lib/postgresql/\($0)/bin" }).map { $0 + "/" + name }
      .first { FileManager.default.isExecutableFile(atPath: $0) }
  }

  /// Returns whether a program is installed. If all engines are required, tests of a missing one
  /// are not skipped but fail.
  static func isThere(_ name: String) -> Bool {
    let isCI = ["true", "1"].contains(ProcessInfo.processInfo.environment["CI"] ?? "")
    if program(name) != nil || isCI { return true }
    print("skipped: \(name) is not installed (Tooling/setup --test)")
    return false
  }

  private var process: ChildProgram?
  /// The input of the guard, the process that runs the server. The guard ends the server when this
  /// pipe is closed, also by the end of this process.
  private var leash: Pipe?
  private let words: [String]
  private let environment: [String: String]
  private let user: String?
  private let isReady: () throws -> Bool
  private let log: String
  /// Files of a killed server that would prevent the next start.
  private let leftovers: [String]

  /// Starts a server and waits until it answers.
  ///
  /// - Parameters:
  ///   - words: The program and its arguments. It must stay in the foreground.
  ///   - user: The user that it runs as if this process belongs to the superuser.
  ///   - leftovers: Files of a killed server that would prevent the next start.
  ///   - isReady: Returns whether the server answers.
  init(
    _ words: [String], environment: [String: String] = [:], as user: String? = nil, log: String,
    leftovers: [String] = [], isReady: @escaping () throws -> Bool
  ) throws {
    (self.words, self.environment, self.user) = (words, environment, user)
    (self.log, self.isReady, self.leftovers) = (log, isReady, leftovers)
    try start()
  }

  deinit { stop() }

  /// Starts or restarts the server.
  func start() throws {
    for path in leftovers { try? FileManager.default.removeItem(atPath: path) }
    let leash = Pipe()
    let process = try ChildProgram(
      ["python3", "-c", Self.guardScript, user ?? "", log] + words, environment: environment,
      input: leash.fileHandleForReading.fileDescriptor)
    try leash.fileHandleForReading.close()
    (self.process, self.leash) = (process, leash)
    do {
      try eventually("an answer of \(words[0])", within: 60, every: 0.05) {
        guard process.isRunning else { throw Failure(words[0], log) }
        return (try? isReady()) ?? false
      }
    } catch {
      stop()
      throw error
    }
  }

  /// Kills the server with all its child processes.
  func stop() {
    // Send a byte, because the end of the input is delayed if another program that was started at
    // the same moment has inherited the pipe.
    try? leash?.fileHandleForWriting.write(contentsOf: Data([1]))
    try? leash?.fileHandleForWriting.close()
    _ = try? process?.end(within: 30)
    (process, leash) = (nil, nil)
  }

  struct Failure: Error, CustomStringConvertible {
    let description: String
    init(_ name: String, _ log: String) {
      let lines = (try? String(contentsOfFile: log, encoding: .utf8)) ?? ""
      description = "\(name) ended: \(lines.suffix(1000))"
    }
  }

  /// Starts a server in a separate session, and kills it when the input ends.
  private static let guardScript = #"""
    import os, pwd, select, signal, subprocess, sys, time
    user, log, words = sys.argv[1], sys.argv[2], sys.argv[3:]
    def demote():
        if user and os.getuid() == 0:
            entry = pwd.getpwnam(user)
            os.setgroups([]); os.setgid(entry.pw_gid); os.setuid(entry.pw_uid)
    signal.pthread_sigmask(signal.SIG_SETMASK, [])
    out = open(log, "ab")
    child = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=out, stderr=out,
                             start_new_session=True, preexec_fn=demote)
    parent = os.getppid()
    while child.poll() is None and os.getppid() == parent:
        if select.select([0], [], [], 0.2)[0]: break
    def below(process):
        try: found = open(f"/proc/{process}/task/{process}/children").read().split()
        except OSError: return []
        return [x for c in found for x in [int(c)] + below(int(c))]
    for process in [child.pid] + below(child.pid):
        try: os.kill(process, signal.SIGKILL)
        except OSError: pass
    try: os.killpg(child.pid, signal.SIGKILL)
    except OSError: pass
    child.wait()
    """#

  /// Returns an unused port of the loopback address.
  static func freePort() throws -> Int {
    let socket = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(socket) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isDone = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(socket, $0, size) == 0 && getsockname(socket, $0, &size) == 0
      }
    }
    guard isDone else { throw CocoaError(.fileReadUnknown) }
    return Int(UInt16(bigEndian: address.sin_port))
  }

  /// Returns whether a port of the loopback address accepts connections.
  static func answers(_ port: Int) -> Bool {
    let socket = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(socket) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = UInt16(port).bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    return withUnsafePointer(to: address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
      }
    }
  }
}
