import MarkdownParse
import Model
import Search
import Storage
import Synchronization

/// Searches the texts of documents, outside the library's actor.
struct DocumentSearch: Sendable {
  let searcher: any TextSearcher
  let watch: SearchWatch
  /// The maximum number of matches returned for one document.
  let limit: Int
  /// Whether matches beyond the limit are counted.
  var countsAll = false
  /// Writes the matches; nil to return the matches themselves.
  var formatter: (any MatchFormatter)?
  /// Counts the documents that were searched; nil if nobody asks.
  var progress: SearchProgress?

  /// How a stored text is checked against its file.
  enum Check: Sendable {
    /// The text is used without a check.
    case nothing
    /// The library's record must state that the file is present. No file is read.
    case presence
    /// The file's status must prove that the file is unchanged.
    case status(LibraryLocation, Dialects)
  }

  /// The result of searching one document.
  enum Outcome: Sendable {
    /// The stored text has no match.
    case nothing
    /// The first matches, and the byte at which the search continues; `rest` is nil if there are no
    /// more.
    case found(TextSearch.Part, rest: Int?)
    /// No current text is stored: it is missing, or the file may have changed since.
    case unknown
    /// The search ended early.
    case ended(SearchOutcome)
  }

  /// Collects matches in order, up to a limit.
  private struct Collector: SearchAggregator {
    var matches: [TextRange] = []
    var outcome = SearchOutcome.complete
    let limit: Int

    mutating func found(_ match: Match) -> Bool {
      matches.append(match.range)
      return matches.count < limit
    }

    mutating func finished(_ outcome: SearchOutcome) { self.outcome = outcome }

    /// How the search ended. Ending at the limit counts as complete.
    var realOutcome: SearchOutcome {
      outcome == .cancelled && matches.count >= limit ? .complete : outcome
    }
  }

  /// Returns the matches in a valid UTF-8 text, in UTF-16 units, up to the limit.
  func matches(in utf8: [UInt8]) -> (ranges: [TextRange], outcome: SearchOutcome) {
    var collector = Collector(limit: limit)
    SearchRun.run(searcher, in: WholeText(utf8: utf8), watch: watch, into: &collector)
    return (collector.matches, collector.realOutcome)
  }

  /// The number of matches and bytes kept from all texts that are searched in one batch.
  private static let budget = TextSearch.Budget(matches: 128 << 10, bytes: 16 << 20)

  /// Searches stored texts and checks those with matches against their files. Once `budget` is used
  /// up, only the first match of each further text is returned, with the byte at which to continue.
  func outcomes(
    in texts: ArraySlice<StoredText?>, of entries: ArraySlice<CatalogEntry>,
    checking check: Check
  ) -> [Outcome] {
    let reader = StoredTextReader()
    var budget = Self.budget
    return zip(texts, entries).map { text, entry in
      if let reason = watch.reasonToStop { return .ended(reason) }
      defer { progress?.advance() }
      guard let text else { return .unknown }
      return reader.withUTF8(of: text) { bytes in
        let map = PositionMap(bytes: text.positions ?? [])
        var search = TextSearch(self, in: bytes, of: entry.document, map)
        let isFull = budget.matches <= 0 || budget.bytes <= 0
        let (part, outcome) = search.next(isFull ? .least : TextSearch.Budget())
        guard outcome == .complete else { return .ended(outcome) }
        guard let part else { return .nothing }
        guard text.positions != nil else { return .unknown }
        switch check {
        case .nothing: break
        case .presence: guard entry.document.state == .present else { return .unknown }
        case .status(let location, let dialects):
          guard entry.file.isUnchanged(in: location, dialects) else { return .unknown }
        }
        switch part {
        case .matches(let matches, _): budget.matches -= matches.count
        case .written(let bytes, _): budget.bytes -= bytes.count
        }
        return .found(part, rest: search.rest)
      } ?? .unknown
    }
  }

  /// Searches the rest of a stored text after its first part, and passes the matches to `give`, in
  /// order, until it returns false.
  ///
  /// - Parameter start: the byte at which the search continues.
  func finish(
    _ text: StoredText, of document: Document, after part: TextSearch.Part, from start: Int,
    _ give: (TextSearch.Part) -> Bool
  ) -> SearchOutcome {
    StoredTextReader().withUTF8(of: text) { bytes in
      let map = PositionMap(bytes: text.positions ?? [])
      var search = TextSearch(
        self, in: bytes, of: document, map, from: start, given: part.count)
      return search.finish(give)
    } ?? .complete
  }

  /// Searches a document that was just parsed and passes the matches to `give`, in order, until it
  /// returns false. O(text + matches), independent of line lengths.
  func matches(
    in parsed: ParsedDocument, of document: Document, _ give: (TextSearch.Part) -> Bool
  ) -> SearchOutcome {
    let positions = PositionMap(bytes: PositionMap(parsed.mapped).bytes)
    return parsed.text.utf8.withUnsafeBufferPointer { bytes in
      var search = TextSearch(self, in: bytes, of: document, positions)
      return search.finish(give)
    }
  }
}

/// Counts the documents that a search has read.
final class SearchProgress: Sendable {
  private let count = Atomic(0)
  private let total: Int
  private let report: @Sendable (_ count: Int, _ total: Int) -> Void

  /// Creates the counter.
  ///
  /// - Parameters:
  ///   - total: the number of documents to search.
  ///   - report: called on the searching threads after each document.
  init(of total: Int, _ report: @escaping @Sendable (_ count: Int, _ total: Int) -> Void) {
    (self.total, self.report) = (total, report)
  }

  func advance() {
    let now = count.add(1, ordering: .relaxed).newValue
    report(min(now, total), total)
  }
}

extension TextSearch.Part {
  /// The number of matches in the part.
  var count: Int {
    switch self {
    case .matches(let matches, _): matches.count
    case .written(_, let count): count
    }
  }
}

extension ParsedDocument {
  /// Returns the matches at ascending ranges of the rendered text, with their positions in the
  /// source and their lines.
  func matches(at ranges: [TextRange]) -> [SearchResult.Match] {
    let units = text.utf16
    let positions = PositionMap(bytes: PositionMap(mapped).bytes).positions(
      of: ranges.map(\.utf16.lowerBound))
    // Matches of one line share its string.
    var line = (start: 0, end: -1, text: "")
    return zip(ranges, positions).map { match, position in
      let range = match.utf16
      if range.lowerBound < line.start || range.lowerBound > line.end {
        var (start, end) = (range.lowerBound, range.lowerBound)
        while start > 0, units[start - 1] != 10 { start -= 1 }
        while end < units.count, units[end] != 10 { end += 1 }
        line = (start, end, text.substring(TextRange(utf16: start..<end)))
      }
      return SearchResult.Match(
        place: .text, highlight: nil, range: match, position: position, line: line.text,
        lineRange: TextRange(
          utf16: range.lowerBound - line.start..<min(range.upperBound, line.end) - line.start))
    }
  }
}
