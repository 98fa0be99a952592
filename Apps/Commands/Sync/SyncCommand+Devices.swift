import Actions
import ArgumentParser
import Console
import FoundationEssentials
import LibrarySync
import Model
import Rendering
import Sync
import SystemSupport
import Workspace

extension SyncCommand {
  /// The `sync status` command. It doesn't connect to the target.
  struct Status: ActionCommand {
    static let configuration = CommandConfiguration(
      commandName: "status",
      abstract: "Show the target, the last sync, and changes that are waiting.",
      discussion: """
        Example:
          diple sync status
        """)
    @OptionGroup var options: GlobalOptions

    func request(in context: CommandContext) -> ShowSync { ShowSync() }

    func write(_ outcome: ShowSync.Outcome, to context: CommandContext) {
      let status = outcome.status
      let output = context.terminal.output
      output.line(
        "\(status.place.transport) \(status.place.address.sanitizedForTerminal), as \(status.place.device.sanitizedForTerminal)"
      )
      output.line(status.last.map { "last sync \($0.localTimestamp)" } ?? "not synced yet")
      if let problem = status.problem {
        output.line("the last attempt failed: \(problem.sanitizedForTerminal)")
      }
      if status.unsent > 0 {
        output.line("not sent yet: \(Int(status.unsent).counted("change"))")
      }
      func write(_ hint: Hint) {
        output.line(hint.text(in: context.terminal.typing).sanitizedForTerminal)
      }
      if status.elsewhere > 0 {
        let count = status.elsewhere.counted("document")
        write("\(count) of other devices not found here: \(typed: "doc", "list")")
      }
      if status.conflicts > 0 { write(SyncCommand.conflictHint(status.conflicts)) }
      if let hint = status.passphrase?.hint { write(hint) }
      for device in status.devices {
        output.line("  " + SyncDeviceRecord(device).plain)
        if let held = device.held {
          let since = Date(timeIntervalSince1970: Double(held.since) / 1000).localTimestamp
          write("    waiting since \(since): \(SyncCommand.hint(held, of: device.name))")
        }
      }
    }
  }

  /// The `sync devices` command. Its record is `diple.sync-devices/1`, this device and revoked ones
  /// included.
  struct Devices: ActionCommand {
    static let configuration = CommandConfiguration(
      commandName: "devices",
      abstract: "List the devices that the library is synced with.",
      discussion: """
        Example:
          diple sync devices
        """)
    @OptionGroup var options: GlobalOptions

    func request(in context: CommandContext) -> ListSyncDevices { ListSyncDevices() }

    func write(_ outcome: ListSyncDevices.Outcome, to context: CommandContext) {
      for device in outcome.devices { context.terminal.output.line(device.plain) }
    }
  }

  /// The `sync pair` command. It fails with the code `nothing` if no device was let in.
  struct Pair: ContextCommand {
    static let configuration = CommandConfiguration(
      commandName: "pair",
      abstract: "Let in a device that asks to join.",
      discussion: """
        Compare the code with the one that `sync join --pair` shows on the new device. If they \
        differ, the request is not from that device: refuse it.

        Examples:
          diple sync pair
          diple sync pair --code "12345 67890 12345"
        """)
    @OptionGroup var options: GlobalOptions
    @Option(help: "Code that the new device shows; when omitted, you are asked about each device.")
    var code: String?

    private struct Record: Encodable {
      var id: String
      var name: String
      var code: String
      var isLetIn: Bool
    }

    func run(in context: CommandContext) async throws {
      let library = try context.libraries.library(options, .existing)
      let asking = try await library.joiningDevices()
      var records: [Record] = []
      for device in asking {
        let isMeant: Bool
        if let code {
          isMeant = code.filter(\.isNumber) == device.code.filter(\.isNumber)
        } else if context.terminal.canPrompt {
          isMeant = try context.terminal.agrees(
            "\(device.name.sanitizedForTerminal) shows \(device.code)? [y/N]", unlessSaid: false)
        } else {
          isMeant = false
        }
        if isMeant { try await library.letIn(device) }
        records.append(
          Record(
            id: device.replica.description, name: device.name, code: device.code, isLetIn: isMeant))
      }
      context.answer(options, "diple.sync-pairing/1", records) {
        for record in records {
          let line: Hint =
            record.isLetIn
            ? "let in \(record.name); run \(command: "sync") there"
            : "\(record.name) asks to join with the code \(record.code)"
          context.terminal.output.line(
            line.text(in: context.terminal.typing).sanitizedForTerminal)
        }
      }
      if !records.contains(where: \.isLetIn) {
        throw UserError(
          .nothing, code == nil ? "no device was let in" : "no device shows that code",
          hint: code == nil ? "pass the code that the new device shows: --code CODE" : nil)
      }
    }
  }

