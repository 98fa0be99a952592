import Files
import Glibc
import Interchange
import MarkdownParse
package import Model
import RichMarkdown
import RichText
package import SystemSupport
package import Workspace

extension LibraryLocation {
  /// Returns the path for the file of an article or of a book of one text, or for the folder of a
  /// book. See
  /// ``place(named:ending:at:)``.
  ///
  /// - Throws: `conflict` if a file exists at the path `output`.
  package func place(for pages: FetchedPages, at output: String?) throws(UserError) -> String {
    let name = pages.isBook ? pages.bookName : String(pages.texts[0].name.dropLast(3))
    return try place(named: name, ending: pages.isFolder ? "" : ".md", at: output)
  }

  /// Returns the path for a new file or folder: the user's path, or a path in the library's folder,
  /// with a number if that path exists.
  ///
  /// - Parameters:
  ///   - stem: the name without its ending.
  ///   - ending: the ending, with its dot.
  ///   - output: the user's path; nil for none.
  /// - Returns: an absolute path at which no file exists.
  /// - Throws: `conflict` if a file exists at the user's path.
  func place(named stem: String, ending: String, at output: String?) throws(UserError) -> String {
    if let output {
      let path = FileSystem.absolute(output)
      guard !Self.isThere(path) else {
        throw UserError(.conflict, "\(output) exists", hint: "name another file with -o")
      }
      return path
    }
    let folder = root ?? self.folder
    var path = folder.appending(stem + ending)
    var number = 2
    while Self.isThere(path) {
      path = folder.appending("\(stem)-\(number)\(ending)")
      number += 1
    }
    return path
  }

  private static func isThere(_ path: String) -> Bool {
    var status = stat()
    return lstat(path, &status) == 0
  }
}

extension FetchedPages {
  /// Returns the paths and titles of the Markdown files, for a path of
  /// ``LibraryLocation/place(for:at:)``.
  package func files(at place: String) -> [(path: String, title: String)] {
    zip(texts, titles).map { (isFolder ? place.appending($0.name) : place, $1) }
  }

  /// The name of a book's folder or file, without an ending.
  fileprivate var bookName: String { origin.title.fileName ?? "Book" }
}

extension String {
  /// The title as a name for a file or folder, of at most 120 bytes; nil if it contains no usable
  /// character.
  var fileName: String? {
    let scalars = unicodeScalars.map { scalar -> Unicode.Scalar in
      let isPlain =
        scalar.properties.generalCategory != .control
        && !scalar.properties.isDefaultIgnorableCodePoint
        && !"/\\:|<>\"*?".unicodeScalars.contains(scalar)
      return isPlain ? scalar : " "
    }
    var name = String(String.UnicodeScalarView(scalars)).split(whereSeparator: \.isWhitespace)
      .joined(separator: " ")
    while name.utf8.count > 120 { name.removeLast() }
    name = String(name.drop { ".- ".contains($0) })
    while let last = name.last, ". -".contains(last) { name.removeLast() }
    return name.isEmpty ? nil : name
  }
}

extension FetchedPages {

  /// Writes all files, or none if one of them fails. A book's folder is written under a temporary
  /// name and renamed when it is complete.
  ///
  /// - Throws: `conflict` if the disk is full or read-only; `notFound` if a file cannot be written
  ///   for another reason.
  fileprivate func write(to place: String) throws(UserError) {
    do throws(SystemCallError) {
      guard isFolder else {
        try FileSystem.makeFolders(place.parentFolder)
        let bytes = try text(of: texts[0])
        try AtomicReplacement(of: place, with: bytes).commitNew()
        return AtomicReplacement.finish([place])
      }
      let folder = try StagedFolder(for: place)
      for file in texts { try folder.write(try text(of: file), to: file.name) }
      for file in pictures {
        let name = FetchAnswer.pictureFolder.appending(file.name)
        try folder.write(try picture(of: file), to: name)
      }
      try folder.commit()
    } catch { throw FileSystem.systemError("write", place, number: error.number) }
  }

  private func text(of file: File) throws(SystemCallError) -> [UInt8] {
    do throws(UserError) { return try content(of: file, isText: true) } catch {
      throw SystemCallError(EILSEQ)
    }
  }

  private func picture(of file: File) throws(SystemCallError) -> [UInt8] {
    do throws(UserError) { return try content(of: file, isText: false) } catch {
      throw SystemCallError(EIO)
    }
  }

