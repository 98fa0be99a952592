import Actions
import ArgumentParser
import Console
import DaemonKit
import LibrarySync
import Model
import Rendering
import Sync
import SystemSupport
import Workspace

/// The `status` command, which summarises the library and suggests what to do next.
struct StatusCommand: ContextCommand {
  static let configuration = CommandConfiguration(
    commandName: "status",
    abstract: "Show how many documents and highlights there are, and what to do next.",
    discussion: """
      Example:
        diple status
      """)

  @OptionGroup var options: GlobalOptions

  private struct Record: Encodable {
    var folder: String
    var documents: Int
    var missing: Int
    var highlights: Int
    var doubtful: Int
    var orphaned: Int
    var daemon: String
    @Nullable var sync: SyncRecord?
    var next: [String]
  }

  private struct SyncRecord: Encodable {
    var target: String
    var unsent: Int64
    var held: Int
    var conflicts: Int
    @Nullable var passphrase: String?
    @Nullable var problem: String?

    init(_ status: SyncStatus) {
      target = "\(status.place.transport) \(status.place.address)"
      unsent = status.unsent
      held = status.devices.count { $0.held != nil }
      conflicts = status.conflicts
      passphrase = status.passphrase?.rawValue
      problem = status.problem
    }

    /// The sync status in one line, such as `folder /path, 3 unsent, 1 device waiting`.
    var plain: String {
      let parts = [
        (Int(unsent), "unsent"), (held, held == 1 ? "device waiting" : "devices waiting"),
        (conflicts, "with several versions of a note"),
      ]
      let hasNone = passphrase != nil && passphrase != VaultPassphrase.set.rawValue
      return StatusCommand.list(target, parts) + (hasNone ? ", no passphrase" : "")
        + (problem == nil ? "" : ", the last sync failed")
    }
  }

  func run(in context: CommandContext) async throws {
    let library = try context.libraries.library(options, .readOnlyOrEmpty)
    try await context.refresh(library, nil, options)
    let documents = try await library.documents()
    let counts = try await library.highlightCounts()
    let health = await DaemonHealth(library.location, environment: context.terminal.environment)
    var states: [AnchorState: Int] = [:]
    for document in documents { states.merge(counts[document.id] ?? [:]) { $0 + $1 } }
    var record = Record(
      folder: library.location.folder, documents: documents.count,
      missing: documents.count { $0.state == .missing },
      highlights: states.values.reduce(0, +), doubtful: states[.doubtful] ?? 0,
      orphaned: states[.orphaned] ?? 0, daemon: health.state,
      sync: try await library.syncPlace() == nil ? nil : SyncRecord(library.syncStatus()), next: [])
    let next = Self.next(after: record, first: documents.first)
    record.next = next.map { $0.text(in: .shell) }
    context.answer(options, "diple.status/1", record) {
      let output = context.terminal.output
      let folder = record.folder.sanitizedForTerminal
      output.line("library     \(folder)\(library.isAbsent ? " (none yet)" : "")")
      output.line("documents   \(Self.list(record.documents, [(record.missing, "missing")]))")
      let states = [(record.doubtful, "doubtful"), (record.orphaned, "orphaned")]
      output.line("highlights  \(Self.list(record.highlights, states))")
      output.line("daemon      \(record.daemon)")
      if let sync = record.sync {
        output.line("sync        \(sync.plain.sanitizedForTerminal)")
      }
      for hint in next {
        output.line("next        \(hint.text(in: context.terminal.typing).sanitizedForTerminal)")
      }
    }
  }

  /// Returns a number and its nonzero parts, such as `12, 1 missing`.
  private static func list(_ count: Int, _ parts: [(Int, String)]) -> String {
    list(String(count), parts)
  }

  private static func list(_ start: String, _ parts: [(Int, String)]) -> String {
    ([start] + parts.filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }).joined(separator: ", ")
  }

  /// Returns suggestions for the user, most urgent first.
  private static func next(after record: Record, first: Document?) -> [Hint] {
    guard let first else { return ["\(command: "add", "FILE") adds a Markdown file"] }
    var next: [Hint] = []
    if record.doubtful + record.orphaned > 0 {
      next.append(
        "\(command: "anchor", "review") shows where doubtful and orphaned highlights may belong")
    }
    if record.missing > 0 {
      next.append(
        "\(command: "doc", "link", "DOC", "PATH") links a missing document to its new file")
    }
    if let sync = record.sync, sync.problem != nil || sync.held > 0 {
      next.append("\(command: "sync", "status") shows why something is not synced")
    }
    if let sync = record.sync, sync.conflicts > 0 {
      next.append(
        "\(command: "sync", "conflicts") lists notes with several versions, to choose one")
    }
    if record.sync?.passphrase == VaultPassphrase.lost.rawValue {
      next.append(
        "\(command: "sync", "passphrase") sets a new passphrase, as none opens the vault any more")
    }
    if record.highlights == 0 {
      next.append(
        "\(command: "read", .word(first.path.string)) opens a document to read and highlight")
    }
    return next
  }
}
