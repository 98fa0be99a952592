import FoundationEssentials
package import Model
import Search
import Synchronization
package import SystemSupport
package import Workspace

/// Searches the documents of a library. A ranked strategy, such as `text`, lists the best documents
/// first.
package struct SearchLibrary: Action {
  /// The treatment of upper and lower case. `smart` ignores case unless the query has a capital.
  package enum Case: String, CaseIterable, Codable, Sendable { case smart, ignore, respect }

  package static let name = "library.search"
  package static let summary = "Searches the documents, and counts all matches."
  package static let effect = ActionEffect.reads
  /// The parameters of a search that can be saved. They select texts and matches; the other
  /// parameters limit the outcome.
  static let matching =
    ActionParameter.matching + [
      ActionParameter(
        "in", .choice(SearchRequest.Place.allCases.map(\.rawValue)),
        "Where to search: texts when omitted, notes, the quotes of highlights, or all.")
    ] + ActionParameter.filters
  package static let parameters =
    matching + [
      ActionParameter(
        "perDocument", .integer, "Lists at most this many matches of a document; 20 when omitted."),
      ActionParameter("from", .integer, "Skips this many matches of each document."),
      ActionParameter("skip", .integer, "Skips this many documents."),
      ActionParameter("limit", .integer, "Lists at most this many matches; 200 when omitted."),
    ]
  package static let examples = [
    SearchLibrary(
      query: "fox", strategy: "text", case: .smart, wholeWords: true, ignoreDiacritics: true,
      in: .all, documents: [.example], colors: [.pink], tags: ["todo"], states: [.exact],
      since: "2026-01-31T12:00:00Z", perDocument: 3, from: 20, skip: 10, limit: 200)
  ]

  package var query: String
  package var strategy: String?
  package var `case`: Case?
  package var wholeWords: Bool?
  package var ignoreDiacritics: Bool?
  package var `in`: SearchRequest.Place?
  package var documents: [Document.ID]?
  package var colors: [HighlightColor]?
  package var tags: [String]?
  package var states: [AnchorState]?
  package var since: String?
  package var perDocument: Int?
  package var from: Int?
  package var skip: Int?
  package var limit: Int?

  package init(
    query: String, strategy: String? = nil, case: Case? = nil, wholeWords: Bool? = nil,
    ignoreDiacritics: Bool? = nil, in place: SearchRequest.Place? = nil,
    documents: [Document.ID]? = nil, colors: [HighlightColor]? = nil, tags: [String]? = nil,
    states: [AnchorState]? = nil, since: String? = nil, perDocument: Int? = nil, from: Int? = nil,
    skip: Int? = nil, limit: Int? = nil
  ) {
    (self.query, self.strategy, self.`case`, self.`in`) = (query, strategy, `case`, place)
    (self.wholeWords, self.ignoreDiacritics) = (wholeWords, ignoreDiacritics)
    (self.documents, self.colors, self.tags, self.states) = (documents, colors, tags, states)
    (self.since, self.perDocument, self.from) = (since, perDocument, from)
    (self.skip, self.limit) = (skip, limit)
  }

  /// Creates the action for a saved search.
  package init(_ saved: SavedQuery) {
    self.init(
      query: saved.text, strategy: saved.strategy,
      case: saved.ignoresCase.map { $0 ? .ignore : .respect }, wholeWords: saved.wholeWords,
      ignoreDiacritics: saved.ignoresDiacritics, in: saved.place,
      documents: saved.documents.isEmpty ? nil : saved.documents, colors: saved.colors,
      tags: saved.tags, states: saved.states,
      since: saved.since.map { $0.formatted(.iso8601) })
  }

  /// Returns the search in the form that can be saved, without its limits.
  ///
  /// - Throws: `usage` if `since` is not a time.
  package func saved() throws(UserError) -> SavedQuery {
    var saved = SavedQuery(text: query)
    saved.strategy = strategy ?? "literal"
    saved.ignoresCase = `case` == nil || `case` == .smart ? nil : `case` == .ignore
    saved.ignoresDiacritics = ignoreDiacritics ?? false
    saved.wholeWords = wholeWords ?? false
    saved.place = `in` ?? .text
    saved.colors = HighlightColor.allCases.filter { colors?.contains($0) == true }
    saved.tags = tags ?? []
    saved.states = states ?? []
    saved.since = try ListHighlights(since: since).sinceDate()
    saved.documents = documents ?? []
    return saved
  }

  /// The matches, a record of the schema `diple.matches/1`.
  package struct Outcome: ActionOutcome, Encodable {
    package struct Found: Encodable, Sendable {
      package var document: HighlightRecord.DocumentReference
      /// The number of matches found. `matches` may contain fewer.
      package var count: Int
      package var matches: [MatchRecord]
    }

    package var documents: [Found] = []
    /// The number of matches, including those that aren't listed.
    package var count = 0
    /// The number of documents with matches.
    package var documentCount = 0
    /// The number of listed matches.
    package var shown = 0
    /// Whether there are, or may be, more matches than listed.
    package var limited = false
    /// Whether the search ended early, so that there may be more matches than counted.
    package var incomplete = false
    /// The reason why some documents could not be searched.
    @Nullable package var problem: String?

    package var json: String { JSON.line("diple.matches/1", self) }
  }

  /// The maximum number of matches in an outcome, and the default numbers of matches in an outcome
  /// and in a document.
  private static let (mostFound, usual, usualInDocument) = (1_000, 200, 20)

  /// Counts all matches and lists the first ones. A front-end that writes matches immediately runs
  /// the request of ``saved()`` instead.
  ///
  /// - Throws: `usage` if the query is invalid; the errors of `Library.search`.
  package func run(in session: ActionSession) async throws -> Outcome {
    var request: SearchRequest
    do throws(UserError) { request = try saved().request() } catch { throw error.about("query") }
    request.timeLimit = session.searchTime
    request.filesAreSettled = session.filesAreSettled()
    request.countsAll = true
    let limit = min(limit ?? Self.usual, Self.mostFound)
    let (first, skipped) = (from ?? 0, skip ?? 0)
    let most = perDocument ?? (from == nil ? Self.usualInDocument : limit)
    request.matchesPerDocument = first + min(most, limit)
    let found = Mutex((outcome: Outcome(), entries: 0, documents: Set<Document.ID>()))
    let ending = try await session.library.search(request) { event in
      guard case .found(let result) = event else { return true }
      found.withLock { found in
        found.entries += 1
        found.documents.insert(result.document.id)
        found.outcome.count += result.count
        guard found.entries > skipped else { return }
        let part = result.matches.dropFirst(first).prefix(limit - found.outcome.shown)
        if part.isEmpty { return }
        found.outcome.shown += part.count
        found.outcome.documents.append(
          Outcome.Found(
            document: .init(result.document), count: result.count,
            matches: part.map { MatchRecord($0, in: result.document) }))
      }
      return true
    }
    var outcome = found.withLock { found in
      found.outcome.documentCount = found.documents.count
      return found.outcome
    }
    switch ending {
    case .complete: break
    case .failed(let cause): (outcome.problem, outcome.incomplete) = (cause, true)
    default: outcome.incomplete = true
    }
    outcome.limited = outcome.incomplete || outcome.shown < outcome.count
    return outcome
  }
}

