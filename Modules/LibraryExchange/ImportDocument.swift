import Anchoring
import Files
import FoundationEssentials
import Glibc
import MarkdownParse
import Model
import Storage
import SystemSupport
import Workspace

/// A document into which records are imported, with its text.
struct ImportDocument {
  /// The document, or the data from which to create it.
  private let place: Place
  /// The current text; in a dry run, the text after the import.
  let text: AnchorText
  /// The hash of the text.
  let digest: ContentDigest

  private enum Place {
    case present(Document)
    /// A document in a dry run, whose file does not contain the new quotes.
    case rehearsed(Document)
    case new(Library.NewDocument)
  }

  /// Creates a target for a document of the library.
  ///
  /// - Parameters:
  ///   - document: the document.
  ///   - text: its text.
  ///   - digest: the hash of the text.
  ///   - isRehearsed: whether the text differs from the file's, because this is a dry run.
  init(document: Document, text: AnchorText, digest: ContentDigest, isRehearsed: Bool = false) {
    place = isRehearsed ? .rehearsed(document) : .present(document)
    (self.text, self.digest) = (text, digest)
  }

  /// Creates a target for a document that is not in the library yet.
  init(_ newDocument: Library.NewDocument, text: AnchorText) {
    place = .new(newDocument)
    (self.text, digest) = (text, newDocument.revision.textDigest)
  }

  /// Creates the document, or checks that its text is unchanged since it was read.
  ///
  /// - Throws: `conflict` if the document was created or changed meanwhile.
  func begin(_ transaction: WriteTransaction, _ report: inout ImportReport) throws -> Document {
    switch place {
    case .new(let newDocument):
      if let other = try transaction.document(at: newDocument.path) {
        throw UserError.changedMeanwhile(other, hint: "import again")
      }
      let document = try transaction.createDocument(
        path: newDocument.path, title: newDocument.title, revision: newDocument.revision,
        text: newDocument.text)
      report.books.append((document, true))
      return document
    case .rehearsed(let document): return document
    case .present(let document):
      guard try transaction.revision(of: document.id)?.textDigest == digest else {
        throw UserError.changedMeanwhile(document, hint: "import again")
      }
      // The import adds quotes to the document, so it is restored.
      if document.state == .removed { _ = try transaction.setTrashed(false, of: document.id) }
      return document
    }
  }
}

/// A file of quotes that an import has written and whose records are not stored yet.
struct WrittenQuotes {
  /// The writer that can restore the previous content; nil for a new file.
  fileprivate let writer: FileWriter?
  fileprivate let file: String
  fileprivate let bytes: [UInt8]
  fileprivate let isNewFolder: Bool

  /// Accepts the new content, after the records were stored.
  func keep() { writer?.discardOld() }

  /// Restores the previous content, unless another program has changed the file since. Deletes a
  /// new file, and its folder if that is new and empty.
  func revert() {
    if let writer {
      if !writer.revert() { writer.discardOld() }
      return FileWriter.makeDurable([writer])
    }
    guard (try? SourceFile.content(of: file).0) == bytes, unlink(file) == 0 else { return }
    if isNewFolder { rmdir(file.parentFolder) }
    AtomicReplacement.makeDurable([file])
  }
}

extension Library {
  /// The path of a book's file of quotes: in the folder that the library belongs to, or in the
  /// library's own folder if it belongs to none.
  func path(of book: QuoteBook) -> DocumentPath {
    let folder = (location.root ?? location.folder).appending(QuoteBook.folder)
    return location.documentPath(folder.appending(book.fileName))
  }

