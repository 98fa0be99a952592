import Files
import Glibc
import MarkdownParse
import Model
import Storage
import SystemSupport
import Watching

extension Library {
  /// The minimum similarity, 0 … 1, of a file to a missing document, and its minimum lead over the
  /// second best file.
  static let (likeness, margin) = (0.6, 0.2)
  /// The maximum number of files whose text is compared with one missing document, and with all of
  /// them together.
  private static let (comparisons, totalComparisons) = (200, 4_000)

  /// The last known state of a missing document's file.
  private struct Trace {
    var document: Document
    var revision: Revision
    /// The rendered text; nil if it is not stored.
    var text: String?
  }

  /// A file that was identified as that of a missing document.
  private struct MovedFile {
    var path: String
    var likeness: Double
  }

  /// Searches for the files of missing documents under other names and in other folders.
  ///
  /// Files with the same bytes are considered first, then files with a similar text. A document
  /// follows a file only if the match is unambiguous.
  ///
  /// If nothing is found near the old path, the search continues in all folders that the daemon
  /// watches, among files that appeared after the document was last read. The result is therefore
  /// the same whether the daemon was running or not.
  ///
  /// - Parameters:
  ///   - missing: the documents.
  ///   - arrivals: the candidate files; nil for all files in the folder in which each document is
  ///     searched for.
  ///   - isExact: whether only files with the last known bytes are considered.
  /// - Returns: the reports of the documents that were found, with the locations of their
  ///   highlights.
  /// - Throws: `damaged` or `conflict` if the library cannot be read or written. Unreadable
  ///   candidates are skipped.
  func follow(
    _ missing: [Document], among arrivals: Set<String>? = nil, isExact: Bool = false
  ) throws(UserError) -> [RefreshReport] {
    // A path on another device is not searched for on this one.
    let missing = missing.filter { !$0.path.isElsewhere }
    guard !missing.isEmpty, arrivals?.isEmpty != true, !isReadOnly else { return [] }
    let known = Set(try documents().map { location.absolute($0.path) })
    func unknown(_ files: some Sequence<String>) -> ArrivedFiles {
      ArrivedFiles(files.lazy.filter { !known.contains($0) })
    }
    let arrived = arrivals.map { unknown($0) }
    var scans: [String: ArrivedFiles] = [:]
    var watched: ArrivedFiles?
    var movedFiles: [(Document, MovedFile)] = []
    let limit = max(1, min(Self.comparisons, Self.totalComparisons / missing.count))
    for document in missing {
      let folder = searchFolder(for: document)
      if arrived == nil && scans[folder] == nil {
        scans[folder] = unknown(FolderScan(folder).files)
      }
      let former = try formerFiles(of: document).filter {
        !known.contains($0) && arrivals?.contains($0) != false
      }
      if arrived == nil, watched == nil, scans[folder]?.isEmpty != false {
        watched = unknown(try watchedFiles())
      }
      // Without candidates, the document's last text need not be read.
      let hasNone = arrived == nil && scans[folder]?.isEmpty != false && watched?.isEmpty == true
      if hasNone && former.isEmpty { continue }
      guard let trace = try trace(of: document) else { continue }
      var found = findAtFormerPath(trace, among: former, isExact: true)
      if found == nil {
        found = find(trace, among: arrived ?? scans[folder], comparing: isExact ? 0 : limit)
        // A file at a former path of the document belongs to it if it has any of the document's
        // earlier texts.
        if found?.likeness != 1, !isExact {
          found = findAtFormerPath(trace, among: former, isExact: false) ?? found
        }
      }
      if found == nil && arrived == nil {
        if watched == nil { watched = unknown(try watchedFiles()) }
        found = find(trace, among: watched, comparing: limit) {
          $0.mayHaveCome(after: trace.revision.stamp)
        }
      }
      if let found { movedFiles.append((document, found)) }
    }
    let claims = Dictionary(grouping: movedFiles, by: \.1.path)
    return try take(movedFiles.filter { claims[$0.1.path]?.count == 1 })
  }

  /// Returns the documents whose files do not exist. O(documents).
  ///
  /// - Throws: `damaged` or `conflict` if the library cannot be read.
  func documentsWithoutFiles() throws(UserError) -> [Document] {
    if isReadOnly { return [] }
    return try documents().filter { document in
      guard !document.path.isElsewhere, let path = try? location.file(of: document.path) else {
        return false
      }
      return access(path, F_OK) != 0 && errno == ENOENT
    }
  }

