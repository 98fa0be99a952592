public import Model

/// What all highlights of one document share while they are looked for: the two texts, and what
/// strategies compute from them, each once and only when it is asked for.
///
/// Used by one thread; not `Sendable`.
public final class AnchorContext {
  /// The text in which the highlights last stood; nil when it is not known.
  package let snapshot: AnchorText?
  /// The text in which they are looked for.
  public let text: AnchorText
  /// The edits that led from the snapshot to the text, when Diple made them itself.
  public let edits: [TextEdit]?

  /// Makes the context of a document.
  public init(snapshot: AnchorText?, text: AnchorText, edits: [TextEdit]? = nil) {
    self.snapshot = snapshot
    self.text = text
    self.edits = edits
  }

  /// Where those of the document's passages stand now that were found beyond doubt.
  var landmarks = Landmarks([])

  /// All passages that are looked for.
  var subjects: [AnchorSubject] = []
  /// Of the quotes that tell a position at least this share has to stand there for positions to be
  /// believed.
  private static let shareOnRecord = 0.9
  /// Whether the text is the one that positions are of, as far as the quotes can tell.
  lazy var positionsHold: Bool = {
    let known = subjects.filter { Self.hasPosition($0.selector) }
    let standing = known.count { stands($0.selector) }
    return Double(standing) >= Self.shareOnRecord * Double(known.count)
  }()

  /// The indices of the old words that are not in the text any more, by the hashes of the words.
  lazy var deletedWords: [UInt64: [Int]] = {
    guard let map = map?.map else { return [:] }
    var words: [UInt64: [Int]] = [:]
    for index in map.old.indices where map.target[index] < 0 && map.old[index].weight > 0 {
      words[map.old[index].hash, default: []].append(index)
    }
    return words
  }()

  private var tokenizer = Tokenizer()
  lazy var search =
    map?.coversNewText == true
    ? changed : QuoteSearch(tokenizer.tokens(of: text, in: text.units.indices))
  /// Finds quotes in the compared parts of the text alone: an index of a long text is expensive.
  private lazy var changed = QuoteSearch(map?.map.new ?? [])
  /// Finds quotes by the words of their lines.
  lazy var lines = QuotedLines(search.tokens, of: text.units)
  /// Finds quotes in the compared parts of the old text.
  lazy var changedBefore = QuoteSearch(map?.map.old ?? [])
  /// The last quote that was taken apart: one strategy after the other asks for it.
  private var lastQuery: (selector: Selector, query: QuoteQuery)?
  /// What was found for each quote, for when it is weighed again by its landmarks.
  private var findings: [Selector: [QuoteSearch.Finding]] = [:]
  private lazy var folded = FoldedSearch(text.units)
  private(set) lazy var map: TextMap? = snapshot.map {
    TextMap($0, text, tokenizer: &tokenizer)
  }

  /// How much of the quote's length, in units, makes it long enough to be told from a look-alike
  /// when its own place in the old text is known to be gone.
  private static let tellingLength = 20
  /// How much less likely it is then that it stands anywhere.
  private static let priorOfGone = 0.15

  /// The share of the best surroundings' votes that make another place a copy of it, and the most
  /// confidence there is when there are copies.
  private static let shareOfCopy = 0.5
  private static let mostOfCopies = 0.79

  /// The least confidence in the best of several places that are all possible.
  private static let leastOfSeveral = 0.5

  // MARK: - With the old text

  /// Where the snapshot's comparison with the text puts a passage. O(log tokens + passage) after
  /// the first call.
  public func candidateFromSnapshot(for subject: AnchorSubject) -> Candidate? {
    guard let snapshot, let last = subject.last?.utf16, last.upperBound <= snapshot.units.count,
      let map
    else { return nil }
    if let place = map.untouched(last) { return verified(place, subject, score: 1, isMoved: false) }
    guard let placement = map.placement(of: last) else { return nil }
    let evidence = placement.evidence
    let score = min(
      Confidence.ofSnapshot.score(
        evidence, Confidence.features(evidence, isMoved: placement.isMoved)),
      Confidence.most(for: evidence, isByQuote: false))
    let least = evidence.isRewritten ? Anchorer.doubtfulScore : 0
    let twin = twin(of: placement, last, subject)
    var candidate = verified(
      placement.range, subject,
      score: twin == nil ? max(score, least) : min(score, Self.mostOfCopies),
      isMoved: placement.isMoved)
    if let twin { candidate?.runnerUp = twin }
    guard let found = candidate, found.state == .edited else { return candidate }
    if let whole = restored(subject, at: found) { return whole }
    if found.score > Self.mostOfCopies, hasDeletedTwin(of: last) {
      candidate?.score = Self.mostOfCopies
    }
    return candidate
  }

