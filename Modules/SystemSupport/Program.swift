import CSys
import Glibc
import Synchronization

/// Another program with its arguments, and the ways to run it in which its output is not read:
/// `CapturedProgram` reads it. No shell takes part; a command line that a person wrote is a
/// `ShellCommand`.
package struct Program {
  /// Its path, or a name that is looked for on the path.
  package let path: String
  /// What it is called and what it is given.
  private let words: [String]
  /// What helps when it is not there.
  private let missingHint: Hint

  /// A program by its path or name, with its arguments.
  ///
  /// - Parameter name: what it is called in its own messages; nil for its path.
  package init(_ path: String, _ arguments: [String] = [], called name: String? = nil) {
    self.path = path
    words = [name ?? path] + arguments
    missingHint = "is \(path) installed?"
  }

  private init(sibling name: String, _ arguments: [String]) {
    // The one beside this program, else the one on the path.
    path = SiblingExecutable.path(name) ?? SiblingExecutable.host(of: name) ?? name
    words = [name] + arguments
    missingHint = "it must be installed next to diple"
  }

  /// A program that comes with this one.
  package static func sibling(_ name: String, _ arguments: [String] = []) -> Program {
    Program(sibling: name, arguments)
  }

  /// Why a program could not be started.
  package struct StartFailure: Error, Hashable, CustomStringConvertible {
    /// What the program is called.
    package var name: String
    /// Why.
    package var cause: SystemFailure
    /// What to do about it; nil when nothing is known.
    package var hint: Hint?

    /// One line: which, and why.
    package var description: String { "\(name) cannot be started: \(cause)" }
    /// The same for a person.
    package var userError: UserError { UserError(.notFound, description, hint: hint) }
  }

  /// Where what a program prints goes.
  package enum Output {
    /// To the streams of this process.
    case inherited
    /// Nowhere, also for what it leaves running.
    case discarded
  }

  /// Puts the program in the place of this process; returns only the reason why that failed.
  package func replaceThisProcess() -> StartFailure {
    var none = sigset_t()
    var before = sigset_t()
    sigemptyset(&none)
    // The threads of the pool block signals, and that would be handed on.
    pthread_sigmask(SIG_SETMASK, &none, &before)
    withArguments { _ = execvp(path, $0) }
    let number = errno
    pthread_sigmask(SIG_SETMASK, &before, nil)
    return failure(number)
  }

  /// Runs the program to its end; it has the terminal meanwhile. An interrupt is for it, not for this
  /// process: were this to end first, two would read the keys.
  ///
  /// - Parameters:
  ///   - input: what it reads; nil leaves it the standard input. One that does not read all of it is
  ///     no failure.
  ///   - output: where its output and errors go.
  /// - Returns: its exit code, 128 and the signal's number for one that a signal ended.
  package func run(input: [UInt8]? = nil, output: Output = .inherited) throws(StartFailure)
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

  /// The same with a text as input.
  package func run(input: String, output: Output = .inherited) throws(StartFailure) -> Int32 {
    try run(input: Array(input.utf8), output: output)
  }

  /// Starts the program without input and output, with the error stream of this process, and does not
  /// wait for its end.
  package func start() throws(StartFailure) -> RunningProgram {
    RunningProgram(id: try spawn { Self.connectToNull(0...1, &$0) })
  }

  /// Starts the program with one connection as its input and output, and with no error stream.
  ///
  /// - Returns: the program, and this process's end of the connection: a local socket that does not
  ///   block and is not handed on. The caller closes it.
  package func startConnected() throws(StartFailure) -> (program: RunningProgram, descriptor: Int32)
  {
    var ends: [Int32] = [-1, -1]
    guard csys_open_connection(&ends) == 0 else { throw failure(errno) }
    defer { close(ends[1]) }
    do throws(StartFailure) {
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

  /// The exit code of a shell for how a process ended.
  fileprivate static func exitCode(ofStatus status: Int32) -> Int32 {
    status & 0x7F == 0 ? status >> 8 & 0xFF : 128 + status & 0x7F
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
  ) throws(StartFailure) -> pid_t {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    connect(&actions)
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    // The threads of the pool block signals, and that would be handed on.
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

  private func failure(_ number: Int32) -> StartFailure {
    StartFailure(
      name: words[0], cause: SystemFailure(number), hint: number == ENOENT ? missingHint : nil)
  }

  private func withArguments<Result>(
    _ body: (UnsafePointer<UnsafeMutablePointer<CChar>?>) -> Result
  ) -> Result {
    let copies = words.map { (word: String) in strdup(word) } + [nil]
    defer { for copy in copies { free(copy) } }
    return copies.withUnsafeBufferPointer { body($0.baseAddress!) }
  }
}

/// A program that was started and goes on beside this one.
package final class RunningProgram: Sendable {
  /// The number of its process; another may have it once this one's end was seen.
  package let id: Int32
  private let code = Mutex<Int32?>(nil)

  fileprivate init(id: Int32) { self.id = id }

  /// Its exit code, as of `Program.run`, when it has ended; nil while it runs. Several may ask.
  package func exitCodeIfEnded() -> Int32? {
    code.withLock { code in
      if code != nil { return code }
      var status: Int32 = 0
      switch waitpid(id, &status, WNOHANG) {
      case id: code = Program.exitCode(ofStatus: status)
      // Somebody else took the code of a process of this one's: it has ended all the same.
      case -1 where errno == ECHILD: code = 128 + SIGKILL
      default: break
      }
      return code
    }
  }

  /// Kills it, unless its end was seen.
  package func kill() {
    if exitCodeIfEnded() == nil { Glibc.kill(id, SIGKILL) }
  }

  /// Waits for its end; it is killed when it takes longer than some seconds.
  package func exitCode(within seconds: Int) async -> Int32 {
    let deadline = ContinuousClock.now + .seconds(seconds)
    while true {
      if let code = exitCodeIfEnded() { return code }
      if ContinuousClock.now > deadline { kill() }
      try? await Task.sleep(for: .milliseconds(5))
    }
  }
}

/// Signals that this process does not heed while another program has the terminal. Several may be
/// at it at once: the first keeps how a signal was handled before, and the last restores it.
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

  /// Those that were not ignored before: the other program heeds them as this one did.
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
