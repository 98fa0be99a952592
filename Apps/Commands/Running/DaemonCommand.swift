import ArgumentParser
import Console
import DaemonKit
import FoundationEssentials
import Glibc
import Model
import Rendering
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

  /// \(command: "daemon", "start").
  struct Start: ContextCommand {
    static let configuration = CommandConfiguration(
      commandName: "start",
      abstract: "Start the daemon in the background, and wait until it watches.",
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
      try context.say(try await start(launch, location, context), json: options.json) {
        "it watches \($0.folders.counted("folder")) with \($0.documents.counted("document")) "
          + "(process \($0.process))"
      }
    }

    /// Has systemd start it where its unit is installed; the unit has commands of its own.
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
          .conflict, "systemd started \(unit.instance), and no daemon runs for \(location.folder)",
          hint: "`systemctl --user status '\(unit.instance)'` may say more")
      }
      return status
    }
  }

  /// `daemon stop`.
  struct Stop: ContextCommand {
    static let configuration = CommandConfiguration(
      commandName: "stop",
      abstract: "Stop the daemon, after it has processed pending changes.",
      discussion: """
        Example:
          diple daemon stop
        """)
    @OptionGroup var options: GlobalOptions

    func run(in context: CommandContext) async throws {
      let location = try context.libraries.library(options, .readOnly).location
      guard let daemon = DaemonClient(location) else {
        throw await UserError.noDaemon(location, context)
      }
      _ = try daemon.ask(.stop)
      while try daemon.takeEvents() != nil { usleep(5_000) }
      try context.say(nil, json: options.json) { _ in "stopped" }
    }
  }

  /// `daemon status`.
  struct Status: ContextCommand {
    static let configuration = CommandConfiguration(
      commandName: "status",
      abstract: "Show what the daemon does; exit code 1 when none runs.",
      discussion: """
        Example:
          diple daemon status
        """)
    @OptionGroup var options: GlobalOptions

    func run(in context: CommandContext) async throws {
      let location = try context.libraries.library(options, .readOnly).location
      guard let daemon = DaemonClient(location) else {
        if options.json { try context.say(nil, json: true) { _ in "" } }
        if options.json { throw ExitCode(1) }
        throw await UserError.noDaemon(location, context)
      }
      try context.say(try daemon.ask(.status).status, json: options.json, Self.text)
    }

    private static func text(_ status: DaemonStatus) -> String {
      let waiting = status.pending == 1 ? "1 change waits" : "\(status.pending) changes wait"
      var lines = [
        "\(status.state): \(status.documents.counted("document")), "
          + status.folders.counted("folder") + (status.complete ? "" : ", not all of them watched"),
        "process \(status.process), since \(Int(status.uptime)) s; "
          + "\(status.handled.counted("file")) in \(status.batches.counted("batch")), "
          + "\(status.rescans.counted("full rescan")); \(waiting)",
      ]
      if let unit = SystemdUnit.running(status.process) {
        lines.append("started by systemd: \(unit)")
      }
      lines += status.problems.map { "problem: \($0.sanitizedForTerminal)" }
      return lines.joined(separator: "\n")
    }
  }

  /// `daemon logs`.
  struct Logs: ContextCommand {
    static let configuration = CommandConfiguration(
      commandName: "logs",
      abstract: "Show the last log lines of the daemon.",
      discussion: """
        A daemon started by systemd writes to the journal, any other to a file in the state folder.

        Examples:
          diple daemon logs
          diple daemon logs -n 100
        """)
    @OptionGroup var options: GlobalOptions
    @Option(name: .shortAndLong, help: "Number of lines.") var number = 20

    /// With `--json`, one line.
    private struct Record: Encodable {
      var line: String
    }

    func run(in context: CommandContext) async throws {
      let location = try context.libraries.library(options, .readOnly).location
      for line in try await lines(location, context) {
        context.terminal.output.line(
          options.json
            ? JSON.line(Envelope(schema: "diple.daemon-log/1", data: Record(line: line)))
            : line.sanitizedForTerminal)
      }
    }

    /// What the daemon that runs says, or said the last one: in the journal when systemd started it,
    /// else in a file.
    private func lines(_ location: LibraryLocation, _ context: CommandContext)
      async throws(UserError) -> [String]
    {
      let running = try? DaemonClient(location)?.ask(.status).status
      let unit = try? SystemdUnit(location, environment: context.terminal.environment)
      let isService =
        running.map { SystemdUnit.running($0.process) != nil } ?? (unit?.isInstalled == true)
      if isService, let unit, let services = UserServices(environment: context.terminal.environment)
      {
        let lines = try await services.journal(of: unit.instance, lines: max(0, number))
        if !lines.isEmpty || running != nil { return lines }
      }
      let file = ControlSocket(of: location).logFile
      guard let data = FileManager.default.contents(atPath: file), !data.isEmpty else {
        throw UserError(.nothing, "no daemon has written to \(file)")
      }
      let lines = String(decoding: data, as: UTF8.self).split(separator: "\n")
      return lines.suffix(max(0, number)).map(String.init)
    }
  }

  /// `daemon install`.
  struct Install: ContextCommand {
    static let configuration = CommandConfiguration(
      commandName: "install",
      abstract: "Install a systemd user unit that starts the daemon at login.",
      discussion: """
        One unit serves all libraries: dipled@LIBRARY.service.

        Examples:
          diple daemon install
          diple daemon install --dry-run
        """)
    @OptionGroup var options: GlobalOptions
    @OptionGroup var write: WriteOptions
    @OptionGroup var words: DaemonArguments

    /// With `--json`: the unit.
    private struct Record: Encodable {
      var name: String
      var path: String
      var content: String
    }

    func run(in context: CommandContext) async throws {
      let location = try context.libraries.library(options, .existing).location
      let unit = try SystemdUnit(location, environment: context.terminal.environment)
      let content = unit.content(words: words.words)
      if !write.dryRun { try unit.write(content) }
      if options.json {
        let record = Record(name: unit.instance, path: unit.path, content: content)
        context.terminal.output.line(JSON.line(Envelope(schema: "diple.unit/1", data: record)))
      } else if write.dryRun {
        context.terminal.writeData(content)
      } else {
        context.terminal.output.line("wrote \(unit.path.sanitizedForTerminal)")
        context.terminal.output.line(
          "systemctl --user daemon-reload && systemctl --user enable --now '\(unit.instance)'")
      }
    }
  }
}

/// What is handed on to dipled.
struct DaemonArguments: ParsableArguments {
  @Option(
    name: .long,
    help: ArgumentHelp(
      "Run a shell command at each event, with the event as JSON on standard input; can be repeated.",
      valueName: "command"))
  var run: [String] = []

  var words: [String] { run.flatMap { ["--run", $0] } }
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
  fileprivate func say(
    _ status: DaemonStatus?, json: Bool, _ text: (DaemonStatus) -> String
  ) throws {
    if json {
      let unit = status.flatMap { SystemdUnit.running($0.process) }
      let record = DaemonRecord(
        running: status != nil, status: status,
        unit: unit)
      terminal.output.line(JSON.line(Envelope(schema: "diple.daemon/1", data: record)))
    } else {
      terminal.output.line(status.map(text) ?? "stopped")
    }
  }
}

extension UserError {
  fileprivate static func noDaemon(_ location: LibraryLocation, _ context: CommandContext) async
    -> UserError
  {
    let unit = await InstalledUnit(location, environment: context.terminal.environment)
    return UserError(
      .nothing, "no daemon runs for \(location.folder)" + (unit.map { ": \($0.standing)" } ?? ""),
      hint: unit?.hint ?? "\(command: "daemon", "start") starts one")
  }
}