/// A match, a record of the schema `diple.match/1`.
package struct MatchRecord: Encodable, Hashable, Sendable {
  /// The document. Null for a file outside the library.
  @Nullable package var document: HighlightRecord.DocumentReference?
  package var place: SearchRequest.Place
  @Nullable package var highlight: Highlight.ID?
  /// The short id of the highlight, which is not part of the JSON.
  package var highlightName: String?
  @Nullable package var range: TextRange?
  @Nullable package var line: Int?
  @Nullable package var column: Int?
  package var text: String
  /// The range of the match in `text`.
  package var match: TextRange

  private enum CodingKeys: CodingKey {
    case document, place, highlight, range, line, column, text, match
  }

  package init(_ found: SearchResult.Match, in document: Document?) {
    self.document = document.map { .init($0) }
    place = found.place
    highlight = found.highlight
    highlightName = found.highlightName
    range = found.range
    line = found.position?.line
    column = found.position?.column
    text = found.line
    match = found.lineRange
  }

  /// The record as JSON, with its envelope.
  package var json: String { JSON.line("diple.match/1", self) }

  package static func == (a: MatchRecord, b: MatchRecord) -> Bool { a.key == b.key }

  package func hash(into hasher: inout Hasher) { hasher.combine(key) }

  /// The values that identify a match. The position isn't one of them, so that a moved match is the
  /// same.
  private var key: [String] {
    [
      document?.id.description ?? "", place.rawValue, highlight?.description ?? "", text,
      match.description,
    ]
  }
}
