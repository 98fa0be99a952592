import CSys
import Glibc
import SystemSupport
import Watching
package import Workspace

/// A change of a library or of followed files.
package struct LibraryChange: Sendable {
  /// The followed files that may have changed.
  package var files: Set<String> = []
  /// Whether the database may have changed.
  package var isStored = false
  /// The events of the daemon, in order.
  package var events: [LibraryEvent] = []

  /// Creates a value in which nothing changed.
  package init() {}

  /// Whether nothing changed.
  package var isEmpty: Bool { files.isEmpty && !isStored && events.isEmpty }
}

/// The changes of a library and of files, made by this process or by others.
///
/// A running daemon sends events about the changes that it has stored. The feed also connects to a
/// daemon that is started later. The kernel reports changes of the database and of the followed
/// files. On file systems whose changes it does not report, the feed compares the files twice a
/// second.
///
/// ```swift
/// let feed = ChangeFeed(library.location)
/// feed.follow([file])
/// while let change = await feed.next() { … }
/// ```
///
/// A feed has no thread and is used by one task or thread at a time. An event loop can poll
/// `descriptor` and call `take()` instead of `next(upTo:)`.
package final class ChangeFeed {
  /// The parts of a library that a feed reports, besides followed files.
  package struct Sources: OptionSet, Sendable {
    package let rawValue: Int
    package init(rawValue: Int) { self.rawValue = rawValue }
    /// The events of the daemon.
    package static let daemon = Sources(rawValue: 1)
    /// Changes of the database file, which any process may write.
    package static let database = Sources(rawValue: 2)
  }

  /// Readable when there may be changes. It stays the same for the lifetime of the feed.
  package let descriptor: Int32
  private let location: LibraryLocation
  private let sources: Sources
  private let database: Set<String>
  private let files = FollowedFiles()
  private var daemon: DaemonClient?
  private var nextConnection = 0

  /// The time in milliseconds between attempts to connect to a daemon.
  private static let connectionPause = 2_000
  /// The time in milliseconds between checks of files whose changes the kernel does not report.
  private static let checkPause = 500

  /// Starts a feed: changes from now on are reported. Connects to the daemon if one is running.
  package init(_ location: LibraryLocation, _ sources: Sources = [.daemon, .database]) {
    (self.location, self.sources) = (location, sources)
    let path = location.database
    database = sources.contains(.database) ? [path, path + "-wal"] : []
    descriptor = csys_open_poll_set()
    csys_add_to_poll_set(descriptor, files.descriptor)
    files.follow(database)
    connect()
  }

  deinit { close(descriptor) }

  /// Follows exactly the given files in addition to the library. They may be missing.
  ///
  /// - Parameter paths: absolute paths.
  package func follow(_ paths: Set<String>) { files.follow(paths.union(database)) }

  // MARK: - The daemon

  /// Whether the feed receives the events of a daemon.
  package var hasDaemon: Bool { daemon != nil }

  /// Whether the daemon confirms that the library contains all changes of files until now.
  package var areFilesSettled: Bool { daemon?.isSettled ?? false }

  /// Tells the daemon that the library may have new documents, whose folders it must watch.
  package func documentsMayBeNew() {
    guard let daemon else { return }
    if (try? daemon.ask(.documents, timeout: 500)) == nil { disconnect() }
  }

  /// Connects to the daemon if one is running. `take()` also does so, at most every two seconds.
  package func connect() {
    guard sources.contains(.daemon), daemon == nil else { return }
    nextConnection = Clock.now + Self.connectionPause
    guard let client = DaemonClient(subscribingTo: location) else { return }
    daemon = client
    csys_add_to_poll_set(descriptor, client.descriptor)
  }

  private func disconnect() {
    // Closing the socket also removes it from `descriptor`.
    daemon = nil
    nextConnection = Clock.now + Self.connectionPause
  }

  // MARK: - Changes

  /// Returns the changes since the last call, without waiting.
  package func take() -> LibraryChange {
    var change = LibraryChange()
    change.files = files.take()
    if !change.files.isDisjoint(with: database) {
      change.isStored = true
      change.files.subtract(database)
    }
    if let daemon {
      if let events = try? daemon.takeEvents() {
        change.events = events
      } else {
        // Events may have been lost.
        disconnect()
        change.isStored = true
      }
    } else if Clock.now >= nextConnection {
      connect()
      // The daemon may have stored changes before the feed was connected.
      if daemon != nil { change.isStored = true }
    }
    return change
  }

  /// Returns the time in milliseconds after which `take()` must be called although `descriptor` is
  /// not readable; nil if there is none.
  package var checkTime: Int? {
    if !files.isReliable || descriptor < 0 { return Self.checkPause }
    return sources.contains(.daemon) && daemon == nil ? Self.connectionPause : nil
  }

  /// Waits for the next change.
  ///
  /// - Parameter time: the maximum time to wait; nil for no limit.
  /// - Returns: nil if the time is up or the task was cancelled.
  package func next(
    upTo time: Duration? = nil, isolation: isolated (any Actor)? = #isolation
  ) async -> LibraryChange? {
    let end = time.map { ContinuousClock.now + $0 }
    while !Task.isCancelled {
      let change = take()
      if !change.isEmpty { return change }
      var rest = end.map { $0 - .now }
      if let rest, rest <= .zero { return nil }
      if let checkTime { rest = Swift.min(rest ?? .seconds(3_600), .milliseconds(checkTime)) }
      _ = await Descriptor.wait(
        for: .readable, of: descriptor, upTo: rest ?? .seconds(3_600))
    }
    return nil
  }
}

extension ChangeFeed: AsyncSequence {
  /// Iterates over the changes until the task is cancelled.
  package struct AsyncIterator: AsyncIteratorProtocol {
    fileprivate let feed: ChangeFeed

    package mutating func next(isolation: isolated (any Actor)?) async -> LibraryChange? {
      await feed.next(isolation: isolation)
    }
  }

  package func makeAsyncIterator() -> AsyncIterator { AsyncIterator(feed: self) }
}
