package import ArgumentParser
import Glibc
import Rendering

extension ParsableCommand {
  /// Parses the process's command line, or ends the process: with the help on standard output and
  /// exit code 0 where it asks for that, else with one line on standard error and exit code 2.
  package static func parseOrExit() -> Self {
    do { return try parse() } catch {
      if exitCode(for: error) == .success {
        Output.standardOutput.line(fullMessage(for: error))
        Output.standardOutput.flush()
        Glibc.exit(0)
      }
      end(message(for: error), code: 2)
    }
  }

  /// Ends the process with one line on standard error.
  package static func end(_ reason: String, code: Int32) -> Never {
    let name = configuration.commandName ?? "diple"
    Output.standardError.line("\(name): \(reason.linesSanitizedForTerminal)")
    Output.standardError.flush()
    Glibc.exit(code)
  }
}
