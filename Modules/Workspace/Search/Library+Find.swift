package import Editing
import MarkdownParse
package import Model
package import Search
package import SystemSupport

extension Library {
  /// Searches one open document. Nothing is stored; the caller draws the matches over the page.
  ///
  /// - Parameters:
  ///   - spec: the part of the text to search; nil for all of it.
  ///   - place: the reader's position. The first match at it or after it becomes the current one.
  /// - Throws: `usage` if the query is invalid for the strategy; `plugin` if the search failed; the
  ///   errors of `select(_:in:)` if `spec` does not resolve.
  package func find(
    _ query: SearchQuery, strategy id: String = "literal", in open: OpenDocument,
    within spec: SelectionSpec? = nil, from place: TextOffset? = nil
  ) throws(UserError) -> FindSession {
    let range = try spec.map { (spec) throws(UserError) in try resolve(spec, in: open.parsed) }
    return try plugins.find(query, strategy: id, in: open, within: range, from: place)
  }

  /// Returns the matches of a query that are entirely inside a passage.
  func matches(of query: SavedQuery, in parsed: ParsedDocument, within passage: TextRange)
    throws(UserError) -> [TextRange]
  {
    try plugins.matches(
      of: try query.request().query, strategy: query.strategy, in: parsed, within: passage)
  }

  /// Returns the searcher of a strategy for a query.
  ///
  /// - Throws: `usage` if there is no such strategy or the query is invalid for it.
  func searcher(for query: SearchQuery, strategy id: String) throws(UserError)
    -> any TextSearcher
  {
    try plugins.searcher(for: query, strategy: id)
  }
}

extension PluginSet {
  /// Searches one open document or a file that is not in a library.
  ///
  /// - Parameters:
  ///   - passage: the part of the text to search; nil for all of it.
  ///   - place: the reader's position. The first match at it or after it becomes the current one.
  /// - Throws: `usage` if the query is invalid for the strategy; `plugin` if the search failed.
  package func find(
    _ query: SearchQuery, strategy id: String, in open: OpenDocument, within passage: TextRange?,
    from place: TextOffset? = nil
  ) throws(UserError) -> FindSession {
    let matches = try matches(of: query, strategy: id, in: open.parsed, within: passage)
    return FindSession(query: query, strategy: id, matches: matches, from: place)
  }

  func searcher(for query: SearchQuery, strategy id: String) throws(UserError)
    -> any TextSearcher
  {
    do { return try search.strategy(id).searcher(for: query) } catch let error as PatternError {
      throw UserError(.usage, error.description)
    } catch { throw UserError(.usage, "\(error)") }
  }

  fileprivate func matches(
    of query: SearchQuery, strategy id: String, in parsed: ParsedDocument,
    within passage: TextRange?
  ) throws(UserError) -> [TextRange] {
    let search = DocumentSearch(
      searcher: try searcher(for: query, strategy: id),
      watch: SearchWatch(isCancelled: { Task.isCancelled }), limit: .max)
    var (matches, outcome) = search.matches(in: parsed.text.utf8)
    if case .failed(let cause) = outcome { throw UserError(.plugin, cause) }
    // Words may be typed without their apostrophes and quotation marks.
    if matches.isEmpty, id == "literal", case .complete = outcome, !Task.isCancelled,
      query.text.utf8.count <= 200, !query.text.contains(where: \.isQuote)
    {
      matches = NearPassage.occurrences(
        withoutQuotesOf: query.text, keepingCase: !query.ignoresCase, in: parsed)
    }
    if let passage {
      matches.removeAll {
        $0.lowerBound < passage.lowerBound || $0.upperBound > passage.upperBound
      }
    }
    return matches
  }
}

extension Character {
  /// Whether the character is an apostrophe or a quotation mark.
  fileprivate var isQuote: Bool { "'\"’‘“”„«»".contains(self) }
}

extension OpenDocument {
  /// Returns the matches of a find session with their positions in the source and their lines.
  package func matches(of session: FindSession) -> [SearchResult.Match] {
    parsed.matches(at: session.matches)
  }
}