  /// Deletes the files that `write` has written, and no others.
  fileprivate func remove(at place: String) {
    guard isFolder else {
      unlink(place)
      return
    }
    for file in texts { unlink(place.appending(file.name)) }
    let folder = place.appending(FetchAnswer.pictureFolder)
    for file in pictures { unlink(folder.appending(file.name)) }
    rmdir(folder)
    rmdir(place)
  }
}

extension Library {
  /// Returns the document that already contains a page or a book; nil if there isn't one.
  ///
  /// A page matches by its address, a book by its ISBN, its address, or, if it has no ISBN, its
  /// title and authors. Reads the beginning of every document's file.
  ///
  /// - Throws: `damaged` or `conflict` if the library cannot be read.
  package func document(of pages: FetchedPages) throws(UserError) -> Document? {
    let origin = pages.origin
    var wanted = Source()
    wanted.set(.author, to: origin.authors.flatMap { PersonName.list($0) })
    return try sources().first { _, known in
      let source = known.whole
      func matches(_ variable: Source.Variable, _ text: String) -> Bool {
        guard !text.isEmpty, let value = source[variable]?.text else { return false }
        return Self.comparable(value) == Self.comparable(text)
      }
      guard pages.isBook else { return matches(.url, origin.url) }
      // Only a text whose own file names the book is a copy of it, not a text for which the user
      // set the source.
      let isOneText = source.item["type"].text == "book" && known.origin(of: .title) == .file
      guard
        isOneText || known.origin(of: .container) == .file || known.origin(of: .isbn) == .file
      else { return false }
      return matches(.isbn, origin.isbn) || !origin.url.isEmpty && matches(.url, origin.url)
        || origin.isbn.isEmpty && source[.author] == wanted[.author]
          && (matches(.container, origin.title) || isOneText && matches(.title, origin.title))
    }?.document
  }

  /// Returns an address or a name without its fragment, its trailing slash and its hyphens.
  private static func comparable(_ text: String) -> String {
    let plain = text.prefix { $0 != "#" }
    return (plain.hasSuffix("/") ? plain.dropLast() : plain).filter { $0 != "-" }
  }

  /// Writes the files of an article or a book and adds them to the library as one step. If that
  /// fails, the files are deleted again.
  ///
  /// - Parameters:
  ///   - pages: the article or book.
  ///   - place: a path of ``LibraryLocation/place(for:at:)``.
  /// - Throws: `notFound` if the path is outside of the library's folder; the errors of writing the
  ///   files; otherwise the first problem if no file could be added.
  package func add(_ pages: FetchedPages, at place: String) throws(UserError) -> AddReport {
    // Paths outside of the library's folder are rejected before any file is written.
    for file in pages.files(at: place) {
      _ = try location.file(of: location.documentPath(file.path))
    }
    try pages.write(to: place)
    do {
      var highlights: [DocumentPath: [FetchAnswer.Highlight]] = [:]
      for (file, found) in zip(pages.files(at: place), pages.highlights) where !found.isEmpty {
        highlights[location.documentPath(file.path)] = found
      }
      let report = try add(pages.files(at: place).map(\.path), label: "") {
        transaction, document in
        guard let found = highlights[document.path] else { return }
        let path = try location.file(of: document.path)
        let bytes = try Descriptor.contentOfRegularFile(path, limit: FetchAnswer.textLimit)
        let parsed = ParsedDocument(
          parsing: MarkdownSource(bytes), in: dialects.choice(for: path).dialect)
        try store(found.compactMap { parsed.highlight($0) }, of: document, parsed, in: transaction)
      }
      if report.additions.isEmpty, let problem = report.problems.first { throw problem }
      return report
    } catch {
      pages.remove(at: place)
      throw error as? UserError ?? UserError(.conflict, "\(error)")
    }
  }
}

extension ParsedDocument {
  /// Returns a highlight of the exported text in this one; nil if its words are not at its offset.
  fileprivate func highlight(_ exported: FetchAnswer.Highlight) -> MarkdownConversion.Highlight? {
    let (units, quote) = (text.utf16, Array(exported.quote.utf16))
    guard let color = HighlightColor(rawValue: exported.color), !quote.isEmpty,
      exported.start >= 0, exported.start <= units.count - quote.count,
      units[exported.start..<exported.start + quote.count].elementsEqual(quote)
    else { return nil }
    let range = exported.start..<exported.start + quote.count
    let rich = RichDocument.Highlight(
      range: range, comment: AttributedText(exported.comment))
    return MarkdownConversion.Highlight(
      range: TextRange(utf16: range), color: color, note: rich?.note ?? "", tags: rich?.tags ?? [])
  }
}
