import LibrarySync
import Logging
import Model
import Sync
import Synchronization
import SystemSupport
import Workspace

/// Syncs a library while the daemon runs: after local changes, after remote changes, and
/// periodically. It uses separate tasks, so that the daemon's loop never waits for the network.
final class SyncLoop: Sendable {
  /// The sync settings of the daemon.
  struct Settings: Hashable, Sendable {
    /// Whether the daemon syncs.
    var isOn: Bool
    /// Whether to send the texts in which highlights were made.
    var carriesTexts: Bool
  }

  /// The time without local changes after which they are sent.
  private static let quiet = Duration.milliseconds(250)
  /// The maximum time for which a local change waits for further changes.
  private static let timeout = Duration.seconds(2)
  /// The maximum time between two syncs.
  private static let period = Duration.seconds(60)
  /// The first and the maximum delay after a failure, in seconds.
  private static let (firstWait, longestWait) = (2, 300)

  private let library: Library
  private let log: Logger
  private let settings: Mutex<Settings>
  private let tasks = Mutex<[Task<Void, Never>]>([])
  private let words: Hint.Syntax
  /// Called once for each new failure, with its message.
  private let onProblem: @Sendable (String) -> Void

  init(
    _ library: Library, _ settings: Settings, log: Logger, words: Hint.Syntax,
    onProblem: @escaping @Sendable (String) -> Void
  ) {
    self.library = library
    self.settings = Mutex(settings)
    (self.log, self.words) = (log, words)
    self.onProblem = onProblem
  }

  /// Sets new settings, which apply from the next sync on.
  func use(_ new: Settings) { settings.withLock { $0 = new } }

  func start() {
    let (events, source) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
    source.yield()
    let started = [
      Task.detached { await self.run(on: events) },
      Task.detached { await self.watchLibrary { source.yield() } },
      Task.detached { await self.watchPlace { source.yield() } },
    ]
    tasks.withLock { $0 += started }
  }

  func stop() {
    tasks.withLock { tasks in
      for task in tasks { task.cancel() }
      tasks = []
    }
  }

  private var isOn: Bool { settings.withLock { $0.isOn } }

  /// Returns the place to sync with; nil if syncing is off or not set up, or if the library cannot
  /// be read.
  private func place() async -> SyncPlace? {
    guard isOn else { return nil }
    return try? await library.syncPlace()
  }

  // MARK: - Triggers

  private func watchLibrary(_ wake: @Sendable () -> Void) async {
    let feed = ChangeFeed(library.location, .database)
    while !Task.isCancelled {
      guard await place() != nil else {
        // Wait until syncing is set up in the library or turned on in the settings.
        _ = await feed.next(upTo: .seconds(2))
        continue
      }
      guard (try? await library.hasUnsent()) == true else {
        _ = await feed.next()
        continue
      }
      // While changes are being made, wait and send them together.
      let end = ContinuousClock.now + Self.timeout
      while .now < end, await feed.next(upTo: Self.quiet) != nil {}
      wake()
      // Wait before the next check. `watchPlace` retries changes that can't be sent.
      try? await Task.sleep(for: .seconds(1))
    }
  }

  private func watchPlace(_ wake: @Sendable () -> Void) async {
    var known: SyncPlace?
    var connection: (any SyncWaiting)?
    while !Task.isCancelled {
      guard let place = await place() else {
        known = nil
        try? await Task.sleep(for: .seconds(2))
        continue
      }
      if place != known || connection == nil {
        await connection?.close()
        connection = try? await library.waiting(at: place)
        known = place
      }
      if let connection, (try? await connection.wait(upTo: Self.period)) != nil {
        wake()
        // Several files may arrive one after the other. Wait a moment to sync them together.
        try? await Task.sleep(for: .milliseconds(50))
      } else {
        connection = nil
        try? await Task.sleep(for: .seconds(5))
        wake()
      }
    }
    await connection?.close()
  }

  // MARK: - Sync

  private func run(on events: AsyncStream<Void>) async {
    var problem: String?
    var reported = ReportedNotices()
    var (tries, blockedUntil) = (0, 0)
    for await _ in events {
      if Task.isCancelled { return }
      guard await place() != nil else { continue }
      let wait = blockedUntil - Clock.now
      if wait > 0 { try? await Task.sleep(for: .milliseconds(wait)) }
      do throws(UserError) {
        var options = SyncOptions()
        options.texts = settings.withLock { $0.carriesTexts }
        options.isRoutine = true
        let report = try await library.sync(options)
        (tries, blockedUntil, problem) = (0, 0, nil)
        logReport(reported.unreported(in: report))
      } catch {
        // A command is syncing. Changes that it does not send are sent after the next event.
        if error == .syncIsRunning { continue }
        tries += 1
        let seconds = min(Self.longestWait, Self.firstWait << min(tries - 1, 10))
        blockedUntil = Clock.now + seconds * 1_000
        if problem != error.message, error.code != .nothing {
          problem = error.message
          log.warning(
            "not synced: \(error.description(in: words))", metadata: ["again": "in \(seconds) s"])
          onProblem("not synced: \(error.message)")
        }
      }
    }
  }

  private func logReport(_ report: SyncReport) {
    if report.passphrase == .lost, let hint = report.passphrase?.hint {
      log.warning("\(hint.text(in: words))")
    }
    if report.received > 0 || report.sent > 0 {
      log.info(
        "synced", metadata: ["received": "\(report.received)", "sent": "\(report.sent)"])
    }
    for notice in report.notices { log.warning("\(notice)") }
    for held in report.held {
      log.warning(
        "held", metadata: ["device": "\(held.device)", "reason": "\(held.reason.detail)"])
    }
  }
}

/// The notices of the last sync, so that each is logged once and not after every sync.
struct ReportedNotices {
  private var notices: Set<String> = []
  private var held: Set<Held> = []

  private struct Held: Hashable {
    var device: String
    var kind: HeldReason.Kind
  }

  /// Returns the report without the notices and the held changes of the previous report. The held
  /// changes of a device are omitted if the kind of the reason is the same, because its details,
  /// such as the offset of a clock, change constantly.
  mutating func unreported(in report: SyncReport) -> SyncReport {
    var unreported = report
    unreported.notices = report.notices.filter { !notices.contains($0) }
    unreported.held = report.held.filter {
      !held.contains(Held(device: $0.device, kind: $0.reason.kind))
    }
    notices = Set(report.notices)
    held = Set(report.held.map { Held(device: $0.device, kind: $0.reason.kind) })
    return unreported
  }
}
