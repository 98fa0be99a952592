import CMalloc
import Commands
import Console
import DaemonProgram
import Dispatch
import Glibc
import ReaderProgram

/// The entry point of several programs in one executable. Each program's name is a link to it, so
/// that the Swift runtime and the shared code are stored only once.
@main
enum Main {
  static func main() {
    switch CommandLine.arguments.first.map({ $0.split(separator: "/").last ?? "" }) {
    case "dipled": DaemonProgram.main()
    case "diple-read": wait { await ReaderProgram.main() }
    default: runCommand()
    }
  }

  /// Runs a closure that ends the process, while the main thread waits. `dispatchMain` would unwind
  /// the thread's stack. The released program has no unwind tables and would abort.
  private static func wait(for work: @escaping @Sendable () async -> Never) -> Never {
    Task.detached { await work() }
    DispatchSemaphore(value: 0).wait()
    fatalError("nothing signals it")
  }

  /// Runs a single command and exits with its code.
  private static func runCommand() -> Never {
    // A short command allocates on several threads one after the other, never at once. A single
    // arena that grows in large steps saves hundreds of system calls.
    mallopt(M_ARENA_MAX, 1)
    mallopt(M_TOP_PAD, 16 << 20)
    signal(SIGPIPE, SIG_IGN)  // `Output` detects a closed pipe and exits silently.
    let words = Array(CommandLine.arguments.dropFirst())
    wait { exit(await Diple.run(words, in: .standard())) }
  }
}
