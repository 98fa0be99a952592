import Files
import FoundationEssentials
import Model
import Storage
import SystemSupport
import Workspace

/// Identifies a document across devices by the identifier in its front matter and by its content in
/// a git repository.
extension Library {
  /// The front matter keys for an identifier, in order of precedence.
  private static let identifierKeys = ["id", "uid", "uuid"]
  /// The maximum length of an identifier in UTF-8 bytes. Longer values are ignored.
  private static let identifierLimit = 256

  /// Stores identifying properties for the documents that have unsent operations, so that other
  /// devices can find their files.
  ///
  /// - Throws: `damaged` or `conflict` if the library cannot be read or written. Errors of git are
  ///   ignored.
  func noteEvidence() async throws(UserError) {
    let documents = try documentsToSend()
    guard !documents.isEmpty else { return }
    let blobs = await gitBlobs(of: documents)
    // Read the files first: a write transaction blocks other processes.
    let identifiers = documents.map(identifier)
    try storage {
      try store.write { transaction in
        // This is not a user action, so there is nothing to undo.
        transaction.journal(JournalStep(nil))
        for (document, identifier) in zip(documents, identifiers) {
          let record = RecordReference.document(document.id)
          // An identifier that was deleted from the file remains stored, because it still
          // identifies the document.
          if let identifier {
            _ = try transaction.setProperty(.identifier, identifier, of: record)
          }
          if let blob = blobs[document.id] {
            _ = try transaction.setProperty(.gitBlob, blob, of: record)
          }
        }
      }
    }
  }

  /// Returns the documents with a local file that have unsent operations.
  ///
  /// - Throws: `damaged` or `conflict` if the library cannot be read.
  private func documentsToSend() throws(UserError) -> [Document] {
    try storage {
      try store.read { transaction in
        let replica = try transaction.replica()
        let sent = try transaction.progress()[replica]?.sequence ?? 0
        // The query also reads operations of other devices, so skip it if there is nothing to send.
        guard try transaction.lastSequence() > sent else { return [] }
        return try transaction.documentsConcerned(after: sent, of: replica).filter {
          $0.state == .present && !$0.path.isElsewhere
        }
      }
    }
  }

  /// Returns the identifier in the front matter of a document's file; nil if it has none.
  private func identifier(of document: Document) -> String? {
    guard let matter = frontMatter(of: document) else { return nil }
    return Self.identifierKeys.lazy.compactMap { matter[$0] }
      .first { $0.utf8.count <= Self.identifierLimit }
  }

  /// Returns the git blob names of documents' files; empty without a repository or if git fails.
  private func gitBlobs(of documents: [Document]) async -> [Document.ID: String] {
    guard let (repository, folder) = await repository() else { return [:] }
    var names: [String: Document.ID] = [:]
    for document in documents where !document.path.isAbsolute {
      names[folder + document.path.string] = document.id
    }
    guard let blobs = try? await repository.blobs(of: names.keys.sorted()) else { return [:] }
    return Dictionary(
      blobs.compactMap { path, blob in names[path].map { ($0, blob) } }, uniquingKeysWith: { $1 })
  }

  /// Returns the git repository that contains the library and the path of the library's root in it,
  /// which is empty or ends with a slash.
  private func repository() async -> (GitRepository, String)? {
    guard let root = location.root,
      let repository = try? await GitRepository(containing: root),
      let real = FileSystem.resolved(root)
    else { return nil }
    if real == repository.root { return (repository, "") }
    guard real.hasPrefix(repository.root + "/") else { return nil }
    return (repository, String(real.dropFirst(repository.root.count + 1)) + "/")
  }

  // MARK: - Properties from other devices

