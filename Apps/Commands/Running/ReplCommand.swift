import ArgumentParser
import Console
import DaemonKit
import SystemSupport
import Workspace

/// The `repl` command, which starts the REPL as a separate program.
struct ReplCommand: ContextCommand {
  static let configuration = CommandConfiguration(
    commandName: "repl",
    abstract: "Start the line editor (diple-repl).",
    discussion: """
      The same commands without the word `diple`, with a current document and selection. With \
      --json every command answers in JSON.

      Example:
        diple repl
      """)

  @OptionGroup var options: GlobalOptions

  func run(in context: CommandContext) async throws {
    if context.terminal.suspendingTerminal != nil {
      throw UserError(.nothing, "`:` is a line editor already", hint: "q ends the reader")
    }
    if context.terminal.isInteractive {
      throw UserError(.nothing, "this is the line editor already")
    }
    context.terminal.output.drain()
    var words: [String] = []
    if let library = options.library { words += ["--library", library] }
    if options.json { words.append("--json") }
    throw Program.sibling("diple-repl", words).replaceThisProcess().userError
  }
}
