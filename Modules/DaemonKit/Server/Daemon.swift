import CSys
import Configuration
import Files
import Glibc
import Logging
import Model
import SystemSupport
import Watching
import Workspace

/// Keeps one library up to date while files change. It runs a loop over signals, file changes, the
/// worker and the socket. The loop itself never reads a document, so that it always responds at
/// once.
final class Daemon {
  /// The maximum time for a shutdown in milliseconds: when the system stops the daemon, and when a
  /// client requested the stop and waits for it. Changes left over are found at the next start.
  private static let (shutdownGrace, requestedShutdownGrace) = (400, 3_000)

  let location: LibraryLocation
  let watcher: FileWatcher
  let server: ControlServer
  let service: ServiceManager
  let hooks: Hooks
  /// The current settings, and the function that reads them again.
  var settings: DaemonSettings
  let readSettings: () throws(SettingsError) -> DaemonSettings
  let threshold: LogThreshold
  /// The error from the last attempt to read the settings, or nil.
  var settingsProblem: String?
  let log: Logger
  /// The words of hints in the log and in events.
  let words: Hint.Syntax
  let library: Library
  private let signals: ControlSignals
  let worker: Worker
  let sync: SyncLoop
  private let logFile: String?

  var status: DaemonStatus
  let startTime = Clock.now
  /// A job of the worker.
  enum Job {
    case refresh
    /// Fills the search index; only when the daemon is idle.
    case index
    /// Makes a backup; only when the daemon is idle.
    case backup
  }
  var job: Job?
  var isPaused = false
  /// Changes to process in addition to those of the watcher: again after an error, or as a full
  /// rescan.
  var deferredChanges = FileChanges()
  /// Whether the library may have documents that aren't watched yet.
  var needsPlan = false
  /// The exit code, set when the daemon is to stop.
  var exitCode: Int32?
  /// Whether a client requested the stop and waits until all changes are processed.
  var isAskedToStop = false
  var problems = ReportedProblems()
  /// The last indexed document, or nil if the search index is complete.
  var indexMark: Int64?
  /// The changes that the worker is checking.
  var currentChanges = FileChanges()
  private var firstChange: Int?
  private(set) var lastChange = Clock.now
  /// The time of the next check whether a backup is due, and the error of the last backup.
  var nextBackup = 0
  var backupProblem: String?
  /// The time to retry after an error, and the delay after the next error in milliseconds.
  var (retryTime, backoff) = (0, 1_000)
  var nextRescan = 0
  private var lastWatchdog = 0

  init(
    _ library: Library, signals: ControlSignals, service: ServiceManager,
    logFile: String?, settings: DaemonSettings, threshold: LogThreshold, log: Logger,
    words: Hint.Syntax,
    readingSettingsBy readSettings: @escaping () throws(SettingsError) -> DaemonSettings
  ) throws(UserError) {
    self.library = library
    self.signals = signals
    self.service = service
    self.logFile = logFile
    (self.settings, self.readSettings, self.threshold) = (settings, readSettings, threshold)
    (self.log, self.words) = (log, words)
    location = library.location
    let socket = ControlSocket(of: location)
    hooks = Hooks(library: location.folder, events: socket.folder ?? location.folder, log: log)
    hooks.use(settings.hooks)
    watcher = try FileWatcher(rules: library.ignoreRules())
    guard let worker = Worker(library) else {
      throw UserError(.conflict, "the system has no descriptors left")
    }
    self.worker = worker
    server = try ControlServer(socket)
    sync = SyncLoop(library, settings.sync, log: log, words: words) { [worker] problem in
      worker.post(.syncProblem(problem))
    }
    status = DaemonStatus(process: getpid(), library: location.folder)
  }

  /// Runs the loop until the daemon is stopped. Returns the exit code.
  func run() -> Int32 {
    // Watch the folders before the first check of the files, so that no change is missed.
    startChecking(FileChanges(), sendsPlan: true)
    log.info("started", metadata: ["library": "\(location.folder)", "process": "\(getpid())"])
    sync.start()
    while exitCode == nil { processEvents(waitingUpTo: nil) }
    sync.stop()
    shutDown()
    log.info("stopped", metadata: ["handled": "\(status.handled)"])
    server.disconnectAll()
    return exitCode ?? 0
  }

  // MARK: - One turn of the loop

