public import Model

/// The two texts of a document, and values that strategies compute from them for all highlights.
/// Each value is computed once, when it is first needed.
///
/// Not `Sendable`: only one thread may use it.
public final class AnchorContext {
  /// The text in which the highlights were last located; nil if it isn't known.
  package let snapshot: AnchorText?
  /// The text in which the highlights are searched for.
  public let text: AnchorText
  /// The edits by which Diple changed the snapshot into the text; nil if another program changed
  /// it.
  public let edits: [TextEdit]?

  /// Creates a context, O(1): nothing is computed yet.
  public init(snapshot: AnchorText?, text: AnchorText, edits: [TextEdit]? = nil) {
    self.snapshot = snapshot
    self.text = text
    self.edits = edits
  }

  /// The places of the passages that were found with certainty.
  var landmarks = Landmarks([])

  /// All passages that are searched for.
  var subjects: [AnchorSubject] = []
  /// Stored positions are used if at least this share of the quotes is at its stored position.
  private static let shareOnRecord = 0.9
  /// Whether stored positions probably refer to this text.
  lazy var positionsHold: Bool = {
    let known = subjects.filter { Self.hasPosition($0.selector) }
    let verbatim = known.count { isVerbatim($0.selector) }
    return Double(verbatim) >= Self.shareOnRecord * Double(known.count)
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

  /// The number of occurrences of each token in the compared parts of the old text.
  lazy var oldCounts: [UInt64: Int] =
    map?.map.old.reduce(into: [:]) { $0[$1.hash, default: 0] += 1 } ?? [:]

  /// For each token of the new text the index of the old token that became it, or -1.
  lazy var sources: [Int32] = {
    guard let map = map?.map else { return [] }
    var sources = [Int32](repeating: -1, count: map.new.count)
    for index in map.old.indices where map.target[index] >= 0 {
      sources[Int(map.target[index])] = Int32(index)
    }
    return sources
  }()

  private var tokenizer = Tokenizer()
  lazy var search =
    map?.coversNewText == true
    ? changed : QuoteSearch(tokenizer.tokens(of: text, in: text.units.indices))
  /// Finds quotes in the compared parts of the new text only, because an index of a long text is
  /// expensive.
  lazy var changed = QuoteSearch(map?.map.new ?? [])
  /// Finds quotes by the words of their lines.
  lazy var lines = QuotedLines(search.tokens, of: text.units)
  /// Finds quotes in the compared parts of the old text.
  lazy var changedBefore = QuoteSearch(map?.map.old ?? [])
  /// A highlight's quote and its place in the old text. Two highlights may have equal selectors.
  private struct Passage: Hashable {
    var selector: Selector
    var last: TextRange?

    init(_ subject: AnchorSubject) { (selector, last) = (subject.selector, subject.last) }
  }

  /// The last query, because several strategies use the query of the same passage.
  private var lastQuery: (passage: Passage, query: QuoteQuery)?
  /// The findings for each quote, which is scored again when landmarks are known.
  private var findings: [Selector: [QuoteSearch.Finding]] = [:]
  /// The passages for which the comparison of the texts found two possible places.
  private var hasRival: Set<Passage> = []
  private lazy var folded = FoldedSearch(text.units)
  /// The remaining number of pairs of letters that are compared to find words with another
  /// spelling.
  private var respellings = 50_000_000
  private(set) lazy var map: TextMap? = snapshot.map {
    TextMap($0, text, tokenizer: &tokenizer)
  }

  /// The length in UTF-16 units from which a quote is searched even if its own place in the old
  /// text was deleted.
  private static let distinctiveLength = 20
  /// The factor for the odds that a quote whose own place was deleted is still in the text.
  private static let priorOfGone = 0.15

  /// A place counts as a copy of the best place if it has at least the share `shareOfCopy` of the
  /// best place's votes. The confidence in a place that has copies is at most `mostOfCopies`.
  private static let shareOfCopy = 0.5
  static let mostOfCopies = 0.79

  /// The minimum confidence in the best of several possible places.
  private static let leastOfSeveral = 0.5

  // MARK: - With the old text

  /// Returns the place of a passage by the comparison of the snapshot with the text; nil if there
  /// is no snapshot or nothing of the passage is left. O(log tokens + passage) after the first
  /// call.
  public func candidateFromSnapshot(for subject: AnchorSubject) -> Candidate? {
    guard let snapshot, let last = subject.last?.utf16, last.upperBound <= snapshot.units.count,
      let map
    else { return nil }
    let found = compared(subject, last, in: map)
    guard found?.score ?? 0 < Anchorer.doubtfulScore,
      let place = map.respelling(of: last, from: snapshot, to: text, budget: &respellings),
      place.score > found?.score ?? 0,
      // If the quote was inserted at another place, the passage may have moved to it. The text at
      // the found place may then be unrelated.
      addedPlaces(of: query(for: subject), near: last.lowerBound).isEmpty
    else { return found }
    return verified(place.range, subject, score: place.score, isMoved: false)
  }

  /// Returns the place of a passage by the words that the texts have in common; nil if none of the
  /// passage's words is left.
  private func compared(_ subject: AnchorSubject, _ last: Range<Int>, in map: TextMap)
    -> Candidate?
  {
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
    guard let found = candidate, placement.isMoved || found.state == .edited else {
      return candidate
    }
    if found.state == .edited, let whole = restored(subject, at: found) { return whole }
    if let other = preferred(found, placement, last, subject) {
      hasRival.insert(Passage(subject))
      return other
    }
    if found.state == .edited, found.score > Self.mostOfCopies, hasDeletedTwin(of: last) {
      candidate?.score = Self.mostOfCopies
    }
    return candidate
  }

  /// Returns the only occurrence of a quote that was edited in the old text, if it overlaps the
  /// place of the edited passage; otherwise nil.
  private func restored(_ subject: AnchorSubject, at place: Candidate) -> Candidate? {
    guard wasEdited(subject) else { return nil }
    let places = search.occurrences(of: query(for: subject), near: place.range.lowerBound.utf16)
    guard places.count == 1, places[0].overlaps(place.range.utf16) else { return nil }
    return verified(places[0], subject, score: max(place.score, Anchorer.sureScore), isMoved: false)
  }

  /// Returns whether the highlight's last passage in the old text differs from its quote, so that
  /// the old text doesn't count as an occurrence of the quote.
  func wasEdited(_ subject: AnchorSubject) -> Bool {
    guard let snapshot, let last = subject.last?.utf16, last.upperBound <= snapshot.units.count
    else { return false }
    return !Self.equalIgnoringSpace(
      Array(subject.selector.exact.utf16)[...], snapshot.units[last])
  }

  // MARK: - With the quote alone

  /// Returns the place at which the quote is verbatim with its whole context: the quote's own
  /// position, or the only such place. Nil if there is no such place or more than one. The context
  /// may be exchanged, because some programs store the text after the quote as the text before it.
  public func undisturbedPlace(for subject: AnchorSubject) -> Candidate? {
    if let place = placeOnRecord(for: subject) { return place }
    guard !isLone(subject) else { return nil }
    let query = query(for: subject)
    guard isDistinctive(query, subject) else { return nil }
    if let range = search.undisturbed(query) {
      guard isFree(range, subject) else { return nil }
      let score =
        hasEditedRival(range, query, subject) ? Self.mostOfCopies : Self.undisturbed
      return verified(range, subject, score: score, isMoved: false)
    }
    guard let range = exchanged(subject).flatMap(search.undisturbed) else { return nil }
    return verified(range, subject, score: Self.undisturbed, isMoved: false)
  }

  /// The confidence in the only place of a quote in its whole context.
  private static let undisturbed = 0.99

  /// Returns the quote with the text before and after it exchanged. Nil if Diple made the selector,
  /// or if the selector has text on one side only.
  private func exchanged(_ subject: AnchorSubject) -> QuoteQuery? {
    var selector = subject.selector
    guard !isCompared(subject), selector.textDigest == nil,
      !selector.prefix.isEmpty, !selector.suffix.isEmpty
    else { return nil }
    (selector.prefix, selector.suffix) = (selector.suffix, selector.prefix)
    return parted(QuoteQuery(selector, tokenizer: &tokenizer), selector, subject)
  }

  /// Returns the places where rare words of the quote and its context are together, best first.
  public func similarPlaces(for subject: AnchorSubject) -> [Candidate] {
    if isLone(subject) {
      let places = places(ofLone: subject)
      if !places.isEmpty { return places }
    }
    let query = query(for: subject)
    guard isDistinctive(query, subject) else { return onlyPlace(query, subject).map { [$0] } ?? [] }
    let findings = places(for: query, subject)
    let inPassage = findings.filter { !$0.isOfContext }
    let all = zip(inPassage, circumstances(of: inPassage, subject))
    let found = all.compactMap { finding, circumstances -> Candidate? in
      guard isFree(finding.range, subject) else { return nil }
      let score = Confidence.ofQuote.score(
        finding.evidence, Confidence.features(finding.evidence, circumstances), odds: finding.odds)
      return verified(finding.range, subject, score: score, isMoved: false)
    }
    // If the old text shows that the passage was deleted, a place must be more similar to be
    // returned.
    var places = ranked(found, prior: isCompared(subject) ? Self.priorOfGone : 1)
    if let best = places.first,
      let finding = findings.first(where: { $0.range.overlaps(best.range.utf16) })
    {
      places[0].score = min(
        best.score, Confidence.most(for: finding.evidence, isByQuote: true))
    }
    if let best = places.first, best.score > Self.mostOfCopies,
      let finding = findings.first(where: { $0.range == best.range.utf16 }),
      finding.isOneSided || hasRival.contains(Passage(subject))
        || search.isOfContext(finding.range, query)
        || findings.contains(where: {
          search.isContested(finding, byEdited: $0, query) || search.isEqual(finding, to: $0)
            || isContested(finding, by: $0, subject)
        }) || isContestedByEdited(finding, query, subject)
    {
      places[0].score = Self.mostOfCopies
    }
    var raised = raisingOnlyPlace(places, query, subject)
    if let best = raised.first, best.score > Self.mostOfCopies,
      let finding = findings.first(where: { $0.range == best.range.utf16 }),
      findings.contains(where: { search.isContested(finding, byCopy: $0, query) })
    {
      raised[0].score = Self.mostOfCopies
    }
    let best = raised.first?.score ?? 0
    guard best < Anchorer.doubtfulScore, let place = respelled(query, subject),
      place.score > best
    else { return raised }
    return [place] + raised.filter { !$0.range.overlaps(place.range) }
  }

  /// Returns the words that replaced a quote between the words of its context. Nil if the texts
  /// were compared, or if no such words are found. The place is only a proposal if the words aren't
  /// certain, or if the quote is elsewhere in the text.
  private func respelled(_ query: QuoteQuery, _ subject: AnchorSubject) -> Candidate? {
    guard !isCompared(subject),
      let place = search.respelling(of: query, in: text.units, budget: &respellings)
    else { return nil }
    let isOnly =
      place.score >= Anchorer.sureScore && search.occurrences(of: query, near: 0).isEmpty
    return verified(
      place.range, subject, score: isOnly ? Self.mostOfCopies : min(place.score, Self.proposed),
      isMoved: false)
  }

  /// The maximum confidence in a place that is only a proposal for a review.
  private static let proposed = 0.45

  /// Returns whether another copy of a quote is a possible place as well. If the text contains the
  /// passage twice with much of its surroundings, a place is certain only if the landmarks predict
  /// it.
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

  /// Returns whether a verbatim place may be a copy of a passage that was edited in place.
  private func isContestedByEdited(
    _ best: QuoteSearch.Finding, _ query: QuoteQuery, _ subject: AnchorSubject
  ) -> Bool {
    best.evidence.isVerbatim && hasEditedRival(best.range, query, subject)
  }

  /// Returns whether the quote may have been edited at another place. That place must have more of
  /// the context than `best` on both sides, or be at least as near to the expected place. If the
  /// selector has no position, any place of an edited quote counts.
  private func hasEditedRival(
    _ best: Range<Int>, _ query: QuoteQuery, _ subject: AnchorSubject
  ) -> Bool {
    let rivals = search.editedRivals(of: best, query)
    guard !rivals.isEmpty, Self.hasPosition(subject.selector) else { return !rivals.isEmpty }
    let old = subject.selector.position.utf16.lowerBound
    let expected = old + landmarks.shift(at: old)
    return rivals.contains {
      $0.isCloser || abs($0.start - expected) <= abs(best.lowerBound - expected)
    }
  }

  /// Returns the verbatim places of a quote in UTF-16 units, ascending.
  func verbatimPlaces(of query: QuoteQuery, near position: Int) -> [Range<Int>] {
    search.occurrences(of: query, near: position)
  }

  /// Returns the verbatim places of a quote that are new in the text, ascending; empty without a
  /// snapshot.
  func addedPlaces(of query: QuoteQuery, near position: Int) -> [Range<Int>] {
    changed.occurrences(of: query, near: position).filter { isUnclaimed($0) }
  }

  /// Returns the places of a quote's letters in UTF-16 units, with the share of letters that
  /// differ.
  func foldedPlaces(of quote: String) -> [(range: Range<Int>, errors: Double)] {
    folded.places(of: quote)
  }

  /// Returns the verbatim places of the quote and the similar ones.
  func places(for query: QuoteQuery, _ subject: AnchorSubject) -> [QuoteSearch.Finding] {
    if let known = findings[subject.selector] { return known }
    let found = search.places(for: query, near: subject.selector.position.utf16.lowerBound)
    findings[subject.selector] = found
    return found
  }

  /// Returns the distance of each finding from the expected place, and the values that compare it
  /// with the other findings.
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

  /// Returns the tokens of a selector's quote and context.
  func query(for subject: AnchorSubject) -> QuoteQuery {
    if let last = lastQuery, last.passage == Passage(subject) { return last.query }
    let query = parted(
      QuoteQuery(subject.selector, tokenizer: &tokenizer), subject.selector, subject)
    lastQuery = (Passage(subject), query)
    return query
  }

  /// Returns the query, with word borders at the ends of the quote if the text confirms them. They
  /// are needed because other programs store contexts without the blanks at their ends. If the
  /// quote begins inside a word, no border is added if that whole word, or the quote with it, is in
  /// the text.
  private func parted(
    _ query: QuoteQuery, _ selector: Selector, _ subject: AnchorSubject
  ) -> QuoteQuery {
    let joined = query.joined
    guard !joined.isEmpty, !isOwnSelector(selector, subject),
      search.occurrences(of: query, near: 0).isEmpty
    else { return query }
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

  /// Returns whether a selector's quote is in the old text with its context, including blanks. The
  /// borders of the quote are then certain, and the index of the new text, which is expensive,
  /// isn't needed to confirm them.
  private func isOwnSelector(_ selector: Selector, _ subject: AnchorSubject) -> Bool {
    guard let snapshot, let last = subject.last?.utf16, last.upperBound <= snapshot.units.count
    else { return false }
    let units = snapshot.units
    return units[last].elementsEqual(selector.exact.utf16)
      && units[..<last.lowerBound].reversed().starts(with: selector.prefix.utf16.reversed())
      && units[last.upperBound...].starts(with: selector.suffix.utf16)
  }

  /// Returns the candidates sorted by score. At most one of them is right. Therefore each score is
  /// the candidate's odds divided by one plus the sum of all odds.
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
    // The passage is in the text; only its place is uncertain.
    if let best = distinct.first?.score, best >= Self.leastOfSeveral, (all - 1) / all >= 0.5 {
      distinct[0].score = max(best, Anchorer.doubtfulScore)
    }
    return distinct
  }

  /// Returns whether to search for the quote. If the old text shows that the passage was deleted,
  /// only a long quote can be distinguished from similar text.
  private func isDistinctive(_ query: QuoteQuery, _ subject: AnchorSubject) -> Bool {
    guard isCompared(subject) else { return true }
    return query.units.count >= Self.distinctiveLength
      && query.tokens[query.quote].count { $0.weight > 0 } >= 3
  }

  /// Returns whether a place may be the highlight's: most of its text doesn't come from another
  /// place of the old text. Without this check, a deleted passage would be found at similar text.
  func isFree(_ range: Range<Int>, _ subject: AnchorSubject) -> Bool {
    subject.last == nil || isUnclaimed(range, by: wasEdited(subject) ? subject.last?.utf16 : nil)
  }

  /// Returns whether most of a place is new in the text. True if the old text isn't known.
  ///
  /// - Parameter last: the highlight's own passage in the old text, if its words may count as new;
  ///   nil to treat it as another passage.
  private func isUnclaimed(_ range: Range<Int>, by last: Range<Int>? = nil) -> Bool {
    guard let map else { return true }
    return map.claimedShare(of: range, except: last) <= 0.4
  }

  // MARK: - Verification

  /// Returns a candidate for a place, extended to whole graphemes, with its state by a comparison
  /// with the quote; nil if the place is empty.
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

  /// Returns the range, extended to the borders of graphemes.
  private func wholeGraphemes(_ range: Range<Int>) -> Range<Int> {
    let units = text.units
    guard range.upperBound <= units.count, !range.isEmpty else { return range.clamped(to: 0..<0) }
    let start = Graphemes.border(at: range.lowerBound, orBefore: units)
    return start..<Graphemes.border(at: range.upperBound, orAfter: units)
  }

  /// Returns whether two texts are equal apart from white space and canonically equivalent
  /// spellings.
  static func equalIgnoringSpace(_ a: ArraySlice<UInt16>, _ b: ArraySlice<UInt16>) -> Bool {
    if a.elementsEqual(b) { return true }
    if a.lazy.filter({ !isSpace($0) }).elementsEqual(b.lazy.filter { !isSpace($0) }) { return true }
    guard a.contains(where: { $0 >= 0x80 }) || b.contains(where: { $0 >= 0x80 }) else {
      return false
    }
    let strings = [a, b].map { String(units: $0.filter { !isSpace($0) }) }
    return strings[0] == strings[1]
  }

  static func isSpace(_ unit: UInt16) -> Bool {
    switch unit {
    case 0...32, 0x7F...0xA0, 0x1680, 0x2000...0x200A, 0x2028, 0x2029, 0x202F, 0x205F, 0x3000: true
    default: false
    }
  }
}
