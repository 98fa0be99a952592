import CMalloc
import Commands
import Console
import DaemonProgram
import Dispatch
import Glibc
import ReaderProgram

/// The programs that are one file: each name is a link to it, so that the Swift runtime and all
/// that they share are there once.
@main
enum Main {
  static func main() {
    switch CommandLine.arguments.first.map({ $0.split(separator: "/").last ?? "" }) {
    case "dipled": DaemonProgram.main()
    case "diple-read": wait { await ReaderProgram.main() }
    default: runCommand()
    }
  }

  /// Runs work that ends the process, while the main thread waits. `dispatchMain` would unwind the
  /// stack of that thread; the released program has no tables for that, and would abort.
  private static func wait(for work: @escaping @Sendable () async -> Never) -> Never {
    Task.detached { await work() }
    DispatchSemaphore(value: 0).wait()
    fatalError("nothing signals it")
  }

  /// The one-shot command line: one command, one answer, one exit code.
  private static func runCommand() -> Never {
    // One short-lived command allocates on several threads in turn, never at once: one arena that
    // grows in large steps saves hundreds of calls into the kernel.
    mallopt(M_ARENA_MAX, 1)
    mallopt(M_TOP_PAD, 16 << 20)
    signal(SIGPIPE, SIG_IGN)  // `Output` sees the closed pipe and ends in silence.
    let words = Array(CommandLine.arguments.dropFirst())
    wait { exit(await Diple.run(words, in: .standard())) }
  }
}
