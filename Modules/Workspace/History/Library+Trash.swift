package import Model
import Storage
package import SystemSupport

/// What a person moved to the trash, where it can be restored. What an undo reverted is not in it:
/// `redo` makes that again.
package struct TrashContents: Sendable {
  /// Highlights that were removed one by one, in the order of their documents.
  package var highlights: [(highlight: Highlight, document: Document)] = []
  /// Documents that were removed, with all their highlights.
  package var documents: [Document] = []

  /// Whether nothing is in it.
  package var isEmpty: Bool { highlights.isEmpty && documents.isEmpty }
}

extension Library {
  /// What is in the trash.
  package func trash() throws(UserError) -> TrashContents {
    try storage { try store.read { try $0.trashContents() } }
  }

  /// Brings highlights and documents back, in one step.
  ///
  /// - Parameter names: ids or their unique prefixes; for documents also what else names them.
  /// - Returns: what came back.
  /// - Throws: `notFound` for what is not in the trash; then nothing is restored.
  package func restoreFromTrash(_ names: [String]) throws(UserError) -> TrashContents {
    var found = TrashContents()
    for name in names {
      if let highlight = try? highlight(name), highlight.isTrashed {
        found.highlights.append((highlight, try document(id: highlight.document)))
      } else if let document = try? document(name), document.state == .removed {
        found.documents.append(document)
      } else {
        throw UserError(
          .notFound, "'\(name)' is not in the trash",
          hint: "\(command: "trash", "list") shows what is")
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
  package func emptyTrash(dryRun: Bool = false) throws(UserError) -> TrashContents {
    let store = store
    return try storage {
      try store.write { transaction in
        let contents = try transaction.trashContents()
        guard !contents.isEmpty else { throw UserError(.nothing, "the trash is empty") }
        if dryRun { return contents }
        transaction.journal(JournalStep(.final, label: "emptied the trash"))
        let undoneCreations = try transaction.undoneRecords()
        for (highlight, _) in contents.highlights { try transaction.purge(highlight.id) }
        for document in contents.documents { try transaction.purge(document.id) }
        // Formats that others took the place of are seen nowhere, and no person put them there.
        for format in try transaction.highlights(HighlightFilter(trash: .only, kind: .formats))
        where undoneCreations[.highlight(format.id)] != true {
          try transaction.purge(format.id)
        }
        // What no redo can make again is in nobody's way, but it need not stay either.
        for (record, canRedo) in undoneCreations where !canRedo {
          switch record {
          case .highlight(let id): try transaction.purge(id)
          case .document(let id) where try transaction.liveHighlights(in: id).isEmpty:
            try transaction.purge(id)
          case .document, .library, .other: continue
          }
        }
        return contents
      }
    }
  }
}

extension ReadTransaction {
  /// The highlights that a filter lets through, without those that nobody moved to the trash.
  func trashed(_ filter: HighlightFilter) throws -> [Highlight] {
    let found = try highlights(filter)
    let undoneCreations = try undoneCreations(
      found.lazy.filter(\.isTrashed).map { .highlight($0.id) })
    return undoneCreations.isEmpty
      ? found : found.filter { undoneCreations[.highlight($0.id)] == nil }
  }

  fileprivate func trashContents() throws -> TrashContents {
    let documents = try documents(includingRemoved: true)
    let byID = Dictionary(uniqueKeysWithValues: documents.map { ($0.id, $0) })
    let removed = documents.filter { $0.state == .removed }
    let undoneCreations = try undoneCreations(removed.map { .document($0.id) })
    return TrashContents(
      highlights: try trashed(HighlightFilter(trash: .only)).compactMap { highlight in
        byID[highlight.document].map { (highlight, $0) }
      },
      documents: try removed.filter {
        // What was marked in it has to be found somewhere.
        try undoneCreations[.document($0.id)] == nil || !liveHighlights(in: $0.id).isEmpty
      })
  }

  /// All records in the trash that nobody moved to the trash, with whether `redo` can make them again.
  fileprivate func undoneRecords() throws -> [RecordReference: Bool] {
    let documents = try documents(includingRemoved: true).filter { $0.state == .removed }
    let highlights = try highlights(HighlightFilter(trash: .only, kind: .all))
    return try undoneCreations(
      documents.map { .document($0.id) } + highlights.map { .highlight($0.id) })
  }

  /// The highlights of a document that are not in the trash themselves.
  fileprivate func liveHighlights(in document: Document.ID) throws -> [Highlight] {
    try highlights(HighlightFilter(documents: [document], trash: .included)).filter {
      !$0.isTrashed
    }
  }
}
