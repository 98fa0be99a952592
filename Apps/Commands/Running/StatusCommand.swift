import Actions
import ArgumentParser
import Console
import LibrarySync
import Model
import Rendering
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

  func run(in context: CommandContext) async throws {
    var outcome = try await context.perform(ShowStatus(), options)
    context.notify(outcome.reports)
    let next = Self.next(after: outcome, context.paths)
    outcome.next = next.map { $0.text(in: .shell) }
    context.answer(options, json: outcome.json) {
      let output = context.terminal.output
      let folder = outcome.folder.sanitizedForTerminal
      output.line("library     \(folder)\(outcome.isAbsent ? " (none yet)" : "")")
      output.line("documents   \(Self.list(outcome.documents, [(outcome.missing, "missing")]))")
      let states = [(outcome.doubtful, "doubtful"), (outcome.orphaned, "orphaned")]
      output.line("highlights  \(Self.list(outcome.highlights, states))")
      output.line("daemon      \(outcome.daemon ?? "none")")
      if let sync = outcome.sync {
        output.line("sync        \(Self.plain(sync).sanitizedForTerminal)")
      }
      for hint in next {
        output.line("next        \(hint.text(in: context.terminal.typing).sanitizedForTerminal)")
      }
    }
  }

  /// Returns the sync status in one line, such as `folder /path, 3 unsent, 1 device waiting`.
  private static func plain(_ sync: ShowStatus.Outcome.Sync) -> String {
    let parts = [
      (Int(sync.unsent), "unsent"),
      (sync.held, sync.held == 1 ? "device waiting" : "devices waiting"),
      (sync.conflicts, "with several versions of a note"),
    ]
    let hasNone = sync.passphrase != nil && sync.passphrase != VaultPassphrase.set.rawValue
    return list(sync.target, parts) + (hasNone ? ", no passphrase" : "")
      + (sync.problem == nil ? "" : ", the last sync failed")
  }

  /// Returns a number and its nonzero parts, such as `12, 1 missing`.
  private static func list(_ count: Int, _ parts: [(Int, String)]) -> String {
    list(String(count), parts)
  }

  private static func list(_ start: String, _ parts: [(Int, String)]) -> String {
    ([start] + parts.filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }).joined(separator: ", ")
  }

  /// Returns suggestions for the user, most urgent first.
  private static func next(after record: ShowStatus.Outcome, _ paths: ShownPaths) -> [Hint] {
    guard let first = record.first else {
      return ["\(command: "add", "FILE") adds a Markdown file"]
    }
    var next: [Hint] = []
    if record.doubtful + record.orphaned > 0 {
      next.append(
        "\(command: "anchor", "review") shows where doubtful and orphaned highlights may belong")
    }
    if let path = record.onlyMissing.map({ paths.name($0.path) }) {
      next.append(
        "\(command: "doc", "link", .word(path), "FILE") links the missing document to its new file")
    } else if record.missing > 0 {
      next.append(
        "\(command: "doc", "link", "DOC", "FILE") links a missing document to its new file")
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
        "\(command: "read", .word(paths.name(first.path))) opens a document to read and highlight")
    }
    return next
  }
}
