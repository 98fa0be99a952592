import MarkdownParse
import Model
import Search
import Storage

/// Looks through one document after the other, away from the library's thread.
struct DocumentSearch: Sendable {
  let searcher: any TextSearcher
  let watch: SearchWatch
  /// The most matches of one document.
  let limit: Int

  /// What is in a document.
  enum Finding: Sendable {
    /// No match in the text last seen.
    case nothing
    /// These matches, in the file as it is now.
    case hits([SearchResult.Hit])
    /// The text last seen is not kept, or not what the file says now.
    case unknown
    /// The search ended early.
    case ended(SearchOutcome)
  }

  /// Matches in order, up to a limit.
  private struct Collector: SearchAggregator {
    var matches: [TextRange] = []
    var outcome = SearchOutcome.complete
    let limit: Int

    mutating func found(_ match: Match) -> Bool {
      matches.append(match.range)
      return matches.count < limit
    }

    mutating func finished(_ outcome: SearchOutcome) { self.outcome = outcome }

    /// How the search ended, unless it was the limit that ended it.
    var realOutcome: SearchOutcome {
      outcome == .cancelled && matches.count >= limit ? .complete : outcome
    }
  }

  /// The matches in a text.
  func matches(in utf8: [UInt8]) -> (ranges: [TextRange], outcome: SearchOutcome) {
    var collector = Collector(limit: limit)
    SearchRun.run(searcher, in: WholeText(utf8: utf8), watch: watch, into: &collector)
    return (collector.matches, collector.realOutcome)
  }

  /// Looks through stored texts and, for those with matches, at the files at their paths.
  func findings(
    in texts: ArraySlice<StoredText?>, at paths: ArraySlice<String>
  ) -> [Finding] {
    let reader = StoredTextReader()
    return zip(texts, paths).map { text, path in
      if let reason = watch.reasonToStop { return .ended(reason) }
      guard let text else { return .unknown }
      return reader.withUTF8(of: text) { finding(in: $0, path) } ?? .unknown
    }
  }

  private func finding(in text: UnsafeBufferPointer<UInt8>, _ path: String) -> Finding {
    var ranges: [TextRange] = []
    var units = UnitCounter()
    var outcome = searcher.search(text, from: 0, watch: watch) { range in
      ranges.append(units.range(range, in: text))
      return ranges.count < limit
    }
    if outcome == .cancelled, ranges.count >= limit { outcome = .complete }
    guard outcome == .complete else { return .ended(outcome) }
    guard !ranges.isEmpty else { return .nothing }
    // The file says where the matches stand in the source, if it is still the text's.
    guard let file = try? SourceFile(reading: path) else { return .unknown }
    let parsed = ParsedDocument(parsing: file.source)
    guard parsed.text.utf8.elementsEqual(text) else { return .unknown }
    return .hits(parsed.hits(at: ranges))
  }
}

extension ParsedDocument {
  /// Matches with their places in the source and the lines around them.
  func hits(at ranges: [TextRange]) -> [SearchResult.Hit] {
    let units = text.utf16
    let lines = sourceLines
    return ranges.map { match in
      let range = match.utf16
      var start = range.lowerBound
      while start > 0, units[start - 1] != 10 { start -= 1 }
      var end = range.lowerBound
      while end < units.count, units[end] != 10 { end += 1 }
      let byte = map.sourceOffset(of: match.lowerBound, bias: .trailing)
      return SearchResult.Hit(
        place: .text, highlight: nil, range: match, position: lines.position(of: byte),
        line: text.substring(TextRange(utf16: start..<end)),
        lineRange: TextRange(utf16: range.lowerBound - start..<min(range.upperBound, end) - start))
    }
  }
}
