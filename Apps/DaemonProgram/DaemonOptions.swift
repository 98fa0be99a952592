public import ArgumentParser
import DaemonKit
public import Logging
import SystemSupport

/// The options of `dipled`.
struct DaemonOptions: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "dipled",
    abstract: "Follow file changes, and keep a library's highlights in place.",
    discussion: """
      Runs in the foreground until SIGTERM; SIGHUP reloads the settings and the ignore rules. \
      `diple daemon` starts, stops and queries it, and `diple config show --origin` lists its \
      settings; an option overrides them.

      Exit codes: 0 stopped; 2 usage; 4 no library; 6 it cannot be watched or written; 8 the \
      library is damaged; 75 another daemon runs for it.
      """)

  @Option(help: ArgumentHelp("Folder of the library.", valueName: "dir"))
  var library: String?

  @Option(
    name: .long,
    help: ArgumentHelp(
      "Run a shell command at each event, with the event as JSON on standard input, and none of the "
        + "settings' hooks; can be repeated.",
      valueName: "command"))
  var run: [String] = []

  @Option(
    name: .customLong("log-level"),
    help: "Log level: trace, debug, info, notice, warning, error or critical.")
  var level: Logger.Level?

  @Option(
    name: .customLong("log-file"),
    help: ArgumentHelp("Log to this file instead of standard error.", valueName: "file"))
  var logFile: String?

  @Option(
    help: ArgumentHelp(
      "Rescan all documents this often where not every folder can be watched.",
      valueName: "seconds"))
  var rescan: Int?

  @Flag(help: "Run in a separate session, so that closing the terminal does not stop it.")
  var detach = false

  func validate() throws {
    guard let rescan, !(1...86_400).contains(rescan) else { return }
    throw ValidationError("--rescan takes 1 to 86400 seconds, not \(rescan)")
  }
}

extension DaemonOptions {
  /// The options as a request to ``DaemonProcess``.
  var request: DaemonRequest {
    DaemonRequest(
      library: library, commands: run, level: level, logFile: logFile, rescan: rescan,
      isDetached: detach)
  }
}

extension Logger.Level: @retroactive ExpressibleByArgument {}
