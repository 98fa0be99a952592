import Model

/// Proposes the only verbatim occurrence of a quote, even if its surroundings changed.
extension AnchorContext {
  /// A quote of at least this many letters is searched within lines. A shorter quote must be a
  /// whole line.
  private static let leastLetters = 4
  /// A candidate may be on the wrong line if at most this share of the words of the quote's line is
  /// on the candidate's line.
  private static let lineOfAnother = 0.6

  /// Returns the only place of a quote as a doubtful candidate. If the quote has several places,
  /// returns the best of those that are new in the text; nil if no place is new.
  func onlyPlace(_ query: QuoteQuery, _ subject: AnchorSubject) -> Candidate? {
    guard let range = onlyRange(query, subject), isFree(range, subject) else {
      return copyOfGone(subject)
    }
    return verified(range, subject, score: Anchorer.doubtfulScore, isMoved: false)
  }

  /// Returns the candidates with the only place of a quote before the places that are merely
  /// similar. The only place is at least doubtful, so that the user can decide.
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

  /// Returns the only verbatim occurrence of the quote if the best candidate is merely similar. Nil
  /// if the old text is known, because comparing the texts already distinguishes the quote from
  /// similar text.
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

  /// A similar place counts as the edited quote if at least this share of its surroundings matches.
  private static let surroundedShare = 0.7
  /// The maximum confidence in the only place of a quote if another place is similar.
  private static let mostOfOnly = 0.79

  /// Returns the only occurrence of the quote's whole line if the best candidate is on another line
  /// with few of its words. Nil if the best candidate is certain or the old text is known.
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

  /// Returns the range of a quote that occurs once. Nil if it doesn't, or if the texts show that
  /// the occurrence is another passage.
  private func onlyRange(_ query: QuoteQuery, _ subject: AnchorSubject) -> Range<Int>? {
    if let only = onlyOccurrence(query, subject) { return only }
    let letters = query.tokens[query.quote].reduce(0) { $0 + Int($1.weight) }
    let isShort = letters < Self.leastLetters
    return isCompared(subject) || (isShort && query.isRepeated)
      ? nil : lines.place(of: query, isWhole: isShort)
  }

  /// Returns the only verbatim occurrence of the quote, unless its context is at another place.
  private func onlyOccurrence(_ query: QuoteQuery, _ subject: AnchorSubject) -> Range<Int>? {
    let isCompared = isCompared(subject)
    guard query.tokens[query.quote].contains(where: { $0.weight > 0 }) else { return nil }
    let places = search.occurrences(of: query, near: 0)
    guard places.count == 1,
      // Parts that are equal in both texts were matched by their comparison. In the other parts of
      // the old text the quote must occur once, or not at all if the passage was edited before.
      !isCompared
        || changedBefore.occurrences(of: query, near: 0).count == (wasEdited(subject) ? 0 : 1),
      isCompared || !search.isCutOut(query, standingAt: places[0])
    else { return nil }
    return places[0]
  }

  /// Returns whether the passage was searched by comparing the old text with the new one.
  func isCompared(_ subject: AnchorSubject) -> Bool {
    subject.last != nil && snapshot != nil
  }
}
