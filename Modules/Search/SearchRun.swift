import Model

/// Receives the results of a search. `finished` is called exactly once, after all matches, however
/// the search ends.
package protocol SearchAggregator {
  /// Receives a match; returns false to end the search.
  mutating func found(_ match: Match) -> Bool
  /// Receives the result of the search.
  mutating func finished(_ outcome: SearchOutcome)
}

/// A chunk of a text that is delivered incrementally.
package struct SearchChunk: Sendable {
  /// Complete characters of valid UTF-8.
  package var utf8: [UInt8]
  /// Whether the text ends with this chunk. A match may then extend to the chunk's end, and no
  /// other chunk is requested.
  package var isLast: Bool

  package init(utf8: [UInt8], isLast: Bool) {
    self.utf8 = utf8
    self.isLast = isLast
  }
}

/// A text that can be searched, incrementally or as a whole.
package protocol SearchableText {
  /// Returns the next chunk. Throws an error of the source if it cannot be read.
  mutating func nextChunk() throws -> SearchChunk
}

/// A text in memory, which is a single chunk.
package struct WholeText: SearchableText {
  private let utf8: [UInt8]

  /// Creates a text from valid UTF-8.
  package init(utf8: [UInt8]) { self.utf8 = utf8 }

  /// Returns the whole text.
  package mutating func nextChunk() -> SearchChunk { SearchChunk(utf8: utf8, isLast: true) }
}

/// A search through one text.
package struct SearchRun {
  private let searcher: any TextSearcher
  private let watch: SearchWatch
  /// The current part of the text, including some context before `start`.
  private var buffer: [UInt8] = []
  /// The offset in `buffer` at which the search continues.
  private var start = 0
  /// The number of UTF-16 units before `buffer`.
  private var unitsBefore = 0

  /// The number of bytes before an offset that may affect a match at the offset. A word boundary
  /// depends on two characters.
  private static let context = 64
  /// The maximum number of consecutive empty chunks.
  private static let emptyPieceLimit = 16

  /// Searches a text for a query. The outcome is reported exactly once, even if the query isn't
  /// valid, the text cannot be read, or the searcher returns invalid matches.
  package static func run(
    _ strategy: any SearchStrategy, _ query: SearchQuery, in text: some SearchableText,
    watch: SearchWatch = SearchWatch(), into aggregator: inout some SearchAggregator
  ) {
    do {
      let searcher = try strategy.searcher(for: query)
      run(searcher, in: text, watch: watch, into: &aggregator)
    } catch { aggregator.finished(.failed(error.description)) }
  }

  /// Searches a text with a prepared query.
  package static func run(
    _ searcher: any TextSearcher, in text: some SearchableText,
    watch: SearchWatch = SearchWatch(), into aggregator: inout some SearchAggregator
  ) {
    var run = SearchRun(searcher: searcher, watch: watch)
    aggregator.finished(run.outcome(in: text, into: &aggregator))
  }

  private init(searcher: any TextSearcher, watch: SearchWatch) {
    self.searcher = searcher
    self.watch = watch
  }

  private mutating func outcome(
    in text: some SearchableText, into aggregator: inout some SearchAggregator
  ) -> SearchOutcome {
    var text = text
    var emptyPieces = 0
    while true {
      if let reason = watch.reasonToStop { return reason }
      let chunk: SearchChunk
      do { chunk = try text.nextChunk() } catch { return .failed("the text ended early: \(error)") }
      emptyPieces = chunk.utf8.isEmpty ? emptyPieces + 1 : 0
      guard chunk.isLast || emptyPieces < Self.emptyPieceLimit else {
        return .failed("the text delivered too many empty chunks in a row")
      }
      if buffer.isEmpty { buffer = chunk.utf8 } else { buffer += chunk.utf8 }
      if chunk.isLast { return search(upTo: buffer.count, &aggregator) ?? .complete }
      // A match that further text could change is delayed until that text is available.
      guard let reach = searcher.reach else { continue }
      if let reason = search(upTo: buffer.count - reach - Self.context, &aggregator) {
        return reason
      }
      forget()
    }
  }

  /// Reports the matches that begin before an offset. Returns nil if the search continues.
  private mutating func search(upTo limit: Int, _ aggregator: inout some SearchAggregator)
    -> SearchOutcome?
  {
    guard start < limit else { return nil }
    var next = start
    var broken: SearchOutcome?
    let wholeUnits = unitsBefore
    let from = start
    let outcome = buffer.withUnsafeBufferPointer { bytes in
      var units = UnitCounter()
      return searcher.search(bytes, from: from, watch: watch) { range in
        guard range.lowerBound >= next, !range.isEmpty, range.upperBound <= bytes.count else {
          broken = .failed("the search strategy returned invalid or unordered matches")
          return false
        }
        guard range.lowerBound < limit else {
          broken = .complete
          return false
        }
        next = range.upperBound
        let range = units.range(range, in: bytes).utf16
        return aggregator.found(
          Match(
            range: TextRange(utf16: range.lowerBound + wholeUnits..<range.upperBound + wholeUnits)))
      }
    }
    start = max(next, min(limit, buffer.count))
    if let broken { return broken == .complete ? nil : broken }
    return outcome == .complete ? nil : outcome
  }

  /// Removes the text that no later match can depend on.
  private mutating func forget() {
    while start > 0, start < buffer.count, buffer[start] & 0xC0 == 0x80 { start -= 1 }
    var keep = max(0, start - Self.context)
    while keep > 0, buffer[keep] & 0xC0 == 0x80 { keep -= 1 }
    unitsBefore += buffer.withUnsafeBufferPointer {
      var units = UnitCounter()
      return units.units(before: keep, in: $0)
    }
    buffer.removeFirst(keep)
    start -= keep
  }
}
