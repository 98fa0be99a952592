import ArgumentParser
import Console
import DaemonKit
import FoundationEssentials
import Model
import Rendering
import Search
import SystemSupport
import Workspace

/// `query`: searches that are kept by name.
struct QueryCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "query",
    abstract: "Save searches by name, and run them.",
    discussion: """
      Examples:
        diple query save foxes fox
        diple query run foxes
      """,
    subcommands: [Save.self, Run.self, List.self, Remove.self])

  /// `diple.query/1`.
  struct Record: Encodable {
    var name: String
    var text: String
    var strategy: String
    @Nullable var ignoresCase: Bool?
    var ignoresDiacritics: Bool
    var wholeWords: Bool
    var place: SearchRequest.Place
    var colors: [HighlightColor]
    var tags: [String]
    var states: [AnchorState]
    @Nullable var since: Date?
    var documents: [Document.ID]

    init(_ name: String, _ query: SavedQuery) {
      self.name = name
      text = query.text
      strategy = query.strategy
      ignoresCase = query.ignoresCase
      ignoresDiacritics = query.ignoresDiacritics
      wholeWords = query.wholeWords
      place = query.place
      colors = query.colors
      tags = query.tags
      states = query.states
      since = query.since
      documents = query.documents
    }

    /// One line for people.
    var plain: String {
      var line = "\(name.sanitizedForTerminal)  \(strategy) “\(text.shortened)”"
      if place != .text { line += "  in \(place.rawValue)" }
      for color in colors { line += "  \(color.rawValue)" }
      for state in states { line += "  \(state.rawValue)" }
      for tag in tags { line += "  #\(tag.sanitizedForTerminal)" }
      if !documents.isEmpty { line += "  in \(documents.count.counted("document"))" }
      return line
    }
  }

  /// `query save`.
  struct Save: ContextCommand {
    static let configuration = CommandConfiguration(
      commandName: "save",
      abstract: "Save a search under a name.",
      discussion: """
        Example:
          diple query save todo TODO --in notes
        """)

    @OptionGroup var options: GlobalOptions
    @OptionGroup var writing: WriteOptions
    @OptionGroup var search: SearchOptions
    @Argument(help: "Name of the search.", completion: .values(.query)) var name: String
    @Argument(help: "Text or pattern to search for.") var query: String
    @Argument(
      help: "Documents; all of them when omitted.", completion: .values(.document))
    var docs: [String] = []

    func run(in context: CommandContext) async throws {
      let library = try context.libraries.library(options, .existing)
      let documents = try await context.documents(docs, in: library)
      let saved = try await search.query(query, in: documents, of: library, context)
      if writing.dryRun {
        _ = try saved.request()
      } else {
        try await library.save(saved, as: name)
      }
      let record = Record(name, saved)
      context.terminal.output.line(
        options.json
          ? JSON.line(Envelope(schema: "diple.query/1", data: record))
          : (writing.dryRun ? "would save " : "saved ") + record.plain)
    }
  }

  /// `query list`.
  struct List: ContextCommand {
    static let configuration = CommandConfiguration(
      commandName: "list",
      abstract: "List the saved searches.",
      discussion: """
        Example:
          diple query list
        """)

    @OptionGroup var options: GlobalOptions

    func run(in context: CommandContext) async throws {
      let library = try context.libraries.library(options, .readOnlyOrEmpty)
      let records = try await library.savedQueries().sorted { $0.key < $1.key }
        .map { Record($0.key, $0.value) }
      if options.json {
        context.terminal.output.line(JSON.line(Envelope(schema: "diple.queries/1", data: records)))
      } else {
        for record in records { context.terminal.output.line(record.plain) }
      }
      if records.isEmpty { throw ExitCode(1) }
    }
  }

  /// `query remove`.
  struct Remove: ContextCommand {
    static let configuration = CommandConfiguration(
      commandName: "remove",
      abstract: "Delete a saved search.",
      discussion: """
        Example:
          diple query remove foxes
        """)

    @OptionGroup var options: GlobalOptions
    @OptionGroup var writing: WriteOptions
    @Argument(help: "Name of the search.", completion: .values(.query)) var name: String

    func run(in context: CommandContext) async throws {
      let library = try context.libraries.library(options, .existing)
      let record = Record(name, try await library.savedQuery(name))
      if !writing.dryRun { try await library.removeQuery(name) }
      context.terminal.output.line(
        options.json
          ? JSON.line(Envelope(schema: "diple.query/1", data: record))
          : (writing.dryRun ? "would remove " : "removed ") + record.plain)
    }
  }

  /// `query run`.
  struct Run: ContextCommand {
    static let configuration = CommandConfiguration(
      commandName: "run",
      abstract: "Run a saved search.",
      discussion: """
        With --watch it keeps running and writes a line of JSON for each match that is added or \
        removed when a file or highlight changes, beginning with the matches there are. The \
        daemon reports changes at once; without one, files are checked every --every seconds.

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
        return try await context.search(query, in: library, result, options)
      }
      var watcher = QueryWatcher(context: context, library: library)
      var request = try query.request()
      result.complete(&request)
      let end = duration.map { ContinuousClock.now + .milliseconds(Int64($0 * 1000)) }
      var changes = LibraryChanges(
        library, daemon: !options.noDaemon && request.looksAtFiles,
        every: .milliseconds(Int64(every * 1000)))
      while true {
        request.filesAreSettled = changes.areFilesSettled
        try await watcher.update(request)
        guard try await changes.wait(until: end) else { return }
        if Task.isCancelled { throw ExitCode(130) }
      }
    }
  }
}

/// Compares the matches of a query with those there were, and writes what is new and what is gone.
private struct QueryWatcher {
  let context: CommandContext
  let library: Library
  /// The matches there were, each with how often there was one like it.
  private var known: [MatchRecord: Int] = [:]

  init(context: CommandContext, library: Library) {
    (self.context, self.library) = (context, library)
  }

  private struct Change: Encodable {
    enum Kind: String, Encodable { case added, removed }
    var change: Kind
    var match: MatchRecord
  }

  /// The matches that there are now.
  private final class Tally: @unchecked Sendable {
    // Confined: one search calls it, one event after the other.
    var counts: [MatchRecord: Int] = [:]
    var order: [MatchRecord] = []
    var reports: [RefreshReport] = []

    func take(_ event: SearchEvent) -> Bool {
      switch event {
      case .report(let report): reports.append(report)
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
    context.terminal.notify(tally.reports)
    // A search that did not end says nothing about what it did not find.
    guard outcome == .complete else { return }
    for (record, count) in known.sorted(by: { $0.key.plain < $1.key.plain }) {
      for _ in 0..<max(0, count - (tally.counts[record] ?? 0)) { write(.removed, record) }
    }
    for record in tally.order {
      // Those that were there before are used up first.
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
      JSON.line(
        Envelope(schema: "diple.match-change/1", data: Change(change: kind, match: record))))
  }
}
