import FoundationEssentials
import Glibc
import Interchange
import PageFetching
import SystemSupport

// Fetches and converts web pages and books for `diple add`. It is a separate program, so that
// untrusted content is parsed with resource limits, and no other program loads the libraries for
// it.

/// Limits the resources of this process: memory, file sizes, open files, and processor and real
/// time.
///
/// - Parameter seconds: the maximum processor and real time.
func limitResources(seconds: Int) {
  func lower(_ resource: __rlimit_resource, to value: UInt) {
    var limit = rlimit(rlim_cur: value, rlim_max: value)
    setrlimit(__rlimit_resource_t(resource.rawValue), &limit)
  }
  lower(RLIMIT_AS, to: 1 << 30)
  lower(RLIMIT_CORE, to: 0)
  lower(RLIMIT_FSIZE, to: 512 << 20)
  lower(RLIMIT_CPU, to: UInt(seconds))
  lower(RLIMIT_NOFILE, to: 64)
  alarm(UInt32(seconds))
}

func answer(_ answer: FetchAnswer, in folder: String) throws {
  try PrivateFile.make(
    folder.appending(FetchAnswer.fileName), holding: try JSONEncoder().encode(answer))
}

func fetch(in folder: String) throws {
  let path = folder.appending(FetchOrder.fileName)
  guard let bytes = try PrivateFile.content(of: path, limit: FetchOrder.sizeLimit) else {
    throw SystemCallError(ENOENT)
  }
  let order = try JSONDecoder().decode(FetchOrder.self, from: Data(bytes))
  limitResources(seconds: order.seconds + FetchOrder.readingSeconds)
  let fetcher = Fetcher(order, in: folder) { problem in
    try? answer(FetchAnswer(problem: problem.problem), in: folder)
    _exit(0)
  }
  let result: FetchAnswer
  do throws(FetchError) { result = try fetcher.run() } catch {
    result = FetchAnswer(problem: error.problem)
  }
  try answer(result, in: folder)
}

guard CommandLine.arguments.count == 2 else {
  _ = Descriptor.write(
    "diple-fetch: this program is for `diple add`; see `diple add --help`\n".utf8, to: 2)
  exit(2)
}
// The runtime prints the reason before a signal ends this program, and `diple` reports that signal.
let errors = fcntl(2, F_DUPFD_CLOEXEC, 3)
let null = open("/dev/null", O_WRONLY | O_CLOEXEC)
if null >= 0 { dup2(null, 2) }
do { try fetch(in: CommandLine.arguments[1]) } catch {
  _ = Descriptor.write("diple-fetch: \(error)\n".utf8, to: errors)
  exit(6)
}
