package import Model
import SystemSupport
package import Workspace

/// Moves highlights to the trash, all or none, in one step.
package struct RemoveHighlights: Action {
  package static let name = "highlight.remove"
  package static let summary = "Moves highlights to the trash in one step."
  package static let effect = ActionEffect.writes
  package static let parameters = [ActionParameter.highlights]
  package static let examples = [RemoveHighlights([.example])]

  package var highlights: [Highlight.ID]

  package init(_ highlights: [Highlight.ID]) { self.highlights = highlights }

  package func run(in session: ActionSession) async throws -> HighlightsOutcome {
    try await session.setTrashed(true, highlights)
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
    return try await session.setTrashed(false, highlights)
  }
}

/// Highlights after an action, each with its document.
package struct HighlightsOutcome: ActionOutcome {
  package var highlights: [(highlight: Highlight, document: Document)] = []

  /// Looks up the document of each highlight.
  ///
  /// - Throws: `UserError` with the code `notFound` if a document was deleted permanently.
  package init(_ highlights: [Highlight], in library: Library) async throws {
    for highlight in highlights {
      self.highlights.append((highlight, try await library.document(id: highlight.document)))
    }
  }

  package var json: String {
    HighlightRecord.lines(highlights.map { ($0.highlight, in: $0.document) })
  }
}

extension ActionSession {
  fileprivate func setTrashed(_ trashed: Bool, _ ids: [Highlight.ID]) async throws
    -> HighlightsOutcome
  {
    if ids.isEmpty { throw UserError(.usage, "no highlight is named") }
    var highlights: [Highlight] = []
    for (index, id) in ids.enumerated() {
      highlights.append(try await highlight(id, "highlights.\(index)"))
    }
    try await library.setTrashed(trashed, highlights)
    for index in highlights.indices {
      highlights[index] = try await library.highlight(id: highlights[index].id)
    }
    return try await HighlightsOutcome(highlights, in: library)
  }
}
