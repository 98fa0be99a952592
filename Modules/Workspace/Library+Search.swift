import MarkdownParse
public import Model
public import Search
import Storage

/// The matches of a query in one document.
public struct SearchResult: Sendable {
  /// Where.
  public var document: Document
  /// The matches in order, each with its source position and the line around it.
  public var hits: [Hit]

  /// One match.
  public struct Hit: Hashable, Sendable {
    /// The place in the rendered text.
    public var range: TextRange
    /// The place in the source.
    public var position: LinePosition
    /// The rendered line that holds the match's start.
    public var line: String
    /// The match inside `line`; cut at its end.
    public var lineRange: TextRange
  }
}

extension Library {
  /// Looks through the present text of documents.
  ///
  /// - Returns: the documents that have matches, in the order of paths, and what the look at the
  ///   files showed.
  public func search(
    _ query: SearchQuery, strategy id: String = "literal", in documents: [Document]? = nil
  ) throws(LibraryError) -> (found: [SearchResult], reports: [RefreshReport]) {
    let strategy: any SearchStrategy
    do { strategy = try plugins.search.strategy(id) } catch {
      throw LibraryError(.usage, error.description)
    }
    var reports: [RefreshReport] = []
    var found: [SearchResult] = []
    let all = if let documents { documents } else { try self.documents() }
    for document in all where document.state != .removed {
      do {
        let reading = try current(document)
        reports.append(reading.report)
        let hits = try hits(of: query, strategy, in: reading.parsed)
        if !hits.isEmpty {
          found.append(SearchResult(document: reading.report.document, hits: hits))
        }
      } catch  where error.code == .notFound {
        // A file that is gone hides no other.
        reports.append(
          RefreshReport(document: document, change: .unreadable, outcomes: [], problem: error))
      }
    }
    return (found, reports)
  }

  private func hits(
    of query: SearchQuery, _ strategy: any SearchStrategy, in parsed: ParsedDocument
  ) throws(LibraryError) -> [SearchResult.Hit] {
    let text = parsed.text.utf16
    let lines = parsed.sourceLines
    do {
      var matches: [Match] = []
      let outcome = try strategy.search(query, in: text) {
        matches.append($0)
        return true
      }
      if case .failed(let reason) = outcome { throw LibraryError(.plugin, reason) }
      return matches.map { match in
        let range = match.range.utf16
        var start = range.lowerBound
        while start > 0, text[start - 1] != 10 { start -= 1 }
        var end = range.lowerBound
        while end < text.count, text[end] != 10 { end += 1 }
        let byte = parsed.map.sourceOffset(of: match.range.lowerBound, bias: .trailing)
        return SearchResult.Hit(
          range: match.range, position: lines.position(of: byte),
          line: parsed.text.substring(TextRange(utf16: start..<end)),
          lineRange: TextRange(
            utf16: range.lowerBound - start..<min(range.upperBound, end) - start))
      }
    } catch let error as LibraryError { throw error } catch {
      throw LibraryError(.usage, "\(error)")
    }
  }
}
