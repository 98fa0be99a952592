public import Foundation
import SystemSupport

/// A program that a test starts and waits for.
///
/// Foundation's `Process` detects the end of a program by a socket. Other programs that are started
/// at the same time inherit this socket, so that it waits for all of them. This class waits for a
/// single process.
///
/// ```swift
/// let program = try ChildProgram(["git", "status"], in: folder)
/// let exitCode = try program.end()
/// ```
public final class ChildProgram {
  /// The process id.
  public let id: pid_t
  private let words: [String]
  private var code: Int32?

  /// Starts a program.
  ///
  /// - Parameters:
  ///   - words: The program, which is looked up in `PATH`, and its arguments.
  ///   - folder: The working directory. Nil for that of this process.
  ///   - environment: Variables in addition to those of this process.
  ///   - input: A descriptor for standard input, which isn't closed. Nil for an empty input.
  ///   - output: The path of a file for standard output, which is truncated. Nil discards the
  ///     output.
  /// - Throws: `SystemCallError` if the program can't be started.
  public init(
    _ words: [String], in folder: String? = nil, environment: [String: String] = [:],
    input: Int32? = nil, output: String? = nil
  ) throws {
    let words = folder.map { ["env", "-C", $0] + words } ?? words
    self.words = words
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    if let input {
      posix_spawn_file_actions_adddup2(&actions, input, 0)
    } else {
      posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    }
    let flags = O_WRONLY | O_CREAT | O_TRUNC
    posix_spawn_file_actions_addopen(&actions, 1, output ?? "/dev/null", flags, 0o600)
    posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    // Threads of the pool block signals, and the program would inherit this.
    var none = sigset_t()
    sigemptyset(&none)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
    let variables = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    let copies = [words, variables.map { "\($0)=\($1)" }].map { list in
      list.map { strdup($0) } + [nil]
    }
    defer { for copy in copies.joined() { free(copy) } }
    var id: pid_t = 0
    let failure = posix_spawnp(&id, words[0], &actions, &attributes, copies[0], copies[1])
    guard failure == 0 else { throw SystemCallError(failure) }
    self.id = id
  }

  deinit { killAll() }

  /// Whether the process hasn't ended.
  public var isRunning: Bool {
    if code != nil { return false }
    var status: Int32 = 0
    guard waitpid(id, &status, WNOHANG) == id else { return true }
    code = status & 0x7F == 0 ? status >> 8 & 0xFF : 128 + status & 0x7F
    return false
  }

  /// Waits for the process and returns its exit code, or 128 plus the number of the signal that
  /// ended it.
  ///
  /// - Throws: `Timeout` if the process doesn't end in time. It and its descendants are killed
  ///   first.
  @discardableResult
  public func end(
    within seconds: Double = 120, file: StaticString = #fileID, line: UInt = #line
  ) throws -> Int32 {
    do {
      try eventually(
        "the end of '\(words.joined(separator: " "))'", within: seconds, every: 0.001,
        file: file, line: line
      ) { !isRunning }
    } catch {
      killAll()
      throw error
    }
    return code ?? 0
  }

  /// Kills the process and its descendants, and waits for its end.
  public func killAll() {
    guard isRunning else { return }
    for process in descendants(of: id) + [id] { kill(process, SIGKILL) }
    while isRunning { Thread.sleep(forTimeInterval: 0.001) }
  }
}

/// Returns the ids of the descendants of a process.
func descendants(of process: Int32) -> [Int32] {
  let list = try? String(
    contentsOfFile: "/proc/\(process)/task/\(process)/children", encoding: .utf8)
  let children = list?.split(separator: " ").compactMap { Int32($0) } ?? []
  return children + children.flatMap(descendants)
}
