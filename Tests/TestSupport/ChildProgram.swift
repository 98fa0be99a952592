public import Foundation
import SystemSupport

/// A program that a test starts and waits for.
///
/// Foundation's `Process` learns of an end from a socket that every program started in the same moment
/// inherits too, and then waits for all of them. This waits for the process alone.
public final class ChildProgram {
  /// The number of its process.
  public let id: pid_t
  private let words: [String]
  private var code: Int32?

  /// Starts a program.
  ///
  /// - Parameters:
  ///   - words: the program, looked for on the path, and its arguments.
  ///   - folder: where it runs; nil for the folder of this process.
  ///   - environment: variables beside those of this process.
  ///   - input: a descriptor that it reads; nil for an empty input. It stays the caller's.
  ///   - output: a file for what it prints, emptied first; nil to throw that away.
  /// - Throws: `SystemFailure` when it cannot be started.
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
    // The threads of the pool block signals, and that would be handed on.
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
    guard failure == 0 else { throw SystemFailure(failure) }
    self.id = id
  }

  deinit { killAll() }

  /// Whether it has not ended.
  public var isRunning: Bool {
    if code != nil { return false }
    var status: Int32 = 0
    guard waitpid(id, &status, WNOHANG) == id else { return true }
    code = status & 0x7F == 0 ? status >> 8 & 0xFF : 128 + status & 0x7F
    return false
  }

  /// Waits for its end and gives its exit code; 128 and the signal's number for one that a signal ended.
  ///
  /// - Throws: `Timeout` when it still runs then; it is killed first, with all that it started.
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

  /// Kills it and all that it started, and waits until it is gone.
  public func killAll() {
    guard isRunning else { return }
    for process in descendants(of: id) + [id] { kill(process, SIGKILL) }
    while isRunning { Thread.sleep(forTimeInterval: 0.001) }
  }
}

/// The processes that a process started, and those that they did.
func descendants(of process: Int32) -> [Int32] {
  let list = try? String(
    contentsOfFile: "/proc/\(process)/task/\(process)/children", encoding: .utf8)
  let children = list?.split(separator: " ").compactMap { Int32($0) } ?? []
  return children + children.flatMap(descendants)
}
