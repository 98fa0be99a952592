import FoundationEssentials
import Glibc
package import Interchange
package import SystemSupport
import Workspace

/// A picture of a page with the words that `diple-ocr` recognised. The output is validated like
/// that of an untrusted program.
package struct ScannedPicture: Sendable {
  /// The recognised words; at least one.
  package let page: ScannedPage
  /// The picture's bytes and file name.
  let bytes: [UInt8]
  let name: String

  /// Runs `diple-ocr` to recognise the words of a picture.
  ///
  /// - Parameters:
  ///   - path: a PNG, JPEG, TIFF or WebP file.
  ///   - languages: the languages in Tesseract's notation, such as `eng+deu`.
  /// - Throws: `UserError` with the reason why there is no result: the error that the program
  ///   reports; `notFound` if the file, the program or Tesseract is missing; `plugin` if the output
  ///   is invalid or the program does not finish in time.
  package init(reading path: String, languages: String) async throws(UserError) {
    let path = FileSystem.absolute(path)
    do throws(SystemCallError) {
      bytes = try Descriptor.contentOfRegularFile(path, limit: ScanOrder.pictureLimit)
    } catch {
      let reason =
        error.number == EFBIG
        ? "it is larger than \(ScanOrder.pictureLimit >> 20) MiB" : error.description
      throw UserError(.notFound, "cannot read \(path): \(reason)")
    }
    name = String(path.lastComponent)
    do {
      let folder = try TemporaryFolder("ocr")
      // Read a copy, because the file may change meanwhile.
      try folder.write(bytes, to: Self.copyName)
      let order = ScanOrder(folder.path.appending(Self.copyName), languages: languages)
      try folder.write(try JSONEncoder().encode(order), to: ScanOrder.fileName)
      try await ReadingProgram.ocr.run(in: folder.path, seconds: ScanOrder.seconds)
      guard let answer = try folder.content(of: ScanAnswer.fileName, limit: ScanAnswer.sizeLimit)
      else { throw ReadingProgram.ocr.failure("it returned no result") }
      let found = try JSONDecoder().decode(ScanAnswer.self, from: Data(answer))
      if let problem = found.problem {
        throw UserError(
          UserError.Code(rawValue: problem.code) ?? .plugin,
          problem.message.replacing(order.path, with: path), hint: problem.hint.map { Hint($0) })
      }
      guard let page = found.page, Self.isPossible(page) else {
        throw ReadingProgram.ocr.failure("its result is not valid")
      }
      self.page = page
    } catch let error as UserError {
      throw error
    } catch { throw ReadingProgram.ocr.failure("\(error)") }
  }

  private static let copyName = "picture"

  /// Whether a file starts with the signature of a supported picture format. O(1).
  package static func isPicture(_ path: String) -> Bool {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    var head = [UInt8](repeating: 0, count: 12)
    guard pread(descriptor, &head, head.count, 0) == head.count else { return false }
    return head.starts(with: [0x89, 0x50, 0x4E, 0x47]) || head.starts(with: [0xFF, 0xD8, 0xFF])
      || head.starts(with: [0x49, 0x49, 0x2A, 0]) || head.starts(with: [0x4D, 0x4D, 0, 0x2A])
      || head.starts(with: "RIFF".utf8) && head.dropFirst(8).starts(with: "WEBP".utf8)
  }

  /// Whether a file's name has the extension of a supported picture format.
  package static func isNamedAsPicture(_ path: String) -> Bool {
    let name = path.lastComponent
    guard let dot = name.lastIndex(of: ".") else { return false }
    return ["png", "jpg", "jpeg", "tif", "tiff", "webp"]
      .contains(name[name.index(after: dot)...].lowercased())
  }

  private static func isPossible(_ page: ScannedPage) -> Bool {
    !page.words.isEmpty && page.words.count <= ScanAnswer.mostWords
      && page.words.allSatisfy { word in
        !word.text.isEmpty && word.text.utf8.count <= 1000
          && word.text.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }
          && word.corners.count == 8 && word.corners.allSatisfy(\.isFinite)
          && (0...100).contains(word.confidence)
      }
  }
}
