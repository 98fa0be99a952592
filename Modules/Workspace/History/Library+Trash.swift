package import Model
import Storage
package import SystemSupport

/// The highlights and documents that the user moved to the trash. They can be restored.
///
/// Records whose creation was undone are not included; `redo` restores those.
///
/// ```swift
/// let trash = try await library.trash()
/// print(trash.highlights.count, "highlights,", trash.documents.count, "documents")
/// ```
package struct TrashContents: Sendable {
  /// The highlights that were removed individually, in the order of their documents.
  package var highlights: [(highlight: Highlight, document: Document)] = []
  /// The documents that were removed. Their highlights are listed only if they were removed
  /// individually.
  package var documents: [Document] = []

  package var isEmpty: Bool { highlights.isEmpty && documents.isEmpty }
}

extension Library {
  /// Returns the contents of the trash.
  ///
  /// - Throws: `damaged` or `conflict` if the library cannot be read.
  package func trash() throws(UserError) -> TrashContents {
    try storage { try store.read { try $0.trashContents() } }
  }

  /// Restores highlights and documents, in one step of the history.
  ///
  /// - Parameter names: ids, beginnings of ids, or numbers, which are those of highlights first; for
  ///   documents also paths and titles.
  /// - Returns: the restored records.
  /// - Throws: `notFound` if one of the names is not in the trash. Then nothing is restored.
  package func restoreFromTrash(_ names: [String]) throws(UserError) -> TrashContents {
    var found = TrashContents()
    for name in names {
      if let highlight = try? highlight(name), highlight.isTrashed {
        found.highlights.append((highlight, try document(id: highlight.document)))
      } else if let document = try? document(name), document.state == .removed {
        found.documents.append(document)
      } else {
        throw UserError(
          .notFound, "'\(name)' is not in the trash", remedy: .action("trash.list", [:]))
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

  /// Deletes the contents of the trash permanently. This cannot be undone. Files are kept.
  ///
  /// - Returns: the former contents.
  /// - Throws: `nothing` if the trash is empty.
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
        // Superseded formats are in the trash but listed nowhere, because the user did not remove
        // them.
        for format in try transaction.highlights(HighlightFilter(trash: .only, kind: .formats))
        where undoneCreations[.highlight(format.id)] != true {
          try transaction.purge(format.id)
        }
        // Records whose creation was undone and can no longer be redone are of no further use.
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
  /// Returns the highlights that match a filter, without those whose creation was undone.
  ///
  /// - Throws: `UserError` with the code `damaged` or `conflict` if the library cannot be read.
  package func trashed(_ filter: HighlightFilter) throws -> [Highlight] {
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
        // A removed document with live highlights is listed even if its creation was undone,
        // because its highlights are listed nowhere else.
        try undoneCreations[.document($0.id)] == nil || !liveHighlights(in: $0.id).isEmpty
      })
  }

  /// Returns the removed records whose creation was undone, with whether `redo` can restore them.
  fileprivate func undoneRecords() throws -> [RecordReference: Bool] {
    let documents = try documents(includingRemoved: true).filter { $0.state == .removed }
    let highlights = try highlights(HighlightFilter(trash: .only, kind: .all))
    return try undoneCreations(
      documents.map { .document($0.id) } + highlights.map { .highlight($0.id) })
  }

  /// Returns the highlights of a document that are not in the trash themselves, even if the
  /// document is.
  fileprivate func liveHighlights(in document: Document.ID) throws -> [Highlight] {
    try highlights(HighlightFilter(documents: [document], trash: .included)).filter {
      !$0.isTrashed
    }
  }
}
