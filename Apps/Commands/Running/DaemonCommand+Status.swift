import ArgumentParser
import Console
import DaemonKit
import Model
import Rendering
import SystemSupport
import Workspace

extension DaemonCommand {
  /// The `daemon status` command. It exits with 1 if no daemon is running.
  struct Status: ContextCommand {
    static let configuration = CommandConfiguration(
      commandName: "status",
      abstract: "Show the state of the daemon; exit code 1 if no daemon runs.",
      discussion: """
        Example:
          diple daemon status
        """)
    @OptionGroup var options: GlobalOptions

    func run(in context: CommandContext) async throws {
      let location = try context.libraries.library(options, .readOnly).location
      guard let daemon = DaemonClient(location) else {
        if options.json {
          context.show(nil, options) { _ in "" }
          throw ExitCode(1)
        }
        throw await UserError.noDaemon(location, context)
      }
      context.show(try daemon.ask(.status).status, options, Self.text)
    }

    private static func text(_ status: DaemonStatus) -> String {
      let waiting = status.pending == 1 ? "1 change waits" : "\(status.pending) changes wait"
      var lines = [
        "\(status.state): \(status.documents.counted("document")), "
          + status.folders.counted("folder") + (status.complete ? "" : ", not all of them watched"),
        "process \(status.process), running for \(Int(status.uptime).secondsInWords); "
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
}
