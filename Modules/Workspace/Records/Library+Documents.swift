import Dispatch
import Files
import FoundationEssentials
package import MarkdownParse
package import Model
package import Storage
import Synchronization
package import SystemSupport

/// The result of adding one file.
package struct AddResult: Hashable, Sendable {
  package var document: Document
  /// Whether the file was added, restored or already known.
  package var kind: Kind
  /// The number of byte sequences in the file that are not valid UTF-8 and are shown as U+FFFD. It
  /// is 0 unless the document was added.
  package var invalidSequences = 0
  /// The document's live highlights by state.
  package var counts: [AnchorState: Int] = [:]
  /// The path of the symbolic link that was given for the document; nil if its own path was.
  package var link: DocumentPath?

  /// Creates the result for a document that was already in the library.
  package init(known document: Document, _ counts: [AnchorState: Int]) {
    self.init(document: document, kind: .known, counts: counts)
  }

  init(
    document: Document, kind: Kind, invalidSequences: Int = 0, counts: [AnchorState: Int] = [:]
  ) {
    (self.document, self.kind, self.counts) = (document, kind, counts)
    self.invalidSequences = invalidSequences
  }

  /// How adding a file changed the library.
  package enum Kind: String, Hashable, Sendable, Codable {
    /// The document is new in the library.
    case added
    /// The document had been removed, and was restored with its highlights.
    case restored
    /// The document was already in the library.
    case known
    /// The document was missing: the file has its text under another name.
    case renamed
  }
}

/// The result of adding files and folders. An error with one file does not prevent the others from
/// being added.
///
/// ```swift
/// let report = try await library.add(["notes", "book.md"])
/// for addition in report.additions where addition.kind == .added { print(addition.document.path) }
/// for problem in report.problems { print(problem) }
/// ```
package struct AddReport: Sendable {
  /// The results of the files, in batches that follow the order in which the files were found.
  /// Within a batch, restored and known documents precede new ones.
  package var additions: [AddResult] = []
  /// The errors of the files that could not be added.
  package var problems: [UserError] = []

  package init() {}
}

extension Library {
  /// The number of files that are stored in one transaction.
  ///
  /// It is large enough that waiting for the disk does not dominate, and small enough that little
  /// work is lost if the process is killed.
  private static let batch = 256

  /// Adds files, and the Markdown files in folders and their subfolders, to the library. The files
  /// are neither moved nor written.
  ///
  /// - Parameter acknowledge: called with the report of each batch after the batch is committed. An
  ///   error that it throws ends the adding; committed batches stay.
  /// - Returns: the reports of all batches, merged. Errors of single files are in the report.
  /// - Throws: the error of `acknowledge`; `UserError` with `damaged` or `conflict` if the library
  ///   cannot be written.
  package func add(
    _ paths: [String], acknowledge: (AddReport) throws -> Void = { _ in }
  ) throws -> AddReport {
    try add(paths, label: "", acknowledge: acknowledge, also: { _, _ in })
  }

  /// Adds files and folders, and stores more data about each new document in the same transaction.
  ///
  /// - Parameters:
  ///   - label: the name of the step in the history; empty if the history should describe it by its
  ///     operations.
  ///   - acknowledge: called with the report of each batch after the batch is committed.
  ///   - body: called for each document that was created, within its transaction.
  /// - Throws: the error of `acknowledge` or `body`; `UserError` with `damaged` or `conflict` if
  ///   the library cannot be written.
  package func add(
    _ paths: [String], label: String, acknowledge: (AddReport) throws -> Void = { _ in },
    also body: (WriteTransaction, Document) throws -> Void
  ) throws -> AddReport {
    var total = AddReport()
    var files: [String] = []
    for path in paths {
      do throws(UserError) {
        // A refused folder is reported once, not once for each file below it.
        let found = try Self.files(at: path) { (folder) throws(UserError) in
          try location.requireHeld(folder)
        }
        files += found.files
        total.problems += found.problems
        if found.files.isEmpty && found.problems.isEmpty {
          throw UserError(
            .nothing, "no Markdown file in \(path)",
            hint:
              "Markdown files end in \(FolderScan.extensions.sorted().joined(separator: ", "))"
          )
        }
      } catch { total.problems.append(error) }
    }
    var group: Int64?
    let missing = files.isEmpty ? [] : try documentsWithoutFiles()
    for start in stride(from: 0, to: files.count, by: Self.batch) {
      let report = try addBatch(
        files[start..<min(start + Self.batch, files.count)], missing, &group, label, body)
      try acknowledge(report)
      total.additions += report.additions
      total.problems += report.problems
    }
    return total
  }