  /// The `sync revoke` command. It syncs first, asks for confirmation, and sets a new passphrase.
  struct Revoke: ContextCommand {
    static let configuration = CommandConfiguration(
      commandName: "revoke",
      abstract: "Stop syncing with a device.",
      discussion: """
        Later changes of the device are not applied, and it cannot read those of the others. It \
        keeps the data that it has. As it may know the passphrase, you set a new one, which new \
        devices need to join; with --no-passphrase, they can only join with --pair.

        Examples:
          diple sync revoke old-laptop
          diple sync revoke 4f2a --passphrase-file new.txt --yes
        """)
    @OptionGroup var options: GlobalOptions
    @OptionGroup var passphrase: PassphraseOptions
    @Flag(help: "Set no new passphrase.") var noPassphrase = false
    @Flag(name: .shortAndLong, help: "Do not ask for confirmation.") var yes = false
    @Argument(help: "Name or id of the device; the beginning of the id is enough.") var device:
      String

    func run(in context: CommandContext) async throws {
      let library = try context.libraries.library(options, .existing)
      try await SyncCommand.syncBefore(library, options, context)
      let devices = try await library.syncDevices()
      let all = devices.filter {
        $0.name == device || device.count >= 4 && $0.replica.description.hasPrefix(device)
      }
      // A device that left and joined again usually has the same name.
      let present = all.filter { !$0.hasLeft && !$0.isRevoked }
      let found = present.isEmpty ? all : present
      guard let meant = found.first, found.count == 1 else {
        throw UserError(
          found.isEmpty ? .notFound : .ambiguous,
          found.isEmpty
            ? "no device '\(device)' is known here"
            : "'\(device)' matches \(found.count.counted("device"))",
          hint: found.isEmpty ? "\(command: "sync") finds those that joined just now" : nil,
          candidates: (found.isEmpty
            ? devices.filter { !$0.isOwn && !$0.hasLeft && !$0.isRevoked } : found).map {
              "\($0.replica.description.prefix(8)) \($0.name)"
            })
      }
      let name = meant.name.sanitizedForTerminal
      try context.terminal.confirm(
        "Revoke \(name) permanently"
          + (noPassphrase
            ? "?" : ", and set a new passphrase, as \(name) may know the present one?"),
        yes: yes)
      let words =
        noPassphrase
        ? nil : try passphrase.passphrase(isNew: true, context, or: ", or pass --no-passphrase")
      let report = try await library.revoke(
        meant.replica, passphrase: words, try SyncCommand.syncOptions(options, context))
      SyncCommand.reportNotices(of: report, options, context)
      var done = meant
      done.isRevoked = true
      context.answer(options, "diple.sync-device/1", SyncDeviceRecord(done)) {
        let next: Hint =
          noPassphrase
          ? """
          no passphrase is set, so new devices join with \(command: "sync", "join", "--pair"); \
          \(command: "sync", "passphrase") sets one
          """ : "new devices join with the new passphrase"
        context.terminal.output.line(
          "revoked \(name); \(next.text(in: context.terminal.typing))")
      }
    }
  }

  /// The `sync passphrase` command. It syncs before it sets the passphrase.
  struct Passphrase: ContextCommand {
    static let configuration = CommandConfiguration(
      commandName: "passphrase",
      abstract: "Set a new passphrase.",
      discussion: """
        New devices need the new passphrase to join. Devices that have joined stay, and are not \
        asked for it. Anyone who knows the old passphrase can still read what was sent before.

        Examples:
          diple sync passphrase
          diple sync passphrase --passphrase-file new.txt
        """)
    @OptionGroup var options: GlobalOptions
    @OptionGroup var passphrase: PassphraseOptions

    private struct Record: Encodable {
      var transport: String
      var address: String
      var vault: String
    }

    func run(in context: CommandContext) async throws {
      let library = try context.libraries.library(options, .existing)
      try await SyncCommand.syncBefore(library, options, context)
      let words = try passphrase.passphrase(isNew: true, context)
      let report = try await library.setPassphrase(
        words, try SyncCommand.syncOptions(options, context))
      SyncCommand.reportNotices(of: report, options, context)
      let place = try await library.syncStatus().place
      context.answer(
        options, "diple.sync-passphrase/1",
        Record(transport: place.transport, address: place.address, vault: place.vault),
        plain: "set a new passphrase for \(place.address.sanitizedForTerminal)")
    }
  }
}

extension SyncDeviceRecord {
  /// The device as a line of a list.
  fileprivate var plain: String {
    var line = "\(id.prefix(8))  \(name.sanitizedForTerminal)"
    if isOwn { line += "  this device" }
    if isRevoked { line += "  revoked" }
    if hasLeft { line += "  left" }
    line += "  \(Int(changes).counted("change"))"
    return line
  }
}
