import Anchoring
import Dispatch
package import Files
import FoundationEssentials
import Glibc
import Logging
package import MarkdownParse
package import Model
import Storage
import Synchronization
package import SystemSupport
package import Watching

extension Library {
  /// Checks the files of documents and locates the highlights of the changed files. Files that no
  /// longer exist are searched for under other names and in other folders. Those that were already
  /// missing are searched for in their old folders only.
  ///
  /// - Parameters:
  ///   - documents: the documents to check; nil for all documents of the library.
  ///   - searching: whether to search everywhere for documents that were already missing, too.
  /// - Returns: a report for each document that was not removed, in the same order.
  /// - Throws: `damaged` or `conflict` if the library cannot be read or written. A file that cannot
  ///   be read has the change ``RefreshReport/Change/unreadable``.
  package func refresh(_ documents: [Document]? = nil, searching: Bool = false)
    throws(UserError) -> [RefreshReport]
  {
    var reports = try refreshInPlace(try self.documents(orAll: documents))
    let lost = reports.filter {
      $0.change == .missing || searching && $0.document.state == .missing
    }
    var followed = try follow(lost.map(\.document))
    if !searching {
      let missing = reports.filter { $0.change == .unchanged && $0.document.state == .missing }
      followed += try followNearby(missing.map(\.document))
    }
    guard !followed.isEmpty else { return reports }
    let places = Dictionary(
      reports.enumerated().map { ($1.document.id, $0) }, uniquingKeysWith: { first, _ in first })
    for report in followed {
      if let index = places[report.document.id] { reports[index] = report }
    }
    return reports
  }

  /// Checks the files of documents at their stored paths. Missing files are not searched for.
  ///
  /// - Throws: `damaged` or `conflict` if the library cannot be read or written.
  package func refreshInPlace(_ documents: [Document]) throws(UserError) -> [RefreshReport] {
    let revisions = try storage {
      try store.read { try $0.revisions(of: documents) }
    }
    dialects.forget()
    let found = statuses(of: documents)
    var reports: [RefreshReport] = []
    var gone: [Document.ID] = []
    for (index, document) in documents.enumerated() where document.state != .removed {
      let report = try refresh(document, from: revisions[index], found[index])
      if report.change == .missing { gone.append(document.id) }
      reports.append(report)
    }
    try storeMissing(gone)
    return reports
  }

  /// The path and status of a document's file. The status is nil if the file does not exist.
  private typealias FoundFile = Result<(path: String, status: stat?), UserError>

  /// The number of documents from which a second thread is faster.
  private static let manyDocuments = 1_000

  /// Reads the status of the documents' files, including removed documents, on two threads if there
  /// are many.
  private func statuses(of documents: [Document]) -> [FoundFile] {
    let location = location
    let half = documents.count < Self.manyDocuments ? documents.count : documents.count / 2
    let parts = [documents[..<half], documents[half...]]
    let found = Mutex([[FoundFile]](repeating: [], count: parts.count))
    DispatchQueue.concurrentPerform(iterations: half < documents.count ? 2 : 1) { part in
      let statuses = parts[part].map { document in
        FoundFile { () throws(UserError) in
          // A path from another device is never opened.
          if document.path.isElsewhere { return (path: document.path.string, status: nil) }
          let path = try location.file(of: document.path)
          return (path: path, status: try FileSystem.status(of: path))
        }
      }
      found.withLock { $0[part] = statuses }
    }
    return found.withLock { $0.flatMap(\.self) }
  }

  /// The number of missing documents that are stored in one transaction.
  private static let missingBatch = 1_000

  /// Stores that the documents' files do not exist.
  private func storeMissing(_ documents: [Document.ID]) throws(UserError) {
    if isReadOnly { return }
    for start in stride(from: 0, to: documents.count, by: Self.missingBatch) {
      let batch = documents[start..<min(start + Self.missingBatch, documents.count)]
      try storage {
        try store.writeCache { for id in batch { try $0.setPresence(false, of: id) } }
      }
    }
  }