  /// Gives files that a user named to the missing documents whose texts they have, as a search
  /// for missing documents does. ``drainFoundDocuments()`` returns the reports.
  ///
  /// - Parameters:
  ///   - files: absolute paths. Those of documents, and files that cannot be added, are ignored.
  ///   - missing: documents without files.
  /// - Returns: the documents that were found.
  /// - Throws: `damaged` or `conflict` if the library cannot be read or written.
  func claim(_ files: [String], for missing: [Document]) throws(UserError) -> [Document] {
    if missing.isEmpty { return [] }
    let reports = try follow(
      missing,
      among: Set(files.filter { (try? location.file(of: location.documentPath($0))) != nil }))
    foundDocuments += reports
    return reports.map(\.document)
  }

  /// Returns the reports of the missing documents that were found by the names of their new files.
  /// Each is returned only once.
  package func drainFoundDocuments() -> [RefreshReport] {
    defer { foundDocuments = [] }
    return foundDocuments
  }

  /// Searches for documents that were already missing in their old folders, only for files with the
  /// same bytes. This costs one reading of each folder.
  ///
  /// - Returns: the reports of the documents that were found.
  /// - Throws: `damaged` or `conflict` if the library cannot be read or written.
  func followNearby(_ missing: [Document]) throws(UserError) -> [RefreshReport] {
    let folders = Set(
      missing.compactMap { (try? location.file(of: $0.path))?.parentFolder }
    ).sorted().prefix(Self.nearbyFolders)
    let files = folders.flatMap { FolderScan.files(directlyIn: $0) }
    guard files.count <= Self.nearbyFiles else { return [] }
    return try follow(missing, among: Set(files), isExact: true)
  }

  /// The maximum numbers of folders and files in which documents that were already missing are
  /// searched for.
  private static let (nearbyFolders, nearbyFiles) = (16, 2_000)

  /// The number of documents whose paths are changed in one transaction.
  private static let pathBatch = 1_000

  /// Assigns the files that were found to their documents and refreshes these.
  private func take(_ movedFiles: [(document: Document, file: MovedFile)]) throws(UserError)
    -> [RefreshReport]
  {
    for start in stride(from: 0, to: movedFiles.count, by: Self.pathBatch) {
      let batch = movedFiles[start..<min(movedFiles.count, start + Self.pathBatch)]
      let paths = batch.map { (location.documentPath($0.file.path), $0.document.id) }
      try storage {
        try store.write { transaction in
          // A moved file is not a user action, so there is nothing to undo.
          transaction.journal(JournalStep(nil))
          for (path, id) in paths { _ = try transaction.setPath(path, of: id) }
        }
      }
    }
    let former = Dictionary(
      movedFiles.map { ($0.document.id, $0.document.path) }, uniquingKeysWith: { first, _ in first }
    )
    var documents: [Document] = []
    for moved in movedFiles { documents.append(try document(id: moved.document.id)) }
    return try refreshInPlace(documents).map { report in
      var report = report
      report.movedFrom = former[report.document.id]
      return report
    }
  }

  /// The folder to search for a missing file: the library's root if it has one, otherwise the
  /// nearest existing parent folder of the file. If that is `/`, the library's own folder is
  /// searched instead.
  private func searchFolder(for document: Document) -> String {
    if let root = location.root { return root }
    var folder = location.absolute(document.path)
    repeat {
      folder = folder.parentFolder
    } while folder != "/" && (try? FileSystem.status(of: folder))??.isFolder != true
    return folder == "/" ? location.folder : folder
  }

  /// Returns the files in the folders that the daemon watches, except for the library's root, which
  /// is searched first. O(files there).
  private func watchedFiles() throws(UserError) -> [String] {
    let plan = try watchPlan()
    var files: Set<String> = []
    for tree in plan.trees where tree != location.root { files.formUnion(FolderScan(tree).files) }
    for folder in plan.folders { files.formUnion(FolderScan.files(directlyIn: folder)) }
    return files.sorted()
  }

  private func trace(of document: Document) throws(UserError) -> Trace? {
    try storage {
      try store.read { transaction in
        guard let revision = try transaction.revision(of: document.id) else { return nil }
        return Trace(
          document: document, revision: revision,
          text: try transaction.snapshot(revision.textDigest, of: document.id))
      }
    }
  }

