import Editing
package import Model
import SystemSupport
import Workspace

/// Accepts the place of a doubtful highlight, or a candidate for a doubtful or orphaned one.
package struct AcceptPlace: Action {
  package static let name = "highlight.accept"
  package static let summary = "Accepts a highlight's place, or one of its candidates."
  package static let effect = ActionEffect.writes
  package static let parameters = [
    ActionParameter.highlight,
    ActionParameter(
      "candidate", .integer,
      "The number of a candidate, from 1; when omitted, the only candidate or the current place."),
    ActionParameter(
      "quote", .text,
      "The words that the user saw at the place; if they changed, nothing is changed."),
  ]
  package static let examples = [AcceptPlace(highlight: .example, candidate: 1, quote: "words")]

  package var highlight: Highlight.ID
  package var candidate: Int?
  package var quote: String?

  package init(highlight: Highlight.ID, candidate: Int? = nil, quote: String? = nil) {
    (self.highlight, self.candidate, self.quote) = (highlight, candidate, quote)
  }

  package func run(in session: ActionSession) async throws -> HighlightOutcome {
    let library = session.library
    let highlight = try await session.highlight(highlight)
    if let quote, quote != (try await library.place(of: highlight, candidate: candidate)).words {
      throw UserError(
        .conflict, "the text and the candidates have changed", hint: "review the highlight again")
    }
    return try await HighlightOutcome(
      library.accept(highlight, candidate: candidate), in: library)
  }
}

/// Detaches a highlight whose passage was deleted. The highlight is kept, without a place.
package struct DetachHighlight: Action {
  package static let name = "highlight.detach"
  package static let summary = "Marks a highlight as gone: it is kept, but no longer searched for."
  package static let effect = ActionEffect.writes
  package static let parameters = [ActionParameter.highlight]
  package static let examples = [DetachHighlight(highlight: .example)]

  package var highlight: Highlight.ID

  package init(highlight: Highlight.ID) { self.highlight = highlight }

  package func run(in session: ActionSession) async throws -> HighlightOutcome {
    try await HighlightOutcome(
      session.library.detach(session.highlight(highlight)), in: session.library)
  }
}

/// Moves a highlight to another passage, also of another document.
package struct ReattachHighlight: Action {
  package static let name = "highlight.reattach"
  package static let summary = "Moves a highlight to another passage; colour, note and tags stay."
  package static let effect = ActionEffect.writes
  package static let parameters = [
    ActionParameter.highlight,
    ActionParameter("passage", .passage, "The passage.", isRequired: true),
    ActionParameter(
      "document", .identifier(.document),
      "The document of the passage; the highlight's when omitted."),
  ]
  package static let examples = [
    ReattachHighlight(
      highlight: .example, passage: .spec(SelectionSpec(units: TextRange(utf16: 3..<9))),
      document: .example)
  ]

  package var highlight: Highlight.ID
  package var passage: RequestedPassage
  package var document: Document.ID?

  package init(
    highlight: Highlight.ID, passage: RequestedPassage, document: Document.ID? = nil
  ) {
    (self.highlight, self.passage, self.document) = (highlight, passage, document)
  }

  package func run(in session: ActionSession) async throws -> HighlightOutcome {
    let library = session.library
    let highlight = try await session.highlight(highlight)
    let document: Document
    do throws(UserError) {
      document = try await library.document(id: self.document ?? highlight.document)
    } catch { throw error.about("document") }
    return try await HighlightOutcome(
      library.reattach(
        highlight, to: passage.spec(in: document, of: library), in: document), in: library)
  }
}
