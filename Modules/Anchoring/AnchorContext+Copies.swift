import Model

/// Passages that were copied and edited, or copied and moved, in the same change.
///
/// The texts don't determine which of the places is the passage's. The copy may be the original
/// that moved, and the text at the old place may be new text that is similar. The place is then
/// doubtful. A place where the quote is verbatim is preferred to a place with a part of it, unless
/// most of the passage's words are still at its old place.
extension AnchorContext {
  /// The minimum shares, 0 … 1, of a passage's words between its old neighbours. From `possible`
  /// on, the passage may have been edited between these neighbours; from `probable` on, that is
  /// assumed.
  private static let shareInPlace = (possible: 0.5, probable: 0.75)
  /// The scores of a verbatim place of a quote whose own place in the old text was deleted. `only`
  /// is for a single place, `several` for the best of several places.
  private static let scoreOfVerbatim = (only: 0.7, several: 0.55)
  /// The minimum number of letters of a quote whose copies are searched.
  private static let leastLetters = 4
  /// The number of equal UTF-16 units beside a place that makes it more probable than another.
  private static let unitsOfEvidence = 8
  /// The maximum number of places of a quote that are compared.
  private static let mostPlaces = 8

  /// Compares a place that the diff found with the verbatim copies of the quote that are new in the
  /// text, and with the remains of the passage at its old place. Returns the better place, or the
  /// given place with less confidence; nil if there is nothing to compare with.
  func preferred(
    _ found: Candidate, _ place: Placement, _ last: Range<Int>, _ subject: AnchorSubject
  ) -> Candidate? {
    let remains = place.isMoved ? remains(of: last) : nil
    if found.state == .edited {
      let copies = addedCopies(subject, last).filter { !$0.overlaps(found.range.utf16) }
      if !copies.isEmpty {
        let isInPlace =
          !place.isMoved && place.evidence.survival >= Self.shareInPlace.probable
          && min(place.evidence.before, place.evidence.after) >= Self.shareInPlace.possible
        return isInPlace ? doubted(found) : bestCopy(copies, last, subject)
      }
      guard let remains, remains.share >= Self.shareInPlace.possible else { return nil }
      guard remains.share >= place.evidence.survival else { return doubted(found) }
      return verified(remains.range, subject, score: found.score, isMoved: false).map(doubted)
    }
    guard let remains, remains.share >= Self.shareInPlace.possible else { return nil }
    return doubted(found)
  }

  /// Returns the best of several verbatim places of a quote that are new in the text, as a doubtful
  /// candidate. Nil if there are no such places, or if the texts show that they are other passages.
  func copyOfGone(_ subject: AnchorSubject) -> Candidate? {
    guard let last = subject.last?.utf16, snapshot != nil else { return nil }
    return bestCopy(addedCopies(subject, last), last, subject)
  }

  /// Returns a candidate with so little confidence that the user decides.
  private func doubted(_ candidate: Candidate) -> Candidate {
    var candidate = candidate
    candidate.score = min(candidate.score, Self.mostOfCopies)
    candidate.runnerUp = max(candidate.runnerUp, 1 - candidate.score)
    return candidate
  }

  /// Returns the verbatim places of a quote that are new in the text together with their whole line
  /// or sentence. Empty if the old text has the quote elsewhere too, because the new places may
  /// then belong to the passage elsewhere.
  private func addedCopies(_ subject: AnchorSubject, _ last: Range<Int>) -> [Range<Int>] {
    let query = query(for: subject)
    let letters = query.tokens[query.quote].reduce(0) { $0 + Int($1.weight) }
    guard letters >= Self.leastLetters, !query.isRepeated else { return [] }
    let copies = addedPlaces(of: query, near: last.lowerBound)
    guard 1...Self.mostPlaces ~= copies.count else { return [] }
    let before = changedBefore.occurrences(of: query, near: last.lowerBound)
    guard before.count <= 1, before.allSatisfy({ $0.overlaps(last) }) else { return [] }
    return copies.filter { isPartEqual(at: $0, last) }
  }

