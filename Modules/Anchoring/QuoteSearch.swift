import Model

/// Finds a quote with its context in a text by comparing words.
struct QuoteSearch {
  /// A possible place of the quote, with its evidence.
  struct Finding {
    var range: Range<Int>
    var evidence: Evidence
    /// The number of verbatim places of the quote if this is one of them; otherwise 0.
    var occurrences = 0
    /// The votes of rare words for its surroundings. The weight of a vote is one divided by the
    /// number of places of the word.
    var votes = 0.0
    /// The votes divided by those for the best surroundings, 0 … 1.
    var share = 0.0
    /// The number of adjacent context tokens minus the greatest such number at another place,
    /// divided by 24, -1 … 1.
    var lead = 0.0
    /// The share of the line or sentence found at the place minus the greatest such share at
    /// another place, -1 … 1.
    var partLead = 0.0
    /// The share of the line's words found at the place in any order minus the greatest such share
    /// at another place, -1 … 1.
    var lineLead = 0.0
    /// The similarity of the most similar other place: the share of the query found at that place,
    /// 0 … 1.
    var likeness = 0.0
    /// Whether this is a copy of the quote that was in the quote's context.
    var isOfContext = false

    /// Whether another copy has more of the text on one side next to it. If the two sides of a
    /// quote are at different places, the context doesn't determine the quote's place.
    func isTorn(from other: Finding) -> Bool {
      guard evidence.isVerbatim, other.evidence.isVerbatim else { return false }
      func isLess(_ near: Double, _ isWhole: Bool, _ far: Double, _ isWholeThere: Bool) -> Bool {
        far > near + Self.torn || (isWholeThere && !isWhole)
      }
      return isLess(
        evidence.farBefore, evidence.isWholeBefore, other.evidence.farBefore,
        other.evidence.isWholeBefore)
        || isLess(
          evidence.farAfter, evidence.isWholeAfter, other.evidence.farAfter,
          other.evidence.isWholeAfter)
    }

    /// The minimum difference between the copies on one side, as a share of 48 tokens.
    private static let torn = 0.1

    /// Whether this is one of several copies, and the text on one side of the quote isn't beside
    /// it. Either the passage moved, or its own copy was deleted.
    var isOneSided: Bool {
      evidence.isVerbatim && occurrences > 1
        && min(evidence.runBefore, evidence.runAfter) == 0
    }

    /// Whether this is one of several indistinguishable copies while much of the quote's context is
    /// at another place, without the quote. The quote's own copy was then deleted.
    private var isElsewhere: Bool {
      evidence.isVerbatim && occurrences > 1 && lead < 0.2 && partLead < 0.1
        && share < 0.35 && votes >= 15 * share
    }

    /// Whether only a few words match, without adjacent context and without the rest of their line
    /// or sentence. A few words occur by chance.
    private var isTurnOfPhrase: Bool {
      evidence.length < 0.25 && evidence.touch < 1 && evidence.part == 0
        && max(evidence.runBefore, evidence.runAfter) < 1
    }

    /// The factor by which other places lower the odds of this one.
    var odds: Double { isElsewhere ? 0.1 : isTurnOfPhrase ? 0.4 : 1 }
  }

  let tokens: [Token]
  let index: GramIndex

  /// The maximum number of surroundings to search: `mostWindows` for the whole query, and
  /// `mostOwnWindows` for the quote's paragraph alone. Each must have at least the share
  /// `leastShare` of the best surroundings' votes.
  private static let mostWindows = 5
  private static let mostOwnWindows = 3
  private static let leastShare = 0.35
  /// The minimum votes of a place. A query of many tokens needs more, because one rare gram in it
  /// can match by chance.
  private static let leastVotes = (few: 0.5, many: 1.6)
  private static let manyTokens = 40
  /// The size of a bucket of votes in tokens. Votes in a bucket count for the same place.
  private static let bucket = 24
  /// The number of tokens on each side of a place that are searched in addition to the query's
  /// length.
  private static let margin = 40

  /// Indexes a text. O(tokens).
  init(_ tokens: [Token]) {
    self.tokens = tokens
    index = GramIndex(tokens)
  }

