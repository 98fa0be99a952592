import Files
import Glibc
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
    /// These matches, and how many there are.
    case matches([SearchResult.Match], count: Int)
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

  /// Looks through stored texts and checks the files of those with matches.
  func outcomes(
    in texts: ArraySlice<StoredText?>, of entries: ArraySlice<CatalogEntry>,
    checking check: Check
  ) -> [Outcome] {
    let reader = StoredTextReader()
    return zip(texts, entries).map { text, entry in
      if let reason = watch.reasonToStop { return .ended(reason) }
      guard let text else { return .unknown }
      return reader.withUTF8(of: text) { bytes in
        let (ranges, count, outcome) = byteRanges(in: bytes)
        guard outcome == .complete else { return .ended(outcome) }
        guard !ranges.isEmpty else { return .nothing }
        guard let positions = text.positions else { return .unknown }
        switch check {
        case .nothing: break
        case .presence: guard entry.document.state == .present else { return .unknown }
        case .status(let location, let dialects):
          guard entry.isUnchanged(in: location, dialects) else { return .unknown }
        }
        return .matches(
          Self.matches(at: ranges, in: bytes, PositionMap(bytes: positions)), count: count)
      } ?? .unknown
    }
  }

  /// The matches in a document that was just read. O(text + matches), however long its lines are.
  func matches(in parsed: ParsedDocument)
    -> (matches: [SearchResult.Match], count: Int, outcome: SearchOutcome)
  {
    let positions = PositionMap(bytes: PositionMap(parsed).bytes)
    return parsed.text.utf8.withUnsafeBufferPointer { bytes in
      let (ranges, count, outcome) = byteRanges(in: bytes)
      return (Self.matches(at: ranges, in: bytes, positions), count, outcome)
    }
  }

  /// The first matches in a text, and how many there are.
  private func byteRanges(in text: UnsafeBufferPointer<UInt8>)
    -> (ranges: [Range<Int>], count: Int, outcome: SearchOutcome)
  {
    var ranges: [Range<Int>] = []
    var count = 0
    let outcome = searcher.search(text, from: 0, watch: watch) { range in
      count += 1
      if ranges.count < limit { ranges.append(range) }
      return countsAll || ranges.count < limit
    }
    let isFull = !countsAll && ranges.count >= limit
    return (ranges, count, outcome == .cancelled && isFull ? .complete : outcome)
  }

  /// Matches with their places in the source and the lines around them.
  private static func matches(
    at ranges: [Range<Int>], in text: UnsafeBufferPointer<UInt8>, _ map: PositionMap
  ) -> [SearchResult.Match] {
    var units = UnitCounter()
    let places = ranges.map { units.range($0, in: text) }
    let positions = map.positions(of: places.map(\.utf16.lowerBound))
    var matches: [SearchResult.Match] = []
    matches.reserveCapacity(ranges.count)
    // Several matches of one line share it.
    var line = (end: -1, text: "", start: 0, length: 0)
    var counter = UnitCounter()
    for (index, range) in ranges.enumerated() {
      if range.lowerBound >= line.end {
        let bytes = Self.line(at: range.lowerBound, in: text)
        let words = String(decoding: UnsafeBufferPointer(rebasing: text[bytes]), as: UTF8.self)
        line = (
          bytes.upperBound, words, counter.units(before: bytes.lowerBound, in: text),
          words.utf16.count
        )
      }
      let place = places[index].utf16
      let lower = min(place.lowerBound - line.start, line.length)
      matches.append(
        SearchResult.Match(
          place: .text, highlight: nil, range: places[index], position: positions[index],
          line: line.text,
          lineRange: TextRange(
            utf16: lower..<min(place.upperBound - line.start, line.length))))
    }
    return matches
  }

  /// The line that holds a byte, without its end.
  private static func line(at byte: Int, in text: UnsafeBufferPointer<UInt8>) -> Range<Int> {
    guard let base = UnsafeRawPointer(text.baseAddress) else { return 0..<0 }
    var start = byte
    while start > 0, text[start - 1] != 10 { start -= 1 }
    let end = memchr(base + byte, 10, text.count - byte).map { base.distance(to: $0) }
    return start..<(end ?? text.count)
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
