import Commands
import Glibc

/// The line editor: the commands of `diple` without the first word, and a current document.
@main
enum Main {
  static func main() async {
    signal(SIGPIPE, SIG_IGN)
    var arguments = CommandLine.arguments.dropFirst()
    if let flag = arguments.first, flag == "--library", arguments.count == 2 {
      setenv("DIPLE_LIBRARY", arguments.removeLast(), 1)
      arguments.removeFirst()
    }
    if arguments.first == "-h" || arguments.first == "--help" {
      print(
        "usage: diple-repl [--library DIR]\n\nType `help` for the commands. A pipe is a script.")
      exit(0)
    }
    guard arguments.isEmpty else {
      let words = arguments.joined(separator: " ")
      let session = Session.standard()
      session.errors.line("diple-repl: '\(words)' is no option")
      session.errors.flush()
      exit(2)
    }
    let session = Session.standard(isInteractive: true)
    if isatty(0) == 1 {
      exit(await LineEditor(session: session).run())
    } else {
      exit(await Script.run(in: session))
    }
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
