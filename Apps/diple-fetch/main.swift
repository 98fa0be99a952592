import FoundationEssentials
import Glibc
import Interchange
import PageFetching
import SystemSupport

// Fetches and converts web pages and books for `diple add`. It is a separate program, so that
// untrusted content is parsed with resource limits, and no other program loads the libraries for
// it.

let program = HelperProgram("diple-fetch", for: "diple add")

func write(_ answer: FetchAnswer) throws {
  try program.write(try JSONEncoder().encode(answer), to: FetchAnswer.fileName)
}

func fetch() throws {
  let bytes = try program.content(of: FetchOrder.fileName, limit: FetchOrder.sizeLimit)
  let order = try JSONDecoder().decode(FetchOrder.self, from: Data(bytes))
  HelperProgram.limitResources(
    memory: 1 << 30, file: 512 << 20, seconds: order.seconds + FetchOrder.readingSeconds,
    descriptors: 64)
  let fetcher = Fetcher(order, in: program.folder) { memory, problem in
    guard let answer = try? JSONEncoder().encode(FetchAnswer(problem: problem.problem)) else {
      return
    }
    program.limitMemory(to: memory, orAnswer: Array(answer), in: FetchAnswer.fileName)
  } giveUp: { problem in
    try? write(FetchAnswer(problem: problem.problem))
    _exit(0)
  }
  let result: FetchAnswer
  do throws(FetchError) { result = try fetcher.run() } catch {
    result = FetchAnswer(problem: error.problem)
  }
  try write(result)
}

// The runtime prints the reason before a signal ends this program, and `diple` reports that signal.
let errors = fcntl(2, F_DUPFD_CLOEXEC, 3)
let null = open("/dev/null", O_WRONLY | O_CLOEXEC)
if null >= 0 { dup2(null, 2) }
do { try fetch() } catch {
  _ = Descriptor.write("diple-fetch: \(error)\n".utf8, to: errors)
  exit(6)
}
