public import Model
import Storage

/// What somebody threw away and can be restored. What an undo took back before anybody could throw
/// it away is not in it: `redo` makes that again.
public struct TrashContents: Sendable {
  /// Highlights that were removed one by one, in the order of their documents.
  public var highlights: [(highlight: Highlight, document: Document)] = []
  /// Documents that were removed, with all their highlights.
  public var documents: [Document] = []

  /// Whether nothing is in it.
  public var isEmpty: Bool { highlights.isEmpty && documents.isEmpty }
}

extension Library {
  /// What is in the trash.
  public func trash() throws(LibraryError) -> TrashContents {
    try storage { try store.read { try $0.trashContents() } }
  }

  /// Brings highlights and documents back, in one step.
  ///
  /// - Parameter names: ids or their unique prefixes; for documents also what else names them.
  /// - Returns: what came back.
  /// - Throws: `notFound` for what is not in the trash; then nothing is restored.
  public func restoreFromTrash(_ names: [String]) throws(LibraryError) -> TrashContents {
    var found = TrashContents()
    for name in names {
      if let highlight = try? highlight(name), highlight.isTrashed {
        found.highlights.append((highlight, try document(highlight.document.description)))
      } else if let document = try? document(name), document.state == .removed {
        found.documents.append(document)
      } else {
        throw LibraryError(
          .notFound, "'\(name)' is not in the trash", hint: "`diple trash list` shows what is")
      }
    }
    let restored = found
    try storage {
      try store.write { transaction in
        for (highlight, _) in restored.highlights {
          _ = try transaction.setTrashed(false, of: highlight.id)
        }
        for document in restored.documents {
          _ = try transaction.setTrashed(false, of: document.id)
        }
      }
    }
    return restored
  }

  /// Takes what is in the trash away for good: no undo brings it back. Files stay.
  ///
  /// - Returns: what was in it.
  /// - Throws: `nothing` when it is empty.
  public func emptyTrash(dryRun: Bool = false) throws(LibraryError) -> TrashContents {
    let store = store
    return try storage {
      try store.write { transaction in
        let contents = try transaction.trashContents()
        guard !contents.isEmpty else { throw LibraryError(.nothing, "the trash is empty") }
        if dryRun { return contents }
        transaction.journal(JournalStep(.final, label: "emptied the trash"))
        let unmade = try transaction.unmadeRecords()
        for (highlight, _) in contents.highlights { try transaction.purge(highlight.id) }
        for document in contents.documents { try transaction.purge(document.id) }
        // What no redo can make again is in nobody's way, but it need not stay either.
        for (record, canRedo) in unmade where !canRedo {
          switch record {
          case .highlight(let id): try transaction.purge(id)
          case .document(let id) where try transaction.liveHighlights(in: id).isEmpty:
            try transaction.purge(id)
          case .document, .library: continue
          }
        }
        return contents
      }
    }
  }
}

extension ReadTransaction {
  /// The highlights that a filter lets through, without those that nobody threw away.
  func thrownAway(_ filter: HighlightFilter) throws -> [Highlight] {
    let found = try highlights(filter)
    let unmade = try unmade(found.lazy.filter(\.isTrashed).map { .highlight($0.id) })
    return unmade.isEmpty ? found : found.filter { unmade[.highlight($0.id)] == nil }
  }

  fileprivate func trashContents() throws -> TrashContents {
    let documents = try documents(includingRemoved: true)
    let byID = Dictionary(uniqueKeysWithValues: documents.map { ($0.id, $0) })
    let removed = documents.filter { $0.state == .removed }
    let unmade = try unmade(removed.map { .document($0.id) })
    return TrashContents(
      highlights: try thrownAway(HighlightFilter(trash: .only)).compactMap { highlight in
        byID[highlight.document].map { (highlight, $0) }
      },
      documents: try removed.filter {
        // What was marked in it has to be found somewhere.
        try unmade[.document($0.id)] == nil || !liveHighlights(in: $0.id).isEmpty
      })
  }

  /// All records in the trash that nobody threw away, with whether `redo` can make them again.
  fileprivate func unmadeRecords() throws -> [RecordReference: Bool] {
    let documents = try documents(includingRemoved: true).filter { $0.state == .removed }
    let highlights = try highlights(HighlightFilter(trash: .only))
    return try unmade(
      documents.map { .document($0.id) } + highlights.map { .highlight($0.id) })
  }

  /// The highlights of a document that are not in the trash themselves.
  fileprivate func liveHighlights(in document: Document.ID) throws -> [Highlight] {
    try highlights(HighlightFilter(documents: [document], trash: .included)).filter {
      !$0.isTrashed
    }
  }
}