  /// Returns the only verbatim place of the quote with its whole context. Nil if there is no such
  /// place or more than one. O(query) expected.
  func undisturbed(_ query: QuoteQuery) -> Range<Int>? {
    // A word that was cut at the end of the context is ignored.
    let first =
      query.quote.lowerBound > query.firstWhole ? query.firstWhole : query.quote.lowerBound
    let last = query.quote.upperBound < query.endWhole ? query.endWhole : query.quote.upperBound
    let length = last - first
    guard query.isLong(first..<last), tokens.count >= length else { return nil }
    guard
      let places = index.occurrences(
        of: query.tokens[first..<last], limit: Self.mostCopies),
      places.count == 1
    else { return nil }
    let found = places[0]
    guard !hasRival(query, at: found - first) else { return nil }
    return units(of: query, at: found - first + query.quote.lowerBound)
  }

  /// Returns the units of a quote whose tokens begin at a token. The quote may begin or end inside
  /// a token. Nil if the range would be empty.
  private func units(of query: QuoteQuery, at token: Int) -> Range<Int>? {
    let firstQuote = query.tokens[query.quote.lowerBound]
    let lastQuote = query.tokens[query.quote.upperBound - 1]
    let start =
      Int(tokens[token].start) + max(0, query.units.lowerBound - Int(firstQuote.start))
    let end =
      Int(tokens[token + query.quote.count - 1].end)
      - max(0, Int(lastQuote.end) - query.units.upperBound)
    return start < end ? start..<end : nil
  }

  /// Returns the units of the verbatim places of the quote, in ascending order. If there are very
  /// many, returns only the nearest one, found by searching in both directions.
  func occurrences(of query: QuoteQuery, near position: Int) -> [Range<Int>] {
    guard !query.quote.isEmpty else { return [] }
    let quote = query.tokens[query.quote]
    let all =
      index.occurrences(of: quote, limit: Self.mostOccurrences)
      ?? nearest(quote, to: position)
    return all.compactMap { units(of: query, at: $0) }
  }

  /// Returns whether the text contains a token. O(1) expected.
  func holds(_ token: Token) -> Bool {
    index.occurrences(of: [token], limit: Self.mostOccurrences)?.isEmpty != true
  }

  private func nearest(_ quote: ArraySlice<Token>, to position: Int) -> [Int] {
    let middle = tokens.touched(by: position..<position + 1).lowerBound
    for distance in 0..<Self.mostWalked {
      for start in [middle - distance, middle + distance] {
        guard start >= 0, start + quote.count <= tokens.count else { continue }
        if zip(quote, tokens[start...]).allSatisfy({ $0.hash == $1.hash }) {
          // There are other occurrences, so the result must have more than one element.
          return [start, start]
        }
      }
    }
    return []
  }

  /// The maximum distance in tokens over which a very frequent quote is searched.
  private static let mostWalked = 20_000

  /// The maximum number of copies of a quote in its context that are counted.
  private static let mostCopies = 8

  /// Returns whether much of the query is also together at another place, as in a duplicated text.
  private func hasRival(_ query: QuoteQuery, at place: Int) -> Bool {
    var votes = votes(for: query)
    votes.leastVotes = Self.leastVotes.few
    return votes.windows.contains { abs($0 - place) > 4 * Self.bucket + query.tokens.count / 4 }
  }

  /// `mostOccurrences` is the maximum number of compared places of a quote; at most `mostWeighed`
  /// of them are compared in detail.
  private static let mostOccurrences = 400
  private static let mostWeighed = 6

  /// A place certainly belongs to the context if its line shares this many times more tokens with
  /// the context than with the quote.
  private static let plainly = 3

  /// Returns the verbatim places of the quote and the similar ones.
  ///
  /// - Parameter position: the quote's old position in units. Of equal places the nearest are
  ///   returned.
  func places(for query: QuoteQuery, near position: Int) -> [Finding] {
    guard !query.quote.isEmpty else { return [] }
    let votes = votes(for: query)
    var findings = verbatim(query, near: position, votes)
    // A copy in the context is not the quote's place. If it is the only place left, it is rejected
    // only for clear evidence.
    let copies =
      findings.isEmpty
      ? [] : index.occurrences(of: query.tokens[query.quote], limit: Self.mostOccurrences) ?? []
    var others: [Finding] = []
    for times in [1, Self.plainly] {
      others = findings.filter { isOfContext($0.range, query, times: times, copies: copies) }
      if others.count < findings.count { break }
    }
    findings.removeAll { finding in others.contains { $0.range == finding.range } }
    let settled = findings.map { tokens.touched(by: $0.range).lowerBound - query.quote.lowerBound }
    for finding in similar(query, votes, but: settled)
    where !findings.contains(where: { $0.range == finding.range })
      && !isOfContext(finding.range, query)
    {
      findings.append(finding)
    }
    compare(&findings, votes)
    for index in others.indices {
      others[index].isOfContext = true
      if votes.most > 0 { others[index].share = others[index].votes / votes.most }
    }
    return findings + others
  }