  /// Returns the absolute paths of the files that `add` would add, and the errors of files that
  /// can't be read or aren't text. Reads all files.
  ///
  /// - Throws: `notFound` if a path does not exist, or the first error of reading a folder.
  package static func filesToAdd(_ paths: [String]) throws(UserError) -> (
    files: [String], problems: [UserError]
  ) {
    var files: [String] = []
    var problems: [UserError] = []
    for path in paths {
      let found = try Self.files(at: path)
      if let problem = found.problems.first { throw problem }
      for file in found.files {
        do throws(UserError) {
          _ = try SourceFile(reading: file)
          files.append(file)
        } catch { problems.append(error) }
      }
    }
    return (files, problems)
  }

  /// Returns the path of the file or folder beside a missing one whose name is most similar; nil if
  /// none is, or the folder has very many entries. O(entries).
  private static func nearestFile(to path: String) -> String? {
    let name = String(path.lastComponent)
    var names: [String] = []
    let folder = FileSystem.absolute(path).parentFolder
    guard name.count <= 100,
      (try? FileSystem.forEachName(in: folder, { names.append($0) })) != nil,
      names.count <= 10_000
    else { return nil }
    // A link to a missing file has the name itself.
    guard !names.contains(name), let near = Spelling.nearest(to: name, among: names.sorted())
    else { return nil }
    return path.dropLast(name.count) + near
  }

  /// Returns the absolute path of the file at `path`, or of the Markdown files in the folder and
  /// its subfolders.
  ///
  /// - Parameter check: called with the path of a folder before the folder is read.
  private static func files(
    at path: String, check: (String) throws(UserError) -> Void = { _ in }
  ) throws(UserError) -> (files: [String], problems: [UserError]) {
    let absolute = FileSystem.absolute(path)
    guard let status = try FileSystem.status(of: absolute) else {
      var error = FileSystem.noSuchFile(path)
      if error.hint == nil, let near = nearestFile(to: path) {
        error.hint = Hint(Spelling.question(near))
      }
      throw error
    }
    guard status.isFolder else { return ([absolute], []) }
    try check(absolute)
    let scan = FolderScan(absolute)
    return (scan.files, scan.problems)
  }

  /// A new document that was read and parsed, but not yet stored.
  package struct NewDocument: Sendable {
    package var path: DocumentPath
    package var title: String
    package var revision: Revision
    package var text: PreparedText
    var invalidSequences: Int
  }

  /// Returns the document that would be created for a file with the given content.
  package static func newDocument(
    of parsed: ParsedDocument, _ bytes: [UInt8], at path: DocumentPath
  ) -> NewDocument {
    let revision = Revision(
      sourceDigest: ContentDigest(sha256: bytes), textDigest: ContentDigest(of: parsed.text),
      renderVersion: ParsedDocument.renderVersion, dialect: parsed.dialect.rawValue,
      stamp: FileStamp(
        size: Int64(bytes.count), mtime: 0, ctime: 0, inode: 0, device: 0, checked: 0), seen: .now)
    return NewDocument(
      path: path, title: DocumentTitle.of(parsed, path: path), revision: revision,
      text: TextPreparation().prepare(
        parsed.text.string, positions: PositionMap(parsed.mapped).bytes), invalidSequences: 0)
  }

