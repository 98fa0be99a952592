package import FoundationEssentials
package import Model
import Search
import Storage
package import SystemSupport

/// A search as the user states it and the library stores it.
///
/// ```swift
/// var query = SavedQuery(text: "attention")
/// query.colors = [.green]
/// try await library.save(query, as: "method")
/// let request = try await library.savedQuery("method").request()
/// ```
package struct SavedQuery: Hashable, Sendable, Codable {
  /// The text to search for, in the syntax of the strategy.
  package var text: String
  /// The id of the search strategy.
  package var strategy = "literal"
  /// Whether case is ignored; nil to ignore it only if the text has no capitals.
  package var ignoresCase: Bool?
  package var ignoresDiacritics = false
  package var wholeWords = false
  /// Whether texts, notes or highlights are searched.
  package var place = SearchRequest.Place.text
  /// Limits the search to highlights of these colours; empty for no limit.
  package var colors: [HighlightColor] = []
  /// Limits the search to highlights that have all of these tags; empty for no limit.
  package var tags: [String] = []
  /// Limits the search to highlights in one of these states; empty for no limit.
  package var states: [AnchorState] = []
  /// Limits the search to highlights that were created or changed since; nil for no limit.
  package var since: Date?
  /// The ids of the documents to search; empty for all.
  package var documents: [Document.ID] = []

  /// Creates a literal search in the texts of all documents.
  package init(text: String) { self.text = text }

  /// Returns the request that runs the query.
  ///
  /// - Throws: `usage` if the text is empty.
  package func request() throws(UserError) -> SearchRequest {
    let query: SearchQuery
    do {
      query = try SearchQuery(
        text, ignoresCase: ignoresCase, ignoresDiacritics: ignoresDiacritics,
        wholeWords: wholeWords)
    } catch { throw UserError(.usage, error.description) }
    var request = SearchRequest(query: query)
    request.strategy = strategy
    request.place = place
    request.documents = documents.isEmpty ? nil : documents
    if !colors.isEmpty || !tags.isEmpty || !states.isEmpty || since != nil {
      request.highlights = HighlightFilter(
        colors: colors.isEmpty ? nil : Set(colors), tags: tags,
        states: states.isEmpty ? nil : Set(states), since: since)
    }
    return request
  }
}

extension Library {
  /// Returns the saved queries by name. Queries that only a newer version of Diple can decode are
  /// left out.
  ///
  /// - Throws: `damaged` or `conflict` if the library cannot be read.
  package func savedQueries() throws(UserError) -> [String: SavedQuery] {
    let stored = try storage { try store.read { try $0.savedQueries() } }
    return stored.compactMapValues {
      try? JSONDecoder().decode(SavedQuery.self, from: Data($0.utf8))
    }
  }

  /// Saves a query under a name and replaces the query that had it. Runs of white space in the name
  /// become one space.
  ///
  /// - Throws: `usage` if the query is invalid, or the name is empty or starts with a hyphen;
  ///   `nothing` if the same query already has that name.
  package func save(_ query: SavedQuery, as name: String) throws(UserError) {
    let name = name.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    guard !name.isEmpty, !name.hasPrefix("-") else {
      throw UserError(.usage, "a saved query needs a name")
    }
    _ = try searcher(for: try query.request().query, strategy: query.strategy)
    let value = query.stored
    let changed = try storage { try store.write { try $0.setQuery(value, named: name) } }
    if !changed { throw UserError(.nothing, "the query '\(name)' is saved already") }
  }

  /// Deletes a saved query.
  ///
  /// - Throws: `notFound` if no query has the name.
  package func removeQuery(_ name: String) throws(UserError) {
    _ = try savedQuery(name)
    _ = try storage { try store.write { try $0.setQuery("", named: name) } }
  }

  /// Returns the saved query with a name.
  ///
  /// - Throws: `notFound`, with a similar name as a hint, if no query has the name.
  package func savedQuery(_ name: String) throws(UserError) -> SavedQuery {
    let all = try savedQueries()
    if let query = all[name] { return query }
    let near = Spelling.suggestion(for: name, among: all.keys.sorted()).map { Hint($0) }
    throw UserError(
      .notFound, "no saved query '\(name)'", hint: near,
      remedy: near == nil ? .action("query.list", [:]) : nil)
  }
}

extension SavedQuery {
  /// The query as JSON with ordered keys, so that equal queries have equal strings.
  var stored: String {
    // Encoding cannot fail: the query contains only strings, numbers and dates.
    guard let data = try? JSONEncoder.ordered().encode(self) else {
      preconditionFailure("a query cannot be encoded as JSON")
    }
    return String(decoding: data, as: UTF8.self)
  }
}
