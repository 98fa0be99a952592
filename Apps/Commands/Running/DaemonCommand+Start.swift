import ArgumentParser
import Console
import DaemonKit
import Model
import SystemSupport
import Workspace

extension DaemonCommand {
  /// The `daemon start` command. It fails with the code `nothing` if a daemon is already running
  /// for the library.
  struct Start: ContextCommand {
    static let configuration = CommandConfiguration(
      commandName: "start",
      abstract: "Start the daemon in the background, and wait until it watches the files.",
      discussion: """
        Uses systemd after `daemon install`, unless --run or --foreground is given.

        Examples:
          diple daemon start
          diple daemon start --run 'notify-send Diple'
        """)
    @OptionGroup var options: GlobalOptions
    @OptionGroup var words: DaemonArguments
    @Flag(help: "Run in the foreground until stopped.") var foreground = false

    func run(in context: CommandContext) async throws {
      if foreground, context.terminal.isInteractive {
        throw UserError(
          .usage, "--foreground is not available here",
          hint: "\(command: "daemon", "start") without it")
      }
      let location = try context.libraries.library(options, .existing).location
      if DaemonClient(location) != nil {
        throw UserError(.nothing, "a daemon already runs for \(location.folder)")
      }
      context.terminal.output.drain()
      let launch = DaemonLaunch(location, words: words.words)
      if foreground { throw launch.replaceThisProgram() }
      context.show(try await start(launch, location, context), options) {
        "daemon started: \($0.documents.counted("document")) in \($0.folders.counted("folder")) "
          + "(process \($0.process))"
      }
    }

    /// Starts the daemon with systemd if its unit is installed and `--run` is not used, otherwise
    /// in the background. The unit has fixed arguments.
    private func start(
      _ launch: DaemonLaunch, _ location: LibraryLocation, _ context: CommandContext
    ) async throws(UserError) -> DaemonStatus {
      guard words.run.isEmpty,
        let services = UserServices(environment: context.terminal.environment),
        let unit = try? SystemdUnit(location, environment: context.terminal.environment),
        unit.isInstalled
      else { return try launch.startInBackground() }
      try await services.start(unit.instance)
      guard let status = try DaemonClient(location)?.ask(.status).status else {
        throw UserError(
          .conflict, "systemd started \(unit.instance), but no daemon runs for \(location.folder)",
          hint: "`systemctl --user status '\(unit.instance)'` shows more")
      }
      return status
    }
  }
}

/// The options that are passed on to `dipled`.
struct DaemonArguments: ParsableArguments {
  @Option(
    name: .long,
    help: ArgumentHelp(
      """
      Run a shell command at each event, with the event as JSON on standard input; can be \
      repeated.
      """,
      valueName: "command"))
  var run: [String] = []

  var words: [String] { run.flatMap { ["--run", $0] } }
}
