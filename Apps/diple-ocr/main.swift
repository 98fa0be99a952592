import FoundationEssentials
import Glibc
import Interchange
import SystemSupport
import TextRecognition

// Recognises the words of a picture for `diple import`. It is a separate program, so that no other
// program loads Tesseract, and untrusted pictures are decoded with resource limits.

let program = HelperProgram("diple-ocr", for: "diple import")

func scan() throws {
  let bytes = try program.content(of: ScanOrder.fileName, limit: ScanOrder.sizeLimit)
  let order = try JSONDecoder().decode(ScanOrder.self, from: Data(bytes))
  var answer: ScanAnswer
  do throws(ScanError) {
    let recognizer = try Recognizer(languages: order.languages)
    defer { recognizer.release() }
    var page = try recognizer.page(order.path)
    page.languages = order.languages
    answer = ScanAnswer(page)
  } catch { answer = ScanAnswer(problem: error.problem) }
  try program.write(try JSONEncoder().encode(answer), to: ScanAnswer.fileName)
}

// More threads are slower for a single page. The library reads this variable when it is loaded, so
// the program must be restarted.
if getenv("OMP_THREAD_LIMIT") == nil {
  setenv("OMP_THREAD_LIMIT", "1", 1)
  _ = Program("/proc/self/exe", [program.folder], called: "diple-ocr")
    .replaceThisProcess()
}
HelperProgram.limitResources(
  memory: 2 << 30, file: ScanAnswer.sizeLimit, seconds: ScanOrder.seconds)
// Both libraries print errors that the answer contains already.
let null = open("/dev/null", O_WRONLY | O_CLOEXEC)
dup2(null, 2)
do { try scan() } catch { exit(6) }