  /// Adds one batch of files.
  ///
  /// - Parameters:
  ///   - missing: the documents without files, which the files may be.
  ///   - group: the history group of the earlier batches; nil before the first. All batches of one
  ///     call share a group, so that one undo reverts them. It is set once a batch has changed
  ///     something.
  private func addBatch(
    _ files: ArraySlice<String>, _ missing: [Document], _ group: inout Int64?, _ label: String,
    _ body: (WriteTransaction, Document) throws -> Void
  ) throws(UserError) -> AddReport {
    var report = AddReport()
    var newDocuments: [NewDocument] = []
    let paths = files.map(location.documentPath)
    let given = Set(paths)
    var new: [String] = []
    // Links to other files of this batch, which are stored first.
    var links: [(link: DocumentPath, target: DocumentPath)] = []
    try storage {
      try store.read { transaction in
        for (file, path) in zip(files, paths) {
          var (document, link) = (try transaction.document(at: path), DocumentPath?.none)
          if document == nil, let target = location.documentPath(ofLink: file) {
            if given.contains(target) {
              links.append((path, target))
              continue
            }
            (document, link) = (try transaction.document(at: target), path)
          }
          guard let document else {
            new.append(file)
            continue
          }
          let kind: AddResult.Kind = document.state == .removed ? .restored : .known
          var result = AddResult(document: document, kind: kind)
          result.link = link
          report.additions.append(result)
        }
      }
    }
    let found = try claim(new, for: missing)
    for document in found {
      report.additions.append(AddResult(document: document, kind: .renamed))
    }
    let claimed = Set(found.map { location.absolute($0.path) })
    if !claimed.isEmpty { new.removeAll(where: claimed.contains) }
    for result in Self.newDocuments(new, in: location, dialects) {
      do throws(UserError) { newDocuments.append(try result.get()) } catch {
        report.problems.append(error)
      }
    }
    let previous = group
    let (stored, stepGroup) = try storage {
      try store.write { transaction -> (AddReport, Int64) in
        transaction.journal(JournalStep(label: label, group: previous))
        var report = report
        for index in report.additions.indices where report.additions[index].kind == .restored {
          let id = report.additions[index].document.id
          _ = try transaction.setTrashed(false, of: id)
          if let document = try transaction.document(id) {
            report.additions[index].document = document
          }
        }
        for index in report.additions.indices {
          let id = report.additions[index].document.id
          report.additions[index].counts = try transaction.highlightCounts(of: id)[id] ?? [:]
        }
        for newDocument in newDocuments {
          // Another process may have added the file since, or its path was passed twice.
          if let document = try transaction.document(at: newDocument.path) {
            report.additions.append(
              AddResult(
                document: document, kind: .known,
                counts: try transaction.highlightCounts(of: document.id)[document.id] ?? [:]))
            continue
          }
          let document = try transaction.createDocument(
            path: newDocument.path, title: newDocument.title, revision: newDocument.revision,
            text: newDocument.text)
          try body(transaction, document)
          report.additions.append(
            AddResult(
              document: document, kind: .added, invalidSequences: newDocument.invalidSequences))
        }
        for (link, target) in links {
          guard let document = try transaction.document(at: target) else { continue }
          var result = AddResult(
            known: document, try transaction.highlightCounts(of: document.id)[document.id] ?? [:])
          result.link = link
          report.additions.append(result)
        }
        return (report, transaction.group)
      }
    }
    if stored.additions.contains(where: { [.added, .restored].contains($0.kind) }) {
      group = stepGroup
    }
    return stored
  }

  /// Reads and parses files and prepares their texts for storage, on two threads if there are
  /// several files. The results are in the order of `files`.
  private static func newDocuments(
    _ files: [String], in location: LibraryLocation, _ dialects: Dialects
  ) -> [Result<NewDocument, UserError>] {
    dialects.forget()
    let next = Mutex(0)
    let results = Mutex([Result<NewDocument, UserError>?](repeating: nil, count: files.count))
    DispatchQueue.concurrentPerform(iterations: min(2, files.count)) { _ in
      let preparation = TextPreparation()
      while true {
        let index = next.withLock { next in
          defer { next += 1 }
          return next
        }
        guard index < files.count else { return }
        let result = Result { () throws(UserError) in
          try newDocument(files[index], in: location, dialects, preparation)
        }
        results.withLock { $0[index] = result }
      }
    }
    return results.withLock { $0.compactMap(\.self) }
  }