  /// Sets the values of each finding that depend on the other findings.
  private func compare(_ findings: inout [Finding], _ votes: Votes) {
    let runs = findings.map { $0.evidence.farBefore + $0.evidence.farAfter }
    for index in findings.indices {
      if votes.most > 0 { findings[index].share = findings[index].votes / votes.most }
      let others = findings.indices.filter { $0 != index }
      let rival = others.map { runs[$0] }.max() ?? 0
      findings[index].partLead =
        findings[index].evidence.part - (others.map { findings[$0].evidence.part }.max() ?? 0)
      findings[index].lead = max(-1, min(1, 2 * (runs[index] - rival)))
      findings[index].lineLead =
        findings[index].evidence.line.share
        - (others.map { findings[$0].evidence.line.share }.max() ?? 0)
      let ownShare = findings[index].evidence.query.share
      let likest = others.map { other in
        let share = findings[other].evidence.query.share
        return min(ownShare, share) / max(ownShare, share)
      }.max()
      findings[index].likeness = likest.map { $0 * $0 * $0 * $0 } ?? 0
    }
  }

  private func verbatim(_ query: QuoteQuery, near position: Int, _ votes: Votes) -> [Finding] {
    guard
      let all = index.occurrences(
        of: query.tokens[query.quote], limit: Self.mostOccurrences)
    else { return [] }
    let best = all.map { start in
      (
        start: start, context: context(of: query, at: start),
        distance: abs(Int(tokens[start].start) - position)
      )
    }.sorted { ($1.context, $0.distance) < ($0.context, $1.distance) }
    return best.prefix(Self.mostWeighed).compactMap { place in
      let before = max(0, place.start - query.quote.lowerBound - Self.margin)
      let after = min(
        tokens.count, place.start + query.tokens.count - query.quote.lowerBound + Self.margin)
      let map = TokenMap(
        passage: query.tokens, Array(tokens[before..<after]), pinning: query.quote,
        to: place.start - before)
      return Placement(
        of: query.units, tokens: query.quote, known: query.known, through: map
      ).map {
        Finding(
          range: $0.range, evidence: $0.evidence, occurrences: all.count,
          votes: votes.near(place.start - query.quote.lowerBound))
      }
    }
  }

  /// Returns the number of context tokens adjacent to the quote at a place.
  private func context(of query: QuoteQuery, at start: Int) -> Int {
    let shift = start - query.quote.lowerBound
    func isEqual(_ index: Int) -> Bool {
      tokens.indices.contains(index + shift)
        && tokens[index + shift].hash == query.tokens[index].hash
    }
    let before = query.known.lowerBound..<query.quote.lowerBound
    let after = query.quote.upperBound..<query.known.upperBound
    return before.reversed().prefix(while: isEqual).count + after.prefix(while: isEqual).count
  }

  /// Returns the places at which rare words of the quote and its context are together. The verbatim
  /// places are excluded.
  ///
  /// - Parameter settled: the first tokens of the query at the verbatim places of the quote, which
  ///   are skipped.
  private func similar(_ query: QuoteQuery, _ votes: Votes, but settled: [Int]) -> [Finding] {
    var findings: [Finding] = []
    let ofParagraph = votes.windowsOfParagraph
    let starts = votes.windows + ofParagraph.filter { !votes.windows.contains($0) }
    for start in starts where !settled.contains(where: { abs($0 - start) <= Self.bucket }) {
      let first = max(0, start - Self.margin)
      let end = min(tokens.count, max(0, start) + query.tokens.count + Self.margin)
      guard first < end else { continue }
      let window = Array(tokens[first..<end])
      func placement(_ map: TokenMap) -> Placement? {
        Placement(of: query.units, tokens: query.quote, known: query.known, through: map)
      }
      // In one window, the old surroundings of a moved paragraph may outweigh the paragraph.
      let found =
        placement(TokenMap(passage: query.tokens, window))
        ?? (ofParagraph.contains(start)
          ? placement(TokenMap(passage: query.tokens, window, first: query.paragraph)) : nil)
      guard let found, !findings.contains(where: { $0.range == found.range }) else { continue }
      findings.append(
        Finding(range: found.range, evidence: found.evidence, votes: votes.near(start)))
    }
    return findings
  }