  /// Returns the file at one of a missing document's former paths that is the document's: it has
  /// the last known bytes or, unless `isExact` is true, an earlier text of the document or a text
  /// similar to the last one. Nil if no file qualifies.
  private func findAtFormerPath(_ trace: Trace, among paths: [String], isExact: Bool) -> MovedFile?
  {
    for path in paths {
      guard let source = try? SourceFile(reading: path) else { continue }
      if source.digest == trace.revision.sourceDigest { return MovedFile(path: path, likeness: 1) }
      if isExact { continue }
      let text = dialects.parse(source).text
      let digest = ContentDigest(sha256: text.utf8)
      let isKnown = try? store.read { try $0.snapshot(digest, of: trace.document.id) != nil }
      if isKnown == true { return MovedFile(path: path, likeness: 1) }
      guard let last = trace.text else { continue }
      let likeness = TextSimilarity(last).scoreOfNamesake(text.string)
      if likeness >= Self.likeness { return MovedFile(path: path, likeness: likeness) }
    }
    return nil
  }

  private func find(
    _ trace: Trace, among files: ArrivedFiles?, comparing limit: Int,
    where isPossible: (ArrivedFiles.File) -> Bool = { _ in true }
  ) -> MovedFile? {
    guard let files, !files.isEmpty else { return nil }
    let revision = trace.revision
    let same = files.files(ofSize: revision.stamp.size, revision.sourceDigest).filter(isPossible)
    if same.count == 1 { return MovedFile(path: same[0].path, likeness: 1) }
    guard same.isEmpty, limit > 0, let text = trace.text else { return nil }

    let name = trace.document.path.name
    let near = files.likeliest(
      limit, forName: name, size: revision.stamp.size, where: isPossible)
    guard !near.isEmpty else { return nil }
    let similarity = TextSimilarity(text)
    let scores = near.compactMap { file -> MovedFile? in
      guard let source = try? SourceFile(reading: file.path) else { return nil }
      let other = dialects.parse(source).text.string
      let isNamesake = file.path.hasSuffix("/" + name)
      return MovedFile(
        path: file.path,
        likeness: isNamesake ? similarity.scoreOfNamesake(other) : similarity.score(other))
    }.sorted { $0.likeness > $1.likeness }
    guard let best = scores.first, best.likeness >= Self.likeness,
      best.likeness - (scores.dropFirst().first?.likeness ?? 0) >= Self.margin
    else { return nil }
    return best
  }
}

/// Finds files that are back at a former path of their document, for example after a switch of
/// branches.
extension Library {
  /// The maximum number of former paths to check.
  private static let formerLimit = 8

  /// Returns the files that exist at former paths of a document, latest path first. Former paths
  /// are those from which Diple followed the file since a user last set the path. O(operations on
  /// the document).
  ///
  /// - Throws: `damaged` or `conflict` if the library cannot be read.
  func formerFiles(of document: Document) throws(UserError) -> [String] {
    let followed = try storage {
      try store.read { try $0.followedPaths(of: document.id) }
    }
    var seen: Set<DocumentPath> = [document.path]
    var paths: [DocumentPath] = []
    for operation in followed {
      guard case .text(let text) = operation.previous, !text.isEmpty else { continue }
      let path = DocumentPath(text)
      if seen.insert(path).inserted { paths.append(path) }
    }
    return paths.prefix(Self.formerLimit).compactMap { try? location.file(of: $0) }
      .filter(Self.isFile)
  }

  /// Checks whether a document's file moved back to a former path while another file took its
  /// present path. That is the case if a former path has the last known bytes and the text at the
  /// present path is not similar to the document's.
  ///
  /// - Returns: the document with its former path, which has been stored; nil if it did not move
  ///   back.
  /// - Throws: `damaged` or `conflict` if the library cannot be read or written.
  func relocated(_ document: Document, _ revision: Revision, now: SourceFile)
    throws(UserError) -> Document?
  {
    guard document.state == .present, !isReadOnly else { return nil }
    for path in try formerFiles(of: document) {
      let target = location.documentPath(path)
      let owner = try storage { try store.read { try $0.document(at: target) } }
      guard owner == nil || owner?.state == .removed,
        (try? SourceFile(reading: path))?.digest == revision.sourceDigest,
        let text = try storage({
          try store.read { try $0.snapshot(revision.textDigest, of: document.id) }
        })
      else { continue }
      let likeness = TextSimilarity(text).scoreOfNamesake(parse(now).text.string)
      guard likeness < Self.likeness else { return nil }
      _ = try storage {
        try store.write { transaction in
          // A followed file is not a user action, so there is nothing to undo.
          transaction.journal(JournalStep(nil))
          return try transaction.setPath(target, of: document.id)
        }
      }
      var back = try self.document(id: document.id)
      back.state = .missing
      return back
    }
    return nil
  }
}
