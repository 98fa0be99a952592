import Actions
import ArgumentParser
import Console
import LibrarySync
import Model
import Rendering
import Sync
import SystemSupport
import Workspace

extension SyncCommand {
  /// The `sync now` command. It runs if `sync` has no subcommand.
  struct Now: ContextCommand {
    static let configuration = CommandConfiguration(
      commandName: "now",
      abstract: "Send and receive changes.",
      discussion: """
        If files are missing at the target, nothing is deleted here. Changes that cannot be \
        applied yet wait, and the reason is printed; changes of other devices are still applied.

        Examples:
          diple sync now
          diple sync now --accept-clock
        """)
    @OptionGroup var options: GlobalOptions
    @Flag(help: "Apply changes of devices whose clock is ahead.") var acceptClock = false
    @Flag(help: "Apply changes that remove a large part of the library.") var acceptRemovals = false
    @Flag(help: "Send everything again, to a target that lost it.") var upload = false

    func run(in context: CommandContext) async throws {
      let request = SyncNow(
        acceptClock: acceptClock, acceptRemovals: acceptRemovals, upload: upload)
      SyncCommand.show(try await context.perform(request, options), options, context)
    }
  }

  /// The `sync prepare` command. It uses no library.
  struct Prepare: ContextCommand {
    static let configuration = CommandConfiguration(
      commandName: "prepare",
      abstract: "Set up a PostgreSQL database for a team, or update it.",
      discussion: """
        Creates the database, Diple's tables and the roles of the members, unless they exist. Run \
        it as the owner of the database, and again after an update of Diple. Put passwords into \
        ~/.pgpass, a service file or PGPASSWORD, never into the address.

        Example:
          diple sync prepare postgres postgresql://postgres@db.example.org/team ada bob
        """)
    @OptionGroup var options: GlobalOptions
    @Argument(help: "Transport: postgres.") var transport: String
    @Argument(help: "Address of the database.") var address: String
    @Argument(help: "Roles that may use the database.") var members: [String] = []

    private struct Record: Encodable {
      var transport: String
      var address: String
      var members: [String]
    }

    func run(in context: CommandContext) async throws {
      try await context.libraries.plugins.prepareTarget(transport, address, for: members)
      let names = members.isEmpty ? "" : " for \(members.joined(separator: ", "))"
      context.answer(
        options, "diple.sync-prepared/1",
        Record(transport: transport, address: address, members: members),
        plain: "prepared \(address)\(names)".sanitizedForTerminal)
    }
  }

  /// The `sync init` command. It creates the library, and the folder of a target if its parent
  /// exists.
  struct Init: ContextCommand {
    static let configuration = CommandConfiguration(
      commandName: "init",
      abstract: "Set up syncing, with a target that no library uses yet.",
      discussion: """
        Everything is encrypted with a key that the passphrase protects. Other devices join with \
        the passphrase. It cannot be recovered.

        Examples:
          diple sync init folder ~/Sync/diple
          diple sync init git git@example.org:me/highlights.git --device laptop
        """)
    @OptionGroup var options: GlobalOptions
    @OptionGroup var passphrase: PassphraseOptions
    @OptionGroup var place: SyncPlaceOptions

    func run(in context: CommandContext) async throws {
      let offer = try place.offer()
      try SyncCommand.requireTransport(offer.transport, context)
      let library = try SyncCommand.libraryToSync(options, context)
      // Before the user has to type a passphrase.
      try await library.requireUnsynced(offer)
      let words = try passphrase.passphrase(isNew: true, context)
      let outcome = try await context.perform(
        BeginSync(
          transport: offer.transport, address: offer.address, device: offer.device,
          passphrase: words), options)
      SyncCommand.show(outcome, with: offer.address, options, context)
    }
  }

  /// The `sync join` command. It creates the library if it does not exist. With `--pair` it prints
  /// a code and doesn't sync yet.
  struct Join: ContextCommand {
    static let configuration = CommandConfiguration(
      commandName: "join",
      abstract: "Sync the library with a target that another device set up.",
      discussion: """
        Asks for the passphrase. With --pair, asks the device that set up syncing instead: both \
        show a code, and if the codes are equal, `sync pair` on that device admits this one.

        Examples:
          diple sync join folder ~/Sync/diple
          diple sync join --pair folder ~/Sync/diple
        """)
    @OptionGroup var options: GlobalOptions
    @OptionGroup var passphrase: PassphraseOptions
    @Flag(help: "Ask another device instead of giving the passphrase.") var pair = false
    @OptionGroup var place: SyncPlaceOptions

    func run(in context: CommandContext) async throws {
      let offer = try place.offer()
      try SyncCommand.requireTransport(offer.transport, context)
      _ = try SyncCommand.libraryToSync(options, context)
      if pair { return try await ask(offer, context) }
      let words = try passphrase.passphrase(isNew: false, context)
      let outcome = try await context.perform(
        JoinSync(
          transport: offer.transport, address: offer.address, device: offer.device,
          passphrase: words), options)
      SyncCommand.show(outcome, with: offer.address, options, context)
    }

    private func ask(_ offer: SyncOffer, _ context: CommandContext) async throws {
      let outcome = try await context.perform(
        AskToJoin(transport: offer.transport, address: offer.address, device: offer.device),
        options)
      context.answer(options, json: outcome.json) {
        context.terminal.output.line("code: \(outcome.code)")
        let next: Hint = """
          run \(command: "sync", "pair") on the device that set up syncing, compare the codes, \
          then run \(command: "sync") here
          """
        context.terminal.output.line(next.text(in: context.terminal.typing))
      }
    }
  }

  /// The `sync leave` command. It asks for confirmation, and reports how many changes weren't sent.
  struct Leave: ContextCommand {
    static let configuration = CommandConfiguration(
      commandName: "leave",
      abstract: "Stop syncing on this device; the library is not changed.",
      discussion: """
        Changes that this device sent stay on the others. Changes that were not sent stay here. \
        The history becomes empty: earlier changes can no longer be undone, because the library \
        gets a new identity.

        Example:
          diple sync leave --yes
        """)
    @OptionGroup var options: GlobalOptions
    @Flag(name: .shortAndLong, help: "Do not ask for confirmation.") var yes = false

    func run(in context: CommandContext) async throws {
      let status = try await context.perform(ShowSync(), options).status
      let address = status.place.address.sanitizedForTerminal
      try context.terminal.confirm(
        "Stop syncing with \(address) and empty the history, "
          + "so that undo cannot revert earlier changes?", yes: yes)
      let outcome = try await context.perform(LeaveSync(), options)
      context.answer(
        options, json: outcome.json,
        plain: "stopped syncing with \(address); the history is empty now"
          + (outcome.unsent > 0 ? "; not sent: \(Int(outcome.unsent).counted("change"))" : "")
          + (outcome.isStated
            ? "" : "; the other devices were not informed, and do not list it as left"))
    }
  }
}
