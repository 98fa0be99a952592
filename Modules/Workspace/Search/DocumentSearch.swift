import Files
import MarkdownParse
import Model
import Search
import Storage
import SystemSupport

/// Looks through one document after the other, away from the library's thread.
struct DocumentSearch: Sendable {
  let searcher: any TextSearcher
  let watch: SearchWatch
  /// The most matches of one document.
  let limit: Int
  /// Whether the matches beyond those are counted.
  var countsAll = false
  /// What writes the matches; nil where they are wanted themselves.
  var formatter: (any MatchFormatter)?

  /// How it is seen to whether a text is still what its file says.
  enum Check: Sendable {
    /// Not at all.
    case nothing
    /// By what the library knows: the file is where it was.
    case presence
    /// By the file's status.
    case status(LibraryLocation, Dialects)
  }

  /// What is in a document.
  enum Outcome: Sendable {
    /// No match in the text last seen.
    case nothing
    /// The first matches, and the byte where the search continues if there may be more.
    case found(TextSearch.Part, rest: Int?)
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

  /// How many bytes and matches are kept of all texts that are looked through at once.
  private static let room = TextSearch.Room(matches: 128 << 10, bytes: 16 << 20)

  /// Looks through stored texts and checks the files of those with matches. Once much was found, only
  /// the first match of each further text is given here.
  func outcomes(
    in texts: ArraySlice<StoredText?>, of entries: ArraySlice<CatalogEntry>,
    checking check: Check
  ) -> [Outcome] {
    let reader = StoredTextReader()
    var room = Self.room
    return zip(texts, entries).map { text, entry in
      if let reason = watch.reasonToStop { return .ended(reason) }
      guard let text else { return .unknown }
      return reader.withUTF8(of: text) { bytes in
        let map = PositionMap(bytes: text.positions ?? [])
        var search = TextSearch(self, in: bytes, of: entry.document, map)
        let isFull = room.matches <= 0 || room.bytes <= 0
        let (part, outcome) = search.next(isFull ? .least : TextSearch.Room())
        guard outcome == .complete else { return .ended(outcome) }
        guard let part else { return .nothing }
        guard text.positions != nil else { return .unknown }
        switch check {
        case .nothing: break
        case .presence: guard entry.document.state == .present else { return .unknown }
        case .status(let location, let dialects):
          guard entry.isUnchanged(in: location, dialects) else { return .unknown }
        }
        switch part {
        case .matches(let matches, _): room.matches -= matches.count
        case .written(let bytes, _): room.bytes -= bytes.count
        }
        return .found(part, rest: search.rest)
      } ?? .unknown
    }
  }

  /// Gives the matches of a stored text from a byte on, behind those of its first part.
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

  /// Gives the matches in a document that was just read. O(text + matches), however long its lines
  /// are.
  func matches(
    in parsed: ParsedDocument, of document: Document, _ give: (TextSearch.Part) -> Bool
  ) -> SearchOutcome {
    let positions = PositionMap(bytes: PositionMap(parsed).bytes)
    return parsed.text.utf8.withUnsafeBufferPointer { bytes in
      var search = TextSearch(self, in: bytes, of: document, positions)
      return search.finish(give)
    }
  }
}

extension TextSearch.Part {
  /// How many matches it has.
  var count: Int {
    switch self {
    case .matches(let matches, _): matches.count
    case .written(_, let count): count
    }
  }
}

extension CatalogEntry {
  /// Whether the file's status proves that its text is the one last seen.
  func isUnchanged(in location: LibraryLocation, _ dialects: Dialects) -> Bool {
    guard document.state == .present, let stamp,
      renderVersion == ParsedDocument.renderVersion,
      let file = try? location.file(of: document.path),
      let status = try? FileSystem.status(of: file),
      dialect == dialects.choice(for: file).dialect.rawValue
    else { return false }
    return stamp.provesUnchanged(FileStamp(status, checked: FileStamp.currentTime))
  }
}

extension ParsedDocument {
  /// Matches, which are in order, with their places in the source and the lines around them.
  func matches(at ranges: [TextRange]) -> [SearchResult.Match] {
    let units = text.utf16
    let positions = PositionMap(bytes: PositionMap(self).bytes).positions(
      of: ranges.map(\.utf16.lowerBound))
    // Several matches of one line share it.
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
