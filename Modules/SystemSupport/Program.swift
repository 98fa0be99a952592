import CSys
import Glibc
import Synchronization

/// A program with its arguments, and the ways to run it without reading its output;
/// `CapturedProgram` reads output. No shell is involved; `ShellCommand` runs the user's command
/// lines.
///
///     let code = try Program("less", ["--", path]).run()
package struct Program {
  /// The path, or a name that is searched for in `PATH`.
  package let path: String
  /// The program's name for itself, then its arguments.
  private let words: [String]
  /// The hint for a missing program.
  private let missingHint: Hint

  /// Describes a program by path or name.
  ///
  /// - Parameter name: the name in the program's own messages; nil for its path.
  package init(_ path: String, _ arguments: [String] = [], called name: String? = nil) {
    self.path = path
    words = [name ?? path] + arguments
    missingHint = "is \(path) installed?"
  }

  private init(sibling name: String, _ arguments: [String]) {
    // Prefer the program in the folder of this program to a program in `PATH`.
    path = SiblingExecutable.path(name) ?? SiblingExecutable.host(of: name) ?? name
    words = [name] + arguments
    missingHint = "it must be installed next to diple"
  }

  /// Describes a program that is installed together with this one.
  package static func sibling(_ name: String, _ arguments: [String] = []) -> Program {
    Program(sibling: name, arguments)
  }

  /// The reason why a program could not be started.
  package struct StartError: Error, Hashable, CustomStringConvertible {
    /// The program's name for itself.
    package var name: String
    /// The failed system call.
    package var cause: SystemCallError
    /// The remedy; nil if none is known.
    package var hint: Hint?

    /// One line with the program and the reason.
    package var description: String { "\(name) cannot be started: \(cause)" }
    /// The failure as an error for users.
    package var userError: UserError { UserError(.notFound, description, hint: hint) }
  }

  /// The destination of a program's output and errors.
  package enum Output {
    /// The streams of this process.
    case inherited
    /// `/dev/null`, also for processes that the program leaves running.
    case discarded
  }

  /// Replaces this process by the program. Returns only on failure.
  package func replaceThisProcess() -> StartError {
    var none = sigset_t()
    var before = sigset_t()
    sigemptyset(&none)
    // Threads of the pool block signals, and the new program would inherit that.
    pthread_sigmask(SIG_SETMASK, &none, &before)
    withArguments { _ = execvp(path, $0) }
    let number = errno
    pthread_sigmask(SIG_SETMASK, &before, nil)
    return failure(number)
  }

  /// Runs the program to its end; it uses the terminal meanwhile. This process ignores interrupts
  /// while the program runs: if this process ended first, two programs would read the keys.
  ///
  /// - Parameters:
  ///   - input: the program's standard input; nil for that of this process. A program that does not
  ///     read all of it is not a failure.
  ///   - output: the destination of output and errors.
  /// - Returns: the exit code, or 128 plus the signal's number if a signal ended the program.
  /// - Throws: `StartError` if the program cannot be started.
  package func run(input: [UInt8]? = nil, output: Output = .inherited) throws(StartError)
    -> Int32
  {
    var ends: [Int32] = [-1, -1]
    if input != nil, csys_open_pipe(&ends) != 0 { throw failure(errno) }
    defer { for end in ends where end >= 0 { close(end) } }
    let signals = IgnoredSignals([SIGINT, SIGQUIT] + (input == nil ? [] : [SIGPIPE]))
    defer { signals.restore() }
    let process = try spawn(restoring: signals) { actions in
      if input != nil { posix_spawn_file_actions_adddup2(&actions, ends[0], 0) }
      if output == .discarded { Self.connectToNull(1...2, &actions) }
    }
    if let input {
      close(ends[0])
      _ = Descriptor.write(input, to: ends[1])
      close(ends[1])
      ends = [-1, -1]
    }
    var status: Int32 = 0
    while waitpid(process, &status, 0) < 0 {
      guard errno == EINTR else { throw failure(errno) }
    }
    return Self.exitCode(ofStatus: status)
  }

  /// Runs the program to its end with a text as its standard input.
  ///
  /// - Throws: `StartError` if the program cannot be started.
  package func run(input: String, output: Output = .inherited) throws(StartError) -> Int32 {
    try run(input: Array(input.utf8), output: output)
  }

  /// Starts the program without input and output, with the error stream of this process, and
  /// returns immediately.
  ///
  /// - Throws: `StartError` if the program cannot be started.
  package func start() throws(StartError) -> RunningProgram {
    RunningProgram(id: try spawn { Self.connectToNull(0...1, &$0) })
  }

  /// Starts the program with one connection as its input and output, and without an error stream.
  ///
  /// - Returns: the program, and this process's end of the connection: a local socket that does not
  ///   block and that other programs do not inherit. The caller closes it.
  /// - Throws: `StartError` if the program cannot be started.
  package func startConnected() throws(StartError) -> (program: RunningProgram, descriptor: Int32) {
    var ends: [Int32] = [-1, -1]
    guard csys_open_connection(&ends) == 0 else { throw failure(errno) }
    defer { close(ends[1]) }
    do throws(StartError) {
      let id = try spawn { actions in
        posix_spawn_file_actions_adddup2(&actions, ends[1], 0)
        posix_spawn_file_actions_adddup2(&actions, ends[1], 1)
        Self.connectToNull(2...2, &actions)
      }
      return (RunningProgram(id: id), ends[0])
    } catch {
      close(ends[0])
      throw error
    }
  }

  /// Converts the status of waitpid(2) to a shell's exit code.
  fileprivate static func exitCode(ofStatus status: Int32) -> Int32 {
    status & 0x7F == 0 ? status >> 8 & 0xFF : 128 + status & 0x7F
  }

  /// Describes how a program ended by its exit code, for messages such as "signal 6 (Aborted) ended
  /// it".
  package static func ending(_ code: Int32) -> String {
    guard code > 128, let name = strsignal(code - 128) else {
      return "it ended with exit code \(code)"
    }
    return "signal \(code - 128) (\(String(cString: name))) ended it"
  }

  private static func connectToNull(
    _ descriptors: ClosedRange<Int32>, _ actions: inout posix_spawn_file_actions_t
  ) {
    for descriptor in descriptors {
      posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_RDWR, 0)
    }
  }

  private func spawn(
    restoring ignored: IgnoredSignals? = nil,
    _ connect: (inout posix_spawn_file_actions_t) -> Void
  ) throws(StartError) -> pid_t {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    connect(&actions)
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    // Threads of the pool block signals, and the new program would inherit that.
    var none = sigset_t()
    sigemptyset(&none)
    posix_spawnattr_setsigmask(&attributes, &none)
    var flags = POSIX_SPAWN_SETSIGMASK
    if var signals = ignored?.heededBefore {
      posix_spawnattr_setsigdefault(&attributes, &signals)
      flags |= POSIX_SPAWN_SETSIGDEF
    }
    posix_spawnattr_setflags(&attributes, Int16(flags))
    var process: pid_t = 0
    let number = withArguments { posix_spawnp(&process, path, &actions, &attributes, $0, environ) }
    guard number == 0 else { throw failure(number) }
    return process
  }

  private func failure(_ number: Int32) -> StartError {
    StartError(
      name: words[0], cause: SystemCallError(number), hint: number == ENOENT ? missingHint : nil)
  }

  private func withArguments<Result>(
    _ body: (UnsafePointer<UnsafeMutablePointer<CChar>?>) -> Result
  ) -> Result {
    let copies = words.map { (word: String) in strdup(word) } + [nil]
    defer { for copy in copies { free(copy) } }
    return copies.withUnsafeBufferPointer { body($0.baseAddress!) }
  }
}

