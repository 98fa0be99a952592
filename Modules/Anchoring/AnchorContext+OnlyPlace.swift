import Model

/// The only place at which a quote stands word for word: whatever became of its surroundings, it is
/// proposed.
extension AnchorContext {
  /// By a quote of fewer letters only a whole line is found.
  private static let leastLetters = 4
  /// Where no more of its line's words stand, it may be another line.
  private static let lineOfAnother = 0.6

  /// The only place of a quote, as a doubtful one; nil when there is none, or more than one.
  func onlyPlace(_ query: QuoteQuery, _ subject: AnchorSubject) -> Candidate? {
    guard let range = onlyRange(query, subject), isFree(range, subject) else { return nil }
    return verified(range, subject, score: Anchorer.doubtfulScore, isMoved: false)
  }

  /// Puts the only place of a quote before all that are merely like it, as one that is doubtful at
  /// least: the reader decides whether it is another one.
  func raisingOnlyPlace(
    _ places: [Candidate], _ query: QuoteQuery, _ subject: AnchorSubject
  ) -> [Candidate] {
    if let best = places.first, best.score >= Anchorer.doubtfulScore {
      let better =
        verbatim(query, subject, besides: best) ?? wholeLine(query, subject, besides: best)
      return better.map { [$0] + places } ?? places
    }
    guard let only = onlyPlace(query, subject) else { return places }
    var others = places.filter { !$0.range.overlaps(only.range) }
    for index in others.indices { others[index].score = min(others[index].score, 1 - only.score) }
    return [only] + others
  }

  /// The only place at which the quote stands word for word, where another one is merely like it. Nil with
  /// the old text, which tells them apart.
  private func verbatim(_ query: QuoteQuery, _ subject: AnchorSubject, besides best: Candidate)
    -> Candidate?
  {
    guard best.state == .edited, !isCompared(subject),
      let finding = places(for: query, subject).first(where: { $0.range == best.range.utf16 }),
      finding.evidence.surroundings < Self.surroundedShare,
      let range = onlyOccurrence(query, subject), !range.overlaps(best.range.utf16),
      var only = verified(range, subject, score: best.score, isMoved: false)
    else { return nil }
    only.score = min(max(best.score, Anchorer.doubtfulScore), Self.mostOfOnly)
    only.runnerUp = 1 - only.score
    return only
  }

  /// Where so much of its surroundings is left, a quote was edited.
  private static let surroundedShare = 0.7
  /// The most confidence in the only place of a quote of which another place holds much, too.
  private static let mostOfOnly = 0.79

  /// The only place at which the quote's whole line stands, where by the quote alone another line
  /// seemed to be the best one that holds little of it. Nil when the best place is sure.
  private func wholeLine(_ query: QuoteQuery, _ subject: AnchorSubject, besides best: Candidate)
    -> Candidate?
  {
    guard best.score < Anchorer.sureScore, !isCompared(subject) else {
      return nil
    }
    let finding = places(for: query, subject).first { $0.range.overlaps(best.range.utf16) }
    guard let finding, finding.evidence.line.share <= Self.lineOfAnother,
      let range = lines.place(of: query, isWhole: true), !range.overlaps(best.range.utf16)
    else { return nil }
    var whole = verified(range, subject, score: best.score, isMoved: false)
    whole?.runnerUp = 1 - best.score
    return whole
  }

  /// Where a quote stands, if it does so once and the texts do not say that it is another one.
  private func onlyRange(_ query: QuoteQuery, _ subject: AnchorSubject) -> Range<Int>? {
    if let only = onlyOccurrence(query, subject) { return only }
    let letters = query.tokens[query.quote].reduce(0) { $0 + Int($1.weight) }
    let isShort = letters < Self.leastLetters
    return isCompared(subject) || (isShort && query.isRepeated)
      ? nil : lines.place(of: query, isWhole: isShort)
  }

  /// The only place where the quote stands word for word, unless its context stands elsewhere.
  private func onlyOccurrence(_ query: QuoteQuery, _ subject: AnchorSubject) -> Range<Int>? {
    let isCompared = isCompared(subject)
    guard query.tokens[query.quote].contains(where: { $0.weight > 0 }) else { return nil }
    let places = search.occurrences(of: query, near: 0)
    guard places.count == 1,
      // Occurrences in the parts that are equal in both texts were counted in the new one. A passage
      // that was edited before is no occurrence in the old text.
      !isCompared
        || changedBefore.occurrences(of: query, near: 0).count == (wasEdited(subject) ? 0 : 1),
      isCompared || !search.isCutOut(query, standingAt: places[0])
    else { return nil }
    return places[0]
  }

  /// Whether the passage was looked for by a comparison with the old text.
  private func isCompared(_ subject: AnchorSubject) -> Bool {
    subject.last != nil && snapshot != nil
  }
}
