package import Editing
import Files
import MarkdownParse
package import Model
package import Search
package import SystemSupport
import Watching

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
    let matches = try matches(of: query, strategy: id, in: open.parsed, within: range)
    return FindSession(query: query, strategy: id, matches: matches, from: place)
  }

  /// The matches of a query that lie inside a passage.
  func matches(of query: SavedQuery, in parsed: ParsedDocument, within passage: TextRange)
    throws(UserError) -> [TextRange]
  {
    try matches(
      of: try query.request().query, strategy: query.strategy, in: parsed, within: passage)
  }

  private func matches(
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

  /// Where a place of an open document stands in its source, and the line around it.
  package nonisolated func hits(of session: FindSession, in open: OpenDocument) -> [SearchResult
    .Hit]
  {
    open.parsed.hits(at: session.matches)
  }
}