/// A program that runs beside this one.
package final class RunningProgram: Sendable {
  /// The process id. Another process may get it after the program's end was seen.
  package let id: Int32
  private let code = Mutex<Int32?>(nil)

  fileprivate init(id: Int32) { self.id = id }

  /// Returns the exit code of `Program.run` if the program has ended, or nil while it runs. Safe to
  /// call from several threads.
  package func exitCodeIfEnded() -> Int32? {
    code.withLock { code in
      if code != nil { return code }
      var status: Int32 = 0
      switch waitpid(id, &status, WNOHANG) {
      case id: code = Program.exitCode(ofStatus: status)
      // Other code of this process waited for the program: it has ended, with an unknown code.
      case -1 where errno == ECHILD: code = 128 + SIGKILL
      default: break
      }
      return code
    }
  }

  /// Kills the program, unless its end was seen.
  package func kill() {
    if exitCodeIfEnded() == nil { Glibc.kill(id, SIGKILL) }
  }

  /// Waits for the program's end, and kills it after some seconds.
  package func exitCode(within seconds: Int) async -> Int32 {
    let deadline = ContinuousClock.now + .seconds(seconds)
    while true {
      if let code = exitCodeIfEnded() { return code }
      if ContinuousClock.now > deadline { kill() }
      try? await Task.sleep(for: .milliseconds(5))
    }
  }
}

/// Signals that this process ignores while another program has the terminal. Several programs may
/// run at a time: the first stores how each signal was handled, and the last restores it.
private struct IgnoredSignals {
  private static let kept = Mutex<[Int32: (count: Int, action: sigaction)]>([:])
  private let signals: [Int32]

  init(_ signals: [Int32]) {
    self.signals = signals
    var ignoring = sigaction()
    ignoring.__sigaction_handler.sa_handler = SIG_IGN
    Self.kept.withLock { kept in
      for signal in signals {
        if kept[signal] == nil {
          var action = sigaction()
          sigaction(signal, &ignoring, &action)
          kept[signal] = (0, action)
        }
        kept[signal]?.count += 1
      }
    }
  }

  /// The signals that this process did not ignore before; the other program handles them by
  /// default.
  var heededBefore: sigset_t {
    var set = sigset_t()
    sigemptyset(&set)
    let ignored = unsafeBitCast(SIG_IGN, to: Int.self)
    Self.kept.withLock { kept in
      for signal in signals {
        guard let action = kept[signal]?.action else { continue }
        if unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) != ignored {
          sigaddset(&set, signal)
        }
      }
    }
    return set
  }

  func restore() {
    Self.kept.withLock { kept in
      for signal in signals {
        guard var entry = kept[signal] else { continue }
        entry.count -= 1
        kept[signal] = entry.count > 0 ? entry : nil
        if entry.count == 0 { sigaction(signal, &entry.action, nil) }
      }
    }
  }
}
