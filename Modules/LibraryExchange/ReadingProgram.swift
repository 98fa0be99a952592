import Glibc
import SystemSupport

/// A program that reads untrusted content in a separate process with limited resources. Only it
/// links the libraries for this content.
struct ReadingProgram {
  static let fetch = ReadingProgram(
    name: "diple-fetch", purpose: "it reads web pages and books",
    requirement: "reading web pages and books needs libraries that are not installed",
    packages: "libcurl4 libgumbo1 libzip4", consequence: "nothing was added",
    remedy: "it may need more than 1 GiB of memory: add a smaller or simpler page")
  static let ocr = ReadingProgram(
    name: "diple-ocr", purpose: "it reads the words of pictures",
    requirement: "reading pictures needs Tesseract, which is not installed",
    packages: "libtesseract5 tesseract-ocr-eng", consequence: "nothing was imported",
    remedy: "it may need more than 2 GiB of memory: scale the picture down")
  static let pdf = ReadingProgram(
    name: "diple-pdf", purpose: "it reads the annotations of PDF files",
    requirement: "reading PDF files needs Poppler and qpdf, which are not installed",
    packages: "libpoppler-glib8 libqpdf29", consequence: "nothing was imported",
    remedy: "it may need more than 2 GiB of memory: split the file")
  static let pdfMarks = ReadingProgram(
    name: "diple-pdf", purpose: "it writes highlights into PDF files",
    requirement: "highlights in PDF files need Poppler and qpdf, which are not installed",
    packages: "libpoppler-glib8 libqpdf29", consequence: "nothing was written",
    remedy: "it may need more than 2 GiB of memory: export fewer documents at a time")

  let name: String
  /// The program's purpose, for the error if the program is not installed.
  let purpose: String
  /// The error if its libraries are not installed.
  let requirement: String
  /// The Debian packages of its libraries.
  let packages: String
  /// The effect of a failure on the library.
  let consequence: String
  /// The hint if a signal ended the program, as happens if it exceeds the limit of memory.
  let remedy: String

  /// Runs the program for the request in a folder. The program limits its own running time; the
  /// limit of this function is for the case that it hangs.
  ///
  /// - Throws: `notFound` if the program or its libraries are not installed; `plugin` if it fails
  ///   or does not finish in time.
  func run(in folder: String, seconds: Int) async throws(UserError) {
    let running: RunningProgram
    do throws(Program.StartError) {
      running = try Program.sibling(name, [folder]).start()
    } catch {
      var problem = error.userError
      problem.message += " (\(purpose))"
      throw problem
    }
    switch await running.exitCode(within: seconds + 5) {
    case 0: return
    case 127: throw UserError(.notFound, requirement, hint: "sudo apt-get install \(packages)")
    case 128 + SIGALRM, 128 + SIGXCPU, 128 + SIGKILL:
      throw failure("it took longer than \(seconds) s")
    case let code:
      var problem = failure("\(Program.ending(code)), so \(consequence)")
      if code > 128 { problem.hint = Hint(remedy) }
      throw problem
    }
  }

  /// Returns a `plugin` error that begins with the program's name.
  func failure(_ reason: String) -> UserError { UserError(.plugin, "\(name): \(reason)") }
}