  /// Returns the only occurrence of a quote that was edited in the old text, if it overlaps the place
  /// of what was left of it; otherwise nil.
  private func restored(_ subject: AnchorSubject, at place: Candidate) -> Candidate? {
    guard wasEdited(subject) else { return nil }
    let places = search.occurrences(of: query(for: subject), near: place.range.lowerBound.utf16)
    guard places.count == 1, places[0].overlaps(place.range.utf16) else { return nil }
    return verified(places[0], subject, score: max(place.score, Anchorer.sureScore), isMoved: false)
  }

  /// Returns whether the highlight's last passage in the old text differs from its quote, so that the
  /// old text doesn't count as an occurrence of the quote.
  func wasEdited(_ subject: AnchorSubject) -> Bool {
    guard let snapshot, let last = subject.last?.utf16, last.upperBound <= snapshot.units.count
    else { return false }
    return !Self.equalIgnoringSpace(
      Array(subject.selector.exact.utf16)[...], snapshot.units[last])
  }

  // MARK: - With the quote alone

  /// The place at which the quote stands word for word in its whole context: its own position, or
  /// the only such place; nil when there is none or more than one.
  public func undisturbedPlace(for subject: AnchorSubject) -> Candidate? {
    if let place = placeOnRecord(for: subject) { return place }
    guard !isLone(subject) else { return nil }
    let query = query(for: subject)
    guard isDistinctive(query, subject), let range = search.undisturbed(query),
      isFree(range, subject)
    else { return nil }
    return verified(range, subject, score: 0.99, isMoved: false)
  }

  /// The best places for the quote where rare words of it and its context stand together, best
  /// first.
  public func similarPlaces(for subject: AnchorSubject) -> [Candidate] {
    if isLone(subject) {
      let places = places(ofLone: subject)
      if !places.isEmpty { return places }
    }
    let query = query(for: subject)
    guard isDistinctive(query, subject) else { return onlyPlace(query, subject).map { [$0] } ?? [] }
    let findings = places(for: query, subject)
    let own = findings.filter { !$0.isOfContext }
    let all = zip(own, circumstances(of: own, subject))
    let found = all.compactMap { finding, circumstances -> Candidate? in
      guard isFree(finding.range, subject) else { return nil }
      let score = Confidence.ofQuote.score(
        finding.evidence, Confidence.features(finding.evidence, circumstances), odds: finding.odds)
      return verified(finding.range, subject, score: score, isMoved: false)
    }
    // The old text is known and says that the passage is gone: then a likeness has to be greater.
    var places = ranked(found, prior: subject.last == nil || snapshot == nil ? 1 : Self.priorOfGone)
    if let best = places.first,
      let finding = findings.first(where: { $0.range.overlaps(best.range.utf16) })
    {
      places[0].score = min(
        best.score, Confidence.most(for: finding.evidence, isByQuote: true))
    }
    if let best = places.first, best.score > Self.mostOfCopies,
      let finding = findings.first(where: { $0.range == best.range.utf16 }),
      search.isOfContext(finding.range, query)
        || findings.contains(where: { isContested(finding, by: $0, subject) })
    {
      places[0].score = Self.mostOfCopies
    }
    return raisingOnlyPlace(places, query, subject)
  }

  /// Whether another copy of a quote leaves it open which of the two it was. A text that holds the
  /// passage twice, much of its surroundings included, does not tell, unless the better one is where
  /// others show that it is to be expected.
  private func isContested(
    _ best: QuoteSearch.Finding, by other: QuoteSearch.Finding, _ subject: AnchorSubject
  ) -> Bool {
    guard other.evidence.isVerbatim, other.range != best.range else { return false }
    if best.isTorn(from: other) { return true }
    let old = subject.selector.position.utf16.lowerBound
    let expected = old + landmarks.shift(at: old)
    func distance(_ range: Range<Int>) -> Int { abs(range.lowerBound - expected) }
    return other.share >= Self.shareOfCopy
      && (landmarks.isEmpty || distance(other.range) < distance(best.range))
  }

