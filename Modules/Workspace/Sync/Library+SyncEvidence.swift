import Files
import FoundationEssentials
import Model
import Storage
import SystemSupport

/// What tells a document from all others on every machine: the id in its front matter, and the content
/// that its git repository holds of it.
extension Library {
  /// The keys of a front matter that name a document.
  private static let identifierKeys = ["id", "uid", "uuid"]
  /// A longer one is no name, in UTF-8 bytes.
  private static let identifierLimit = 256

  /// Says of the documents about which something is to be sent by what other machines find them.
  func noteEvidence() async throws(UserError) {
    let documents = try documentsToSend()
    guard !documents.isEmpty else { return }
    let blobs = await gitBlobs(of: documents)
    // Files are read before the library is written to: nobody else can write meanwhile.
    let identifiers = documents.map(identifier)
    try storage {
      try store.write { transaction in
        // No person did it, so there is nothing for undo.
        transaction.journal(JournalStep(nil))
        for (document, identifier) in zip(documents, identifiers) {
          let record = RecordReference.document(document.id)
          // One that is gone from the file is still a name that it had.
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

  /// The documents that are here and that operations which were not sent yet are about.
  private func documentsToSend() throws(UserError) -> [Document] {
    try storage {
      try store.read { transaction in
        let replica = try transaction.replica()
        let sent = try transaction.progress()[replica]?.sequence ?? 0
        return try transaction.documentsConcerned(after: sent, of: replica).filter {
          $0.state == .present && !$0.path.isElsewhere
        }
      }
    }
  }

  /// The name that a document's file gives itself.
  private func identifier(of document: Document) -> String? {
    guard let matter = frontMatter(of: document) else { return nil }
    return Self.identifierKeys.lazy.compactMap { matter[$0] }
      .first { $0.utf8.count <= Self.identifierLimit }
  }

  /// What git holds of documents' files; nothing where there is no repository, or no git.
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

  /// The repository that holds the library, and where in it the library's folder is: empty, or with a
  /// slash at the end.
  private func repository() async -> (GitRepository, String)? {
    guard let root = location.root,
      let repository = try? await GitRepository(holding: root),
      let real = FileSystem.resolved(root)
    else { return nil }
    if real == repository.root { return (repository, "") }
    guard real.hasPrefix(repository.root + "/") else { return nil }
    return (repository, String(real.dropFirst(repository.root.count + 1)) + "/")
  }

  // MARK: - What others say

  /// The files of this machine that are documents of others, by what these said of them.
  func evidence(of elsewhere: [Document], _ here: [Document]) async throws(UserError)
    -> [Document.ID: (path: DocumentPath, ground: DocumentMatch.Ground)]
  {
    let said = try storage { try store.read { try $0.documentProperties() } }
    var found: [Document.ID: (path: DocumentPath, ground: DocumentMatch.Ground)] = [:]
    let identified = elsewhere.compactMap { document in
      said[document.id]?[.identifier].map { (document: document, identifier: $0) }
    }
    if !identified.isEmpty {
      let own = try identifiers(of: here)
      // A name that two documents have is none: a template was copied.
      let remote = Dictionary(grouping: identified, by: \.identifier)
      for (document, identifier) in identified where remote[identifier]?.count == 1 {
        if let paths = own[identifier], paths.count == 1 { found[document.id] = (paths[0], .id) }
      }
    }
    let unknown = elsewhere.compactMap { document -> (id: Document.ID, blob: String)? in
      guard found[document.id] == nil, let blob = said[document.id]?[.gitBlob] else { return nil }
      return (document.id, blob)
    }
    for (id, path) in try await pathsInHistory(unknown) { found[id] = (path, .history) }
    return found
  }

  /// The documents of this machine by the names in their files. Each file is read once for each of its
  /// contents.
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

  /// The files that once had contents, by the history of the repository; it is asked once for each
  /// commit.
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
