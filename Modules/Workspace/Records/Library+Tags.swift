import FoundationEssentials
import Model
import Storage
package import SystemSupport

/// The numbers of records that the renaming or removal of tags changed.
package struct TagChange: Hashable, Sendable {
  /// The number of changed highlights, including those in the trash.
  package var highlights = 0
  /// The number of those in the trash or in removed documents.
  package var trashed = 0
  /// The number of changed saved queries.
  package var queries = 0
}

extension Library {
  /// Renames tags or removes them, in one step of the history. Highlights in the trash and in
  /// removed documents are changed, too, so that restoring them does not bring back the old tags.
  /// Saved queries that require a renamed tag require the new one afterwards.
  ///
  /// - Parameters:
  ///   - tags: the tags, with or without a leading `#`.
  ///   - new: the tag that replaces them; nil to remove them.
  ///   - dryRun: whether nothing is stored. The result is the same.
  /// - Throws: `notFound` if no highlight has one of the tags; `usage` if a name is not a tag;
  ///   `nothing` if `new` is the only tag.
  package func change(tags: [String], to new: String?, dryRun: Bool = false) throws(UserError)
    -> TagChange
  {
    let new = try new.map(Self.tagName)
    var old: [String] = []
    for tag in tags {
      let name = try Self.tagName(tag)
      if name != new, !old.contains(name) { old.append(name) }
    }
    return try storage {
      try store.write(dryRun: dryRun) { transaction in
        if old.isEmpty {
          let used = HighlightFilter(tags: new.map { [$0] } ?? [], trash: .included, kind: .all)
          if let new, try transaction.highlights(used).isEmpty { throw try transaction.noTag(new) }
          throw UserError(.nothing, "the tag \((new ?? "").asTag) has that name already")
        }
        var change = TagChange()
        var seen: Set<Highlight.ID> = []
        for tag in old {
          let found = try transaction.highlights(
            HighlightFilter(tags: [tag], trash: .included, kind: .all))
          if found.isEmpty { throw try transaction.noTag(tag) }
          for highlight in found {
            if let new { _ = try transaction.setTag(new, true, of: highlight.id) }
            _ = try transaction.setTag(tag, false, of: highlight.id)
            if seen.insert(highlight.id).inserted {
              change.highlights += 1
              if try transaction.isInTrash(highlight) { change.trashed += 1 }
            }
          }
        }
        if let new { change.queries = try transaction.renameInQueries(Set(old), to: new) }
        let names = old.map(\.asTag).joined(separator: ", ")
        let count = change.highlights.counted("highlight")
        transaction.journal(
          JournalStep(
            label: new.map { "renamed \(names) to \($0.asTag) on \(count)" }
              ?? "removed \(names) from \(count)"))
        return change
      }
    }
  }

  /// Returns the number of highlights with each tag, including those in the trash.
  ///
  /// - Throws: `notFound` if no highlight has one of the tags; `usage` if a name is not a tag.
  package func countHighlights(withTags tags: [String]) throws(UserError) -> [Int] {
    let names = try tags.map(Self.tagName)
    return try storage {
      try store.read { transaction in
        try names.map { tag in
          let found = try transaction.highlights(
            HighlightFilter(tags: [tag], trash: .included, kind: .all))
          if found.isEmpty { throw try transaction.noTag(tag) }
          return found.count
        }
      }
    }
  }
}

extension ReadTransaction {
  /// Returns the error for a tag that no highlight has. It suggests the tag with the most similar
  /// name.
  fileprivate func noTag(_ name: String) throws -> UserError {
    let near = Spelling.suggestion(for: name, among: try tags().map(\.name))
    return UserError(
      .notFound, "no highlight has the tag '\(name)'",
      hint: near.map { Hint($0) } ?? "\(action: "library.tags") lists them")
  }

  /// Returns whether a highlight is in the trash or in a removed document.
  fileprivate func isInTrash(_ highlight: Highlight) throws -> Bool {
    if highlight.isTrashed { return true }
    return try document(highlight.document)?.state == .removed
  }
}

extension WriteTransaction {
  /// Replaces tags in the saved queries. Queries that only a newer version of Diple can decode are
  /// skipped.
  ///
  /// - Returns: the number of changed queries.
  fileprivate func renameInQueries(_ old: Set<String>, to new: String) throws -> Int {
    var count = 0
    for (name, stored) in try savedQueries().sorted(by: { $0.key < $1.key }) {
      guard var query = try? JSONDecoder().decode(SavedQuery.self, from: Data(stored.utf8)),
        !old.isDisjoint(with: query.tags)
      else { continue }
      var tags: [String] = []
      for tag in query.tags.map({ old.contains($0) ? new : $0 }) where !tags.contains(tag) {
        tags.append(tag)
      }
      query.tags = tags
      if try setQuery(query.stored, named: name) { count += 1 }
    }
    return count
  }
}
