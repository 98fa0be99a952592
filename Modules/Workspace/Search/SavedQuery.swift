package import FoundationEssentials
package import Model
import Search
import Storage
package import SystemSupport

/// A search in the form in which a person asks for it and a library keeps it.
package struct SavedQuery: Hashable, Sendable, Codable {
  /// What is looked for.
  package var text: String
  /// The id of the strategy.
  package var strategy = "literal"
  /// Whether case is of no account; nil when the text's capitals decide.
  package var ignoresCase: Bool?
  /// Whether diacritics are of no account.
  package var ignoresDiacritics = false
  /// Whether only whole words are meant.
  package var wholeWords = false
  /// Where to look.
  package var place = SearchRequest.Place.text
  /// Only in highlights of one of these colours.
  package var colors: [HighlightColor] = []
  /// Only in highlights with all of these tags.
  package var tags: [String] = []
  /// Only in highlights in one of these states.
  package var states: [AnchorState] = []
  /// Only in highlights made or changed since.
  package var since: Date?
  /// Only in these documents: their ids; empty for all.
  package var documents: [Document.ID] = []

  /// Looks for a text everywhere, literally.
  package init(text: String) { self.text = text }

  /// The search that is meant.
  ///
  /// - Throws: `usage` for an empty text.
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
  /// The saved queries by name. Those that only a newer Diple can read are left out.
  package func savedQueries() throws(UserError) -> [String: SavedQuery] {
    let stored = try storage { try store.read { try $0.savedQueries() } }
    return stored.compactMapValues {
      try? JSONDecoder().decode(SavedQuery.self, from: Data($0.utf8))
    }
  }

  /// Keeps a query under a name, instead of the one that had it.
  ///
  /// - Throws: `usage` for a query that cannot be searched with or a name with no letter, `nothing`
  ///   when it is there already.
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

  /// Takes a saved query away.
  ///
  /// - Throws: `notFound` when there is none of that name.
  package func removeQuery(_ name: String) throws(UserError) {
    _ = try savedQuery(name)
    _ = try storage { try store.write { try $0.setQuery("", named: name) } }
  }

  /// The saved query of a name.
  ///
  /// - Throws: `notFound` when there is none.
  package func savedQuery(_ name: String) throws(UserError) -> SavedQuery {
    let all = try savedQueries()
    if let query = all[name] { return query }
    let near: Hint? = nearestMatch(to: name, among: all.keys.sorted())
      .map { "did you mean '\($0)'?" }
    throw UserError(
      .notFound, "no saved query '\(name)'", hint: near ?? "\(command: "query", "list") shows them")
  }
}

extension SavedQuery {
  /// The stored form: the same for the same query.
  fileprivate var stored: String {
    // Texts, numbers and dates can always be written.
    guard let data = try? JSONEncoder.ordered().encode(self) else {
      preconditionFailure("a query that JSON cannot express")
    }
    return String(decoding: data, as: UTF8.self)
  }
}
