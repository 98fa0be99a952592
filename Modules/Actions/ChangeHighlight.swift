import LibrarySync
package import Model
import SystemSupport
package import Workspace

/// Changes the colour, the note and the tags of a highlight in one step.
package struct ChangeHighlight: Action {
  package static let name = "highlight.change"
  package static let summary = "Changes the colour, note and tags of a highlight in one step."
  package static let effect = ActionEffect.writes
  package static let parameters = [
    ActionParameter.highlight,
    ActionParameter("color", .color, "The new colour."),
    ActionParameter("note", .text, "The new note; an empty one removes it."),
    ActionParameter(
      "seenNote", .text,
      "The note that the user saw; if the stored note differs, nothing is changed."),
    ActionParameter("addTags", .list(.text), "Tags to add."),
    ActionParameter("removeTags", .list(.text), "Tags to remove."),
  ]
  package static let examples = [
    ChangeHighlight(
      highlight: .example, color: .pink, note: "Why?", seenNote: "", addTags: ["todo"],
      removeTags: ["later"])
  ]

  package var highlight: Highlight.ID
  package var color: HighlightColor?
  package var note: String?
  package var seenNote: String?
  package var addTags: [String]?
  package var removeTags: [String]?

  package init(
    highlight: Highlight.ID, color: HighlightColor? = nil, note: String? = nil,
    seenNote: String? = nil, addTags: [String]? = nil, removeTags: [String]? = nil
  ) {
    (self.highlight, self.color, self.note) = (highlight, color, note)
    (self.seenNote, self.addTags, self.removeTags) = (seenNote, addTags, removeTags)
  }

  /// The details of a refusal: the stored note, which differs from the displayed one.
  private struct Clash: Encodable {
    var note: String
  }

  /// Changes the highlight.
  ///
  /// - Throws: the errors of `Library.change`; ``ActionRefusal`` with the stored note if it is
  ///   neither `seenNote` nor the new one.
  package func run(in session: ActionSession) async throws -> HighlightOutcome {
    var change = HighlightChange()
    (change.color, change.note, change.seenNote) = (color, note, seenNote)
    (change.addedTags, change.removedTags) = (addTags ?? [], removeTags ?? [])
    let highlight = try await session.highlight(highlight)
    let hadVersions = note == nil ? false : try await session.library.hasNoteVersions(highlight.id)
    let changed: Highlight
    do throws(UserError) { changed = try await session.library.change(highlight, change) } catch {
      guard error.code == .conflict, let seenNote else { throw error }
      let now = try await session.highlight(self.highlight).note
      guard now != seenNote, now != note else { throw error }
      throw ActionRefusal(error, Clash(note: now))
    }
    var outcome = try await HighlightOutcome(changed, in: session.library)
    if hadVersions {
      outcome.hasReplacedVersions = try await !session.library.hasNoteVersions(highlight.id)
    }
    return outcome
  }
}

extension Library {
  /// Returns whether several devices changed the note of a highlight at once, and no version has
  /// been chosen.
  fileprivate func hasNoteVersions(_ id: Highlight.ID) throws(UserError) -> Bool {
    try conflictingHighlights().contains(id)
  }
}

/// A highlight after an action.
package struct HighlightOutcome: ActionOutcome {
  package var highlight: Highlight
  package var document: Document
  /// The reports of checking the document's file; empty if the action did not check it.
  package var reports: [RefreshReport] = []
  /// Whether the new note replaced several versions that devices had written at once.
  package var hasReplacedVersions = false

  init(_ highlight: Highlight, in library: Library) async throws {
    self.highlight = try await library.withCurrentText(highlight)
    document = try await library.document(id: highlight.document)
  }

  package var json: String { HighlightRecord.lines([(highlight, document)]) }
}

/// Shows a highlight.
package struct ShowHighlight: Action {
  package static let name = "highlight.show"
  package static let summary = "Shows a highlight, after checking its file."
  package static let effect = ActionEffect.reads
  package static let parameters = [ActionParameter.highlight]
  package static let examples = [ShowHighlight(highlight: .example)]

  package var highlight: Highlight.ID

  package init(highlight: Highlight.ID) { self.highlight = highlight }

  package func run(in session: ActionSession) async throws -> HighlightOutcome {
    let library = session.library
    let found = try await HighlightOutcome(session.highlight(highlight), in: library)
    if found.document.state == .removed { return found }
    let reports = try await library.refresh([found.document])
    var outcome = try await HighlightOutcome(library.highlight(id: highlight), in: library)
    outcome.reports = reports
    return outcome
  }
}
