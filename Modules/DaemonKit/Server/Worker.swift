import FoundationEssentials
import Glibc
import Model
import Synchronization
import SystemSupport
import Watching
import Workspace

/// Looks at files beside the loop, which goes on answering meanwhile: one job at a time, in pieces,
/// each stored when it is reported.
final class Worker: Sendable {
  /// What the loop hears.
  enum Message: Sendable {
    /// Documents were checked; how many of their files.
    case refreshed([RefreshReport], count: Int)
    /// The folders to watch from now on.
    case plan(WatchPlan)
    /// Texts were put into the index; where to go on, nil when all are in it.
    case indexed(Int64?)
    /// Whether a backup was due, and what came of it.
    case backedUp(Result<BackupKeeper.Outcome, UserError>)
    /// Why the library could not be synced.
    case syncProblem(String)
    /// Rows of the library that cannot be read and were left out, one line each.
    case damagedRows([String])
    /// The library could not be used; the changes are not taken in, or not all.
    case failed(UserError)
    /// The job is done; false when it was ended before.
    case done(isComplete: Bool)
  }

  /// How many documents are checked between two checks whether to stop.
  private static let piece = 64
  /// How many texts are put into the index at once: changes of files wait for no more than these.
  private static let indexPiece = 8

  /// Readable when there are messages.
  let descriptor: Int32
  private let wakeUp: Int32
  private let library: Library
  private struct State {
    var messages: [Message] = []
    var isStopping = false
    /// Held by the one job that runs.
    var reported = ReportedContents()
  }
  private let state = Mutex(State())

  /// Nil when the system has no descriptors left.
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

  /// Begins a job; the last one must have said that it is done.
  ///
  /// - Parameter plans: whether the plan is made again afterwards in any case.
  func start(_ changes: FileChanges, plans: Bool) {
    Task.detached { await self.run(changes, plans: plans) }
  }

  /// Begins to put some texts into the index, the first after `mark`; the last job must have said that
  /// it is done.
  func index(after mark: Int64) {
    Task.detached {
      do throws(UserError) {
        self.say(.indexed(try await self.library.fillIndex(after: mark, limit: Self.indexPiece)))
      } catch { self.say(.failed(error)) }
      await self.end(isComplete: true)
    }
  }

  /// Begins to make a backup if one is due; the last job must have said that it is done.
  func backUp(_ keeper: BackupKeeper) {
    Task.detached {
      do throws(UserError) {
        self.say(.backedUp(.success(try await keeper.run(at: .now))))
      } catch { self.say(.backedUp(.failure(error))) }
      await self.end(isComplete: true)
    }
  }

  /// Says what the job left out, and that it is done.
  private func end(isComplete: Bool) async {
    let problems = await library.takeProblems()
    if !problems.isEmpty { say(.damagedRows(problems)) }
    say(.done(isComplete: isComplete))
  }

  /// Ends the job after the piece that it is at.
  func stop() { state.withLock { $0.isStopping = true } }

  /// What was said since this was last asked.
  func takeMessages() -> [Message] {
    var bytes = [UInt8](repeating: 0, count: 64)
    while read(descriptor, &bytes, bytes.count) > 0 {}
    return state.withLock { state in
      defer { state.messages = [] }
      return state.messages
    }
  }

  func say(_ message: Message) {
    state.withLock { $0.messages.append(message) }
    _ = write(wakeUp, "!", 1)
  }

  private func run(_ changes: FileChanges, plans: Bool) async {
    var reported = state.withLock { $0.reported }
    defer { state.withLock { $0.reported = reported } }
    do throws(UserError) {
      let (isComplete, paths) = try await refresh(changes, &reported)
      if plans || paths {
        try await reported.begin(in: library)
        say(.plan(try await library.watchPlan()))
      }
      await end(isComplete: isComplete)
    } catch {
      say(.failed(error))
      await end(isComplete: false)
    }
  }

  /// Looks at what changes touched.
  ///
  /// - Returns: whether it got to the end, and whether documents have other paths now.
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
      // What has gone may be found elsewhere: that is said only afterwards.
      say(.refreshed(reports.filter { $0.change != .missing }, count: part.count))
    }
    let found = try await library.findMissing(gone: gone.map(\.document), after: changes)
    let ids = Set(found.map(\.document.id))
    say(.refreshed(gone.filter { !ids.contains($0.document.id) } + found, count: 0))
    return (true, pathsChanged || !gone.isEmpty || !found.isEmpty)
  }
}
