import Actions
import ArgumentParser
import BuiltIn
import Configuration
import Console
import FoundationEssentials
import Glibc
import LibrarySync
import Model
import Rendering
import SystemSupport
import Workspace

/// The `sync` command, which synchronises the library across devices.
struct SyncCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sync",
    abstract: "Keep the same highlights on several devices.",
    discussion: """
      Syncs highlights, notes, tags, formats, styles, sources and saved searches, encrypted, \
      through a target that all devices can reach. Markdown files are not synced: copy them by \
      other means; each device finds the highlights in its own copy. While the daemon runs, it \
      syncs automatically.

      A target is a transport and an address. Transports: folder (synced by Syncthing, a cloud \
      drive or a network disk), git, webdav, rclone and postgres.

      Examples:
        diple sync init folder ~/Sync/diple
        diple sync join folder ~/Sync/diple
      """,
    subcommands: [
      Now.self, Prepare.self, Init.self, Join.self, Pair.self, Status.self, Devices.self,
      Revoke.self,
      Passphrase.self, Conflicts.self, Verify.self, Export.self, Leave.self,
    ],
    defaultSubcommand: Now.self)

  /// Opens or creates the library to sync. A new library is reported immediately, because it is
  /// kept even if the command fails later.
  static func libraryToSync(_ options: GlobalOptions, _ context: CommandContext) throws -> Library {
    let isNew = try !context.libraries.location(options).exists
    let library = try context.libraries.library(options, .create)
    if isNew, !options.json {
      context.show("created a library in \(library.location.folder)")
    }
    return library
  }

  /// Checks that a transport exists, before a library is created.
  ///
  /// - Throws: ``UserError`` with the code `usage` otherwise.
  static func requireTransport(_ id: String, _ context: CommandContext) throws(UserError) {
    do { _ = try context.libraries.plugins.transports.strategy(id) } catch {
      throw UserError(.usage, error.description)
    }
  }

  /// Returns the options of a sync according to the settings. Changes that need the user's consent
  /// are not accepted.
  static func syncOptions(_ options: GlobalOptions, _ context: CommandContext) throws -> SyncOptions
  {
    var syncOptions = SyncOptions()
    syncOptions.texts = try context.libraries.settings(options).isOn(.syncTexts)
    return syncOptions
  }

  /// Prints the result of a sync.
  ///
  /// - Parameter address: The address of the target that was just set up; nil for later syncs.
  static func show(
    _ outcome: SyncOutcome, with address: String? = nil, _ options: GlobalOptions,
    _ context: CommandContext
  ) {
    let report = outcome.report
    var outcome = outcome
    outcome.advice = report.passphrase?.hint?.text(in: .shell)
    let json = outcome.json
    context.answer(options, json: json) {
      let output = context.terminal.output
      func write(_ hint: Hint) {
        output.line(hint.text(in: context.terminal.typing).sanitizedForTerminal)
      }
      if let folder = outcome.folder, let address {
        write("syncing \(folder) with \(address)")
      }
      let moved = [("received", report.received), ("sent", report.sent)].filter { $0.1 > 0 }
        .map { "\($0.0) \($0.1.counted("change"))" }
      output.line(moved.isEmpty ? "nothing new" : moved.joined(separator: ", "))
      // Print a file once, even if documents of several devices are linked to it.
      var files: Set<DocumentPath> = []
      let linked = report.linked.filter { files.insert($0.path).inserted }
      for match in linked.prefix(10) {
        write("found “\(match.remote.title)” in \(context.paths.name(match.path))")
      }
      if linked.count > 10 {
        write("found \((linked.count - 10).counted("more document")); sync --json lists them")
      }
      for match in report.suggested.prefix(3) {
        let (id, path) = (match.remote.id.description, context.paths.name(match.path))
        write(
          """
          \(path) may be “\(match.remote.title)” of another device: \
          \(typed: "doc", "link", .word(id), .word(path))
          """)
      }
      if report.suggested.count > 3 {
        write(
          """
          \((report.suggested.count - 3).counted("more document")) may be here; sync --json \
          lists them
          """
        )
      }
      for notice in report.notices.prefix(20) { output.line(notice.sanitizedForTerminal) }
      if report.notices.count > 20 {
        output.line("and \(report.notices.count - 20) more notices; sync --json lists them")
      }
      if let hint = report.passphrase?.hint { write(hint) }
      for (device, reason) in report.held.prefix(20) {
        write("changes of \(device) are waiting: \(hint(reason, of: device))")
      }
      if report.held.count > 20 {
        output.line("and \(report.held.count - 20) more devices; sync --json lists them")
      }
      if report.conflicts > 0 { write(conflictHint(report.conflicts)) }
    }
  }

  /// Syncs before a command that changes the keys, because devices that joined recently must be
  /// known.
  static func syncBefore(_ options: GlobalOptions, _ context: CommandContext) async throws {
    reportNotices(of: try await context.perform(SyncNow(), options).report, options, context)
  }

  /// Prints the notices of a sync on standard error. Used by commands that sync before they do
  /// something else.
  static func reportNotices(
    of report: SyncReport, _ options: GlobalOptions, _ context: CommandContext
  ) {
    guard !options.json else { return }
    for notice in report.notices { context.show(Hint(notice)) }
    if report.passphrase == .lost, let hint = report.passphrase?.hint { context.show(hint) }
  }

  /// Returns the hint for notes with several versions.
  static func conflictHint(_ count: Int) -> Hint {
    "\(count.counted("note")) with several versions: \(typed: "sync", "conflicts")"
  }

  /// Returns the reason why changes of a device are held back, with a solution if there is one.
  static func hint(_ reason: HeldReason, of device: String) -> Hint {
    let detail = reason.detail
    return switch reason.kind {
    case .missing, .damaged:
      "\(detail); if it stays so: \(command: "sync", "now", "--upload") on \(device)"
    case .clock: "\(detail); to apply its changes: \(typed: "sync", "now", "--accept-clock")"
    case .removals:
      "\(detail); to apply these changes: \(typed: "sync", "now", "--accept-removals")"
    case .newer, .fork, .revoked: "\(detail)"
    }
  }
}

