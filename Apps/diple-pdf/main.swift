import FoundationEssentials
import Glibc
import Interchange
import PDFReading
import SystemSupport

// Reads the annotations of a PDF file for `diple import`, and writes highlights into one for
// `diple export`. It is a separate program, so that no other program loads Poppler and qpdf, and
// untrusted files are read with resource limits.

let program = HelperProgram("diple-pdf", for: "diple import")

func read() throws {
  let bytes = try program.content(of: PDFOrder.fileName, limit: PDFOrder.sizeLimit)
  let order = try JSONDecoder().decode(PDFOrder.self, from: Data(bytes))
  var answer: PDFAnswer
  do throws(PDFError) {
    if let marking = order.marking {
      let output = program.folder + "/" + PDFOrder.markedName
      answer = PDFAnswer(unplaced: try PDFMarker.write(marking, into: order.path, to: output))
    } else {
      answer = PDFAnswer(try PDFReader.annotations(of: order.path))
    }
  } catch {
    answer = PDFAnswer(problem: error.problem)
  }
  try program.write(try JSONEncoder().encode(answer), to: PDFAnswer.fileName)
}

HelperProgram.limitResources(
  memory: 2 << 30, file: max(PDFAnswer.sizeLimit, PDFOrder.markedLimit),
  seconds: PDFOrder.seconds)
// Poppler and qpdf print errors that the answer contains already.
let null = open("/dev/null", O_WRONLY | O_CLOEXEC)
dup2(null, 2)
do { try read() } catch { exit(6) }
