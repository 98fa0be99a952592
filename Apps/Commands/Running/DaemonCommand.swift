import Actions
import ArgumentParser
import Console
import DaemonKit
import SystemSupport
import Workspace

/// The `daemon` command, which controls the daemon that follows file changes.
struct DaemonCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "daemon",
    abstract: "Start, stop and query the daemon that follows file changes (dipled).",
    discussion: """
      Examples:
        diple daemon start
        diple daemon status
      """,
    subcommands: [Start.self, Stop.self, Status.self, Logs.self, Install.self],
    defaultSubcommand: Status.self)
}

extension CommandContext {
  /// The state of the daemon, a record of the schema `diple.daemon/1`.
  private struct DaemonRecord: Encodable {
    var running: Bool
    @Nullable var status: DaemonStatus?
    /// The systemd unit that started the daemon; null if systemd didn't start it.
    @Nullable var unit: String?
  }

  /// Prints the state of a daemon; nil if no daemon is running.
  func show(
    _ status: DaemonStatus?, _ options: GlobalOptions, _ text: (DaemonStatus) -> String
  ) {
    let unit = status.flatMap { SystemdUnit.running($0.process) }
    answer(
      options, "diple.daemon/1", DaemonRecord(running: status != nil, status: status, unit: unit),
      plain: status.map(text) ?? "stopped")
  }
}

extension UserError {
  static func noDaemon(_ location: LibraryLocation, _ context: CommandContext) async
    -> UserError
  {
    let unit = await InstalledUnit(location, environment: context.terminal.environment)
    return UserError(
      .nothing, "no daemon runs for \(location.folder)" + (unit.map { ": \($0.standing)" } ?? ""),
      hint: unit?.hint ?? "\(command: "daemon", "start") starts one")
  }
}