  /// The units of the places where a quote stands word for word, ascending.
  func verbatimPlaces(of query: QuoteQuery, near position: Int) -> [Range<Int>] {
    search.occurrences(of: query, near: position)
  }

  /// The ranges of a quote's verbatim copies that are new in the text, ascending; empty without a
  /// snapshot.
  func addedPlaces(of query: QuoteQuery, near position: Int) -> [Range<Int>] {
    changed.occurrences(of: query, near: position).filter { isUnclaimed($0) }
  }

  /// The units of the places where a quote's letters stand, with the share of them that differ.
  func foldedPlaces(of quote: String) -> [(range: Range<Int>, errors: Double)] {
    folded.places(of: quote)
  }

  /// The places where the quote stands word for word, and those that are like it.
  func places(for query: QuoteQuery, _ subject: AnchorSubject) -> [QuoteSearch.Finding] {
    if let known = findings[subject.selector] { return known }
    let found = search.places(for: query, near: subject.selector.position.utf16.lowerBound)
    findings[subject.selector] = found
    return found
  }

  /// How near to its old place each place of a passage is, and how it compares with the others.
  func circumstances(of findings: [QuoteSearch.Finding], _ subject: AnchorSubject)
    -> [Confidence.Circumstances]
  {
    let old = subject.selector.position.utf16.lowerBound
    let expected = old + landmarks.shift(at: old)
    let count = Double(text.units.count)
    let distances = findings.map { Double(abs($0.range.lowerBound - expected)) }
    return findings.indices.map { index in
      let (finding, distance) = (findings[index], distances[index])
      let nearest = distances.indices.filter { $0 != index }.map { distances[$0] }.min()
      return Confidence.Circumstances(
        farness: Self.farness(distance),
        nearnessLead: nearest.map { Self.farness($0) - Self.farness(distance) } ?? 0,
        neighbourhood: 1 / (1 + distance / 100), nearness: 1 / (1 + distance / (50 + count / 50)),
        occurrences: finding.occurrences, lead: finding.lead, partLead: finding.partLead,
        lineLead: finding.lineLead, votes: finding.votes, share: finding.share,
        likeness: finding.likeness)
    }
  }

  private static func farness(_ distance: Double) -> Double { logarithm(1 + distance / 100) }

  /// The tokens of a selector's quote and context.
  func query(for subject: AnchorSubject) -> QuoteQuery {
    if let last = lastQuery, last.selector == subject.selector { return last.query }
    let query = parted(QuoteQuery(subject.selector, tokenizer: &tokenizer), subject.selector)
    lastQuery = (subject.selector, query)
    return query
  }

  /// The query that the text confirms, where a word of the quote and one of its context stand side by
  /// side: other programs store contexts without the blanks at their ends. A quote that begins inside of
  /// a word stays whole, as long as the word or the quote is in the text.
  private func parted(_ query: QuoteQuery, _ selector: Selector) -> QuoteQuery {
    let joined = query.joined
    guard !joined.isEmpty, search.occurrences(of: query, near: 0).isEmpty else { return query }
    for ends in [joined, .start, .end] where joined.isSuperset(of: ends) {
      let parted = QuoteQuery(selector, tokenizer: &tokenizer, parted: ends)
      if !search.occurrences(of: parted, near: 0).isEmpty { return parted }
    }
    var unknown = joined
    if search.holds(query.tokens[query.quote.lowerBound]) { unknown.remove(.start) }
    if search.holds(query.tokens[query.quote.upperBound - 1]) { unknown.remove(.end) }
    return unknown.isEmpty
      ? query : QuoteQuery(selector, tokenizer: &tokenizer, parted: unknown)
  }

