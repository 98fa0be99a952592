import Files
import Glibc
package import SystemSupport
import Watching
package import Workspace

/// Starts `dipled` for a library.
package struct DaemonLaunch {
  private let location: LibraryLocation
  private let program: String
  private let words: [String]
  /// How long it may take until it watches, in milliseconds.
  private static let patience = 60_000

  package init(_ location: LibraryLocation, words: [String]) {
    self.location = location
    // The one beside this program, else the one on the path.
    program = SiblingExecutable.path("dipled") ?? "dipled"
    self.words = ["dipled", "--library", location.folder] + words
  }

  /// Becomes the daemon; returns only the reason why that failed.
  package func replaceThisProgram() -> UserError {
    withCStrings(words) { _ = execvp(program, $0) }
    return notStarted(errno)
  }

  /// Starts the daemon apart from the terminal and waits until it watches.
  package func startInBackground() throws(UserError) -> DaemonStatus {
    let place = ControlSocket(of: location)
    var process: pid_t = 0
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    for descriptor: Int32 in 0...1 {
      posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_RDWR, 0)
    }
    let failure = withCStrings(words + ["--detach", "--log-file", place.logFile]) {
      posix_spawnp(&process, program, &actions, nil, $0, environ)
    }
    guard failure == 0 else { throw notStarted(failure) }
    for _ in 0..<(Self.patience / 10) {
      if let status = try? DaemonClient(location)?.ask(.status).status, status.state != .starting {
        return status
      }
      var code: Int32 = 0
      if waitpid(process, &code, WNOHANG) == process {
        // It has said why on the error stream, or in its file.
        throw UserError(
          .conflict, "the daemon ended at once, with exit code \(code >> 8 & 0xFF)",
          hint: "\(command: "daemon", "logs") may say more")
      }
      usleep(10_000)
    }
    throw UserError(
      .conflict, "the daemon (process \(process)) does not answer yet",
      hint: "\(command: "daemon", "status") and \(command: "daemon", "logs") say more")
  }

  private func notStarted(_ number: Int32) -> UserError {
    UserError(
      .notFound, "dipled cannot be started: \(String(cString: strerror(number)))",
      hint: "it should stand beside diple")
  }

  private func withCStrings<T>(
    _ words: [String], _ body: (UnsafePointer<UnsafeMutablePointer<CChar>?>) -> T
  ) -> T {
    let copies = words.map { (word: String) in strdup(word) } + [nil]
    defer { for copy in copies { free(copy) } }
    return copies.withUnsafeBufferPointer { body($0.baseAddress!) }
  }
}
