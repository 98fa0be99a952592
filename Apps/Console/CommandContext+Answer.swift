import Actions
import Rendering
package import SystemSupport

extension CommandContext {
  /// Prints a record as JSON in the envelope of its schema if `--json` is set. Otherwise calls a
  /// closure that prints plain text.
  ///
  /// - Parameters:
  ///   - schema: the name and version of the record's schema, such as `diple.tags/1`.
  ///   - record: the record. Only evaluated for JSON.
  ///   - write: Prints plain text. Only called without `--json`.
  package func answer(
    _ options: GlobalOptions, _ schema: String, _ record: @autoclosure () -> some Encodable,
    write: () throws -> Void
  ) rethrows {
    try answer(options, json: JSON.line(schema, record()), write: write)
  }

  /// Prints a record as JSON if `--json` is set, or else one line of plain text.
  package func answer(
    _ options: GlobalOptions, _ schema: String, _ record: @autoclosure () -> some Encodable,
    plain: @autoclosure () -> String
  ) {
    answer(options, json: JSON.line(schema, record()), plain: plain())
  }

  /// Prints an encoded line of JSON if `--json` is set, or else calls a closure that prints plain
  /// text.
  package func answer(
    _ options: GlobalOptions, json: @autoclosure () -> String, write: () throws -> Void
  ) rethrows {
    guard options.json else { return try write() }
    terminal.output.line(json())
  }

  /// Prints an encoded line of JSON if `--json` is set, or else one line of plain text.
  package func answer(
    _ options: GlobalOptions, json: @autoclosure () -> String, plain: @autoclosure () -> String
  ) {
    terminal.output.line(options.json ? json() : plain())
  }

  /// Prints an error on standard error without ending the command.
  package func warn(_ problem: UserError, _ options: GlobalOptions) {
    let problem = problem.withCommand
    terminal.errors.line(
      options.json
        ? JSON.line(ErrorRecord(problem))
        : "diple: \(problem.description(in: terminal.typing).sanitizedForTerminal)")
  }
}
