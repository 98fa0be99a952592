import Glibc
package import SystemSupport
package import Workspace

/// Starts `dipled` for a library.
package struct DaemonLaunch {
  private let location: LibraryLocation
  private let words: [String]
  /// The maximum time until the daemon watches the library, in milliseconds.
  private static let timeout = 60_000

  package init(_ location: LibraryLocation, words: [String]) {
    self.location = location
    self.words = ["--library", location.folder] + words
  }

  /// Replaces this process with the daemon. Returns only if that fails, with the reason.
  package func replaceThisProgram() -> UserError {
    Program.sibling("dipled", words).replaceThisProcess().userError
  }

  /// Starts the daemon in the background and waits until it watches the library. Throws
  /// ``UserError`` if the daemon exits or doesn't respond within a minute.
  package func startInBackground() throws(UserError) -> DaemonStatus {
    let place = ControlSocket(of: location)
    let process: RunningProgram
    do {
      process = try Program.sibling("dipled", words + ["--detach", "--log-file", place.logFile])
        .start()
    } catch { throw error.userError }
    for _ in 0..<(Self.timeout / 10) {
      if let status = try? DaemonClient(location)?.ask(.status).status, status.state != .starting {
        return status
      }
      if let code = process.exitCodeIfEnded() {
        // The daemon has written the reason to standard error or its log file.
        throw UserError(
          .conflict, "the daemon did not start: \(Program.ending(code))",
          hint: "\(tool: .showDaemonLog) shows its messages")
      }
      usleep(10_000)
    }
    throw UserError(
      .conflict, "the daemon (process \(process.id)) does not answer yet",
      hint: "\(tool: .showDaemon) and \(tool: .showDaemonLog) say more")
  }
}