  /// Candidates by their scores; each score is what is left of it beside the others, since at most
  /// one of them is the place: odds over one and the sum of all odds.
  private func ranked(_ candidates: [Candidate], prior: Double) -> [Candidate] {
    let sorted = candidates.sorted {
      ($1.score, $0.range.lowerBound.utf16) < ($0.score, $1.range.lowerBound.utf16)
    }
    var distinct: [Candidate] = []
    for candidate in sorted where !distinct.contains(where: { $0.range.overlaps(candidate.range) })
    {
      distinct.append(candidate)
    }
    let odds = distinct.map { prior * $0.score / max(1e-9, 1 - $0.score) }
    let all = 1 + odds.reduce(0, +)
    for index in distinct.indices { distinct[index].score = odds[index] / all }
    if distinct.count > 1 { distinct[0].runnerUp = distinct[1].score }
    // It stands somewhere; only which of the places is its own is not known.
    if let best = distinct.first?.score, best >= Self.leastOfSeveral, (all - 1) / all >= 0.5 {
      distinct[0].score = max(best, Anchorer.doubtfulScore)
    }
    return distinct
  }

  /// Whether to look for the quote at all. When the old text is known, and with it that the passage
  /// is gone, only a quote that is long enough can be told from a look-alike.
  private func isDistinctive(_ query: QuoteQuery, _ subject: AnchorSubject) -> Bool {
    guard subject.last != nil, snapshot != nil else { return true }
    return query.units.count >= Self.tellingLength
      && query.tokens[query.quote].count { $0.weight > 0 } >= 3
  }

  /// Whether a place may be the highlight's though the old text says that it is gone: only when most
  /// of the place came from nowhere else in the old text. This keeps a deleted passage from coming
  /// back at a look-alike.
  func isFree(_ range: Range<Int>, _ subject: AnchorSubject) -> Bool {
    subject.last == nil || isUnclaimed(range, by: wasEdited(subject) ? subject.last?.utf16 : nil)
  }

  /// Whether most of a place came from nowhere else in the old text, if that is known.
  ///
  /// - Parameter last: the highlight's own passage in the old text, if its words may be there; nil to
  ///   regard it as another passage.
  private func isUnclaimed(_ range: Range<Int>, by last: Range<Int>? = nil) -> Bool {
    guard let map else { return true }
    return map.claimedShare(of: range, except: last) <= 0.4
  }

  // MARK: - Verification

  /// A candidate for a place, with its borders on graphemes and its state by a comparison with the
  /// quote; nil for a place that holds nothing.
  public func verified(
    _ range: Range<Int>, _ subject: AnchorSubject, score: Double, isMoved: Bool
  ) -> Candidate? {
    let whole = wholeGraphemes(range)
    guard !whole.isEmpty else { return nil }
    let quote = Array(subject.selector.exact.utf16)
    let isEqual = Self.equalIgnoringSpace(quote[...], text.units[whole])
    let state: AnchorState = isEqual ? (isMoved ? .moved : .exact) : .edited
    return Candidate(range: TextRange(utf16: whole), score: score, state: state)
  }

  /// The range without half characters at its ends: it grows to the borders of graphemes.
  private func wholeGraphemes(_ range: Range<Int>) -> Range<Int> {
    let units = text.units
    guard range.upperBound <= units.count, !range.isEmpty else { return range.clamped(to: 0..<0) }
    let start = Graphemes.border(at: range.lowerBound, orBefore: units)
    return start..<Graphemes.border(at: range.upperBound, orAfter: units)
  }

  /// Whether two texts differ in nothing but white space and canonically equivalent spellings.
  static func equalIgnoringSpace(_ a: ArraySlice<UInt16>, _ b: ArraySlice<UInt16>) -> Bool {
    if a.elementsEqual(b) { return true }
    if a.lazy.filter({ !isSpace($0) }).elementsEqual(b.lazy.filter { !isSpace($0) }) { return true }
    guard a.contains(where: { $0 >= 0x80 }) || b.contains(where: { $0 >= 0x80 }) else {
      return false
    }
    let strings = [a, b].map { String(decoding: $0.filter { !isSpace($0) }, as: UTF16.self) }
    return strings[0] == strings[1]
  }

  static func isSpace(_ unit: UInt16) -> Bool {
    switch unit {
    case 0...32, 0x7F...0xA0, 0x1680, 0x2000...0x200A, 0x2028, 0x2029, 0x202F, 0x205F, 0x3000: true
    default: false
    }
  }
}
