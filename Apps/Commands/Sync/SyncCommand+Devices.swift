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

    func run(in context: CommandContext) async throws {
      let outcome = try await letIn(context)
      context.answer(options, json: outcome.json) {
        for device in outcome.devices {
          let line: Hint =
            device.isLetIn
            ? "let in \(device.name); run \(command: "sync") there"
            : "\(device.name) asks to join with the code \(device.code)"
          context.terminal.output.line(
            line.text(in: context.terminal.typing).sanitizedForTerminal)
        }
      }
      if !outcome.devices.contains(where: \.isLetIn) {
        throw UserError(
          .nothing, code == nil ? "no device was let in" : "no device shows that code",
          hint: code == nil ? "pass the code that the new device shows: --code CODE" : nil)
      }
    }

    /// Lets in the device with the code of the option, or the devices that the user confirms.
    private func letIn(_ context: CommandContext) async throws -> JoiningDevicesOutcome {
      if let code { return try await context.perform(LetDeviceIn(code: code), options) }
      var outcome = try await context.perform(ListJoiningDevices(), options)
      guard context.terminal.canPrompt else { return outcome }
      for (index, device) in outcome.devices.enumerated()
      where try context.terminal.agrees(
        "\(device.name.sanitizedForTerminal) shows \(device.code)? [y/N]", unlessSaid: false)
      {
        let answer = try await context.perform(LetDeviceIn(code: device.code), options)
        outcome.devices[index].isLetIn = answer.devices.contains {
          $0.id == device.id && $0.isLetIn
        }
      }
      return outcome
    }
  }

  /// The `sync revoke` command. It syncs first, asks for confirmation, and sets a new
  /// passphrase unless `--no-passphrase` is used.
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
      try await SyncCommand.syncBefore(options, context)
      let library = try context.libraries.library(options, .existing)
      let meant = try SyncDevice.named(device, among: try await library.syncDevices())
      let name = meant.name.sanitizedForTerminal
      try context.terminal.confirm(
        "Revoke \(name) permanently"
          + (noPassphrase
            ? "?" : ", and set a new passphrase, as \(name) may know the present one?"),
        yes: yes)
      let words =
        noPassphrase
        ? nil : try passphrase.passphrase(isNew: true, context, or: ", or pass --no-passphrase")
      let outcome = try await context.perform(
        RevokeDevice(device: meant.replica.description, passphrase: words), options)
      SyncCommand.reportNotices(of: outcome.report, options, context)
      context.answer(options, json: outcome.json) {
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

    func run(in context: CommandContext) async throws {
      try await SyncCommand.syncBefore(options, context)
      let words = try passphrase.passphrase(isNew: true, context)
      let outcome = try await context.perform(SetPassphrase(passphrase: words), options)
      SyncCommand.reportNotices(of: outcome.report, options, context)
      context.answer(
        options, json: outcome.json,
        plain: "set a new passphrase for \(outcome.place.address.sanitizedForTerminal)")
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
