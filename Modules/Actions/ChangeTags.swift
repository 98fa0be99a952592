import SystemSupport
import Workspace

/// Renames a tag, or merges several tags into one, in one step.
package struct RenameTags: Action {
  package static let name = "tag.rename"
  package static let summary = "Renames a tag, or merges several tags into one."
  package static let effect = ActionEffect.writes
  package static let parameters = [
    ActionParameter("tags", .list(.text), "The tags to rename.", isRequired: true),
    ActionParameter(
      "into", .text, "The new name; highlights may have this tag already.", isRequired: true),
    .dryRun,
  ]
  package static let examples = [RenameTags(["todo", "later"], into: "open", dryRun: true)]

  package var tags: [String]
  package var into: String
  package var dryRun: Bool?

  package init(_ tags: [String], into name: String, dryRun: Bool? = nil) {
    (self.tags, into, self.dryRun) = (tags, name, dryRun)
  }

  package func run(in session: ActionSession) async throws -> TagsOutcome {
    if tags.isEmpty { throw UserError(.usage, "no tag is named").about("tags") }
    return TagsOutcome(
      tags: tags, into: into,
      try await session.library.change(tags: tags, to: into, dryRun: dryRun == true))
  }
}

/// Removes tags from all highlights, in one step.
package struct RemoveTags: Action {
  package static let name = "tag.remove"
  package static let summary = "Removes tags from all highlights."
  package static let effect = ActionEffect.writes
  package static let parameters = [
    ActionParameter("tags", .list(.text), "The tags to remove.", isRequired: true), .dryRun,
  ]
  package static let examples = [RemoveTags(["todo"], dryRun: true)]

  package var tags: [String]
  package var dryRun: Bool?

  package init(_ tags: [String], dryRun: Bool? = nil) { (self.tags, self.dryRun) = (tags, dryRun) }

  package func run(in session: ActionSession) async throws -> TagsOutcome {
    if tags.isEmpty { throw UserError(.usage, "no tag is named").about("tags") }
    return TagsOutcome(
      tags: tags, into: nil,
      try await session.library.change(tags: tags, to: nil, dryRun: dryRun == true))
  }
}

/// The outcome of renaming or removing tags, the record `diple.tag-change/1`.
package struct TagsOutcome: ActionOutcome, Encodable {
  package var tags: [String]
  @Nullable package var into: String?
  /// The number of changed highlights, including `trashed`.
  package var highlights: Int
  /// The number of those in the trash or in removed documents.
  package var trashed: Int
  /// The number of changed saved queries.
  package var queries: Int

  init(tags: [String], into: String?, _ change: TagChange) {
    (self.tags, self.into, highlights) = (tags, into, change.highlights)
    (trashed, queries) = (change.trashed, change.queries)
  }

  package var json: String { JSON.line("diple.tag-change/1", self) }
}
