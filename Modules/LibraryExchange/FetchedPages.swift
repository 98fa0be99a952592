import FoundationEssentials
import Glibc
package import Interchange
import Model
import RichText
package import SystemSupport
import Workspace

/// The output of `diple-fetch` for a web page or a book: Markdown files and pictures in a temporary
/// folder.
///
/// The output is validated like that of an untrusted program. The folder is deleted with the last
/// copy of this value.
package struct FetchedPages: Sendable {
  /// A fetched file: the name to store it under, and its name in the temporary folder.
  struct File: Sendable {
    var name: String
    var source: String
  }

  /// Whether the source is a book.
  package let isBook: Bool
  /// Whether the files are stored in a dedicated folder: those of a book, unless it is one text
  /// without pictures.
  var isFolder: Bool { isBook && (texts.count > 1 || !pictures.isEmpty) }
  /// The source's own metadata, such as its title and address.
  package let origin: FetchAnswer.Origin
  /// Descriptions of omitted content, at most 20. If there were more, a last line has their number.
  package let warnings: [String]
  let texts: [File]
  let pictures: [File]
  /// The highlights of the texts, in the same order.
  let highlights: [[FetchAnswer.Highlight]]
  /// The number of highlights that Diple exported with the text, and of those with a note.
  package var highlightCounts: (all: Int, withNotes: Int) {
    let all = highlights.joined().map {
      RichDocument.Highlight(range: 0..<0, comment: AttributedText($0.comment))
    }
    return (all.count, all.count { $0?.note.isEmpty == false })
  }

  /// The titles of the texts, in the same order.
  let titles: [String]
  private let folder: TemporaryFolder

  /// The maximum number of warnings to keep.
  private static let mostWarnings = 20

  /// The name of a text's file in the temporary folder.
  private static let textFile = "page.html"

  /// Returns whether a text is the source of a web page: its first element is `html`, or its
  /// document type.
  package static func isPage(_ text: String) -> Bool {
    var rest = text.prefix(1024).drop { $0.isWhitespace || $0 == "\u{FEFF}" }
    while let end = rest.hasPrefix("<?") ? "?>" : rest.hasPrefix("<!--") ? "-->" : nil {
      guard let range = rest.firstRange(of: end) else { return false }
      rest = rest[range.upperBound...].drop(while: \.isWhitespace)
    }
    let words = rest.prefix(16).lowercased()
    return words.hasPrefix("<!doctype html") || words.hasPrefix("<html>")
      || words.hasPrefix("<html ")
  }

  /// Runs `diple-fetch` to convert the source of a web page that has no file. See `init(_:)`.
  package init(text: String, isWhole: Bool, seconds: Int) async throws(UserError) {
    try await self.init(
      FetchOrder(
        .text(Self.textFile), isWhole: isWhole, allowsPrivate: false, seconds: seconds),
      text: text)
  }

  /// Runs `diple-fetch` to download and convert a page or a book.
  ///
  /// - Throws: `UserError` with the reason why there is no result: the error that the program
  ///   reports; `notFound` if the program or its libraries are not installed; `plugin` if its
  ///   output is invalid or it does not finish in time.
  package init(_ order: FetchOrder) async throws(UserError) {
    try await self.init(order, text: nil)
  }

  private init(_ order: FetchOrder, text: String?) async throws(UserError) {
    do {
      folder = try TemporaryFolder("fetch")
      if let text { try folder.write(Data(text.utf8), to: Self.textFile) }
      try folder.write(try JSONEncoder().encode(order), to: FetchOrder.fileName)
      try await ReadingProgram.fetch.run(
        in: folder.path, seconds: order.seconds + FetchOrder.readingSeconds)
      guard let bytes = try folder.content(of: FetchAnswer.fileName, limit: FetchAnswer.sizeLimit)
      else { throw ReadingProgram.fetch.failure("it returned no result") }
      let answer = try JSONDecoder().decode(FetchAnswer.self, from: Data(bytes))
      if let problem = answer.problem {
        throw UserError(
          UserError.Code(rawValue: problem.code) ?? .plugin, problem.message,
          hint: problem.hint.map { Hint($0) })
      }
      (isBook, origin) = (answer.isBook, answer.origin)
      var warnings = Array(answer.warnings.prefix(Self.mostWarnings))
      if answer.warnings.count > warnings.count {
        warnings.append("\(answer.warnings.count - warnings.count) more")
      }
      self.warnings = warnings
      texts = answer.texts.map { File(name: $0.name, source: $0.file) }
      titles = answer.texts.map(\.title)
      highlights = answer.texts.map { $0.highlights ?? [] }
      pictures = answer.pictures.map { File(name: $0.name, source: $0.file) }
    } catch let error as UserError {
      throw error
    } catch { throw ReadingProgram.fetch.failure("\(error)") }
    try check()
  }

  /// Rejects file names with path separators or wrong extensions, and more files than allowed.
  ///
  /// - Throws: `plugin` with the reason.
  private func check() throws(UserError) {
    guard isBook ? !texts.isEmpty : texts.count == 1 && pictures.isEmpty,
      texts.count <= FetchAnswer.mostTexts, pictures.count <= FetchAnswer.mostPictures
    else {
      throw ReadingProgram.fetch.failure(
        """
        it returned a wrong number of files: \(texts.count.counted("text")), \
        \(pictures.count.counted("picture"))
        """)
    }
    var names: Set<String> = []
    for (files, endings) in [(texts, ["md"]), (pictures, ["png", "jpg", "gif", "webp"])] {
      for file in files {
        let isName =
          !file.name.hasPrefix(".") && file.name.utf8.count <= 200
          && file.name.unicodeScalars.allSatisfy {
            $0 != "/" && $0.properties.generalCategory != .control
          }
        let ending = file.name.split(separator: ".").last.map { String($0) } ?? ""
        guard isName, endings.contains(ending), !file.source.contains("/"),
          names.insert(endings[0] + file.name).inserted
        else {
          throw ReadingProgram.fetch.failure("'\(file.name.prefix(200))' is not a valid file name")
        }
      }
    }
  }

  /// Reads a fetched file.
  ///
  /// - Throws: `plugin` if the file is missing, too large, or is a text that is not valid UTF-8.
  func content(of file: File, isText: Bool) throws(UserError) -> [UInt8] {
    do throws(SystemCallError) {
      let limit = isText ? FetchAnswer.textLimit : FetchAnswer.pictureLimit
      guard let bytes = try folder.content(of: file.source, limit: limit) else {
        throw SystemCallError(2)
      }
      guard !isText || String(validating: bytes, as: UTF8.self) != nil else {
        throw SystemCallError(84)
      }
      return bytes
    } catch { throw ReadingProgram.fetch.failure("\(file.name): \(error)") }
  }
}
