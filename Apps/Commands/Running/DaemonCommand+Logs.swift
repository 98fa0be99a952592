import ArgumentParser
import Console
import DaemonKit
import FoundationEssentials
import Rendering
import SystemSupport
import Workspace

extension DaemonCommand {
  /// The `daemon logs` command. It fails with the code `nothing` if there is no log.
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

    /// A line of the log, a record of the schema `diple.daemon-log/1`.
    private struct Record: Encodable {
      var line: String
    }

    func run(in context: CommandContext) async throws {
      let location = try context.libraries.library(options, .readOnly).location
      for line in try await lines(location, context) {
        context.answer(
          options, "diple.daemon-log/1", Record(line: line), plain: line.sanitizedForTerminal)
      }
    }

    /// Returns the last log lines of the running daemon, or of the last one if none is running.
    /// They are read from the journal if systemd started the daemon, otherwise from the log file.
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
}
