import Console
import DaemonKit
import Glibc
import SystemSupport
import Workspace

/// Waits for the next moment at which a library may be different: its daemon says at once when a file
/// has changed and the library has it, and the database itself when a highlight has. Without a daemon
/// every so often is such a moment.
struct LibraryChanges {
  private let library: Library
  private let pause: Duration
  private let usesDaemon: Bool
  private var daemon: DaemonClient?
  private var mark: Int64?

  /// How often the database is asked while a daemon watches the files: a read of a few microseconds.
  private static let askingPause = Duration.milliseconds(200)

  /// Connects to the daemon, if there is one and it is wanted.
  ///
  /// - Parameter every: how often there is such a moment without a daemon.
  init(_ library: Library, daemon isWanted: Bool, every: Duration) {
    (self.library, usesDaemon, pause) = (library, isWanted, every)
    connect()
  }

  /// Whether the daemon says that no file need be checked.
  var areFilesSettled: Bool { daemon?.isSettled ?? false }

  private mutating func connect() {
    guard usesDaemon, let client = DaemonClient(library.location),
      (try? client.ask(.subscribe, timeout: 500)) != nil
    else { return }
    daemon = client
  }

  /// Waits; false when it timed out, nil being never. Returns early when it is cancelled.
  mutating func wait(until end: ContinuousClock.Instant?) async throws(UserError) -> Bool {
    // What this process stored by looking was seen by it.
    mark = try await library.changeMark()
    while true {
      let next = ContinuousClock.now + (daemon == nil ? pause : Self.askingPause)
      if let end, next >= end {
        // A daemon may still have something to say in what is left.
        if daemon != nil { try? await Task.sleep(until: end, clock: .continuous) }
        return false
      }
      try? await Task.sleep(until: next, clock: .continuous)
      if Task.isCancelled { return true }
      guard let client = daemon else {
        // One that was started since is better than looking.
        connect()
        return true
      }
      guard let events = try? client.takeEvents() else {
        daemon = nil
        return true
      }
      if events.contains(where: { [.changed, .rescanned, .problem].contains($0.kind) }) {
        return true
      }
      if try await library.changeMark() != mark { return true }
    }
  }
}
