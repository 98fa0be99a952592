package import Actions
import ArgumentParser
package import SystemSupport
package import Workspace

extension CommandContext {
  /// Returns a session for an action, with the library that the options select.
  ///
  /// - Throws: the errors of ``LibraryContext/library(_:_:)``.
  package func session<Request: Action>(for action: Request.Type, _ options: GlobalOptions) throws
    -> ActionSession
  {
    let library = try libraries.library(options, action.opening)
    var session = ActionSession(library)
    session.began = selection.began
    session.filesAreSettled = { [libraries] in libraries.filesAreSettled(library, options) }
    session.settings = { [libraries] () throws(UserError) in try libraries.settings(options) }
    return session
  }

  /// Runs an action in the library that the options select.
  ///
  /// - Throws: ``UserError``, also where the action throws ``ActionRefusal``.
  package func perform<Request: Action>(_ action: Request, _ options: GlobalOptions) async throws
    -> Request.Outcome
  {
    do {
      return try await action.run(in: session(for: Request.self, options))
    } catch let refusal as ActionRefusal {
      throw refusal.error
    } catch var error as UserError {
      // Users know options and words, not the members of requests.
      error.parameter = nil
      throw error
    }
  }
}

/// A command that runs one action. It converts its options to the action and writes the outcome as
/// text.
package protocol ActionCommand: ContextCommand {
  associatedtype Request: Action

  var options: GlobalOptions { get }
  /// Whether the user asked for a preview.
  var isDryRun: Bool { get }

  /// Returns the action that the options ask for.
  func request(in context: CommandContext) async throws -> Request
  /// Prints what the action would do. Called instead of running it if `isDryRun` is true.
  func preview(_ request: Request, in context: CommandContext) async throws
  /// Prints the outcome as text. Not called with `--json`.
  func write(_ outcome: Request.Outcome, to context: CommandContext) async throws
  /// Returns the reports of files that changed, which are printed on standard error first.
  func notices(of outcome: Request.Outcome) -> [RefreshReport]
  /// Returns the errors that do not end the command, which are printed on standard error.
  func problems(of outcome: Request.Outcome) -> [UserError]
  /// Returns the exit code after the outcome was printed.
  func exitCode(of outcome: Request.Outcome) -> Int32
  /// Returns the reason why the outcome is empty, for exit code 1, or nil.
  func emptiness(of outcome: Request.Outcome, in context: CommandContext) throws -> Hint?
}

extension ActionCommand {
  package var isDryRun: Bool { false }
  package func preview(_ request: Request, in context: CommandContext) async throws {}
  package func notices(of outcome: Request.Outcome) -> [RefreshReport] { [] }
  package func problems(of outcome: Request.Outcome) -> [UserError] { [] }
  package func exitCode(of outcome: Request.Outcome) -> Int32 { 0 }
  package func emptiness(of outcome: Request.Outcome, in context: CommandContext) throws -> Hint? {
    nil
  }

  package func run(in context: CommandContext) async throws {
    let request = try await request(in: context)
    if isDryRun { return try await preview(request, in: context) }
    let outcome = try await context.perform(request, options)
    context.terminal.notify(notices(of: outcome))
    for problem in problems(of: outcome) { context.warn(problem, options) }
    if options.json {
      context.terminal.output.line(outcome.json)
    } else {
      try await write(outcome, to: context)
    }
    if let reason = try emptiness(of: outcome, in: context) {
      throw context.nothing(reason, options)
    }
    let code = exitCode(of: outcome)
    if code != 0 { throw ExitCode(code) }
  }
}
