package import ArgumentParser
import Glibc
import Rendering

extension ParsableCommand {
  /// Parses the process's command line. If it asks for help, prints the help on standard output and
  /// exits with code 0. If it is invalid, prints one line on standard error and exits with code 2.
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

  /// Prints an error on standard error and ends the process.
  package static func end(_ reason: String, code: Int32) -> Never {
    let name = configuration.commandName ?? "diple"
    Output.standardError.line("\(name): \(reason.linesSanitizedForTerminal)")
    Output.standardError.flush()
    Glibc.exit(code)
  }
}
