import FoundationEssentials
import Glibc
import Model
import Synchronization
import SystemSupport
import Watching
import Workspace

/// Checks files concurrently with the daemon's loop: one job at a time, in pieces. Results are
/// stored before they are reported.
final class Worker: Sendable {
  /// A message for the loop.
  enum Message: Sendable {
    /// Documents were checked. `count` is the number of files that were checked.
    case refreshed([RefreshReport], count: Int)
    /// The folders to watch from now on.
    case plan(WatchPlan)
    /// Texts were added to the index. The value is where to continue, or nil if the index is
    /// complete.
    case indexed(Int64?)
    /// The result of a backup job. It is also sent if no backup was due.
    case backedUp(Result<BackupKeeper.Outcome, UserError>)
    /// The reason why the library couldn't be synced.
    case syncProblem(String)
    /// Unreadable rows of the library that were skipped, one line each.
    case damagedRows([String])
    /// The library couldn't be used. Some or all changes aren't processed.
    case failed(UserError)
    /// The job has ended; false if it was stopped before it was complete.
    case done(isComplete: Bool)
  }

  /// The number of documents to check between two checks whether to stop.
  private static let piece = 64
  /// The number of texts to index at once. Changes of files wait until they are done.
  private static let indexPiece = 8

  /// Readable when there are messages.
  let descriptor: Int32
  private let wakeUp: Int32
  private let library: Library
  private struct State {
    var messages: [Message] = []
    var isStopping = false
    /// Only used by the running job.
    var reported = ReportedContents()
  }
  private let state = Mutex(State())

  /// Creates a worker. Returns nil if the system has no descriptors left.
  init?(_ library: Library) {
    self.library = library
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { return nil }
    for end in ends {
      _ = fcntl(end, F_SETFL, O_NONBLOCK)
      _ = fcntl(end, F_SETFD, FD_CLOEXEC)
    }
    (descriptor, wakeUp) = (ends[0], ends[1])
  }

  /// Starts a job that checks changes. The previous job must have sent `done`.
  ///
  /// - Parameter sendsPlan: whether to send a new plan in any case, not only if paths changed.
  func start(_ changes: FileChanges, sendsPlan: Bool) {
    Task.detached { await self.run(changes, sendsPlan: sendsPlan) }
  }

  /// Starts to index some texts, the first after `mark`. The previous job must have sent `done`.
  func index(after mark: Int64) {
    Task.detached {
      do throws(UserError) {
        self.post(.indexed(try await self.library.fillIndex(after: mark, limit: Self.indexPiece)))
      } catch { self.post(.failed(error)) }
      await self.end(isComplete: true)
    }
  }

  /// Starts to make a backup if one is due. The previous job must have sent `done`.
  func backUp(_ keeper: BackupKeeper) {
    Task.detached {
      do throws(UserError) {
        self.post(.backedUp(.success(try await keeper.run(at: .now))))
      } catch { self.post(.backedUp(.failure(error))) }
      await self.end(isComplete: true)
    }
  }

  /// Reports the rows that the job skipped, and that the job has ended.
  private func end(isComplete: Bool) async {
    let problems = await library.takeProblems()
    if !problems.isEmpty { post(.damagedRows(problems)) }
    post(.done(isComplete: isComplete))
  }

  /// Stops the job after its current piece.
  func stop() { state.withLock { $0.isStopping = true } }

  /// Returns the messages since the last call.
  func takeMessages() -> [Message] {
    var bytes = [UInt8](repeating: 0, count: 64)
    while read(descriptor, &bytes, bytes.count) > 0 {}
    return state.withLock { state in
      defer { state.messages = [] }
      return state.messages
    }
  }

  func post(_ message: Message) {
    state.withLock { $0.messages.append(message) }
    _ = write(wakeUp, "!", 1)
  }

  private func run(_ changes: FileChanges, sendsPlan: Bool) async {
    var reported = state.withLock { $0.reported }
    defer { state.withLock { $0.reported = reported } }
    do throws(UserError) {
      let (isComplete, paths) = try await refresh(changes, &reported)
      if sendsPlan || paths {
        try await reported.begin(in: library)
        post(.plan(try await library.watchPlan()))
      }
      await end(isComplete: isComplete)
    } catch {
      post(.failed(error))
      await end(isComplete: false)
    }
  }

  /// Checks the documents that changes affect.
  ///
  /// - Returns: whether the job is complete, and whether paths of documents changed.
  private func refresh(_ changes: FileChanges, _ reported: inout ReportedContents)
    async throws(UserError) -> (Bool, Bool)
  {
    if changes.isEmpty { return (true, false) }
    let scope = try await library.scope(of: changes)
    var gone: [RefreshReport] = []
    var pathsChanged = !scope.movedFrom.isEmpty
    for start in stride(from: 0, to: scope.documents.count, by: Self.piece) {
      if state.withLock({ $0.isStopping }) { return (false, pathsChanged) }
      let part = start..<min(start + Self.piece, scope.documents.count)
      let reports = try await reported.complete(
        try await library.refreshInPlace(Array(scope.documents[part])), of: scope, in: library)
      gone += reports.filter { $0.change == .missing }
      pathsChanged = pathsChanged || reports.contains { $0.change == .returned }
      // A missing file may have moved: report it only after searching for it.
      post(.refreshed(reports.filter { $0.change != .missing }, count: part.count))
    }
    let found = try await library.findMissing(gone: gone.map(\.document), after: changes)
    let ids = Set(found.map(\.document.id))
    post(.refreshed(gone.filter { !ids.contains($0.document.id) } + found, count: 0))
    return (true, pathsChanged || !gone.isEmpty || !found.isEmpty)
  }
}

/// The content of each watched file that was last reported to subscribers. It ensures that a change
/// that another process stored first is still reported, and only once.
struct ReportedContents {
  private var digests: [Document.ID: ContentDigest] = [:]

  /// Records the stored contents of newly watched documents as reported: a file's content when
  /// watching begins isn't a change. Throws ``UserError`` if the library can't be read.
  mutating func begin(in library: Library) async throws(UserError) {
    let new = try await library.documents().map(\.id).filter { digests[$0] == nil }
    digests.merge(try await library.contents(of: new)) { $1 }
  }

  /// Completes the reports of a check: a change that another process stored first is reported as a
  /// change. Throws ``UserError`` if the library can't be read.
  mutating func complete(
    _ reports: [RefreshReport], of scope: Library.ChangeScope, in library: Library
  ) async throws(UserError) -> [RefreshReport] {
    let contents = try await library.contents(of: reports.map(\.document.id))
    var completed: [RefreshReport] = []
    for var report in reports {
      let id = report.document.id
      report.movedFrom = scope.movedFrom[id]
      if let content = contents[id] {
        let reported = digests.updateValue(content, forKey: id)
        if report.change == .unchanged, let reported, reported != content,
          report.document.state == .present
        {
          report.change = .changed
          report.outcomes = try await library.recordedOutcomes(of: report.document)
        }
      }
      completed.append(report)
    }
    return completed
  }
}