  /// Reads and parses a new file, and prepares its text for storing.
  ///
  /// - Throws: the errors of `SourceFile.init(reading:)` if the file cannot be read.
  package static func newDocument(
    _ file: String, in location: LibraryLocation, _ dialects: Dialects,
    _ preparation: TextPreparation
  ) throws(UserError) -> NewDocument {
    let path = location.documentPath(file)
    let read = try read(path, in: location, dialects)
    return NewDocument(
      path: path, title: read.title, revision: read.revision,
      text: preparation.prepare(read.text, positions: read.positions),
      invalidSequences: read.invalidSequences)
  }

  /// Reads and parses a file. The parsed document is released on return, because preparing a long
  /// text takes as much memory again.
  private static func read(
    _ path: DocumentPath, in location: LibraryLocation, _ dialects: Dialects
  ) throws(UserError) -> (
    title: String, revision: Revision, text: String, positions: [UInt8], invalidSequences: Int
  ) {
    let source = try SourceFile(reading: location.file(of: path))
    let parsed = dialects.parse(source)
    let revision = Revision(
      sourceDigest: source.digest, textDigest: ContentDigest(of: parsed.text),
      renderVersion: ParsedDocument.renderVersion, dialect: parsed.dialect.rawValue,
      stamp: source.stamp, seen: .now)
    let positions = PositionMap(parsed.mapped).bytes
    return (
      DocumentTitle.of(parsed, path: path), revision, parsed.text.string, positions,
      source.invalidSequences
    )
  }

  /// Returns whether the library has a document that is not removed.
  ///
  /// - Throws: `damaged` or `conflict` if the library cannot be read.
  package func hasDocuments() throws(UserError) -> Bool {
    try storage { try store.read { try $0.hasDocuments() } }
  }

  /// Returns the documents that are not removed, in the order of their paths.
  ///
  /// - Throws: `damaged` or `conflict` if the library cannot be read.
  package func documents() throws(UserError) -> [Document] {
    try storage { try store.read { try $0.documents(includingRemoved: false) } }
  }

  /// Returns `some`; if it is nil, all documents that are not removed.
  func documents(orAll some: [Document]?) throws(UserError) -> [Document] {
    if let some { some } else { try documents() }
  }

  /// Counts the live highlights of each document by state.
  ///
  /// - Parameter document: the only document to count; nil for all.
  /// - Throws: `damaged` or `conflict` if the library cannot be read.
  package func highlightCounts(of document: Document.ID? = nil) throws(UserError)
    -> [Document.ID: [AnchorState: Int]]
  {
    try storage { try store.read { try $0.highlightCounts(of: document) } }
  }

  /// Counts the live highlights of each document by colour. O(highlights).
  ///
  /// - Throws: `damaged` or `conflict` if the library cannot be read.
  package func colorCounts() throws(UserError) -> [Document.ID: [HighlightColor: Int]] {
    try storage { try store.read { try $0.colorCounts() } }
  }

  /// Counts the documents that are not removed and their live highlights. O(highlights).
  ///
  /// - Throws: `damaged` or `conflict` if the library cannot be read.
  package func liveCounts() throws(UserError) -> (documents: Int, highlights: Int) {
    try storage { try store.read { try $0.liveCounts() } }
  }

  /// Removes a document and its highlights from the library, in one transaction. The file is kept;
  /// `restore` reverts the removal.
  ///
  /// - Returns: the number of highlights that were removed with it.
  /// - Throws: `nothing` if the document was already removed.
  package func remove(_ document: Document) throws(UserError) -> Int {
    try storage {
      try store.write { transaction in
        let count = try transaction.highlights(HighlightFilter(documents: [document.id])).count
        guard try transaction.setTrashed(true, of: document.id) else {
          throw UserError(.nothing, "\(document.shownPath) was already removed")
        }
        return count
      }
    }
  }

