import ArgumentParser
import Commands
import Console
import Glibc
import SystemSupport

/// The REPL `diple-repl`: the commands of `diple` without the first word, and a current document.
@main
struct DipleRepl: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "diple-repl", abstract: "Run Diple commands line by line.",
    discussion: """
      `diple repl` starts it. Type `help` for the commands, or pipe a script in: \
      echo 'list' | diple-repl
      """)

  @Option(help: ArgumentHelp("Folder of the library.", valueName: "dir"), completion: .directory)
  var library: String?
  @Flag(help: "Answer every command in JSON.") var json = false

  static func main() async {
    signal(SIGPIPE, SIG_IGN)
    let words = parseOrExit()
    if let library = words.library { setenv("DIPLE_LIBRARY", library, 1) }
    let context = CommandContext.standard(isInteractive: true)
    context.terminal.writesJSON = words.json
    if isatty(0) == 1 {
      if !words.json, context.terminal.output.isTerminal {
        context.terminal.errors.line(
          "Diple: `show DOC` opens a document, `help` lists the commands, `quit` ends")
        context.terminal.errors.flush()
      }
      Glibc.exit(await LineEditor(context: context).run())
    } else {
      Glibc.exit(await Script.run(in: context))
    }
  }
}

/// Runs the lines of a pipe or file. The exit code is that of the first failed line. Later lines
/// are run nevertheless.
enum Script {
  static func run(in context: CommandContext) async -> Int32 {
    var first: Int32 = 0
    while let line = readLine() {
      let code = await Interpreter.run(line, in: context)
      if code == Interpreter.quit { break }
      if first == 0 { first = code }
    }
    return first
  }
}
