import Rendering
package import SystemSupport

extension CommandContext {
  /// Answers with a record in an envelope of JSON, or as a closure writes it for a person, as the
  /// options say.
  ///
  /// - Parameters:
  ///   - schema: the name of the record's schema, such as `diple.tags/1`.
  ///   - record: made only where JSON is asked for.
  ///   - write: called only where it is not.
  package func answer(
    _ options: GlobalOptions, _ schema: String, _ record: @autoclosure () -> some Encodable,
    write: () throws -> Void
  ) rethrows {
    try answer(options, json: JSON.line(schema, record()), write: write)
  }

  /// Answers with a record in an envelope of JSON, or in one line.
  package func answer(
    _ options: GlobalOptions, _ schema: String, _ record: @autoclosure () -> some Encodable,
    plain: @autoclosure () -> String
  ) {
    answer(options, json: JSON.line(schema, record()), plain: plain())
  }

  /// Answers with a line of JSON that is made elsewhere, or as a closure writes.
  package func answer(
    _ options: GlobalOptions, json: @autoclosure () -> String, write: () throws -> Void
  ) rethrows {
    guard options.json else { return try write() }
    terminal.output.line(json())
  }

  /// Answers with a line of JSON that is made elsewhere, or with one for a person.
  package func answer(
    _ options: GlobalOptions, json: @autoclosure () -> String, plain: @autoclosure () -> String
  ) {
    terminal.output.line(options.json ? json() : plain())
  }

  /// Says on the error stream what went wrong; the command may go on.
  package func warn(_ problem: UserError, _ options: GlobalOptions) {
    terminal.errors.line(
      options.json
        ? JSON.line(ErrorRecord(problem))
        : "diple: \(problem.description(in: terminal.typing).sanitizedForTerminal)")
  }
}