  /// Checks one document. If nothing has changed, only the status of its file is read.
  private func refresh(_ document: Document, from revision: Revision?, _ found: FoundFile)
    throws(UserError) -> RefreshReport
  {
    var path = ""
    do {
      let file = try found.get()
      path = file.path
      guard let status = file.status else { return try missing(document) }
      let stamp = FileStamp(status, checked: FileStamp.currentTime)
      if document.state == .present, let revision, revision.stamp.provesUnchanged(stamp),
        isRenderedAsNow(revision, path)
      {
        return RefreshReport(document: document, change: .unchanged, outcomes: [])
      }
      return try see(document, from: revision, keepingText: false).report
    } catch  where Self.isFault(error, ofFile: path) {
      // The problem concerns only this file, so other documents are still checked. This one keeps
      // its state.
      return RefreshReport(
        document: document, change: .unreadable, outcomes: [], problem: error)
    }
  }

  /// Whether an error concerns only a document's file, and not the library.
  static func isFault(_ error: UserError, ofFile path: String) -> Bool {
    error.code != .conflict && error.code != .damaged || error == SourceFile.unsettled(path)
  }

  /// A document's current content, with the outcome of locating its highlights in it.
  package struct CheckedDocument {
    package var parsed: ParsedDocument
    /// The hashes of its bytes and of its text.
    package var digests: (source: ContentDigest, text: ContentDigest)
    package var report: RefreshReport

    package init(
      parsed: ParsedDocument, digests: (source: ContentDigest, text: ContentDigest),
      report: RefreshReport
    ) {
      (self.parsed, self.digests, self.report) = (parsed, digests, report)
    }
  }

  /// A document's file after a check.
  private struct CheckedFile {
    var file: SourceFile
    /// The parsed text; nil if it was not parsed because it is unchanged.
    var parsed: ParsedDocument?
    var textDigest: ContentDigest
    var report: RefreshReport
  }

  /// Reads and parses the current file of a document, anchors its highlights and stores their
  /// positions.
  ///
  /// - Throws: the errors of ``read(_:from:)``.
  package func current(_ document: Document) throws(UserError) -> CheckedDocument {
    dialects.forget()
    return try read(
      document, from: try storage { try store.read { try $0.revision(of: document.id) } })
  }

  /// Reads and parses a document's file, and stores a changed text as ``refreshInPlace(_:)`` does.
  /// A file that no longer exists is searched for.
  ///
  /// - Throws: `notFound` if the file does not exist; the error of ``SourceFile`` if it cannot be
  ///   read; `damaged` or `conflict` if the library cannot be read or written.
  func read(_ document: Document, from revision: Revision?) throws(UserError) -> CheckedDocument {
    var seen: CheckedFile
    do { seen = try see(document, from: revision, keepingText: true) } catch
      where
      error == .missingFile(document)
    {
      guard let report = try follow([document]).first else { throw error }
      let revision = try storage { try store.read { try $0.revision(of: document.id) } }
      seen = try see(report.document, from: revision, keepingText: true)
      seen.report = report
    }
    return CheckedDocument(
      parsed: seen.parsed ?? parse(seen.file), digests: (seen.file.digest, seen.textDigest),
      report: seen.report)
  }

  /// Whether the rendering rules and the dialect that produced a revision are still those in use
  /// for the path.
  private func isRenderedAsNow(_ revision: Revision, _ path: String) -> Bool {
    revision.renderVersion == ParsedDocument.renderVersion
      && revision.dialect == dialects.choice(for: path).dialect.rawValue
  }

  /// The maximum size in bytes of a file whose parsed text is cached.
  private static let keptText = 8 << 20

  /// Parses a file. Returns the cached result if it was the last file to be parsed. O(bytes).
  package func parse(_ file: SourceFile) -> ParsedDocument {
    let dialect = dialects.choice(for: file.path).dialect
    if let last = lastParsed, last.digest == file.digest,
      last.document.options == dialect.options
    {
      return last.document
    }
    let parsed = ParsedDocument(parsing: MarkdownSource(file.bytes), in: dialect)
    parseCount += 1
    lastParsed = file.bytes.count <= Self.keptText ? (file.digest, parsed) : nil
    return parsed
  }

