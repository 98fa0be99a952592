import Editing
package import Model
import SystemSupport

/// Highlights all matches of a text in a document, in one step.
package struct MarkMatches: Action {
  package static let name = "document.mark"
  package static let summary = "Highlights all matches of a text in a document, in one step."
  package static let effect = ActionEffect.writes
  package static let parameters =
    [.document] + ActionParameter.matching + [
      ActionParameter("passage", .passage, "Only in this passage."),
      ActionParameter("color", .color, "The colour; yellow when omitted."),
      ActionParameter("note", .text, "The note of the highlights."),
      ActionParameter("tags", .list(.text), "The tags of the highlights."),
    ]
  package static let examples = [
    MarkMatches(
      document: .example,
      search: SearchLibrary(
        query: "fox", strategy: "regex", case: .smart, wholeWords: true, ignoreDiacritics: true),
      passage: .spec(SelectionSpec(units: TextRange(utf16: 3..<9))), color: .green, note: "Why?",
      tags: ["todo"])
  ]

  package var document: Document.ID
  package var query: String
  package var strategy: String?
  package var `case`: SearchLibrary.Case?
  package var wholeWords: Bool?
  package var ignoreDiacritics: Bool?
  package var passage: RequestedPassage?
  package var color: HighlightColor?
  package var note: String?
  package var tags: [String]?

  /// Creates the action for the matches of a search. The scope and the filters of the search are
  /// ignored.
  package init(
    document: Document.ID, search: SearchLibrary, passage: RequestedPassage? = nil,
    color: HighlightColor? = nil, note: String? = nil, tags: [String]? = nil
  ) {
    (self.document, self.passage) = (document, passage)
    (query, strategy, self.case) = (search.query, search.strategy, search.case)
    (wholeWords, ignoreDiacritics) = (search.wholeWords, search.ignoreDiacritics)
    (self.color, self.note, self.tags) = (color, note, tags)
  }

  package typealias Outcome = MarkPassages.Outcome

  /// Highlights the matches. `nothing` is thrown if there are none.
  package func run(in session: ActionSession) async throws -> Outcome {
    let search = SearchLibrary(
      query: query, strategy: strategy, case: `case`, wholeWords: wholeWords,
      ignoreDiacritics: ignoreDiacritics)
    var marking = MarkPassages(
      document: document, passage: try passage ?? .spec(SelectionSpec(parsing: "all")),
      color: color, note: note, tags: tags)
    do throws(UserError) { marking.matching = try search.saved() } catch {
      throw error.about("query")
    }
    return try await marking.run(in: session)
  }
}