  /// Restores a removed document and its highlights.
  ///
  /// - Returns: the number of the document's live highlights.
  /// - Throws: `nothing` if the document is not removed.
  package func restore(_ document: Document) throws(UserError) -> Int {
    try storage {
      try store.write { transaction in
        guard try transaction.setTrashed(false, of: document.id) else {
          throw UserError(.nothing, "\(document.shownPath) was not removed")
        }
        return try transaction.highlights(HighlightFilter(documents: [document.id])).count
      }
    }
  }

  /// Changes a document's title in the library. The file is not changed.
  ///
  /// - Throws: `usage` if the title is blank; `nothing` if it is unchanged.
  package func rename(_ document: Document, to title: String) throws(UserError) {
    guard !title.allSatisfy(\.isWhitespace) else {
      throw UserError(.usage, "a title needs at least one letter")
    }
    let changed = try storage {
      try store.write { try $0.setTitle(title, of: document.id) }
    }
    if !changed { throw UserError(.nothing, "the document is already called '\(title)'") }
  }

  /// Sets the path of a document's file, after the file was moved, and anchors the highlights to
  /// the text there.
  ///
  /// If the document is of another device and has no file on this one, and `path` belongs to
  /// another document, the two are merged.
  ///
  /// - Throws: `notFound` if there is no file at the path; `conflict` if the file belongs to
  ///   another document, or if the document is merged with another one on this device; `nothing` if
  ///   the document already has that path; `unconfirmed` if the path was set, but the highlights
  ///   could not be placed.
  package func link(_ document: Document, to path: String) throws(UserError) -> RefreshReport {
    let target = location.documentPath(path)
    _ = try SourceFile(reading: location.file(of: target))
    let changed = try storage {
      try store.write { transaction -> Bool in
        if let other = try transaction.document(at: target), other.id != document.id {
          // Merge the record of the other device with the local document.
          if document.path.isElsewhere {
            return try transaction.setAlias(other.id, document.id, true)
          }
          throw UserError(
            .conflict, "\(target.string) is another document: '\(other.title)' (\(other.shortID))",
            hint: "remove that document first")
        }
        guard try transaction.setPath(target, of: document.id) else { return false }
        guard try transaction.document(at: target)?.id == document.id else {
          throw UserError(
            .conflict, "\(document.title) is merged with another document here",
            remedy: .action(
              "document.unlink",
              ["document": .record(document.id.description, name: document.shortID)]))
        }
        return true
      }
    }
    guard changed else {
      throw UserError(.nothing, "\(document.title) is already at \(target.string)")
    }
    do throws(UserError) {
      let linked =
        try storage { try store.read { try $0.document(at: target)?.id } } ?? document.id
      try storage { try store.writeCache { try $0.adoptPlaces(of: linked) } }
      let present = try self.document(id: linked)
      let reports = try refresh([present])
      if document.path.isElsewhere, reports[0].document.state == .present {
        try anchorAgain(present)
      }
      return reports[0]
    } catch {
      // The path is stored, so the error must not report that nothing was changed.
      throw UserError(
        .unconfirmed,
        "\(document.title) is linked to \(target.string), but its highlights were not found there: "
          + error.message, remedy: .action("document.refresh", [:]))
    }
  }

  /// Separates documents that were merged across devices. Each returns to the path that its own
  /// device recorded.
  ///
  /// - Returns: the separate documents, `document` first.
  /// - Throws: `nothing` if the document is not merged with another.
  package func separate(_ document: Document) throws(UserError) -> [Document] {
    let parts = try storage {
      try store.write { transaction -> [Document.ID] in
        let parts = try transaction.aliases(of: document.id)
        for part in parts {
          for other in parts where part < other { _ = try transaction.setAlias(part, other, false) }
        }
        return parts
      }
    }
    guard !parts.isEmpty else {
      throw UserError(.nothing, "'\(document.title)' is not merged with another document")
    }
    let documents = try parts.map { (id) throws(UserError) in try self.document(id: id) }
    _ = try refresh(documents.filter { $0.state != .removed })
    return try parts.map { (id) throws(UserError) in try self.document(id: id) }
  }
}
