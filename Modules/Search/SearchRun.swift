import Model

/// Receives what a search finds. Whatever happens to the search, `finished` comes exactly once, and
/// after it nothing more.
package protocol SearchAggregator {
  /// Takes a match; false wants no more.
  mutating func found(_ match: Match) -> Bool
  /// Takes the reason why nothing more will come.
  mutating func finished(_ outcome: SearchOutcome)
}

/// A piece of a text that comes in pieces.
package struct SearchChunk: Sendable {
  /// Whole characters of valid UTF-8.
  package var utf8: [UInt8]
  /// Whether the text ends here: a match may then end at the piece's end, and no other is asked for.
  package var isLast: Bool

  /// Makes a piece.
  package init(utf8: [UInt8], isLast: Bool) {
    self.utf8 = utf8
    self.isLast = isLast
  }
}

/// A text that can be searched, in pieces or whole.
package protocol SearchableText {
  /// The next piece.
  mutating func nextChunk() throws -> SearchChunk
}

/// A text at hand, which is one piece.
package struct WholeText: SearchableText {
  private let utf8: [UInt8]

  /// Takes valid UTF-8.
  package init(utf8: [UInt8]) { self.utf8 = utf8 }

  /// The whole text.
  package mutating func nextChunk() -> SearchChunk { SearchChunk(utf8: utf8, isLast: true) }
}

/// One search through one text.
package struct SearchRun {
  private let searcher: any TextSearcher
  private let watch: SearchWatch
  /// The text at hand, from some way before `start`.
  private var buffer: [UInt8] = []
  /// Where in `buffer` the search goes on.
  private var start = 0
  /// The units before `buffer`.
  private var unitsBefore = 0

  /// How many bytes before a place may decide about it: a word's border looks two characters back.
  private static let context = 64
  /// How many pieces may be empty one after the other.
  private static let patience = 16

  /// Looks for a query in a text and says what it finds and, once, how it ended: also for a query
  /// that is none, a text that cannot be read, a searcher that breaks its promises.
  package static func run(
    _ strategy: any SearchStrategy, _ query: SearchQuery, in text: some SearchableText,
    watch: SearchWatch = SearchWatch(), into aggregator: inout some SearchAggregator
  ) {
    do {
      let searcher = try strategy.searcher(for: query)
      run(searcher, in: text, watch: watch, into: &aggregator)
    } catch { aggregator.finished(.failed(error.description)) }
  }

  /// Searches with a query that was made ready.
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
      guard chunk.isLast || emptyPieces < Self.patience else {
        return .failed("the text gives nothing more and does not say that it ends")
      }
      if buffer.isEmpty { buffer = chunk.utf8 } else { buffer += chunk.utf8 }
      if chunk.isLast { return search(upTo: buffer.count, &aggregator) ?? .complete }
      // A match that more text could change waits for it.
      guard let reach = searcher.reach else { continue }
      if let reason = search(upTo: buffer.count - reach - Self.context, &aggregator) {
        return reason
      }
      forget()
    }
  }

  /// Gives the matches that begin before a place; nil when the search goes on.
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
          broken = .failed("the search strategy gave matches out of order")
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

  /// Drops what no later match can depend on.
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
