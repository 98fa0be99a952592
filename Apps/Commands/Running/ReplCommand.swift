import ArgumentParser
import Console
import DaemonKit
import Glibc
import SystemSupport
import Workspace

/// `repl`: starts the line editor, a program of its own.
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
    context.terminal.output.flush()
    var words = ["diple-repl"]
    if let library = options.library { words += ["--library", library] }
    if options.json { words.append("--json") }
    let arguments: [UnsafeMutablePointer<CChar>?] =
      words.map { (word: String) in strdup(word) } + [nil]
    // The one beside this program, else the one on the path.
    if let path = SiblingExecutable.path("diple-repl") { execv(path, arguments) }
    execvp("diple-repl", arguments)
    throw UserError(
      .notFound, "diple-repl cannot be started: \(String(cString: strerror(errno)))",
      hint: "it should stand beside diple")
  }
}
