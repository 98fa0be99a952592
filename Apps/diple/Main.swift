import CMalloc
import Commands
import Glibc

/// The one-shot command line: one command, one answer, one exit code.
@main
enum Main {
  static func main() async {
    // One short-lived command allocates on several threads in turn, never at once: one arena that
    // grows in large steps saves hundreds of calls into the kernel.
    mallopt(M_ARENA_MAX, 1)
    mallopt(M_TOP_PAD, 16 << 20)
    signal(SIGPIPE, SIG_IGN)  // `Output` sees the closed pipe and ends in silence.
    let words = Array(CommandLine.arguments.dropFirst())
    exit(await Diple.run(words, in: .standard()))
  }
}