  private func processEvents(waitingUpTo longest: Int?) {
    var entries = [signals.descriptor, watcher.descriptor, worker.descriptor].map {
      pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
    }
    entries += server.interests
    let timeout = [waitingTime, longest].compactMap { $0 }.min()
    poll(&entries, nfds_t(entries.count), Int32(clamping: timeout ?? -1))
    for signal in signals.take() { take(signal) }
    readChanges()
    if watcher.isWalking { walk() }
    if entries[2].revents != 0 { takeWorkerMessages() }
    server.serve(entries[3...], answer: answer)
    report()
    if exitCode == nil { beginWhenQuiet() }
    sendWatchdog()
  }

  /// The time until the next scheduled action in milliseconds, or nil if there is none.
  private var waitingTime: Int? {
    if watcher.isWalking { return 0 }
    let now = Clock.now
    var times: [Int] = []
    if let interval = service.interval { times.append(lastWatchdog + interval) }
    if job == nil && !isPaused && exitCode == nil {
      if indexMark != nil && settings.fillsIndex { times.append(retryTime) }
      if hasChanges { times.append(max(retryTime, dueTime)) }
      if needsPlan { times.append(retryTime) }
      if !watcher.isComplete { times.append(nextRescan) }
      if let backupTime { times.append(backupTime) }
    }
    return times.min().map { max(0, $0 - now) }
  }

  private var hasChanges: Bool { firstChange != nil || !deferredChanges.isEmpty }

  private var dueTime: Int {
    firstChange.map { min(lastChange + settings.quiet, $0 + settings.maximumDelay) } ?? 0
  }

  func readChanges() {
    guard watcher.readEvents() else { return }
    lastChange = Clock.now
    if firstChange == nil { firstChange = lastChange }
  }

  private func walk() {
    let before = watcher.pending.count
    watcher.walk()
    if watcher.pending.count != before && firstChange == nil {
      (firstChange, lastChange) = (Clock.now, Clock.now)
    }
  }

  private func beginWhenQuiet() {
    if watcher.libraryWasUsed {
      watcher.libraryWasUsed = false
      needsPlan = true
    }
    guard job == nil, !isPaused, !watcher.isWalking else { return }
    let now = Clock.now
    if access(location.database, F_OK) != 0 {
      fail(UserError(.notFound, "the library at \(location.folder) was deleted"), code: 4)
      return
    }
    guard now >= retryTime else { return }
    if !watcher.isComplete && now >= nextRescan {
      watcher.tryAgain()
      deferredChanges.rescan = deferredChanges.rescan ?? .unwatched
      nextRescan = now + settings.rescanPeriod
      // The watcher may also have missed that another process changed the library.
      needsPlan = true
    }
    if hasChanges && now >= dueTime {
      startChecking(takeChanges(), sendsPlan: needsPlan)
    } else if needsPlan {
      startChecking(FileChanges(), sendsPlan: true)
    } else if let indexMark, settings.fillsIndex {
      job = .index
      worker.index(after: indexMark)
    } else if let backupTime, now >= backupTime {
      beginBackup()
    }
  }

  private func takeChanges() -> FileChanges {
    var changes = deferredChanges
    changes.add(watcher.take())
    deferredChanges = FileChanges()
    firstChange = nil
    return changes
  }

  private func startChecking(_ changes: FileChanges, sendsPlan: Bool) {
    currentChanges = changes
    job = .refresh
    needsPlan = false
    if !changes.isEmpty { status.batches += 1 }
    worker.start(changes, sendsPlan: sendsPlan)
  }

  // MARK: - The worker

  private func takeWorkerMessages() {
    for message in worker.takeMessages() {
      switch message {
      case .refreshed(let reports, let count):
        status.handled += currentChanges.rescan == nil ? count : 0
        publish(reports)
      case .plan(let plan):
        if plan.documents != status.documents { indexMark = 0 }
        status.documents = plan.documents
        if status.state == .starting {
          watcher.follow(plan, reporting: false)
          deferredChanges.rescan = .start
        } else if plan != watcher.currentPlan {
          watcher.follow(plan, reporting: true)
        }
      case .indexed(let mark):
        indexMark = mark
      case .backedUp(let result):
        take(result)
      case .syncProblem(let problem):
        publish(LibraryEvent(.problem, message: problem))
      case .damagedRows(let problems):
        report(problems)
      case .failed(let error):
        postpone(error)
      case .done(let isComplete):
        finish(isComplete)
      }
    }
  }

  private func finish(_ isComplete: Bool) {
    defer {
      job = nil
      csys_trim_memory()
    }
    guard job == .refresh else { return }
    if isComplete {
      // Retry files that were being written; they may be complete by then.
      (retryTime, backoff) = (deferredChanges.files.isEmpty ? 0 : Clock.now + 1_000, 1_000)
      if let reason = currentChanges.rescan { finishRescan(reason) }
    } else {
      var again = currentChanges
      again.add(deferredChanges)
      deferredChanges = again
      needsPlan = true
    }
    currentChanges = FileChanges()
  }

