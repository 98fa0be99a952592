package import Editing
import MarkdownParse
package import Model
package import Search
package import SystemSupport

extension Library {
  /// Looks through one open document.
  ///
  /// Nothing is stored and nothing is written: what is found is drawn over the page.
  ///
  /// - Parameters:
  ///   - spec: the part that is looked through; nil for the whole text.
  ///   - place: where the reader is: the first match there or behind is at hand.
  /// - Throws: `usage` for a query that the strategy cannot read, `plugin` when the search could not
  ///   be finished.
  package func find(
    _ query: SearchQuery, strategy id: String = "literal", in open: OpenDocument,
    within spec: SelectionSpec? = nil, from place: TextOffset? = nil
  ) throws(UserError) -> FindSession {
    let range = try spec.map { (spec) throws(UserError) in try resolve(spec, in: open.parsed) }
    return try plugins.find(query, strategy: id, in: open, within: range, from: place)
  }

  /// The matches of a query that lie inside a passage.
  func matches(of query: SavedQuery, in parsed: ParsedDocument, within passage: TextRange)
    throws(UserError) -> [TextRange]
  {
    try plugins.matches(
      of: try query.request().query, strategy: query.strategy, in: parsed, within: passage)
  }

  /// The search of a strategy for a query.
  func searcher(for query: SearchQuery, strategy id: String) throws(UserError)
    -> any TextSearcher
  {
    try plugins.searcher(for: query, strategy: id)
  }
}

extension PluginSet {
  /// Looks through one open document, or a file that is in no library.
  ///
  /// - Parameters:
  ///   - passage: the part that is looked through; nil for the whole text.
  ///   - place: where the reader is: the first match there or behind is at hand.
  /// - Throws: `usage` for a query that the strategy cannot read, `plugin` when the search could not
  ///   be finished.
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
    if let passage {
      matches.removeAll {
        $0.lowerBound < passage.lowerBound || $0.upperBound > passage.upperBound
      }
    }
    return matches
  }
}

extension OpenDocument {
  /// Where what was found stands in the source, each place with the line around it.
  package func matches(of session: FindSession) -> [SearchResult.Match] {
    parsed.matches(at: session.matches)
  }
}
