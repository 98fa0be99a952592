import FoundationEssentials
import Interchange
import SystemSupport
import Workspace

/// The annotations of PDF files. `diple-pdf` reads and writes them, and its output is validated like
/// that of an untrusted program.
enum PDFFile {
  /// Whether data begins like a PDF file.
  static func isOne(_ data: [UInt8]) -> Bool { data.starts(with: "%PDF-".utf8) }

  /// Returns the JSON of `PDFAnnotationList`, which the importer of PDF annotations reads.
  ///
  /// - Throws: `UserError` with the reason why there is no result: the error that the program
  ///   reports; `notFound` if the program or Poppler is missing; `plugin` if the output is invalid
  ///   or the program does not finish in time.
  static func annotations(in data: [UInt8], at path: String) async throws(UserError) -> [UInt8] {
    let answer = try await run(.pdf, on: data, at: path.isEmpty ? "this" : path).answer
    do {
      guard let list = answer.list, isPossible(list) else {
        throw ReadingProgram.pdf.failure("its result is not valid")
      }
      return Array(try JSONEncoder().encode(list))
    } catch let error as UserError {
      throw error
    } catch { throw ReadingProgram.pdf.failure("\(error)") }
  }

  /// Returns a PDF file with highlights, and the number of those that are on no page of it.
  ///
  /// - Throws: the errors of ``annotations(in:at:)``.
  static func writing(_ marking: PDFMarking, into data: [UInt8]) async throws(UserError) -> (
    bytes: [UInt8], unplaced: Int
  ) {
    if marking.marks.isEmpty { return (data, 0) }
    let (answer, file) = try await run(.pdfMarks, on: data, at: "the file", marking)
    guard let unplaced = answer.unplaced, let file, isOne(file) else {
      throw ReadingProgram.pdfMarks.failure("its result is not valid")
    }
    return (file, unplaced)
  }

  /// Runs `diple-pdf` on a file.
  ///
  /// - Parameters:
  ///   - path: the name of the file for messages.
  ///   - marking: the highlights to write; nil to read annotations.
  /// - Returns: the answer, and the file with the highlights if it was written.
  private static func run(
    _ program: ReadingProgram, on data: [UInt8], at path: String, _ marking: PDFMarking? = nil
  ) async throws(UserError) -> (answer: PDFAnswer, marked: [UInt8]?) {
    do {
      let folder = try TemporaryFolder("pdf")
      // Read a copy, because the file may change meanwhile.
      try folder.write(data, to: copyName)
      let order = PDFOrder(folder.path.appending(copyName), marking: marking)
      try folder.write(try JSONEncoder().encode(order), to: PDFOrder.fileName)
      try await program.run(in: folder.path, seconds: PDFOrder.seconds)
      guard let answer = try folder.content(of: PDFAnswer.fileName, limit: PDFAnswer.sizeLimit)
      else { throw program.failure("it returned no result") }
      let found = try JSONDecoder().decode(PDFAnswer.self, from: Data(answer))
      if let problem = found.problem {
        throw UserError(
          UserError.Code(rawValue: problem.code) ?? .plugin,
          problem.message.replacing(order.path, with: path),
          hint: problem.hint.map { Hint($0) })
      }
      let marked =
        marking == nil
        ? nil : try folder.content(of: PDFOrder.markedName, limit: PDFOrder.markedLimit)
      return (found, marked)
    } catch let error as UserError {
      throw error
    } catch { throw program.failure("\(error)") }
  }

  private static let copyName = "file.pdf"

  private static func isPossible(_ list: PDFAnnotationList) -> Bool {
    list.format == PDFAnnotationList.format
      && list.annotations.count <= PDFAnnotationList.mostAnnotations
      && list.annotations.allSatisfy { !$0.quote.isEmpty && $0.color.utf8.count <= 7 }
  }
}
