package import ArgumentParser
import FoundationEssentials
import Model
import Rendering

/// The environment of a command: terminal, libraries and current selection. A front end creates one
/// context and passes it to each command that it runs.
///
/// ```swift
/// let context = CommandContext.standard()
/// let library = try context.libraries.library(.none, .existing)
/// let document = try await context.document("essay.md", in: library)
/// context.terminal.output.line(document.title)
/// context.terminal.output.flush()
/// ```
package final class CommandContext: Sendable {
  /// The terminal or other streams for input and output.
  package let terminal: Terminal
  /// Finds and opens libraries.
  package let libraries: LibraryContext
  /// The current document, selection and search.
  package let selection = SelectionState()

  /// Creates a context for a terminal. The terminal's environment selects the library.
  package init(_ terminal: Terminal) {
    self.terminal = terminal
    libraries = LibraryContext(environment: terminal.environment, typing: terminal.typing) {
      terminal.errors.line("diple: \($0.sanitizedForTerminal)")
    }
  }

  /// Creates a context for the environment and standard streams of the process.
  package static func standard(isInteractive: Bool = false) -> CommandContext {
    CommandContext(
      Terminal(environment: ProcessInfo.processInfo.environment, isInteractive: isInteractive))
  }

  /// The current document's name for a prompt, without control characters. Empty without a current
  /// document.
  package var promptName: String {
    selection.document.map { $0.path.name.sanitizedForTerminal } ?? ""
  }
}

/// A command that runs in a context. All front ends share the same commands, but each has a
/// separate context.
package protocol ContextCommand: AsyncParsableCommand {
  /// Runs the command.
  ///
  /// - Throws: ``UserError`` for an error message of one line, or `ExitCode`.
  mutating func run(in context: CommandContext) async throws
}
