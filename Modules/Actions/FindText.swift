import Editing
package import Model
import Search
import SystemSupport
import Workspace

/// Finds a text in one document.
package struct FindText: Action {
  package static let name = "document.find"
  package static let summary = "Finds a text in one document."
  package static let effect = ActionEffect.reads
  package static let parameters =
    [.document] + ActionParameter.matching + [
      ActionParameter("passage", .passage, "Only in this passage."),
      ActionParameter("limit", .integer, "Lists at most this many matches; 10,000 when omitted."),
    ]
  package static let examples = [
    FindText(
      document: .example, query: "fox", strategy: "regex", case: .smart, wholeWords: true,
      ignoreDiacritics: true, passage: .spec(SelectionSpec(units: TextRange(utf16: 3..<9))),
      limit: 10)
  ]

  package var document: Document.ID
  package var query: String
  package var strategy: String?
  package var `case`: SearchLibrary.Case?
  package var wholeWords: Bool?
  package var ignoreDiacritics: Bool?
  package var passage: RequestedPassage?
  package var limit: Int?

  package init(
    document: Document.ID, query: String, strategy: String? = nil, case: SearchLibrary.Case? = nil,
    wholeWords: Bool? = nil, ignoreDiacritics: Bool? = nil, passage: RequestedPassage? = nil,
    limit: Int? = nil
  ) {
    (self.document, self.query, self.strategy) = (document, query, strategy)
    (self.case, self.wholeWords, self.ignoreDiacritics) = (`case`, wholeWords, ignoreDiacritics)
    (self.passage, self.limit) = (passage, limit)
  }

  /// The matches, a record of the schema `diple.found/1`.
  package struct Outcome: ActionOutcome, Encodable {
    package var document: HighlightRecord.DocumentReference
    /// The digest of the text to which the ranges belong.
    package var text: ContentDigest?
    /// The number of matches found. `matches` may contain fewer.
    package var count: Int
    package var matches: [TextRange]
    /// Whether there are, or may be, more matches than listed.
    package var limited: Bool
    /// Whether the search ended early, so that there may be more matches than counted.
    package var incomplete: Bool

    package var json: String { JSON.line("diple.found/1", self) }
  }

  /// The maximum number of matches in an outcome.
  private static let mostFound = 10_000

  /// Finds the text.
  ///
  /// - Throws: `usage` if the query is invalid or a pattern takes too many steps; `conflict` if the
  ///   text has changed since the passage was shown.
  package func run(in session: ActionSession) async throws -> Outcome {
    let search = SearchLibrary(
      query: query, strategy: strategy, case: `case`, wholeWords: wholeWords,
      ignoreDiacritics: ignoreDiacritics)
    let query: SearchQuery
    do throws(UserError) { query = try search.saved().request().query } catch {
      throw error.about("query")
    }
    let document = try await session.document(document)
    let open = try await session.library.open(document)
    let range = try await passage?.range(in: open, of: session.library)
    let (strategy, plugins) = (strategy ?? "literal", session.library.plugins)
    let finding = Task { try await Self.find(query, strategy, in: open, within: range, plugins) }
    // A slow search returns the matches found until the time limit.
    let timer = session.searchTime.map { time in
      Task {
        try await Task.sleep(for: time)
        finding.cancel()
      }
    }
    defer { timer?.cancel() }
    let found: [TextRange]
    do {
      found = try await withTaskCancellationHandler {
        try await finding.value
      } onCancel: {
        finding.cancel()
      }
    } catch let error as UserError where error.code == .plugin && strategy == "regex" {
      // If a pattern takes too many steps, the user has to change it.
      throw UserError(.usage, error.message).about("query")
    }
    let listed = found.prefix(min(limit ?? Self.mostFound, Self.mostFound))
    return Outcome(
      document: .init(open.document ?? document), text: open.textDigest, count: found.count,
      matches: Array(listed), limited: found.count > listed.count || finding.isCancelled,
      incomplete: finding.isCancelled)
  }

  @concurrent
  private static func find(
    _ query: SearchQuery, _ strategy: String, in open: OpenDocument, within range: TextRange?,
    _ plugins: PluginSet
  ) async throws -> [TextRange] {
    try plugins.find(query, strategy: strategy, in: open, within: range).matches
  }
}
