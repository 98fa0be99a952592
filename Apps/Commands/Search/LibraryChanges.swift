import Console
import DaemonKit
import Glibc
import SystemSupport
import Workspace

/// Waits for changes of a library. The daemon reports each changed file after storing it, and the
/// database is polled for changed highlights. Without a daemon, every pause ends as a possible
/// change.
struct LibraryChanges {
  private let library: Library
  private let pause: Duration
  private let usesDaemon: Bool
  private var daemon: DaemonClient?
  private var mark: Int64?

  /// The interval at which the database is polled while a daemon is connected. A poll takes a few
  /// microseconds.
  private static let askingPause = Duration.milliseconds(200)

  /// Connects to the daemon if one is running and `isWanted` is true.
  ///
  /// - Parameter every: The interval of possible changes without a daemon.
  init(_ library: Library, daemon isWanted: Bool, every: Duration) {
    (self.library, usesDaemon, pause) = (library, isWanted, every)
    connect()
  }

  /// Whether the daemon reports that all files are checked.
  var areFilesSettled: Bool { daemon?.isSettled ?? false }

  private mutating func connect() {
    if usesDaemon { daemon = DaemonClient(subscribingTo: library.location) }
  }

  /// Waits for a change. Returns false after a timeout. Returns true without a change if the task
  /// is cancelled.
  ///
  /// - Parameter end: The time at which waiting ends; nil to wait without a limit.
  mutating func wait(until end: ContinuousClock.Instant?) async throws(UserError) -> Bool {
    // The caller already knows the changes that this process has stored while checking files.
    mark = try await library.changeCounter()
    while true {
      let next = ContinuousClock.now + (daemon == nil ? pause : Self.askingPause)
      if let end, next >= end {
        // Wait for the remaining time, so that the daemon can still report a change.
        if daemon != nil { try? await Task.sleep(until: end, clock: .continuous) }
        return false
      }
      try? await Task.sleep(until: next, clock: .continuous)
      if Task.isCancelled { return true }
      guard let client = daemon else {
        // Use a daemon that was started in the meantime instead of polling.
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
      if try await library.changeCounter() != mark { return true }
    }
  }
}
