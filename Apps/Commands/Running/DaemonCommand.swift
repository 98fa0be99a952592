import ArgumentParser
import Console
import DaemonKit
import SystemSupport
import Workspace

/// `daemon`: the program that keeps the library true while files change.
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
  /// With `--json`, whether a daemon runs and how it is.
  private struct DaemonRecord: Encodable {
    var running: Bool
    @Nullable var status: DaemonStatus?
    /// By which systemd started it.
    @Nullable var unit: String?
  }

  /// Says how a daemon is; nil means that there is none.
  func say(
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
