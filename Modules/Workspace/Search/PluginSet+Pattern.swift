import Editing
import MarkdownParse
import Model
import Search

extension PluginSet {
  /// Returns the matches of a regular expression in a text, within the limits of `find --strategy
  /// regex`.
  ///
  /// - Throws: `badPattern` if the expression is invalid or matching takes too many steps.
  func matches(ofPattern pattern: String, in parsed: ParsedDocument) throws(SelectionError)
    -> [TextRange]
  {
    let searcher: any TextSearcher
    do { searcher = try search.strategy("regex").searcher(for: SearchQuery(pattern)) } catch {
      throw .badPattern("\(error)")
    }
    let search = DocumentSearch(
      searcher: searcher, watch: SearchWatch(isCancelled: { Task.isCancelled }), limit: .max)
    let (matches, outcome) = search.matches(in: parsed.text.utf8)
    if case .failed(let cause) = outcome { throw .badPattern("match:/\(pattern)/: \(cause)") }
    return matches
  }
}