  /// Removes the copies that killed imports left beside the quotes, even if this import has no
  /// quotes.
  func sweepQuotes() {
    let folder = (location.root ?? location.folder).appending(QuoteBook.folder)
    var status = stat()
    // Skip a symbolic link, which may lead out of the library's folder.
    guard lstat(folder, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else { return }
    AtomicReplacement.sweep(folder)
  }

  /// Appends the missing quotes of a book to its document, and locates all of them there.
  ///
  /// The file is replaced as a whole before the records are stored. So every stored record is in
  /// the file, and after a failure the next import finds the quotes there.
  ///
  /// - Parameters:
  ///   - records: the records to import.
  ///   - book: the book.
  ///   - dryRun: whether to leave the file unchanged.
  ///   - written: set to the written file, which the caller must keep or revert.
  /// - Returns: the document, and the records with their locations.
  /// - Throws: `conflict` if the file was changed meanwhile, or the disk is full or read-only;
  ///   `notFound` if the file cannot be read or written for another reason.
  func prepare(
    _ records: [IncomingRecord], for book: QuoteBook, dryRun: Bool, _ written: inout WrittenQuotes?
  ) throws(UserError) -> (ImportDocument, [LocatedRecord]) {
    let path = path(of: book)
    let file = try location.file(of: path)
    let old = Self.isFile(file) ? try SourceFile(reading: file) : nil
    let (bytes, places) = book.adding(records.map(\.record), to: old?.bytes ?? [])
    if !dryRun {
      if let old, old.bytes != bytes {
        let writer = try FileWriter(replacing: file, old.bytes, with: bytes, links: .followed)
        _ = try writer.commit(keepingOld: true)
        written = WrittenQuotes(writer: writer, file: file, bytes: bytes, isNewFolder: false)
        FileWriter.makeDurable([writer])
      } else if old == nil {
        written = try Self.makeNewFile(file, bytes)
      }
    }
    dialects.forget()
    let parsed = ParsedDocument(
      parsing: MarkdownSource(bytes), in: dialects.choice(for: file).dialect)
    let text = AnchorText(utf16: parsed.text.utf16)
    let digest = ContentDigest(sha256: parsed.text.utf8)
    let target: ImportDocument
    if let document = try storage({ try store.read { try $0.document(at: path) } }) {
      if !dryRun { _ = try current(document) }
      target = ImportDocument(document: document, text: text, digest: digest, isRehearsed: dryRun)
    } else if dryRun {
      target = ImportDocument(Self.newDocument(of: parsed, bytes, at: path), text: text)
    } else {
      target = ImportDocument(
        try Self.newDocument(file, in: location, dialects, TextPreparation()), text: text)
      guard target.digest == digest else {
        throw UserError(.conflict, "\(path.string) changed meanwhile", hint: "import again")
      }
    }
    let lines = parsed.sourceLines
    let locatedRecords = zip(records, places).map { record, bytes in
      let range = text.trimmed(parsed.map.text(of: SourceRange(bytes: bytes)))
      let anchor = Anchor(range: range, state: .exact, score: 1, method: "imported")
      var located = LocatedRecord(
        record,
        selector: Selector(
          selecting: range, in: text, digest: digest, renderVersion: ParsedDocument.renderVersion))
      located.anchor = parsed.locating(anchor, in: lines)
      return located
    }
    return (target, locatedRecords)
  }

  private static func makeNewFile(_ file: String, _ bytes: [UInt8]) throws(UserError)
    -> WrittenQuotes
  {
    let isNewFolder = try FileSystem.status(of: file.parentFolder) == nil
    try FileSystem.makeFolder(file.parentFolder)
    do throws(SystemCallError) {
      try AtomicReplacement(of: file, with: bytes).commitNew()
    } catch {
      if isNewFolder { rmdir(file.parentFolder) }
      throw FileSystem.systemError("write", file, number: error.number)
    }
    AtomicReplacement.finish([file])
    return WrittenQuotes(writer: nil, file: file, bytes: bytes, isNewFolder: isNewFolder)
  }
}

extension AnchorText {
  /// Returns a range without the blanks at its ends; the range itself if it contains only blanks.
  fileprivate func trimmed(_ range: TextRange) -> TextRange {
    func isBlank(_ unit: UInt16) -> Bool { unit == 0x20 || (9...13).contains(unit) }
    var (start, end) = (range.utf16.lowerBound, range.utf16.upperBound)
    while start < end, isBlank(units[start]) { start += 1 }
    while start < end, isBlank(units[end - 1]) { end -= 1 }
    return start < end ? TextRange(utf16: start..<end) : range
  }
}
