import Commands
import Glibc

/// The one-shot command line: one command, one answer, one exit code.
@main
enum Main {
  static func main() async {
    signal(SIGPIPE, SIG_IGN)  // `Output` sees the closed pipe and ends in silence.
    let words = Array(CommandLine.arguments.dropFirst())
    exit(await Diple.run(words, in: .standard()))
  }
}
