package import Converting
import Glibc
import Model
import RichMarkdown
package import RichText
import RichTextFormats
package import SystemSupport
import Workspace

/// The content of a word-processor file.
///
/// ```swift
/// let file = try await RichFile(reading: "/home/ann/Essay.docx")
/// let losses = file.document.losses
/// ```
package struct RichFile: Sendable {
  /// The file's name without its extension.
  package let title: String
  /// The text with its formatting.
  package let document: RichDocument
  /// Whether Diple wrote the file.
  let isOwn: Bool

  /// The extensions of supported files. The value is the format that LibreOffice converts; nil if
  /// Diple reads the file without LibreOffice.
  private static let kinds: [String: OfficeFormat?] = [
    "rtf": nil, "json": nil, "docx": .docx, "odt": .odt,
  ]

  /// The maximum size of a file in bytes.
  package static let sizeLimit = 256 << 20

  /// Whether a path is an existing file with the extension of a word processor.
  package static func isOne(_ path: String) -> Bool {
    let ending = path.lastComponent.split(separator: ".").dropFirst().last?.lowercased() ?? ""
    guard kinds[ending] != nil, (try? FileSystem.status(of: path))?.isFolder == false else {
      return false
    }
    return true
  }

  /// Reads a file.
  ///
  /// - Throws: `usage` if the file is larger than ``sizeLimit``, its content does not match the
  ///   extension, or its conversion exceeds a limit of memory or time; `plugin` if LibreOffice is
  ///   needed and not installed; another error of LibreOffice; or the system's error if the file
  ///   cannot be read.
  package init(reading path: String) async throws(UserError) {
    var (document, isOwn) = try await Self.document(in: path)
    self.isOwn = isOwn
    // Links to programs or local files could be harmful in another program.
    document.removeUnsafeLinks()
    self.document = document
    let name = path.lastComponent
    let ending = name.split(separator: ".").dropFirst().last?.lowercased() ?? ""
    title = String(name.dropLast(ending.isEmpty ? 0 : ending.count + 1))
  }

  private static func document(in path: String) async throws(UserError) -> (
    document: RichDocument, isOwn: Bool
  ) {
    let name = path.lastComponent
    let ending = name.split(separator: ".").dropFirst().last?.lowercased() ?? ""
    var bytes: [UInt8]
    do { bytes = try Descriptor.contentOfRegularFile(path, limit: sizeLimit) } catch {
      guard error.number == EFBIG else {
        throw FileSystem.systemError("read", path, number: error.number)
      }
      throw UserError(
        .usage, "\(name.oneLine) is too large: at most \(sizeLimit >> 20) MiB are read",
        hint: "split the file")
    }
    if let format = kinds[ending] ?? nil {
      do throws(UserError) {
        bytes = try await LibreOffice().convert(bytes, from: format, to: .rtf, title: "")
      } catch {
        throw UserError(error.code, "\(name.oneLine): \(error.message)", hint: error.hint)
      }
    }
    let form = ending == "json" ? RichTrial.Form.json : .rtf
    try await RichTrial.run(bytes, form, called: name.oneLine)
    do {
      return (try form.document(of: bytes), form == .json || RTFReader.isOwn(bytes))
    } catch {
      guard form == .json else { throw UserError(.usage, "\(name.oneLine): \(error)") }
      // Highlights that another program exported are JSON too.
      throw UserError(
        .usage, "\(name.oneLine) is not a formatted text that Diple wrote: \(error)",
        hint: """
          \(action: "highlight.import", [
            "from": .text("json"), "files": .list([FileSystem.shown(path)]),
          ]) reads exported highlights
          """)
    }
  }
}

