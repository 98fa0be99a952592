package import Model
import SystemSupport
import Workspace

/// Changes the colour, note and tags of several highlights in one step. They are given by their ids
/// or by a filter.
package struct ChangeHighlights: Action {
  package static let name = "highlight.bulk"
  package static let summary = "Changes the colour, note and tags of highlights in one step."
  package static let effect = ActionEffect.writes
  package static let parameters = [
    ActionParameter.chosenHighlights,
    .chosenByFilter,
    ActionParameter("color", .color, "The new colour."),
    ActionParameter("note", .text, "The new note; an empty one removes it."),
    ActionParameter("addTags", .list(.text), "Tags to add."),
    ActionParameter("removeTags", .list(.text), "Tags to remove."),
    .dryRun,
  ]
  package static let examples = [
    ChangeHighlights(highlights: [.example], color: .pink, note: "Why?", dryRun: true),
    ChangeHighlights(filter: "color:green", addTags: ["todo"], removeTags: ["later"]),
  ]

  package var highlights: [Highlight.ID]?
  package var filter: String?
  package var color: HighlightColor?
  package var note: String?
  package var addTags: [String]?
  package var removeTags: [String]?
  package var dryRun: Bool?

  package init(
    highlights: [Highlight.ID]? = nil, filter: String? = nil, color: HighlightColor? = nil,
    note: String? = nil, addTags: [String]? = nil, removeTags: [String]? = nil,
    dryRun: Bool? = nil
  ) {
    (self.highlights, self.filter, self.color, self.note) = (highlights, filter, color, note)
    (self.addTags, self.removeTags, self.dryRun) = (addTags, removeTags, dryRun)
  }

  package struct Outcome: ActionOutcome {
    /// The changed highlights, after the change.
    package var changed: HighlightsOutcome
    /// The number of chosen highlights that the change leaves as they are.
    package var unchanged: Int

    /// The changed highlights as `diple.highlights/1`; a single one as `diple.highlight/1`.
    package var json: String { changed.json }
  }

  package func run(in session: ActionSession) async throws -> Outcome {
    var change = HighlightChange()
    (change.color, change.note) = (color, note)
    (change.addedTags, change.removedTags) = (addTags ?? [], removeTags ?? [])
    let ids = try await session.chosen(highlights, filter).map(\.id)
    let changed = try await session.library.change(ids, change, dryRun: dryRun == true)
    return Outcome(
      changed: try await HighlightsOutcome(changed, in: session.library),
      unchanged: ids.count - changed.count)
  }
}
