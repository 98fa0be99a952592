import CMalloc
import Commands
import Console
import Dispatch
import Glibc

/// The one-shot command line: one command, one answer, one exit code.
@main
enum Main {
  static func main() {
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
