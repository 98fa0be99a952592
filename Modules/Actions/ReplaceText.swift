import Editing
package import Model
package import SystemSupport
package import Workspace

/// Replaces matches of a query in the files of documents, in one step.
package struct ReplaceText: Action {
  package static let name = "document.replace"
  package static let summary = "Replaces matches in the files of documents, all in one step."
  package static let effect = ActionEffect.writes
  package static let parameters =
    [.documents] + ActionParameter.matching + [
      ActionParameter(
        "replacement", .text, "The new text; with strategy regex, $1 is the text of a group.",
        isRequired: true),
      ActionParameter("all", .flag, "Replaces every match."),
      ActionParameter(
        "match", .integer,
        "Replaces the match with this number, from 1. Without it and 'all' the "
          + "only match is replaced."),
      ActionParameter("source", .flag, "Searches the Markdown with its markup."),
      ActionParameter("preserveCase", .flag, "Adapts the case of the new text to each match."),
      ActionParameter("passage", .passage, "Replaces only in this passage, a SPEC."),
      .dryRun,
    ]
  package static let examples = [
    ReplaceText(
      documents: [.example], query: "colour", replacement: "color", strategy: "literal",
      case: .smart, wholeWords: true, ignoreDiacritics: false, all: true, match: nil, source: false,
      preserveCase: true, passage: .spec(SelectionSpec(units: TextRange(utf16: 3..<9))),
      dryRun: true),
    ReplaceText(query: "colour", replacement: "color", match: 2),
  ]

  package var documents: [Document.ID]?
  package var query: String
  package var replacement: String
  package var strategy: String?
  package var `case`: SearchLibrary.Case?
  package var wholeWords: Bool?
  package var ignoreDiacritics: Bool?
  package var all: Bool?
  package var match: Int?
  package var source: Bool?
  package var preserveCase: Bool?
  package var passage: RequestedPassage?
  package var dryRun: Bool?

  package init(
    documents: [Document.ID]? = nil, query: String, replacement: String, strategy: String? = nil,
    case: SearchLibrary.Case? = nil, wholeWords: Bool? = nil, ignoreDiacritics: Bool? = nil,
    all: Bool? = nil, match: Int? = nil, source: Bool? = nil, preserveCase: Bool? = nil,
    passage: RequestedPassage? = nil, dryRun: Bool? = nil
  ) {
    (self.documents, self.query, self.replacement) = (documents, query, replacement)
    (self.strategy, self.`case`, self.wholeWords) = (strategy, `case`, wholeWords)
    (self.ignoreDiacritics, self.all, self.match) = (ignoreDiacritics, all, match)
    (self.source, self.preserveCase, self.passage) = (source, preserveCase, passage)
    self.dryRun = dryRun
  }

  package struct Outcome: ActionOutcome {
    package var report: ReplaceReport

    package init(_ report: ReplaceReport) { self.report = report }

    /// The record `diple.change/1`.
    private struct Record: Encodable {
      struct Refusal: Encodable {
        var document: HighlightRecord.DocumentReference
        var line: Int
        var column: Int
        var text: String
        var reason: String
      }

      var files: [FileChangeRecord]
      var refused: [Refusal]
    }

    package var json: String {
      JSON.line(
        "diple.change/1",
        Record(
          files: report.changes.map(FileChangeRecord.init),
          refused: report.refused.map {
            Record.Refusal(
              document: .init($0.document), line: $0.position.line, column: $0.position.column,
              text: $0.words, reason: $0.reason.description)
          }))
    }
  }

  /// Returns the request for the library.
  ///
  /// - Throws: `usage` if the query is invalid, the passage is not a SPEC, or both `all` and
  ///   `match` are set.
  package func request() throws(UserError) -> ReplaceRequest {
    guard all != true || match == nil else {
      throw UserError(.usage, "'all' and 'match' exclude each other").about("match")
    }
    let search = SearchLibrary(
      query: query, strategy: strategy, case: `case`, wholeWords: wholeWords,
      ignoreDiacritics: ignoreDiacritics)
    var request = ReplaceRequest(try search.saved().request().query, with: replacement)
    request.strategy = strategy ?? "literal"
    request.which = all == true ? .all : match.map { .number($0) } ?? .only
    request.text = source == true ? .source : .rendered
    request.preservesCase = preserveCase ?? false
    request.passage = try passage?.spec()
    return request
  }

  package func run(in session: ActionSession) async throws -> Outcome {
    var found: [Document]?
    if let documents { found = try await session.documents(documents) }
    let request: ReplaceRequest
    do throws(UserError) { request = try self.request() } catch { throw error.about("query") }
    return Outcome(
      try await session.library.replace(request, in: found, dryRun: dryRun ?? false))
  }
}