  private func finishRescan(_ reason: RescanReason) {
    status.rescans += 1
    nextRescan = Clock.now + settings.rescanPeriod
    if status.state == .starting {
      status.state = .watching
      service.notify("READY=1", "STATUS=watching \(watcher.folderCount.counted("folder"))")
      log.info(
        "watching",
        metadata: [
          "folders": "\(watcher.folderCount)", "documents": "\(status.documents)",
          "milliseconds": "\(Clock.now - startTime)",
        ])
    }
    publish(LibraryEvent(.rescanned, message: reason.rawValue))
  }

  /// Schedules another attempt, with a longer delay each time. No changes are lost.
  private func postpone(_ error: UserError) {
    if error.code == .damaged { return fail(error, code: 8) }
    retryTime = Clock.now + backoff
    log.warning("\(error.description(in: words))", metadata: ["again": "in \(backoff) ms"])
    backoff = min(60_000, backoff * 2)
  }

  private func fail(_ error: UserError, code: Int32) {
    log.error("\(error.description(in: words))")
    exitCode = code
  }

  // MARK: - Signals and the shutdown

  private func take(_ signal: Int32) {
    if signal != SIGHUP { return exitCode = exitCode ?? 0 }
    service.notifyReloading()
    if let logFile { _ = LogFile.open(logFile, own: ControlSocket(of: location).logFile) }
    takeSettings()
    watcher.reload(rules: library.ignoreRules())
    needsPlan = true
    log.info("configuration read again")
    service.notify("READY=1")
  }

  /// Processes the changes seen so far until the time for a shutdown has passed. The remaining
  /// changes are found at the next start.
  private func shutDown() {
    service.notify("STOPPING=1")
    let end = Clock.now + (isAskedToStop ? Self.requestedShutdownGrace : Self.shutdownGrace)
    readChanges()
    while Clock.now < end {
      // Wait until new folders are walked, so that a file that moved there isn't reported as
      // missing.
      if job == nil && !watcher.isWalking {
        guard exitCode == 0, !isPaused, status.state != .starting, hasChanges else { break }
        startChecking(takeChanges(), sendsPlan: false)
      }
      processEvents(waitingUpTo: end - Clock.now)
    }
    worker.stop()
    publish(LibraryEvent(.stopping))
    server.stopListening()
    hooks.end(by: min(end, Clock.now + Self.shutdownGrace))
  }

  private func sendWatchdog() {
    guard let interval = service.interval, Clock.now >= lastWatchdog + interval else { return }
    lastWatchdog = Clock.now
    service.notify("WATCHDOG=1")
  }
}

/// Answers to requests, and the events that clients and hooks receive.
extension Daemon {
  /// The maximum number of problems in the status.
  private static let problemLimit = 20
  /// The maximum number of documents in an event.
  private static let eventLimit = 64

  /// Returns the answer to a request.
  ///
  /// `documents` and `rescan` are answered immediately. Their work starts in a later iteration of
  /// the event loop. `settled` is true if all changes that were made before the request have been
  /// processed.
  func answer(_ command: ControlRequest.Command) -> ControlMessage {
    var message = ControlMessage()
    switch command {
    case .status: message.status = currentStatus
    case .settled:
      // Changes made before this request are in the queue by now.
      readChanges()
      message = ControlMessage(
        settled: watcher.isComplete && problems.isEmpty && status.state == .watching && !isPaused
          && job != .refresh && !needsPlan
          && !watcher.isWalking && !watcher.libraryWasUsed && deferredChanges.isEmpty
          && watcher.isQuiet)
    case .documents: needsPlan = true
    case .subscribe: break
    case .rescan: deferredChanges.rescan = deferredChanges.rescan ?? .requested
    case .pause where !isPaused:
      isPaused = true
      publish(LibraryEvent(.paused))
    case .resume where isPaused:
      isPaused = false
      publish(LibraryEvent(.resumed))
    case .pause, .resume: break
    case .stop:
      exitCode = exitCode ?? 0
      isAskedToStop = true
    }
    return message
  }

