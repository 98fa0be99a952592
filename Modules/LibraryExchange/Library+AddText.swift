import Files
import Glibc
import MarkdownParse
import Model
package import SystemSupport
package import Workspace

/// A text without a file, such as pasted prose, that becomes a Markdown file of the library.
package struct PastedText: Sendable {
  /// The title: the given one, that of the text, or its first words.
  package let title: String
  /// The content of the file.
  let content: String

  /// The maximum length of a text in UTF-8 bytes. It is that of a document's file.
  package static let sizeLimit = Int(SourceFile.sizeLimit)
  /// The maximum length of a title made of the first words, in characters.
  private static let longestTitle = 60

  /// Prepares a file. If a title is given and the text has another or none, the title becomes a
  /// heading above the text, after its front matter.
  ///
  /// - Throws: `nothing` if the text is empty; `usage` if the title is, or the front matter has
  ///   another one.
  package init(_ text: String, title: String? = nil) throws(UserError) {
    guard text.contains(where: { !$0.isWhitespace }) else {
      throw UserError(.nothing, "there is no text to add")
    }
    if let signature = FileSignature(of: Array(text.utf8.prefix(16))) {
      throw UserError(
        .usage, "this is \(signature.kind), not text", hint: signature.hint(for: "-"))
    }
    let source = MarkdownSource(text)
    let parsed = ParsedDocument(parsing: source)
    let own = DocumentTitle.of(parsed, path: DocumentPath(""))
    var content = text
    if let title {
      guard !title.oneLine.isEmpty else {
        throw UserError(.usage, "the title is empty").about("title")
      }
      self.title = title.oneLine
      if own != self.title {
        let front = parsed.blocks.first { $0.kind == .frontMatter }
        let heading = "# \(MarkdownEscaping.escapingMeaning(self.title, before: 32))\n\n"
        let start = front?.source.bytes.upperBound ?? source.byteOrderMark
        let before = String(decoding: source.bytes[..<start], as: UTF8.self)
        let gap = front == nil ? "" : before.last?.isNewline == true ? "\n" : "\n\n"
        let rest = source.text(in: SourceRange(bytes: start..<source.bytes.count))
        content = before + gap + heading + rest.drop(while: \.isNewline)
        // The title in the front matter has priority over the heading.
        let new = ParsedDocument(parsing: MarkdownSource(content))
        if front != nil, DocumentTitle.of(new, path: DocumentPath("")) == own {
          throw UserError(.usage, "the front matter of the text has another title: \(own)")
            .about("title")
        }
      }
    } else {
      self.title = own.isEmpty ? Self.firstWords(parsed.text.string) : own
    }
    self.content = content.last?.isNewline == true ? content : content + "\n"
  }

  private static func firstWords(_ text: String) -> String {
    var title = ""
    for word in text.prefix(4 * longestTitle).oneLine.split(separator: " ") {
      guard title.count + word.count < longestTitle else { break }
      title += (title.isEmpty ? "" : " ") + word
    }
    return title.isEmpty ? String(text.oneLine.prefix(longestTitle)) : title
  }
}

extension LibraryLocation {
  /// Returns the path for the file of a text. See ``place(named:ending:at:)``.
  ///
  /// - Throws: `conflict` if a file exists at the path `output`.
  package func place(for text: PastedText, at output: String?) throws(UserError) -> String {
    try place(named: text.title.fileName ?? "Text", ending: ".md", at: output)
  }
}

extension Library {
  /// Writes a text to a new file and adds it to the library. If that fails, the file is deleted
  /// again.
  ///
  /// - Parameter place: a path of ``LibraryLocation/place(for:at:)``.
  /// - Throws: `notFound` if the path is outside of the library's folder, or cannot be written;
  ///   `conflict` if the disk is full or read-only; otherwise the problem of adding the file.
  package func add(_ text: PastedText, at place: String) throws(UserError) -> AddReport {
    _ = try location.file(of: location.documentPath(place))
    do throws(SystemCallError) {
      try FileSystem.makeFolders(place.parentFolder)
      try AtomicReplacement(of: place, with: Array(text.content.utf8)).commitNew()
      AtomicReplacement.finish([place])
    } catch { throw FileSystem.systemError("write", place, number: error.number) }
    do {
      let report = try add([place])
      if report.additions.isEmpty, let problem = report.problems.first { throw problem }
      return report
    } catch {
      unlink(place)
      throw error as? UserError ?? UserError(.conflict, "\(error)")
    }
  }
}