  /// Returns the words that replaced the quote between the words of its context. Of several such
  /// places, the one with the highest score is returned; nil if the context isn't in the text.
  ///
  /// - Parameters:
  ///   - units: the text.
  ///   - budget: the remaining number of pairs of letters. The work is subtracted from it.
  func respelling(of query: QuoteQuery, in units: [UInt16], budget: inout Int) -> Respelling? {
    guard query.units.count <= Respelling.mostUnits else { return nil }
    var best: Respelling?
    for window in windows(for: query) {
      let map = TokenMap(passage: query.tokens, Array(tokens[window]))
      let place = Respelling(
        of: query.units, tokens: query.quote, known: query.known, in: map, from: query.text,
        to: units, budget: &budget)
      if let place, place.score > best?.score ?? 0 { best = place }
    }
    return best
  }

  /// The votes of rare words for the first token of the query, by buckets of tokens.
  private struct Votes {
    var all: VoteTable
    /// The votes of the words in the quote's own paragraph or item.
    var own: VoteTable
    var most: Double
    /// The minimum votes of a place.
    var leastVotes: Double

    /// Returns the votes for the surroundings that begin near a token.
    func near(_ start: Int) -> Double {
      let bucket = QuoteSearch.bucket(start)
      return max(all[bucket - 1], all[bucket], all[bucket + 1])
    }

    /// Returns the most probable first tokens of the query, best first.
    var windows: [Int] {
      Self.best(all, count: QuoteSearch.mostWindows, least: leastVotes).map {
        $0 * QuoteSearch.bucket
      }
    }

    /// Returns the first tokens of the query at places that have its own paragraph but not its
    /// surroundings, best first. A paragraph that moved has such a place.
    var windowsOfParagraph: [Int] {
      Self.best(own, count: QuoteSearch.mostOwnWindows, least: leastVotes).map {
        $0 * QuoteSearch.bucket
      }
    }

    private static func best(_ votes: VoteTable, count: Int, least: Double) -> [Int] {
      let least = max(least, votes.most * QuoteSearch.leastShare)
      return votes.all.filter { $0.sum >= least }
        .sorted { ($1.sum, $0.bucket) < ($0.sum, $1.bucket) }
        .prefix(count).map(\.bucket)
    }
  }

  private static func bucket(_ start: Int) -> Int {
    Int((Double(start) / Double(bucket)).rounded())
  }

  /// Returns the tokens of the most probable places of the query, with a margin, best first.
  func windows(for query: QuoteQuery) -> [Range<Int>] {
    votes(for: query).windows.map { start in
      let first = min(tokens.count, max(0, start - Self.margin))
      return first..<max(first, min(tokens.count, start + query.tokens.count + Self.margin))
    }
  }

  private func votes(for query: QuoteQuery) -> Votes {
    var findings = index.grams(of: query.tokens)
    if findings.isEmpty { findings = index.words(of: query.tokens) }
    var votes = VoteTable()
    var own = VoteTable()
    let paragraph = query.paragraph
    for finding in findings {
      let weight =
        (query.quote.contains(finding.query) ? 1.5 : 1) / Double(finding.places.count)
      let isOwn = paragraph.contains(finding.query)
      for place in finding.places {
        let bucket = Self.bucket(Int(place) - finding.query)
        votes.add(weight, to: bucket)
        if isOwn { own.add(weight, to: bucket) }
      }
    }
    return Votes(
      all: votes, own: own, most: votes.most,
      leastVotes: query.tokens.count < Self.manyTokens ? Self.leastVotes.few : Self.leastVotes.many)
  }
}

/// A small hash table of votes by bucket.
private struct VoteTable {
  private var buckets: [Int32] = []
  private var sums: [Double] = []
  /// The index in `buckets` plus one for each slot; 0 for an empty slot. The count is a power of
  /// two.
  private var slots = [Int32](repeating: 0, count: 64)

  /// The greatest sum; 0 if there are no votes.
  var most: Double { sums.max() ?? 0 }
  /// The buckets with their sums, in the order of their first vote.
  var all: [(bucket: Int, sum: Double)] { zip(buckets, sums).map { (Int($0), $1) } }

  /// Returns the sum of a bucket; 0 if it has no votes. O(1) expected.
  subscript(bucket: Int) -> Double {
    let place = Int(slots[slot(of: Int32(bucket))]) - 1
    return place < 0 ? 0 : sums[place]
  }

