import FoundationEssentials
import Glibc
import Interchange
import SystemSupport
import TextRecognition

// Recognises the words of a picture for `diple import`. It is a separate program, so that no other
// program loads Tesseract, and untrusted pictures are decoded with resource limits.

/// Limits the resources of this process: memory, file sizes, and processor and real time.
func limitResources() {
  func lower(_ resource: __rlimit_resource, to value: UInt) {
    var limit = rlimit(rlim_cur: value, rlim_max: value)
    setrlimit(__rlimit_resource_t(resource.rawValue), &limit)
  }
  lower(RLIMIT_AS, to: 2 << 30)
  lower(RLIMIT_CORE, to: 0)
  lower(RLIMIT_FSIZE, to: UInt(ScanAnswer.sizeLimit))
  lower(RLIMIT_CPU, to: UInt(ScanOrder.seconds))
  alarm(UInt32(ScanOrder.seconds))
}

func scan(in folder: String) throws {
  let path = folder.appending(ScanOrder.fileName)
  guard let bytes = try PrivateFile.content(of: path, limit: ScanOrder.sizeLimit) else {
    throw SystemCallError(ENOENT)
  }
  let order = try JSONDecoder().decode(ScanOrder.self, from: Data(bytes))
  var answer: ScanAnswer
  do throws(ScanError) {
    let recognizer = try Recognizer(languages: order.languages)
    defer { recognizer.release() }
    var page = try recognizer.page(order.path)
    page.languages = order.languages
    answer = ScanAnswer(page)
  } catch { answer = ScanAnswer(problem: error.problem) }
  try PrivateFile.make(
    folder.appending(ScanAnswer.fileName), holding: try JSONEncoder().encode(answer))
}

guard CommandLine.arguments.count == 2 else {
  _ = Descriptor.write(
    "diple-ocr: this program is for `diple import`; see `diple import --help`\n".utf8, to: 2)
  exit(2)
}
// More threads are slower for a single page. The library reads this variable when it is loaded, so
// the program must be restarted.
if getenv("OMP_THREAD_LIMIT") == nil {
  setenv("OMP_THREAD_LIMIT", "1", 1)
  _ = Program("/proc/self/exe", [CommandLine.arguments[1]], called: "diple-ocr")
    .replaceThisProcess()
}
limitResources()
// Both libraries print errors that the answer contains already.
let null = open("/dev/null", O_WRONLY | O_CLOEXEC)
dup2(null, 2)
do { try scan(in: CommandLine.arguments[1]) } catch { exit(6) }
