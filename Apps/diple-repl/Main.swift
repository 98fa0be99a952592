import Commands
import Glibc

/// The line editor: the commands of `diple` without the first word, and a current document.
@main
enum Main {
  static func main() async {
    signal(SIGPIPE, SIG_IGN)
    var writesJSON = false
    var arguments = CommandLine.arguments.dropFirst()
    while let word = arguments.popFirst() {
      switch word {
      case "--library" where !arguments.isEmpty:
        setenv("DIPLE_LIBRARY", arguments.removeFirst(), 1)
      case "--library": refuse("--library takes a folder")
      case "--json": writesJSON = true
      case "-h", "--help":
        print(
          """
          usage: diple-repl [--library DIR] [--json]

          Type `help` for the commands. A pipe is a script.
          """)
        exit(0)
      default: refuse("'\(word)' is no option")
      }
    }
    let session = Session.standard(isInteractive: true)
    session.writesJSON = writesJSON
    if isatty(0) == 1 {
      exit(await LineEditor(session: session).run())
    } else {
      exit(await Script.run(in: session))
    }
  }

  private static func refuse(_ reason: String) -> Never {
    Output.standardError.line("diple-repl: \(reason); usage: diple-repl [--library DIR] [--json]")
    Output.standardError.flush()
    exit(2)
  }
}

/// Runs the lines of a pipe or file. The exit code is that of the first line that failed, and the
/// lines after it are run all the same.
enum Script {
  static func run(in session: Session) async -> Int32 {
    var first: Int32 = 0
    while let line = readLine() {
      let code = await Interpreter.run(line, in: session)
      if code == Interpreter.quit { break }
      if first == 0 { first = code }
    }
    return first
  }
}
