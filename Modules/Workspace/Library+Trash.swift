public import Model
import Storage

/// What was thrown away and can be restored.
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
        for (highlight, _) in contents.highlights { try transaction.purge(highlight.id) }
        for document in contents.documents { try transaction.purge(document.id) }
        return contents
      }
    }
  }
}

extension ReadTransaction {
  fileprivate func trashContents() throws -> TrashContents {
    let documents = try documents(includingRemoved: true)
    let byID = Dictionary(uniqueKeysWithValues: documents.map { ($0.id, $0) })
    return TrashContents(
      highlights: try highlights(HighlightFilter(trash: .only)).compactMap { highlight in
        byID[highlight.document].map { (highlight, $0) }
      }, documents: documents.filter { $0.state == .removed })
  }
}
