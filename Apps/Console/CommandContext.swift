package import ArgumentParser
import FoundationEssentials
import Model
import Rendering

/// What a command works with. A front-end makes one and hands it to each command that it runs.
package final class CommandContext: Sendable {
  /// Where it reads and writes.
  package let terminal: Terminal
  /// Which library it means.
  package let libraries: LibraryContext
  /// What is current.
  package let selection = SelectionState()

  /// Makes a context for a terminal and the library that its environment means.
  package init(_ terminal: Terminal) {
    self.terminal = terminal
    libraries = LibraryContext(environment: terminal.environment, typing: terminal.typing) {
      terminal.errors.line("diple: \($0.sanitizedForTerminal)")
    }
  }

  /// The context of a process: its environment and standard streams.
  package static func standard(isInteractive: Bool = false) -> CommandContext {
    CommandContext(
      Terminal(environment: ProcessInfo.processInfo.environment, isInteractive: isInteractive))
  }

  /// The current document's name for a prompt, sanitized.
  package var promptName: String {
    selection.document.map { $0.path.name.sanitizedForTerminal } ?? ""
  }
}

/// A command of the one grammar, which every front-end runs in a context of its own.
package protocol ContextCommand: AsyncParsableCommand {
  /// Does what the command line asks for.
  ///
  /// - Throws: `UserError` for one line to a person, or an exit code.
  mutating func run(in context: CommandContext) async throws
}