  /// Reads a document's file. If its text changed, locates every highlight in it and stores the
  /// result in one transaction.
  ///
  /// - Parameter keepingText: whether the result contains a changed text. If not, a long text is
  ///   released before it is stored, because storing it takes as much memory again.
  /// - Throws: `notFound` if the file does not exist, in which case the document is marked as
  ///   missing; the error of ``SourceFile`` if it cannot be read.
  private func see(_ document: Document, from revision: Revision?, keepingText: Bool)
    throws(UserError) -> CheckedFile
  {
    let path = try location.file(of: document.path)
    guard try FileSystem.status(of: path) != nil else {
      if document.state != .missing { try storeMissing([document.id]) }
      throw .missingFile(document)
    }
    let file = try SourceFile(reading: path)
    var present = document
    present.state = .present
    let returned = document.state == .missing
    if let revision, revision.sourceDigest == file.digest, isRenderedAsNow(revision, path) {
      // Write only if something changed: reads must not write.
      if returned || !revision.stamp.provesUnchanged(file.stamp) {
        try remember(file.stamp, of: present, returned: returned)
      }
      let report = RefreshReport(
        document: present, change: returned ? .returned : .unchanged,
        outcomes: returned ? try recordedOutcomes(of: document) : [])
      return CheckedFile(file: file, textDigest: revision.textDigest, report: report)
    }
    if let revision, revision.sourceDigest != file.digest,
      let back = try relocated(document, revision, now: file)
    {
      var seen = try see(back, from: revision, keepingText: keepingText)
      seen.report.movedFrom = document.path
      return seen
    }
    var parsed: ParsedDocument? = parse(file)
    let dialect = parsed!.dialect.rawValue
    let places = try replaceRevision(
      of: &present, revision, with: file, &parsed, keepingText: keepingText)
    var report = RefreshReport(
      document: present, change: returned ? .returned : .changed, outcomes: places.outcomes,
      lostFormats: places.lostFormats)
    if let revision, revision.sourceDigest == file.digest {
      report.reread =
        revision.dialect == dialect ? "read by a newer Diple now" : "read as \(dialect) now"
    }
    return CheckedFile(file: file, parsed: parsed, textDigest: places.digest, report: report)
  }

  /// Locates the highlights in a changed text and stores both.
  ///
  /// - Parameters:
  ///   - document: the document; on return, with the title of its changed file.
  ///   - parsed: the text; nil on return if it was released.
  private func replaceRevision(
    of document: inout Document, _ old: Revision?, with file: SourceFile,
    _ parsed: inout ParsedDocument?, keepingText: Bool
  ) throws(UserError) -> Placements {
    let title = DocumentTitle.inText(of: parsed!)
    var mapped: MappedText? = parsed!.mapped
    if !keepingText { parsed = nil }
    let places = try placements(of: document, in: mapped!)
    if isReadOnly {
      unsaved.merge(places.anchors) { $1 }
    } else {
      let revision = Revision(
        sourceDigest: file.digest, textDigest: places.digest,
        renderVersion: ParsedDocument.renderVersion, dialect: mapped!.dialect.rawValue,
        stamp: file.stamp, seen: .now)
      let positions = PositionMap(mapped!).bytes
      let text = mapped!.text.string
      mapped = nil
      // If another process has stored the same text first, its locations are the same, so they are
      // kept.
      let isStored = try storage {
        try store.writeCache { transaction in
          if keepingText { transaction.limitIndexing(toTextsOf: Self.keptText) }
          try transaction.setPresence(true, of: document.id)
          return try transaction.replaceRevision(
            of: document.id, expecting: old?.sourceDigest, with: revision,
            text: text, positions: positions, anchors: places.anchors)
        }
      }
      // A text that only another version of Diple or another dialect renders is not a new one.
      if isStored, old?.sourceDigest != file.digest, let title, document.title != title,
        try follow(title, of: document)
      {
        document.title = title
      }
    }
    logger.debug("refreshed", metadata: ["document": "\(document.path.string)"])
    return places
  }

  /// Sets the title of a document to that of its changed file, unless the user has set the title.
  /// Returns whether it was changed.
  func follow(_ title: String, of document: Document) throws(UserError) -> Bool {
    guard try storage({ try store.read { try $0.isTitleOfFile(document) } }) else { return false }
    return try storage {
      try store.write { transaction in
        // A changed file is not a user action, so there is nothing to undo.
        transaction.journal(JournalStep(nil))
        return try transaction.follow(fileTitle: title, of: document.id)
      }
    }
  }

