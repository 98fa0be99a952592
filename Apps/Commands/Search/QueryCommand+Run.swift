import Actions
import ArgumentParser
import Console
import DaemonKit
import Search
import Workspace

extension QueryCommand {
  /// The `query run` command. With `--watch` its records are `diple.match-change/1`.
  struct Run: ContextCommand {
    static let configuration = CommandConfiguration(
      commandName: "run",
      abstract: "Run a saved search.",
      discussion: """
        With --watch the command keeps running. It writes a line of JSON for each current match, \
        and then for each match that is added or removed when a file or highlight changes. The \
        daemon reports changes immediately; without a daemon, files are checked every --every \
        seconds.

        Examples:
          diple query run foxes
          diple query run foxes --watch --for 60
        """)

    @OptionGroup var options: GlobalOptions
    @OptionGroup var result: ResultOptions
    @Flag(help: "Keep running, and report changes.") var watch = false
    @Option(help: "Seconds between checks without a daemon.") var every = 1.0
    @Option(name: .customLong("for"), help: "Stop watching after N seconds.") var duration: Double?
    @Argument(help: "Name of the search.", completion: .values(.query)) var name: String

    func validate() throws {
      guard (0.05...86_400).contains(every) else {
        throw ValidationError("--every takes seconds, from 0.05 to a day")
      }
      if let duration, !(0...31_536_000).contains(duration) {
        throw ValidationError("--for takes seconds, up to a year")
      }
    }

    func run(in context: CommandContext) async throws {
      let library = try context.libraries.library(options, .readOnly)
      let query = try await library.savedQuery(name)
      guard watch else {
        return try await context.search(SearchLibrary(query), in: library, result, options)
      }
      var watcher = QueryWatcher(context: context, library: library)
      var request = try query.request()
      result.complete(&request)
      let end = duration.map { ContinuousClock.now + .milliseconds(Int64($0 * 1000)) }
      let usesDaemon = !options.noDaemon && request.checksFiles
      let feed = ChangeFeed(library.location, usesDaemon ? [.daemon, .database] : .database)
      while true {
        request.filesAreSettled = feed.areFilesSettled
        let version = try await library.dataVersion()
        try await watcher.update(request)
        guard try await waitForChange(of: library, since: version, feed, until: end) else { return }
        if Task.isCancelled { throw ExitCode(130) }
      }
    }

    /// Waits until the matches may have changed.
    ///
    /// The daemon reports a changed file after it was stored. Without a daemon, the files must be
    /// checked again after each pause.
    ///
    /// - Parameters:
    ///   - version: The library's `dataVersion` before the last update.
    ///   - end: The time at which waiting ends; nil for no limit.
    /// - Returns: false if the time is up; true also if the task is cancelled.
    private func waitForChange(
      of library: Library, since version: Int64, _ feed: ChangeFeed,
      until end: ContinuousClock.Instant?
    ) async throws -> Bool {
      let pause = Duration.milliseconds(Int64(every * 1000))
      while !Task.isCancelled {
        if try await library.dataVersion() != version { return true }
        let rest = end.map { $0 - .now }
        if let rest, rest <= .zero { return false }
        let hadDaemon = feed.hasDaemon
        let time = hadDaemon ? rest : min(rest ?? pause, pause)
        let change = await feed.next(upTo: time)
        // A daemon that has just started may have stored changes before the feed connected to it. A
        // daemon that has ended may have missed changes.
        if feed.hasDaemon != hadDaemon || change == nil && !hadDaemon && time != rest {
          return true
        }
        let kinds: Set<LibraryEvent.Kind> = [.changed, .rescanned, .problem]
        if change?.events.contains(where: { kinds.contains($0.kind) }) ?? false { return true }
      }
      return true
    }
  }
}

/// Compares the matches of a query with the previous ones, and prints added and removed matches.
private struct QueryWatcher {
  let context: CommandContext
  let library: Library
  /// The previous matches, and how often each occurred.
  private var known: [MatchRecord: Int] = [:]

  init(context: CommandContext, library: Library) {
    (self.context, self.library) = (context, library)
  }

  private struct Change: Encodable {
    enum Kind: String, Encodable { case added, removed }
    var change: Kind
    var match: MatchRecord
  }

  /// The current matches.
  private final class Tally: @unchecked Sendable {
    // Confined: a single search calls it, one event after the other.
    var counts: [MatchRecord: Int] = [:]
    var order: [MatchRecord] = []
    var reports: [RefreshReport] = []

    func take(_ event: SearchEvent) -> Bool {
      switch event {
      case .report(let report): reports.append(report)
      case .written: break
      case .found(let result):
        for match in result.matches {
          let record = MatchRecord(match, in: result.document)
          counts[record, default: 0] += 1
          order.append(record)
        }
      }
      return true
    }
  }

  mutating func update(_ request: SearchRequest) async throws {
    let tally = Tally()
    let outcome = try await library.search(request) { tally.take($0) }
    context.notify(tally.reports)
    // A match that an incomplete search hasn't found may still exist.
    guard outcome == .complete else { return }
    for (record, count) in known.sorted(by: { $0.key.plain < $1.key.plain }) {
      for _ in 0..<max(0, count - (tally.counts[record] ?? 0)) { write(.removed, record) }
    }
    for record in tally.order {
      // If a match occurs more often than before, only the additional occurrences are new.
      let before = known[record] ?? 0
      known[record] = before - 1
      if before <= 0 { write(.added, record) }
    }
    known = tally.counts
    context.terminal.output.flush()
    context.terminal.errors.flush()
  }

  private func write(_ kind: Change.Kind, _ record: MatchRecord) {
    context.terminal.output.line(
      JSON.line("diple.match-change/1", Change(change: kind, match: record)))
  }
}