  /// Returns whether the line or sentence around a passage of the old text is also around a
  /// verbatim place of the passage.
  private func isPartEqual(at place: Range<Int>, _ last: Range<Int>) -> Bool {
    guard let map = map?.map else { return false }
    let (old, new) = (map.old.touched(by: last), map.new.touched(by: place))
    guard old.count == new.count else { return false }
    func isEqual(_ index: Int, _ other: Int) -> Bool {
      map.new.indices.contains(other) && map.old[index].hash == map.new[other].hash
    }
    let shift = new.lowerBound - old.lowerBound
    let first = old.lowerBound
    var start = first
    while start > 0, map.old[start].boundary < .sentence {
      start -= 1
      guard first - start <= Self.mostTokens, isEqual(start, start + shift) else { return false }
    }
    var end = old.upperBound
    while end < map.old.count, map.old[end].boundary < .sentence {
      guard end - first <= 2 * Self.mostTokens, isEqual(end, end + shift) else { return false }
      end += 1
    }
    return true
  }

  private func bestCopy(_ copies: [Range<Int>], _ last: Range<Int>, _ subject: AnchorSubject)
    -> Candidate?
  {
    let expected = expectedPlace(of: last)
    func key(_ place: Range<Int>) -> (Int, Int) {
      (
        neighbours(of: place, last) / Self.unitsOfEvidence,
        -abs(place.lowerBound - expected)
      )
    }
    guard let best = copies.max(by: { key($0) < key($1) }) else { return nil }
    let score = copies.count == 1 ? Self.scoreOfVerbatim.only : Self.scoreOfVerbatim.several
    return verified(best, subject, score: score, isMoved: true).map(doubted)
  }

  /// Returns the UTF-16 offset in the new text at which a passage would begin if it hadn't moved.
  private func expectedPlace(of last: Range<Int>) -> Int {
    guard let map = map?.map else { return last.lowerBound }
    let first = map.old.touched(by: last).lowerBound
    let kept = (max(0, first - Self.mostTokens)..<first).last {
      map.target[$0] >= 0 && !map.isMoved[$0]
    }
    guard let kept else { return last.lowerBound }
    return last.lowerBound + Int(map.new[Int(map.target[kept])].start) - Int(map.old[kept].start)
  }

  /// Returns the remains of a passage between its old neighbours, and the share of the passage's
  /// words in them. Nil if nothing remains. Only words that kept their order are included, and no
  /// text that other passages became. Words that are frequent in the old text count for little,
  /// because they are also in other lines.
  private func remains(of last: Range<Int>) -> (range: Range<Int>, share: Double)? {
    guard let map = map?.map else { return nil }
    let tokens = map.old.touched(by: last)
    guard tokens.count <= Self.mostTokens, let gap = MovedParts.gap(of: tokens, in: map) else {
      return nil
    }
    var budget = Self.mostTokens * Self.mostTokens * 4
    let places = Set(tokens.map { map.target[$0] })
    let free = gap.filter { !map.isClaimed[$0] || places.contains(Int32($0)) }
    guard !free.isEmpty else { return nil }
    let found = GapAlignment(
      Array(map.old[tokens]), free.map { map.new[$0] }, .table, budget: &budget
    ).target
    let kept = found.indices.filter { found[$0] >= 0 }
    guard let first = kept.first, let end = kept.last else { return nil }
    func evidenceWeight(_ token: Token) -> Double {
      Double(token.evidenceWeight) / Double(oldCounts[token.hash] ?? 1)
    }
    let all = map.old[tokens].reduce(0) { $0 + evidenceWeight($1) }
    let keptWeight = kept.reduce(0) { $0 + evidenceWeight(map.old[tokens.lowerBound + $1]) }
    let place =
      Int(map.new[free[Int(found[first])]].start)..<Int(map.new[free[Int(found[end])]].end)
    // If the remaining words are far apart, the passage wasn't edited in place.
    return place.count <= 2 * last.count ? (place, keptWeight / all) : nil
  }

  /// The maximum length of a passage that is searched for at its old place, in tokens.
  private static let mostTokens = 400
}