/// The options for the passphrase of a vault.
struct PassphraseOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "File whose first line is the passphrase; - is standard input.", valueName: "file"),
    completion: .file())
  var passphraseFile: String?

  /// The name of the environment variable for the passphrase.
  static let variable = "DIPLE_SYNC_PASSPHRASE"

  /// Returns the passphrase from the file, the environment or the user, in this order.
  ///
  /// - Parameters:
  ///   - isNew: Whether the passphrase is new. Then the user types it twice, and it needs at least
  ///     8 characters.
  ///   - other: An alternative, added to the end of the hint if the user can't be asked.
  /// - Throws: ``UserError`` with the code `usage` if it is empty or too short, or if the user
  ///   can't be asked; the errors of reading the file.
  func passphrase(isNew: Bool, _ context: CommandContext, or other: String = "") throws -> String {
    let words: String
    if let passphraseFile {
      let text = String(
        decoding: try context.content(of: passphraseFile, limit: 1 << 16), as: UTF8.self)
      words =
        text.split(separator: "\n", omittingEmptySubsequences: false).first.map(String.init) ?? ""
    } else if let variable = context.terminal.environment[Self.variable] {
      words = variable
    } else {
      words = try context.terminal.askSecret(
        isNew ? "New passphrase:" : "Passphrase:", twice: isNew,
        hint: "pass --passphrase-file FILE, or set \(Self.variable)\(other)")
    }
    guard !words.isEmpty else { throw UserError(.usage, "the passphrase is empty") }
    if isNew { try SyncOffer.checkNew(words) }
    return words
  }
}

/// The options for the target of syncing.
struct SyncPlaceOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Name of this device on the others; the host name when omitted.",
      valueName: "name"))
  var device: String?
  @Argument(
    help: "Transport: folder, git, webdav, rclone or postgres.",
    completion: .list(PluginSet.builtIn.transports.entries.map(\.id)))
  var transport: String
  @Argument(help: "Folder, repository or address.", completion: .directory) var address: String

  func offer() throws(UserError) -> SyncOffer { try SyncOffer(transport, address, as: device) }
}
