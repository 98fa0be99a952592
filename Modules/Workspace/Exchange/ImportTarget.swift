import Anchoring
import Files
import FoundationEssentials
import Glibc
import MarkdownParse
import Model
import Storage
import SystemSupport

/// The document into which records are stored, with its text.
struct ImportTarget {
  /// The document; for a new one what it is to be.
  private let place: Place
  /// Its text as it is now.
  let text: AnchorText
  /// The hash of that.
  let digest: ContentDigest

  private enum Place {
    case present(Document)
    /// Of which only the person sees what would be in it.
    case rehearsed(Document)
    case new(Library.Arrival)
  }

  /// A document of the library.
  ///
  /// - Parameter isRehearsed: whether the text is not yet that of its file.
  init(document: Document, text: AnchorText, digest: ContentDigest, isRehearsed: Bool = false) {
    place = isRehearsed ? .rehearsed(document) : .present(document)
    (self.text, self.digest) = (text, digest)
  }

  /// A document that the library does not have yet.
  init(new arrival: Library.Arrival, text: AnchorText) {
    place = .new(arrival)
    (self.text, digest) = (text, arrival.revision.textDigest)
  }

  /// Makes the document, or checks that it is as it was read.
  func begin(_ transaction: WriteTransaction, _ report: inout ImportReport) throws -> Document {
    switch place {
    case .new(let arrival):
      if let other = try transaction.document(at: arrival.path) {
        throw UserError.changedMeanwhile(other, hint: "import it again")
      }
      let document = try transaction.createDocument(
        path: arrival.path, title: arrival.title, revision: arrival.revision, text: arrival.text)
      report.books.append((document, true))
      return document
    case .rehearsed(let document): return document
    case .present(let document):
      guard try transaction.revision(of: document.id)?.textDigest == digest else {
        throw UserError.changedMeanwhile(document, hint: "import it again")
      }
      // Its quotes are back, so it is.
      if document.state == .removed { _ = try transaction.setTrashed(false, of: document.id) }
      return document
    }
  }
}

/// A file of quotes that an import wrote, until its records are stored.
struct WrittenQuotes {
  /// The writer of a file that was there before; nil for a new file.
  fileprivate let writer: FileWriter?
  fileprivate let file: String
  fileprivate let bytes: [UInt8]
  fileprivate let isNewFolder: Bool

  /// Keeps the new content: the records are stored.
  func keep() { writer?.discardOld() }

  /// Makes the file what it was, unless another program changed it since. A new one goes, with its
  /// folder if that is new and empty.
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
  /// The place of a book's quotes: beside a folder's library, or within a person's own one.
  func path(of book: QuoteBook) -> DocumentPath {
    let folder = (location.root ?? location.folder).appending(QuoteBook.folder)
    return location.documentPath(folder.appending(book.fileName))
  }

  /// Removes the copies that killed imports left beside the quotes, also if this import writes none.
  func sweepQuotes() {
    let folder = (location.root ?? location.folder).appending(QuoteBook.folder)
    var status = stat()
    // A link may lead out of the library's folder.
    guard lstat(folder, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else { return }
    AtomicReplacement.sweep(folder)
  }

  /// Writes the quotes that a book's document does not have yet to its end, and finds all of them in
  /// it. The file is replaced as a whole, and before anything is stored: what is stored then stands in
  /// it, and after a failure the next import finds the quotes there.
  ///
  /// - Parameter written: what was written, to be kept or taken back.
  func prepare(
    _ records: [IncomingRecord], for book: QuoteBook, dryRun: Bool, _ written: inout WrittenQuotes?
  ) throws(UserError) -> (ImportTarget, [ImportArrival]) {
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
    let target: ImportTarget
    if let document = try storage({ try store.read { try $0.document(at: path) } }) {
      if !dryRun { _ = try current(document) }
      target = ImportTarget(document: document, text: text, digest: digest, isRehearsed: dryRun)
    } else if dryRun {
      target = ImportTarget(new: Self.rehearsal(of: parsed, bytes, at: path), text: text)
    } else {
      target = ImportTarget(
        new: try Self.arrival(file, in: location, dialects, TextPreparation()), text: text)
      guard target.digest == digest else {
        throw UserError(.conflict, "\(path.string) changed meanwhile", hint: "import it again")
      }
    }
    let lines = parsed.sourceLines
    let arrivals = zip(records, places).map { record, bytes in
      let range = text.trimmed(parsed.map.text(of: SourceRange(bytes: bytes)))
      let anchor = Anchor(range: range, state: .exact, score: 1, method: "imported")
      var arrival = ImportArrival(
        record,
        selector: Selector(
          selecting: range, in: text, digest: digest, renderVersion: ParsedDocument.renderVersion))
      arrival.anchor = parsed.locating(anchor, in: lines)
      return arrival
    }
    return (target, arrivals)
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

  /// What a file would be as a document.
  private static func rehearsal(
    of parsed: ParsedDocument, _ bytes: [UInt8], at path: DocumentPath
  ) -> Arrival {
    let revision = Revision(
      sourceDigest: ContentDigest(sha256: bytes),
      textDigest: ContentDigest(sha256: parsed.text.utf8),
      renderVersion: ParsedDocument.renderVersion, dialect: parsed.dialect.rawValue,
      stamp: FileStamp(
        size: Int64(bytes.count), mtime: 0, ctime: 0, inode: 0, device: 0, checked: 0), seen: .now)
    return Arrival(
      path: path, title: DocumentTitle.of(parsed, path: path), revision: revision,
      text: TextPreparation().prepare(
        parsed.text.string, positions: PositionMap(parsed).bytes), invalidSequences: 0)
  }
}

extension AnchorText {
  /// A range without blanks at its ends; the range itself where it holds nothing else.
  fileprivate func trimmed(_ range: TextRange) -> TextRange {
    func isBlank(_ unit: UInt16) -> Bool { unit == 0x20 || (9...13).contains(unit) }
    var (start, end) = (range.utf16.lowerBound, range.utf16.upperBound)
    while start < end, isBlank(units[start]) { start += 1 }
    while start < end, isBlank(units[end - 1]) { end -= 1 }
    return start < end ? TextRange(utf16: start..<end) : range
  }
}
