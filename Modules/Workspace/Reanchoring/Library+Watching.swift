package import Files
import Glibc
package import Model
import Storage
package import SystemSupport
package import Watching

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
