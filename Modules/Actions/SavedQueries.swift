package import FoundationEssentials
package import Model
import SystemSupport
package import Workspace

/// Lists the saved searches.
package struct ListQueries: Action {
  package static let name = "query.list"
  package static let summary = "Lists the saved searches by name."
  package static let effect = ActionEffect.reads
  package static let parameters: [ActionParameter] = []
  package static let examples = [ListQueries()]

  package init() {}

  package struct Outcome: ActionOutcome {
    /// The saved searches, sorted by name.
    package var queries: [QueryRecord]

    package var json: String { JSON.line("diple.queries/1", queries) }
  }

  package func run(in session: ActionSession) async throws -> Outcome {
    let queries = try await session.library.savedQueries().sorted { $0.key < $1.key }
    return Outcome(queries: queries.map { QueryRecord($0.key, $0.value) })
  }
}

/// Runs a saved search, counts all matches and lists the first ones.
package struct RunQuery: Action {
  package static let name = "query.run"
  package static let summary = "Runs a saved search, and counts all matches."
  package static let effect = ActionEffect.reads
  package static let parameters = [QueryRecord.name]
  package static let examples = [RunQuery(name: "foxes")]

  package var name: String

  package init(name: String) { self.name = name }

  package func run(in session: ActionSession) async throws -> SearchLibrary.Outcome {
    try await SearchLibrary(session.query(name)).run(in: session)
  }
}

/// Saves a search under a name, and replaces an earlier search of that name.
package struct SaveQuery: Action {
  package static let name = "query.save"
  package static let summary = "Saves a search under a name."
  package static let effect = ActionEffect.writes
  package static let parameters = [
    QueryRecord.name,
    ActionParameter("search", .object(SearchLibrary.matching), "The search.", isRequired: true),
    .dryRun,
  ]
  package static let examples = [
    SaveQuery(name: "foxes", search: SearchLibrary(query: "fox", tags: ["todo"]), dryRun: true)
  ]

  package var name: String
  package var search: SearchLibrary
  package var dryRun: Bool?

  package init(name: String, search: SearchLibrary, dryRun: Bool? = nil) {
    (self.name, self.search, self.dryRun) = (name, search, dryRun)
  }

  package func run(in session: ActionSession) async throws -> QueryOutcome {
    let query = try search.saved()
    if dryRun == true {
      _ = try query.request()
    } else {
      try await session.library.save(query, as: name)
    }
    return QueryOutcome(query: QueryRecord(name, query))
  }
}

/// Deletes a saved search.
package struct RemoveQuery: Action {
  package static let name = "query.remove"
  package static let summary = "Deletes a saved search."
  package static let effect = ActionEffect.writes
  package static let parameters = [QueryRecord.name, .dryRun]
  package static let examples = [RemoveQuery(name: "foxes", dryRun: true)]

  package var name: String
  package var dryRun: Bool?

  package init(name: String, dryRun: Bool? = nil) { (self.name, self.dryRun) = (name, dryRun) }

  package func run(in session: ActionSession) async throws -> QueryOutcome {
    let query = try await session.query(name)
    if dryRun != true { try await session.library.removeQuery(name) }
    return QueryOutcome(query: QueryRecord(name, query))
  }
}

/// A search that was saved or removed.
package struct QueryOutcome: ActionOutcome {
  package var query: QueryRecord

  package var json: String { JSON.line("diple.query/1", query) }
}

/// A saved search, a record of the schema `diple.query/1`.
package struct QueryRecord: Encodable, Sendable {
  package var name: String
  package var text: String
  package var strategy: String
  @Nullable package var ignoresCase: Bool?
  package var ignoresDiacritics: Bool
  package var wholeWords: Bool
  package var place: SearchRequest.Place
  package var colors: [HighlightColor]
  package var tags: [String]
  package var states: [AnchorState]
  @Nullable package var since: Date?
  package var documents: [Document.ID]

  // The parameter that most actions on saved queries share.
  fileprivate static let name = ActionParameter(
    "name", .text, "The name of the search.", isRequired: true)

  init(_ name: String, _ query: SavedQuery) {
    self.name = name
    text = query.text
    strategy = query.strategy
    ignoresCase = query.ignoresCase
    ignoresDiacritics = query.ignoresDiacritics
    wholeWords = query.wholeWords
    place = query.place
    colors = query.colors
    tags = query.tags
    states = query.states
    since = query.since
    documents = query.documents
  }
}

extension ActionSession {
  /// Returns the saved search with a name. Throws `notFound` if it does not exist.
  fileprivate func query(_ name: String) async throws -> SavedQuery {
    do throws(UserError) { return try await library.savedQuery(name) } catch {
      throw error.about("name")
    }
  }
}
