public import FoundationEssentials
public import Model
import Search
import Storage

/// A search in the form in which a person asks for it and a library keeps it.
public struct SavedQuery: Hashable, Sendable, Codable {
  /// What is looked for.
  public var text: String
  /// The id of the strategy.
  public var strategy = "literal"
  /// Whether case is of no account; nil when the text's capitals decide.
  public var ignoresCase: Bool?
  /// Whether diacritics are of no account.
  public var ignoresDiacritics = false
  /// Whether only whole words are meant.
  public var wholeWords = false
  /// Where to look.
  public var place = SearchRequest.Place.text
  /// Only in highlights of one of these colours.
  public var colors: [HighlightColor] = []
  /// Only in highlights with all of these tags.
  public var tags: [String] = []
  /// Only in highlights in one of these states.
  public var states: [AnchorState] = []
  /// Only in highlights made or changed since.
  public var since: Date?
  /// Only in these documents: their ids; empty for all.
  public var documents: [Document.ID] = []

  /// Looks for a text everywhere, literally.
  public init(text: String) { self.text = text }

  /// The search that is meant.
  ///
  /// - Throws: `usage` for an empty text.
  public func request() throws(LibraryError) -> SearchRequest {
    let query: SearchQuery
    do {
      query = try SearchQuery(
        text, ignoresCase: ignoresCase, ignoresDiacritics: ignoresDiacritics,
        wholeWords: wholeWords)
    } catch { throw LibraryError(.usage, error.description) }
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
  public func savedQueries() throws(LibraryError) -> [String: SavedQuery] {
    let stored = try storage { try store.read { try $0.savedQueries() } }
    return stored.compactMapValues {
      try? JSONDecoder().decode(SavedQuery.self, from: Data($0.utf8))
    }
  }

  /// Keeps a query under a name, instead of the one that had it.
  ///
  /// - Throws: `usage` for a query that cannot be searched with or a name with no letter, `nothing`
  ///   when it is there already.
  public func save(_ query: SavedQuery, as name: String) throws(LibraryError) {
    let name = name.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    guard !name.isEmpty, !name.hasPrefix("-") else {
      throw LibraryError(.usage, "a saved query needs a name")
    }
    _ = try searcher(for: try query.request().query, strategy: query.strategy)
    let value = query.stored
    let changed = try storage { try store.write { try $0.setQuery(value, named: name) } }
    if !changed { throw LibraryError(.nothing, "the query '\(name)' is saved already") }
  }

  /// Takes a saved query away.
  ///
  /// - Throws: `notFound` when there is none of that name.
  public func removeQuery(_ name: String) throws(LibraryError) {
    _ = try savedQuery(name)
    _ = try storage { try store.write { try $0.setQuery("", named: name) } }
  }

  /// The saved query of a name.
  ///
  /// - Throws: `notFound` when there is none.
  public func savedQuery(_ name: String) throws(LibraryError) -> SavedQuery {
    let all = try savedQueries()
    if let query = all[name] { return query }
    let near = nearestMatch(to: name, among: all.keys.sorted()).map { "did you mean '\($0)'?" }
    throw LibraryError(
      .notFound, "no saved query '\(name)'", hint: near ?? "`diple query list` shows them")
  }
}

extension SavedQuery {
  /// The stored form: the same for the same query.
  fileprivate var stored: String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    // Texts, numbers and dates can always be written.
    guard let data = try? encoder.encode(self) else {
      preconditionFailure("a query that JSON cannot express")
    }
    return String(decoding: data, as: UTF8.self)
  }
}
