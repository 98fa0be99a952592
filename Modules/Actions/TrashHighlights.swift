package import Model
import SystemSupport
package import Workspace

/// Moves highlights to the trash, all or none, in one step. They are given by their ids or by a
/// filter.
package struct RemoveHighlights: Action {
  package static let name = "highlight.remove"
  package static let summary = "Moves highlights to the trash in one step."
  package static let effect = ActionEffect.writes
  package static let parameters = [
    ActionParameter.chosenHighlights, ActionParameter.chosenByFilter, ActionParameter.dryRun,
  ]
  package static let examples = [
    RemoveHighlights([.example], dryRun: false), RemoveHighlights(filter: "#done"),
  ]

  package var highlights: [Highlight.ID]?
  package var filter: String?
  package var dryRun: Bool?

  package init(_ highlights: [Highlight.ID], dryRun: Bool? = nil) {
    (self.highlights, self.dryRun) = (highlights, dryRun)
  }

  package init(filter: String) { self.filter = filter }

  package func run(in session: ActionSession) async throws -> HighlightsOutcome {
    let chosen = try await session.chosen(highlights, filter)
    if dryRun == true { return try await HighlightsOutcome(chosen, in: session.library) }
    return try await session.setTrashed(true, chosen)
  }
}

/// Restores highlights from the trash, all or none, in one step.
package struct RestoreHighlights: Action {
  package static let name = "highlight.restore"
  package static let summary = "Restores highlights from the trash in one step."
  package static let effect = ActionEffect.writes
  package static let parameters = [ActionParameter.highlights]
  package static let examples = [RestoreHighlights([.example])]

  package var highlights: [Highlight.ID]

  package init(_ highlights: [Highlight.ID]) { self.highlights = highlights }

  package func run(in session: ActionSession) async throws -> HighlightsOutcome {
    var session = session
    session.seesTrash = true
    return try await session.setTrashed(false, try await session.chosen(highlights, nil))
  }
}

/// Highlights after an action, each with its document.
package struct HighlightsOutcome: ActionOutcome {
  package var highlights: [(highlight: Highlight, document: Document)] = []

  /// Looks up the document of each highlight.
  ///
  /// - Throws: `UserError` with the code `notFound` if a document was deleted permanently.
  package init(_ highlights: [Highlight], in library: Library) async throws {
    var documents: [Document.ID: Document] = [:]
    for highlight in highlights {
      let id = highlight.document
      if documents[id] == nil { documents[id] = try await library.document(id: id) }
      if let document = documents[id] { self.highlights.append((highlight, document)) }
    }
  }

  package var json: String {
    HighlightRecord.lines(highlights.map { ($0.highlight, in: $0.document) })
  }
}

extension ActionSession {
  /// Returns the highlights of a request without repetitions: those in its member `highlights`, or
  /// those that its member `filter` matches, after checking their files. Each is read once.
  ///
  /// - Throws: `usage` unless exactly one of them is given, or if the filter is invalid; `notFound`
  ///   if a highlight does not exist; `nothing` if the filter matches none.
  func chosen(_ ids: [Highlight.ID]?, _ filter: String?) async throws -> [Highlight] {
    switch (ids, filter) {
    case (let ids?, nil):
      if ids.isEmpty { throw UserError(.usage, "no highlight is named").about("highlights") }
      var seen: Set<Highlight.ID> = []
      var found: [Highlight] = []
      for (index, id) in ids.enumerated() where seen.insert(id).inserted {
        found.append(try await highlight(id, "highlights.\(index)"))
      }
      return found
    case (nil, let filter?):
      let list = ListHighlights(filter: filter)
      _ = try await list.checkFiles(in: self)
      let found = try await list.gather(in: self, into: [Highlight](), detail: .withoutContext) {
        $0 += $2
        return true
      }
      if found.isEmpty { throw UserError(.nothing, "no highlight matches the filter '\(filter)'") }
      return found
    case (nil, nil), (_?, _?):
      throw UserError(.usage, "name either highlights or a filter").about("highlights")
    }
  }

  /// Moves highlights to the trash or restores them.
  fileprivate func setTrashed(_ trashed: Bool, _ highlights: [Highlight]) async throws
    -> HighlightsOutcome
  {
    try await HighlightsOutcome(
      try await library.setTrashed(trashed, highlights), in: library)
  }
}