extension RichFile {
  /// Returns front matter with the properties of the file, or an empty text if it has none. The
  /// title is omitted if the text begins with its own.
  func frontMatter() -> String {
    let properties = document.properties
    var lines: [String] = []
    func add(_ key: String, _ values: [String]) {
      let quoted = values.filter { !$0.isEmpty }.map { YAMLText.quoted($0) }
      if quoted.isEmpty { return }
      let value = quoted.count == 1 ? quoted[0] : "[" + quoted.joined(separator: ", ") + "]"
      lines.append("\(key): \(value)")
    }
    if !document.text.begins(withTitle: properties.title) { add("title", [properties.title]) }
    add("author", properties.authors)
    add("subject", [properties.subject])
    add("keywords", properties.keywords)
    return lines.isEmpty ? "" : "---\n" + lines.joined(separator: "\n") + "\n---\n\n"
  }
}

extension RichDocument {
  /// Returns the document as Markdown. The most frequent value of each attribute becomes the
  /// document's default format.
  ///
  /// - Parameters:
  ///   - renamed: the new id of each style to rename, by its old id.
  ///   - isOwn: whether Diple wrote the document. If it has a default format, this is the one that
  ///     the user set, and attributes with the same value were set by the user too.
  func conversion(
    _ options: MarkdownConversion.Options, renaming renamed: [StyleID: StyleID] = [:],
    isOwn: Bool = false
  ) -> MarkdownConversion {
    var rich = self
    let isComplete = isOwn && text.defaults != FormatDefaults()
    rich.text.gatherBody()
    if !isComplete { rich.text = rich.text.gatheringDefaults() }
    rich.text.rename(renamed)
    return MarkdownConversion(rich, options)
  }
}

/// A file format for exporting documents to word processors and e-book readers.
package enum RichForm: String, Sendable, CaseIterable {
  case rtf, docx, odt, pdf, epub
  case attributed = "attributed-json"

  /// Whether the format is converted from Markdown.
  package var needsMarkdown: Bool { self == .epub }

  /// Whether the format is binary, so that a terminal cannot display it.
  package var isBinary: Bool { [.docx, .odt, .pdf, .epub].contains(self) }

  /// Returns a document in this format.
  ///
  /// - Parameters:
  ///   - document: the document with its formatting.
  ///   - markdown: the same document as Markdown; only used if ``needsMarkdown``.
  ///   - title: the title of the document.
  ///   - author: its authors; empty if unknown.
  /// - Returns: the file, and the number of highlights that are on no page of it.
  /// - Throws: `plugin` if LibreOffice or Pandoc is needed and not installed, or another error of
  ///   these programs; `notFound` if the program that writes highlights into PDF files is missing;
  ///   `conflict` if the text cannot be encoded as JSON.
  package func file(
    of document: RichDocument, markdown: MarkedMarkdown, title: String, author: String = ""
  ) async throws(UserError) -> (bytes: [UInt8], unplaced: Int) {
    var document = document
    if self != .attributed { document.replaceControlCharacters() }
    var options = RTFWriter.Options()
    (options.title, options.author) = (title.oneLine, author.oneLine)
    options.isForOffice = [.docx, .odt, .pdf].contains(self)
    switch self {
    case .rtf: return (RTFWriter.write(document, options: options), 0)
    case .attributed:
      do {
        document.text.other["margins"] = document.margins?.json
        var output = InertOutput("", isJSON: true)
        output.write(String(decoding: try document.text.json(), as: UTF8.self) + "\n")
        return (Array(output.base.utf8), 0)
      } catch { throw UserError(.conflict, "\(error)") }
    case .docx, .odt:
      let format: OfficeFormat = self == .docx ? .docx : .odt
      let rtf = RTFWriter.write(document, options: options)
      return (try await LibreOffice().convert(rtf, from: .rtf, to: format, title: title), 0)
    case .pdf:
      // LibreOffice shows comments in a PDF as icons that cover the text, so another program
      // writes the highlights.
      let text = PaperText(document, options)
      let pages = try await LibreOffice().convert(text.rtf, from: .rtf, to: .pdf, title: title)
      return try await PDFFile.writing(text.marking, into: pages)
    case .epub:
      return (try await Pandoc().convert(markdown, to: .epub, title: title, author: author), 0)
    }
  }
}
