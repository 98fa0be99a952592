import FoundationEssentials
import Interchange
import SystemSupport
import Workspace

/// The annotations of a PDF file. `diple-pdf` reads them, and its output is validated like that of
/// an untrusted program.
enum PDFFile {
  /// Whether data begins like a PDF file.
  static func isOne(_ data: [UInt8]) -> Bool { data.starts(with: "%PDF-".utf8) }

  /// Returns the JSON of `PDFAnnotationList`, which the importer of PDF annotations reads.
  ///
  /// - Throws: `UserError` with the reason why there is no result: the error that the program
  ///   reports; `notFound` if the program or Poppler is missing; `plugin` if the output is invalid
  ///   or the program does not finish in time.
  static func annotations(in data: [UInt8], at path: String) async throws(UserError) -> [UInt8] {
    do {
      let folder = try TemporaryFolder("pdf")
      // Read a copy, because the file may change meanwhile.
      try folder.write(data, to: copyName)
      let order = PDFOrder(folder.path.appending(copyName))
      try folder.write(try JSONEncoder().encode(order), to: PDFOrder.fileName)
      try await ReadingProgram.pdf.run(in: folder.path, seconds: PDFOrder.seconds)
      guard let answer = try folder.content(of: PDFAnswer.fileName, limit: PDFAnswer.sizeLimit)
      else { throw ReadingProgram.pdf.failure("it returned no result") }
      let found = try JSONDecoder().decode(PDFAnswer.self, from: Data(answer))
      if let problem = found.problem {
        throw UserError(
          UserError.Code(rawValue: problem.code) ?? .plugin,
          problem.message.replacing(order.path, with: path.isEmpty ? "this" : path),
          hint: problem.hint.map { Hint($0) })
      }
      guard let list = found.list, isPossible(list) else {
        throw ReadingProgram.pdf.failure("its result is not valid")
      }
      return Array(try JSONEncoder().encode(list))
    } catch let error as UserError {
      throw error
    } catch { throw ReadingProgram.pdf.failure("\(error)") }
  }

  private static let copyName = "file.pdf"

  private static func isPossible(_ list: PDFAnnotationList) -> Bool {
    list.format == PDFAnnotationList.format
      && list.annotations.count <= PDFAnnotationList.mostAnnotations
      && list.annotations.allSatisfy { !$0.quote.isEmpty && $0.color.utf8.count <= 7 }
  }
}