  /// Adds a vote. O(1) expected.
  mutating func add(_ weight: Double, to bucket: Int) {
    let bucket = Int32(bucket)
    let slot = slot(of: bucket)
    let place = Int(slots[slot]) - 1
    if place >= 0 {
      sums[place] += weight
      return
    }
    buckets.append(bucket)
    sums.append(weight)
    slots[slot] = Int32(buckets.count)
    if 2 * buckets.count > slots.count { grow() }
  }

  private mutating func grow() {
    slots = Array(repeating: 0, count: 2 * slots.count)
    for (place, bucket) in buckets.enumerated() { slots[slot(of: bucket)] = Int32(place + 1) }
  }

  private func slot(of bucket: Int32) -> Int {
    let mixed = UInt32(bitPattern: bucket) &* 0x9E37_79B1
    var slot = Int(mixed >> 7) & (slots.count - 1)
    while slots[slot] > 0, buckets[Int(slots[slot]) - 1] != bucket {
      slot = (slot + 1) & (slots.count - 1)
    }
    return slot
  }
}

/// The quote with its context, as tokens.
struct QuoteQuery {
  /// The units of the context and the quote.
  var text: [UInt16]
  var tokens: [Token]
  /// The quote's units among those of the context.
  var units: Range<Int>
  /// The tokens that the quote touches.
  var quote: Range<Int>
  /// The first of the tokens that are certainly whole. The first and the last token of a context
  /// may be cut.
  var firstWhole: Int
  var endWhole: Int

  /// The whole tokens, including the quote's.
  var known: Range<Int> {
    min(firstWhole, quote.lowerBound)..<max(endWhole, quote.upperBound)
  }

  /// The tokens of the quote's paragraph or item that are in the context.
  var paragraph: Range<Int> {
    var (start, end) = (quote.lowerBound, quote.upperBound)
    while start > 0, !tokens[start].beginsBlock { start -= 1 }
    while end < tokens.count, !tokens[end].beginsBlock { end += 1 }
    return start..<end
  }

  /// The ends of a quote at which its context begins.
  struct Ends: OptionSet {
    let rawValue: UInt8
    static let start = Ends(rawValue: 1)
    static let end = Ends(rawValue: 2)
  }

  /// Divides a selector into tokens.
  ///
  /// - Parameter parted: the ends of the quote at which a word ends although there is no blank.
  init(_ selector: Selector, tokenizer: inout Tokenizer, parted: Ends = []) {
    let prefix = Array(selector.prefix.utf16)
    let exact = Array(selector.exact.utf16)
    let units = prefix + exact + Array(selector.suffix.utf16)
    text = units
    self.units = prefix.count..<prefix.count + exact.count
    tokens = []
    var start = 0
    for (end, offset) in [(Ends.start, self.units.lowerBound), (.end, self.units.upperBound)]
    where parted.contains(end) {
      tokens += tokenizer.tokens(of: units, in: start..<offset)
      start = offset
    }
    tokens += tokenizer.tokens(of: units, in: start..<units.count)
    // The text before the context is unknown.
    if !prefix.isEmpty, !tokens.isEmpty { tokens[0].boundary = .none }
    quote = tokens.touched(by: self.units)
    firstWhole = prefix.isEmpty ? 0 : min(1, tokens.count)
    endWhole = selector.suffix.isEmpty ? tokens.count : max(0, tokens.count - 1)
  }

  /// The ends of the quote that are inside a token: the quote begins or ends inside a word, or the
  /// context lacks the blank next to it.
  var joined: Ends {
    guard !quote.isEmpty else { return [] }
    var ends: Ends = []
    if Int(tokens[quote.lowerBound].start) < units.lowerBound { ends.insert(.start) }
    if Int(tokens[quote.upperBound - 1].end) > units.upperBound { ends.insert(.end) }
    return ends
  }

  /// Whether the quote is also in its own context.
  var isRepeated: Bool {
    let words = tokens[quote].map(\.hash)
    guard !words.isEmpty else { return false }
    return tokens.indices.dropLast(words.count - 1).contains { start in
      start != quote.lowerBound
        && zip(words, tokens[start...]).allSatisfy { $0 == $1.hash }
    }
  }

  /// Whether a part of the quote is so long that only a copy of it can be similar to it.
  func isLong(_ range: Range<Int>) -> Bool {
    range.count >= 12 && range.reduce(0) { $0 + Int(tokens[$1].weight) } >= 40
  }
}
