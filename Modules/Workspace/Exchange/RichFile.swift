import Converting
import Glibc
import Model
import RichMarkdown
package import RichText
import RichTextFormats
package import SystemSupport

/// A file of a word processor, read: a text with its format.
package struct RichFile: Sendable {
  /// What it is called: its name without the ending.
  package let title: String
  /// What it holds.
  package let document: RichDocument

  /// The endings of the files that are read, and by what: Diple itself, or LibreOffice.
  private static let kinds: [String: OfficeFormat?] = [
    "rtf": nil, "json": nil, "docx": .docx, "odt": .odt,
  ]

  /// The largest file that is read, in bytes.
  package static let sizeLimit = 256 << 20

  /// Whether a file is one of a word processor, by its ending.
  package static func isOne(_ path: String) -> Bool {
    let ending = path.lastComponent.split(separator: ".").dropFirst().last?.lowercased() ?? ""
    guard kinds[ending] != nil, (try? FileSystem.status(of: path))?.isFolder == false else {
      return false
    }
    return true
  }

  /// Reads a file.
  ///
  /// - Throws: `usage` for a file of another kind than its ending says, `notFound` when LibreOffice is
  ///   needed and not installed.
  package init(reading path: String) async throws(UserError) {
    var document = try await Self.document(in: path)
    // What another program takes for a link may be a program or a file of this user's.
    document.removeUnsafeLinks()
    self.document = document
    let name = path.lastComponent
    let ending = name.split(separator: ".").dropFirst().last?.lowercased() ?? ""
    title = String(name.dropLast(ending.isEmpty ? 0 : ending.count + 1))
  }

  private static func document(in path: String) async throws(UserError) -> RichDocument {
    let name = path.lastComponent
    let ending = name.split(separator: ".").dropFirst().last?.lowercased() ?? ""
    var bytes: [UInt8]
    do { bytes = try Descriptor.contentOfRegularFile(path, limit: sizeLimit) } catch {
      guard error.number == EFBIG else {
        throw FileSystem.systemError("read", path, number: error.number)
      }
      throw UserError(
        .usage, "\(name.oneLine) is too large: at most \(sizeLimit >> 20) MiB are read",
        hint: "split it")
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
    do { return try form.document(of: bytes) } catch {
      throw UserError(.usage, "\(name.oneLine): \(error)")
    }
  }
}

extension RichDocument {
  /// Returns the document as Markdown, with the usual format as its defaults.
  ///
  /// - Parameter renamed: new ids of styles.
  func conversion(
    _ options: MarkdownConversion.Options, renaming renamed: [StyleID: StyleID] = [:]
  ) -> MarkdownConversion {
    var rich = self
    rich.text.gatherBody()
    rich.text = rich.text.gatheringDefaults()
    rich.text.rename(renamed)
    return MarkdownConversion(rich, options)
  }
}

/// What a document is written as for word processors and readers of books.
package enum RichForm: String, Sendable, CaseIterable {
  case rtf, docx, odt, pdf, epub
  case attributed = "attributed-json"

  /// Whether it is no text that a terminal could show.
  package var isBinary: Bool { [.docx, .odt, .pdf, .epub].contains(self) }

  /// The bytes of a document in this form.
  ///
  /// - Parameters:
  ///   - markdown: the same document as Markdown, for what knows that alone.
  ///   - title: what it is called.
  /// - Throws: `notFound` when the program that is needed is not installed.
  package func bytes(
    of document: RichDocument, markdown: [UInt8], title: String
  ) async throws(UserError) -> [UInt8] {
    switch self {
    case .rtf: return RTFWriter.write(document)
    case .attributed:
      do { return Array(try document.text.json()) + [UInt8(ascii: "\n")] } catch {
        throw UserError(.conflict, "\(error)")
      }
    case .docx, .odt, .pdf:
      let format: OfficeFormat = self == .docx ? .docx : self == .odt ? .odt : .pdf
      return try await LibreOffice().convert(
        RTFWriter.write(document), from: .rtf, to: format, title: title)
    case .epub:
      return try await Pandoc().convert(markdown, from: .markdown, to: .epub, title: title)
    }
  }
}
