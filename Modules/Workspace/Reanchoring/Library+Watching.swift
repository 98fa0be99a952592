package import Files
import Glibc
package import Model
import Storage
package import SystemSupport
package import Watching

extension Library {
  /// Which folders must be watched.
  package func watchPlan() throws(UserError) -> WatchPlan {
    WatchPlan(
      documents: try documents().map(\.path).filter { (try? location.file(of: $0)) != nil }
        .map(location.absolute), ownFolder: location.folder,
      root: location.root, home: location.home)
  }

  /// The hashes of the files' bytes as they are on record. O(documents).
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

  /// The patterns of `library.ignore` in the library's folder, which hold for all it watches.
  package nonisolated func ignoreRules() -> IgnoreRules {
    var rules = IgnoreRules()
    let path = location.folder + "/library.ignore"
    if let bytes = try? PrivateFile.content(of: path, limit: 1 << 16) {
      rules.add(String(decoding: bytes, as: UTF8.self), below: location.root ?? "/")
    }
    return rules
  }

  /// The documents that some changes concern.
  package struct ChangeScope: Sendable {
    /// The documents, where their files are now.
    package var documents: [Document] = []
    /// Where those that were renamed stood before.
    package var movedFrom: [Document.ID: DocumentPath] = [:]
  }

  /// The documents that changes may have touched. Those whose files were renamed, as the system
  /// itself says, have their new paths from here on.
  ///
  /// Renames are judged by how things stand in the end: where a document's old path exists again,
  /// its program wrote a new file under the old name, and nothing was renamed for a reader.
  package func scope(of changes: FileChanges) throws(UserError) -> ChangeScope {
    if changes.rescan != nil || !changes.folders.isEmpty {
      // Of folders it is only known that something below them is different.
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

  /// Looks for documents under other names: for those that have just gone everywhere near, for those
  /// that were missing before among the files that have just come. After a full rescan
  /// both are the same: nobody knows what came meanwhile, or whether the last look got to its end.
  ///
  /// - Returns: reports of those that were found.
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

  /// Puts some texts into the index for search that are not in it: those of many documents that were
  /// added at once, or by an older Diple. What a check of a file stores is in the index already.
  ///
  /// - Parameters:
  ///   - mark: what the call before gave; 0 to begin.
  ///   - limit: how many texts.
  /// - Returns: what to go on with; nil when there are no more.
  package func fillIndex(after mark: Int64, limit: Int) throws(UserError) -> Int64? {
    if isReadOnly { return nil }
    if mark == 0, try storage({ try store.read { try !$0.isIndexWhole() } }) {
      try storage { try store.write { try $0.clearIndex() } }
    }
    return try storage { try store.write { try $0.indexMissing(after: mark, limit: limit) } }
  }

  /// The documents at some absolute paths, without the removed ones.
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

  /// Gives the documents that were renamed their new paths, all in one transaction.
  ///
  /// - Returns: where they stood before.
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
      // `a.md~` is a copy that a slow editor made before it writes `a.md`, not a document's new name.
      guard FolderScan.isUsual(new) || !FolderScan.isUsual(old) else { continue }
      targets.append((document, old, new))
    }
    // An old path that exists is no rename, unless another document's file was renamed to it. Each
    // that falls out may have been the reason of another.
    while true {
      let taken = Set(targets.map(\.new))
      let real = targets.filter { taken.contains($0.old) || access($0.old, F_OK) != 0 }
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
          // A file that was written over another document's is a new text of that one.
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
  /// Whether a file is below one of the folders that came or went. O(depth of the path).
  fileprivate func coversFolder(of path: String) -> Bool {
    var folder = path
    while folder != "/" {
      folder = folder.parentFolder
      if folders.contains(folder) { return true }
    }
    return false
  }
}