  /// Returns the local files that match remote documents, by the properties that other devices
  /// sent.
  ///
  /// - Throws: `damaged` or `conflict` if the library cannot be read or written. Errors of git are
  ///   ignored.
  func evidence(of elsewhere: [Document], _ here: [Document]) async throws(UserError)
    -> [Document.ID: (path: DocumentPath, ground: DocumentMatch.Ground)]
  {
    let properties = try storage { try store.read { try $0.documentProperties() } }
    var found: [Document.ID: (path: DocumentPath, ground: DocumentMatch.Ground)] = [:]
    let identified = elsewhere.compactMap { document in
      properties[document.id]?[.identifier].map { (document: document, identifier: $0) }
    }
    if !identified.isEmpty {
      let pathsHere = try identifiers(of: here)
      // An identifier that several documents share is ignored. It was probably copied with a
      // template.
      let remote = Dictionary(grouping: identified, by: \.identifier)
      for (document, identifier) in identified where remote[identifier]?.count == 1 {
        if let paths = pathsHere[identifier], paths.count == 1 {
          found[document.id] = (paths[0], .id)
        }
      }
    }
    let unknown = elsewhere.compactMap { document -> (id: Document.ID, blob: String)? in
      guard found[document.id] == nil, let blob = properties[document.id]?[.gitBlob] else {
        return nil
      }
      return (document.id, blob)
    }
    for (id, path) in try await pathsInHistory(unknown) { found[id] = (path, .history) }
    return found
  }

  /// Returns the paths of local documents by their identifiers. A file is read again only if its
  /// content changed.
  private func identifiers(of here: [Document]) throws(UserError) -> [String: [DocumentPath]] {
    let prefix = "id/"
    let (known, digests) = try storage {
      try store.read { transaction in
        let digests = try here.map { try transaction.revision(of: $0.id)?.sourceDigest.description }
        return (try transaction.syncStates(withPrefix: prefix), digests)
      }
    }
    var found: [String: [DocumentPath]] = [:]
    var fresh: [String: [UInt8]] = [:]
    for (document, digest) in zip(here, digests) {
      let (key, digest) = (document.id.description, digest ?? "")
      let stored = known[key].map { String(decoding: $0, as: UTF8.self) }
      let identifier: String
      if let stored, stored.hasPrefix(digest + " ") {
        identifier = String(stored.dropFirst(digest.count + 1))
      } else {
        identifier = self.identifier(of: document) ?? ""
        fresh[key] = Array("\(digest) \(identifier)".utf8)
      }
      if !identifier.isEmpty { found[identifier, default: []].append(document.path) }
    }
    let gone = Set(known.keys).subtracting(here.map(\.id.description))
    if !fresh.isEmpty || !gone.isEmpty {
      try storage {
        try store.writeCache { transaction in
          for (key, bytes) in fresh { try transaction.setSyncState(prefix + key, bytes) }
          for key in gone { try transaction.setSyncState(prefix + key, nil) }
        }
      }
    }
    return found
  }

  /// Returns, for each document, the path of the only file that had its content in the history of
  /// the repository and still exists. If there is none, the history is searched again only when the
  /// head commit changes. Errors of git are ignored.
  private func pathsInHistory(_ sought: [(id: Document.ID, blob: String)]) async throws(UserError)
    -> [Document.ID: DocumentPath]
  {
    guard !sought.isEmpty, let (repository, folder) = await repository(),
      let head = await repository.head()
    else { return [:] }
    let prefix = "blob/"
    let known = try storage { try store.read { try $0.syncStates(withPrefix: prefix) } }
    var found: [Document.ID: DocumentPath] = [:]
    for (id, blob) in sought {
      let asked = Array("\(blob) \(head)".utf8)
      guard known[id.description] != asked else { continue }
      let paths = (try? await repository.paths(thatHad: blob)) ?? []
      let below = paths.filter { $0.hasPrefix(folder) }.map {
        DocumentPath(String($0.dropFirst(folder.count)))
      }
      if below.count == 1, localFile(at: below[0]) != nil {
        found[id] = below[0]
      } else {
        try storage { try store.writeCache { try $0.setSyncState(prefix + id.description, asked) } }
      }
    }
    return found
  }
}