  /// Stores a new stamp for a file whose content is unchanged.
  private func remember(_ stamp: FileStamp, of document: Document, returned: Bool)
    throws(UserError)
  {
    if isReadOnly { return }
    try storage {
      try store.writeCache { transaction in
        if returned { try transaction.setPresence(true, of: document.id) }
        try transaction.setStamp(stamp, of: document.id)
      }
    }
  }

  /// Returns the report for a file that does not exist.
  private func missing(_ document: Document) throws(UserError) -> RefreshReport {
    var missing = document
    missing.state = .missing
    // A missing file is reported once, when it disappears. Later, lists show the document's state.
    if document.state == .missing {
      return RefreshReport(document: missing, change: .unchanged, outcomes: [])
    }
    var report = RefreshReport(document: missing, change: .missing, outcomes: [])
    report.hasHighlights = try highlightCounts(of: document.id)[document.id] != nil
    return report
  }

  /// Returns an outcome for each highlight of a document whose text is unchanged: all have their
  /// previous location.
  ///
  /// - Throws: `damaged` or `conflict` if the library cannot be read.
  package func recordedOutcomes(of document: Document) throws(UserError) -> [RefreshReport.Outcome]
  {
    try highlights(HighlightFilter(documents: [document.id])).map {
      RefreshReport.Outcome(
        highlight: $0.id, name: $0.shortID, quote: $0.selector.exact, before: $0.anchor,
        after: $0.anchor)
    }
  }
}

extension Library {
  /// Returns the folders that the daemon must watch.
  ///
  /// - Throws: `damaged` or `conflict` if the library cannot be read.
  package func watchPlan() throws(UserError) -> WatchPlan {
    WatchPlan(
      documents: try documents().map(\.path).filter { (try? location.file(of: $0)) != nil }
        .map(location.absolute), ownFolder: location.folder,
      root: location.root, home: location.home)
  }

  /// Returns the stored hashes of the documents' bytes. O(documents).
  ///
  /// - Throws: `damaged` or `conflict` if the library cannot be read.
  package func contents(of documents: [Document.ID]) throws(UserError)
    -> [Document.ID: ContentDigest]
  {
    if documents.isEmpty { return [:] }
    return try storage {
      try store.read { transaction in
        try documents.reduce(into: [:]) { contents, id in
          contents[id] = try transaction.revision(of: id)?.sourceDigest
        }
      }
    }
  }

  /// The patterns of `library.ignore` in the library's folder. They apply to all watched folders.
  package nonisolated func ignoreRules() -> IgnoreRules {
    var rules = IgnoreRules()
    let path = location.folder + "/library.ignore"
    if let bytes = try? PrivateFile.content(of: path, limit: 1 << 16) {
      rules.add(String(decoding: bytes, as: UTF8.self), below: location.root ?? "/")
    }
    return rules
  }

  /// The documents that are affected by changes in the file system.
  package struct ChangeScope: Sendable {
    /// The documents, with their new paths.
    package var documents: [Document] = []
    /// The previous paths of the documents that were renamed.
    package var movedFrom: [Document.ID: DocumentPath] = [:]
  }

  /// Returns the documents that changes may affect, and stores the new paths of those whose files
  /// were renamed.
  ///
  /// Renames are evaluated by the final state: if a document's old path exists again, its editor
  /// wrote a new file under the old name, so the document was not renamed.
  ///
  /// - Throws: `damaged` or `conflict` if the library cannot be read or written.
  package func scope(of changes: FileChanges) throws(UserError) -> ChangeScope {
    if changes.rescan != nil || !changes.folders.isEmpty {
      // For a folder it is only known that something below it changed.
      let all = try documents()
      let moved = try rename(all, by: changes.renames)
      return ChangeScope(
        documents: try documents().filter { document in
          let path = location.absolute(document.path)
          return changes.rescan != nil || moved[document.id] != nil || changes.files.contains(path)
            || changes.coversFolder(of: path)
        }, movedFrom: moved)
    }
    let sources = Set(changes.renames.map(\.from)).union(changes.files).sorted()
    let known = try documents(at: sources)
    let moved = try rename(known, by: changes.renames)
    guard !moved.isEmpty else { return ChangeScope(documents: known) }
    let targets = Set(changes.renames.map(\.to)).union(sources).sorted()
    return ChangeScope(documents: try documents(at: targets), movedFrom: moved)
  }

