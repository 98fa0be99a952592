import Files
import Glibc
import Logging
import Model
import SystemSupport
import Watching
import Workspace

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
    let unreported = problems.unreported(in: reports)
    for report in reports where report.problem?.code == .conflict {
      deferredChanges.files.insert(location.absolute(report.document.path))
    }
    for start in stride(from: 0, to: unreported.count, by: Self.eventLimit) {
      let part = unreported[start..<min(start + Self.eventLimit, unreported.count)]
      guard let event = LibraryEvent(Array(part)) else { continue }
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
