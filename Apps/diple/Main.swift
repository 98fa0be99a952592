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
    case "diple-read":
      Task { @MainActor in await ReaderProgram.main() }
      dispatchMain()
    default: runCommand()
    }
  }

  /// The one-shot command line: one command, one answer, one exit code.
  private static func runCommand() -> Never {
    // One short-lived command allocates on several threads in turn, never at once: one arena that
    // grows in large steps saves hundreds of calls into the kernel.
    mallopt(M_ARENA_MAX, 1)
    mallopt(M_TOP_PAD, 16 << 20)
    signal(SIGPIPE, SIG_IGN)  // `Output` sees the closed pipe and ends in silence.
    let words = Array(CommandLine.arguments.dropFirst())
    // The main thread waits here: handing it to the dispatcher would unwind its whole stack first,
    // which in a static program takes longer than most commands.
    let done = DispatchSemaphore(value: 0)
    nonisolated(unsafe) var code: Int32 = 0
    Task.detached {
      code = await Diple.run(words, in: .standard())
      done.signal()
    }
    done.wait()
    exit(code)
  }
}