  private var currentStatus: DaemonStatus {
    var status = status
    if status.state != .starting {
      // Planning which folders to watch does not count as working.
      let isReadingFiles = job == .refresh && !currentChanges.isEmpty
      status.state = isPaused ? .paused : isReadingFiles ? .working : .watching
    }
    status.uptime = Double(Clock.now - startTime) / 1_000
    status.folders = watcher.folderCount
    status.complete = watcher.isComplete
    status.indexing = indexMark != nil && settings.fillsIndex
    status.pending = watcher.pending.count + deferredChanges.count
    status.overflows = watcher.overflows
    status.subscribers = server.subscribers
    // `status.problems` keeps the watcher's past problems. `problems` contains only the files that
    // cannot be read now.
    status.problems += [settingsProblem].compactMap { $0 }
    status.problems += problems.lines(limit: Self.problemLimit)
    return status
  }

  /// Publishes the results of checking files.
  func publish(_ reports: [RefreshReport]) {
    let unreported = problems.unreported(in: reports, words)
    for report in reports where report.problem?.code == .conflict {
      deferredChanges.files.insert(location.absolute(report.document.path))
    }
    for start in stride(from: 0, to: unreported.count, by: Self.eventLimit) {
      let part = unreported[start..<min(start + Self.eventLimit, unreported.count)]
      guard let event = LibraryEvent(Array(part), in: words) else { continue }
      for document in event.documents {
        let isProblem = document.change == .unreadable
        log.log(level: isProblem ? .warning : .info, "\(document.summary)")
      }
      publish(event)
    }
  }

  func publish(_ event: LibraryEvent) {
    server.broadcast(event)
    hooks.run(event)
  }

  /// Reports the watcher's problems.
  func report() {
    for problem in watcher.problems {
      log.warning("\(problem)")
      remember(problem.description)
      publish(LibraryEvent(.problem, message: problem.description))
    }
    watcher.problems = []
  }

  private func remember(_ problem: String) {
    status.problems.append(problem)
    status.problems.removeFirst(max(0, status.problems.count - Self.problemLimit))
  }
}

/// Backups of the library, and reports of unreadable rows in it.
extension Daemon {
  /// The time between two checks whether a backup is due, in milliseconds.
  private static let backupPeriod = 3_600_000

  /// The time of the next check whether a backup is due, or nil if backups are off or the daemon is
  /// starting.
  var backupTime: Int? {
    guard settings.keepsBackups, status.state != .starting, BackupFolder(of: location) != nil else {
      return nil
    }
    return max(nextBackup, lastChange + settings.backupQuiet)
  }

  func beginBackup() {
    nextBackup = Clock.now + Self.backupPeriod
    guard let folder = BackupFolder(of: location) else { return }
    job = .backup
    worker.backUp(
      BackupKeeper(
        library, in: folder, days: settings.backupDays, weeks: settings.backupWeeks))
  }

  /// Logs the result of a backup. The same failure is reported only once.
  func take(_ result: Result<BackupKeeper.Outcome, UserError>) {
    switch result {
    case .success(.made(let file, let bytes)):
      backupProblem = nil
      log.info("backup made", metadata: ["file": "\(file)", "bytes": "\(bytes)"])
    case .success: backupProblem = nil
    case .failure(let error):
      let problem = "no backup could be made: \(error.description(in: words))"
      guard backupProblem != problem else { return }
      backupProblem = problem
      log.warning("\(problem)")
      publish(LibraryEvent(.problem, message: problem))
    }
  }

  /// Reports the rows that the library skipped. The library returns each of them once.
  func report(_ damagedRows: [String]) {
    for problem in damagedRows {
      let line = "\(problem); that row is skipped; `diple doctor` shows more"
      log.warning("\(line)")
      publish(LibraryEvent(.problem, message: line))
    }
  }
}

/// The current problem of each unreadable file, so that it is reported once and not at each check.
struct ReportedProblems {
  private var known: [Document.ID: UserError] = [:]
  /// The summary that was reported for each document.
  private var summaries: [Document.ID: String] = [:]

  /// Whether all files can be read.
  var isEmpty: Bool { known.isEmpty }

  /// Returns one line for each unreadable file, at most `limit`, sorted.
  func lines(limit: Int) -> [String] { Array(summaries.values.sorted().prefix(limit)) }

  /// Returns the reports without problems that were reported before.
  mutating func unreported(in reports: [RefreshReport], _ words: Hint.Syntax)
    -> [RefreshReport]
  {
    reports.filter { report in
      guard report.change == .unreadable else {
        if known.removeValue(forKey: report.document.id) != nil {
          summaries[report.document.id] = nil
        }
        return true
      }
      summaries[report.document.id] = report.summary(in: words)
      return known.updateValue(report.problem ?? Self.unknown, forKey: report.document.id)
        != report.problem
    }
  }

  private static let unknown = UserError(.notFound, "it cannot be read")
}
