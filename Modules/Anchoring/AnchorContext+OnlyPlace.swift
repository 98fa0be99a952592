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
      return wholeLine(query, subject, besides: best).map { [$0] + places } ?? places
    }
    guard let only = onlyPlace(query, subject) else { return places }
    var others = places.filter { !$0.range.overlaps(only.range) }
    for index in others.indices { others[index].score = min(others[index].score, 1 - only.score) }
    return [only] + others
  }

  /// The only place at which the quote's whole line stands, where by the quote alone another line
  /// seemed to be the best one that holds little of it. Nil when the best place is sure.
  private func wholeLine(_ query: QuoteQuery, _ subject: AnchorSubject, besides best: Candidate)
    -> Candidate?
  {
    guard best.score < Anchorer.sureScore, subject.last == nil || snapshot == nil else {
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
    let isCompared = subject.last != nil && snapshot != nil
    let letters = query.tokens[query.quote].reduce(0) { $0 + Int($1.weight) }
    if letters > 0, search.occurrences(of: query, near: 0).count == 1,
      // What stands in the parts that are equal in both texts was counted in the new one.
      !isCompared || changedBefore.occurrences(of: query, near: 0).count == 1,
      isCompared || !search.isCutOut(query),
      let only = search.occurrences(of: query, near: 0).first
    {
      return only
    }
    let isShort = letters < Self.leastLetters
    return isCompared || (isShort && query.isRepeated)
      ? nil : lines.place(of: query, isWhole: isShort)
  }
}