  /// Searches for missing documents after changes in the file system.
  ///
  /// Documents whose files have just disappeared are searched for in all places. Documents that
  /// were already missing are searched for among the files that have just appeared. After a full
  /// rescan, all missing documents are searched for in all places, because it is unknown which
  /// files appeared and whether the previous search was completed.
  ///
  /// - Returns: the reports of the documents that were found.
  /// - Throws: `damaged` or `conflict` if the library cannot be read or written.
  package func findMissing(gone: [Document], after changes: FileChanges) throws(UserError)
    -> [RefreshReport]
  {
    if changes.rescan != nil {
      return try follow(try storage { try store.read { try $0.missingDocuments() } })
    }
    var found = try follow(gone)
    let arrivals = changes.arrivals
    if !arrivals.isEmpty {
      let missing = try storage { try store.read { try $0.missingDocuments() } }
      found += try follow(missing, among: arrivals)
    }
    return found
  }

  /// Indexes documents that are not in the search index: those of a large import, or documents
  /// added by an older version of Diple. Checks of files index changed texts themselves.
  ///
  /// - Parameters:
  ///   - mark: the result of the previous call; 0 to start.
  ///   - limit: the maximum number of documents to index.
  /// - Returns: the mark for the next call; nil if there are no more documents.
  /// - Throws: `damaged` or `conflict` if the library cannot be read or written.
  package func fillIndex(after mark: Int64, limit: Int) throws(UserError) -> Int64? {
    if isReadOnly { return nil }
    if mark == 0, try storage({ try store.read { try !$0.isIndexWhole() } }) {
      try storage { try store.write { try $0.clearIndex() } }
    }
    return try storage { try store.write { try $0.indexMissing(after: mark, limit: limit) } }
  }

  /// Returns the documents at some absolute paths. Paths without a document and removed documents
  /// are omitted.
  ///
  /// - Throws: `damaged` or `conflict` if the library cannot be read.
  package func documents(at paths: [String]) throws(UserError) -> [Document] {
    try storage {
      try store.read { transaction in
        try paths.compactMap { path in
          let document = try transaction.document(at: self.location.documentPath(path))
          return document?.state == .removed ? nil : document
        }
      }
    }
  }

  /// Stores the new paths of the documents that were renamed, in one transaction.
  ///
  /// - Returns: their previous paths.
  private func rename(_ documents: [Document], by renames: [FileChanges.Rename])
    throws(UserError) -> [Document.ID: DocumentPath]
  {
    guard !renames.isEmpty else { return [:] }
    var targets: [(document: Document, old: String, new: String)] = []
    for document in documents {
      let old = location.absolute(document.path)
      let new = renames.reduce(old) { $1.applied(to: $0) }
      guard new != old, let status = try? FileSystem.status(of: new), !status.isFolder else {
        continue
      }
      // `a.md~` is the backup that an editor makes before it writes `a.md`. The document was not
      // renamed to it.
      guard FolderScan.isUsual(new) || !FolderScan.isUsual(old) else { continue }
      targets.append((document, old, new))
    }
    // If the old path exists, the document was not renamed, unless another document's file was
    // renamed to that path. Repeat, because a document that is excluded no longer explains why the
    // old path of another one exists.
    while true {
      let newPaths = Set(targets.map(\.new))
      let real = targets.filter { newPaths.contains($0.old) || access($0.old, F_OK) != 0 }
      if real.count == targets.count { break }
      targets = real
    }
    guard !targets.isEmpty else { return [:] }
    let movers = Set(targets.map(\.document.id))
    return try storage {
      try store.write { transaction in
        var moved: [Document.ID: DocumentPath] = [:]
        for (document, _, new) in targets {
          let path = self.location.documentPath(new)
          // A file that was renamed over another document's file is a new text of that document.
          if let other = try transaction.document(at: path), other.state != .removed,
            !movers.contains(other.id)
          {
            continue
          }
          if try transaction.setPath(path, of: document.id) { moved[document.id] = document.path }
        }
        return moved
      }
    }
  }
}

extension FileChanges {
  /// Whether a file is below one of the changed folders. O(depth of the path).
  fileprivate func coversFolder(of path: String) -> Bool {
    var folder = path
    while folder != "/" {
      folder = folder.parentFolder
      if folders.contains(folder) { return true }
    }
    return false
  }
}
