import Glibc
import Model
import Search

/// Searches one text and returns its matches in parts, so that memory use does not grow with the
/// number of matches. A text may have millions.
struct TextSearch {
  /// Some of the matches in a text.
  enum Part: Sendable {
    /// Matches with their number, which includes those beyond the limit if all are counted.
    case matches([SearchResult.Match], count: Int)
    /// The output of a formatter for some matches, with their number.
    case written([UInt8], count: Int)
  }

  /// The cursors that convert byte offsets of matches to positions. They only advance.
  private struct Progress {
    var positions: PositionMap.Cursor
    var units = UnitCounter()
    var lineUnits = UnitCounter()
    /// The line of the last match, and the number of UTF-16 units before it; nil before the first
    /// match.
    var lastLine: (bytes: Range<Int>, start: Int)?
  }

  /// The limits of one part: a number of matches, and a number of bytes of output.
  struct Budget {
    var matches = 16 << 10
    var bytes = 1 << 20

    /// The smallest part, with one match.
    static let least = Budget(matches: 1, bytes: 1)
  }

  private let search: DocumentSearch
  private let document: Document
  private let text: UnsafeBufferPointer<UInt8>
  private var progress: Progress
  /// The number of matches returned so far.
  private var given = 0
  /// The byte at which the search continues; nil if it has ended.
  private(set) var rest: Int?

  /// Starts or continues the search of a text.
  ///
  /// - Parameters:
  ///   - text: valid UTF-8. It must outlive the search.
  ///   - start: the byte at which an earlier search stopped.
  ///   - given: the number of matches that the earlier search returned.
  init(
    _ search: DocumentSearch, in text: UnsafeBufferPointer<UInt8>, of document: Document,
    _ map: PositionMap, from start: Int = 0, given: Int = 0
  ) {
    (self.search, self.text, self.document) = (search, text, document)
    progress = Progress(positions: map.cursor())
    (rest, self.given) = (start, given)
  }

  /// Returns the next matches; `part` is nil after the last match, or if the search did not
  /// complete.
  mutating func next(_ budget: Budget = Budget()) -> (part: Part?, outcome: SearchOutcome) {
    guard let start = rest else { return (nil, .complete) }
    rest = nil
    let limit = search.limit - given
    let most = search.countsAll ? limit : min(limit, budget.matches)
    var ranges: [Range<Int>] = []
    var count = 0
    var outcome = search.searcher.search(text, from: start, watch: search.watch) { range in
      count += 1
      if ranges.count < most { ranges.append(range) }
      return search.countsAll || ranges.count < most
    }
    let isFull = !search.countsAll && ranges.count >= most
    if outcome == .cancelled, isFull { outcome = .complete }
    guard outcome == .complete, let last = ranges.last else { return (nil, outcome) }
    let before = progress
    let found = FoundText(document: document, text: text, matches: ranges.map { match(at: $0) })
    guard let formatter = search.formatter else {
      given += ranges.count
      if isFull, given < search.limit { rest = last.upperBound }
      return (.matches(found.results(0..<ranges.count), count: count), .complete)
    }
    var bytes: [UInt8] = []
    let end = formatter.append(found, from: 0, to: &bytes, until: budget.bytes)
    given += end
    // The cursors return to where they were, because the matches that were not written are located
    // again for the next part.
    if end < ranges.count { progress = before }
    if end < ranges.count || isFull, given < search.limit { rest = ranges[end - 1].upperBound }
    return (.written(bytes, count: end), .complete)
  }

  /// Passes the remaining parts to `give`, in order, until it returns false.
  mutating func finish(_ give: (Part) -> Bool) -> SearchOutcome {
    // Some searchers prepare the whole text for each part, so the parts grow.
    var budget = Budget()
    let largest = Budget().bytes << 4
    while rest != nil {
      let (part, outcome) = next(budget)
      if budget.bytes < largest {
        budget = Budget(matches: 2 * budget.matches, bytes: 2 * budget.bytes)
      }
      guard outcome == .complete else { return outcome }
      if let part, !give(part) { return .cancelled }
    }
    return .complete
  }

  /// Returns a match with its line and its positions. Ranges must ascend from call to call.
  private mutating func match(at range: Range<Int>) -> FoundText.Match {
    let line = self.line(of: range.lowerBound)
    let place = progress.units.range(range, in: text)
    var end = place.upperBound.utf16
    if range.upperBound > line.bytes.upperBound {
      var counter = progress.lineUnits
      end = counter.units(before: line.bytes.upperBound, in: text)
    }
    return FoundText.Match(
      range: range, line: line.bytes, units: place,
      lineUnits: TextRange(utf16: min(place.lowerBound.utf16, end) - line.start..<end - line.start),
      position: progress.positions.position(of: place.lowerBound.utf16))
  }

  /// Returns the line that contains a byte, with the number of UTF-16 units before it. The line of
  /// the last match is reused.
  private mutating func line(of byte: Int) -> (bytes: Range<Int>, start: Int) {
    if let last = progress.lastLine, byte < last.bytes.upperBound { return last }
    let bytes = Self.line(at: byte, in: text)
    let found = (bytes, progress.lineUnits.units(before: bytes.lowerBound, in: text))
    progress.lastLine = found
    return found
  }

  /// Returns the line that contains a byte, without its line feed.
  private static func line(at byte: Int, in text: UnsafeBufferPointer<UInt8>) -> Range<Int> {
    guard let base = UnsafeRawPointer(text.baseAddress) else { return 0..<0 }
    var start = byte
    // Skip eight bytes at a time: the exclusive or turns a line feed into zero, and the
    // subtraction borrows from a zero byte.
    let ones: UInt64 = 0x0101_0101_0101_0101
    while start >= 8 {
      let word = base.loadUnaligned(fromByteOffset: start - 8, as: UInt64.self) ^ (ones &* 10)
      if (word &- ones) & ~word & (ones << 7) != 0 { break }
      start -= 8
    }
    while start > 0, text[start - 1] != 10 { start -= 1 }
    let end = memchr(base + byte, 10, text.count - byte).map { base.distance(to: $0) }
    return start..<(end ?? text.count)
  }
}
