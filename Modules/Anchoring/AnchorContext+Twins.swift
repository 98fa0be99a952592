import Model

extension AnchorContext {
  /// The number of unchanged neighbouring tokens up to which a place is compared with others.
  private static let fewNeighbours = 12.0
  /// The maximum number of UTF-16 units that are compared on each side of a place.
  private static let reach = 64

  /// The factor by which the equal surroundings of one place must exceed those of another for the
  /// first to be preferred.
  private static let leadOfOwn = 2

  /// Compares the place that the diff found with the other copies of the same passage. Returns the
  /// runner-up's score, 0.5 to 1, if the surroundings of another copy match the old text nearly as
  /// well; otherwise nil.
  ///
  /// If a passage occurs several times in the new text and nothing around it remained, the texts
  /// don't determine which occurrence is the original. A diff keeps the order of the copies and, at
  /// the ends of the texts, chooses the last one. It reports neither choice as uncertain. The texts
  /// also don't determine the original if the text before a repeated line is at one copy and the
  /// text after it at another.
  ///
  /// A copy doesn't count if it is the place of another passage of the old text, whose surroundings
  /// are more similar to those of the copy. O(1) if the passage's neighbours are still next to it,
  /// otherwise O(copies).
  func twin(of place: Placement, _ last: Range<Int>, _ subject: AnchorSubject) -> Double? {
    let evidence = place.evidence
    guard let snapshot, evidence.isVerbatim else { return nil }
    let isFew =
      (evidence.farBefore + evidence.farAfter) * Double(Evidence.far) <= Self.fewNeighbours
    let isOneSided =
      min(evidence.runBefore, evidence.runAfter) == 0 && isWholeLine(last)
    guard isFew || isOneSided else { return nil }
    let placeSurroundings = surroundings(of: place.range, last, in: snapshot)
    let query = query(for: subject)
    var best = 0
    var isRepeated = false
    for other in changed.occurrences(of: query, near: place.range.lowerBound)
    where !other.overlaps(place.range) {
      isRepeated = true
      let found = surroundings(of: other, last, in: snapshot)
      let source = source(of: other, length: last.count)
      let known = source.map { surroundings(of: other, $0, in: snapshot) }
      if isOneSided, found.hasSide(missingIn: [placeSurroundings, known ?? Surroundings()]) {
        return 0.5
      }
      guard isFew, found.sum > best, Self.leadOfOwn * found.sum >= placeSurroundings.sum else {
        continue
      }
      if let source, let known, known.sum > found.sum,
        known.sum >= Self.leadOfOwn * surroundings(of: place.range, source, in: snapshot).sum
      {
        continue
      }
      best = found.sum
    }
    guard isFew else { return nil }
    for other in changedBefore.occurrences(of: query, near: last.lowerBound)
    where !other.overlaps(last) {
      let found = surroundings(of: place.range, other, in: snapshot).sum
      if found > placeSurroundings.sum { best = max(best, found) }
    }
    // One neighbour of a repeated line proves nothing in a text whose lines were shuffled.
    if best == 0 { return isOneSided && isRepeated ? 0.5 : nil }
    return max(0.5, Double(best) / Double(best + placeSurroundings.sum))
  }

  /// Returns whether a passage of the old text consists of whole lines, ignoring punctuation at
  /// their ends.
  private func isWholeLine(_ passage: Range<Int>) -> Bool {
    guard let tokens = map?.map.old else { return false }
    let passageTokens = tokens.touched(by: passage)
    guard var start = passageTokens.first else { return false }
    while start > 0, tokens[start].boundary < .line, tokens[start - 1].weight == 0 { start -= 1 }
    var end = passageTokens.upperBound
    while end < tokens.count, tokens[end].boundary < .line, tokens[end].weight == 0 { end += 1 }
    return (start == 0 || tokens[start].boundary >= .line)
      && (end == tokens.count || tokens[end].boundary >= .line)
  }

  /// Returns the range of the old text, of `length` UTF-16 units, that became a place of the new
  /// text; nil if the place is new. O(log tokens) after the first call.
  private func source(of place: Range<Int>, length: Int) -> Range<Int>? {
    guard let map = map?.map, let snapshot else { return nil }
    let tokens = map.new.touched(by: place)
    guard let found = tokens.first(where: { sources[$0] >= 0 }) else { return nil }
    let shift = Int(map.new[found].start) - place.lowerBound
    let start = Int(map.old[Int(sources[found])].start) - shift
    return start >= 0 && start + length <= snapshot.units.count ? start..<start + length : nil
  }

  /// The number of UTF-16 units before and after a place that equal the units before and after a
  /// passage in the old text.
  private struct Surroundings {
    var before = 0
    var after = 0
    var sum: Int { before + after }

    /// The minimum number of units that are evidence for a place.
    private static let least = 8

    /// Returns whether, on one of its sides, more units are equal at this place than at any of the
    /// others.
    func hasSide(missingIn others: [Surroundings]) -> Bool {
      others.allSatisfy { before >= $0.before + Self.least }
        || others.allSatisfy { after >= $0.after + Self.least }
    }
  }

  /// Returns the number of UTF-16 units on both sides of a place that equal those beside a passage
  /// of the old text.
  func neighbours(of place: Range<Int>, _ last: Range<Int>) -> Int {
    snapshot.map { surroundings(of: place, last, in: $0).sum } ?? 0
  }

  private func surroundings(of place: Range<Int>, _ last: Range<Int>, in snapshot: AnchorText)
    -> Surroundings
  {
    let (old, new) = (snapshot.units, text.units)
    let before = zip(old[..<last.lowerBound].reversed(), new[..<place.lowerBound].reversed())
    let after = zip(old[last.upperBound...], new[place.upperBound...])
    return Surroundings(
      before: before.prefix(Self.reach).prefix { $0 == $1 }.count,
      after: after.prefix(Self.reach).prefix { $0 == $1 }.count)
  }

  /// The maximum number of deleted copies of a word that are checked.
  private static let mostDeleted = 64

  /// Returns whether a deleted passage of the old text could have become the place of an edited
  /// passage as well. It must have the words that survived, in the same order, and none of its own
  /// words may be in the text any more. If one of two similar lines is edited and the other is
  /// deleted, the texts don't determine which line was edited. O(passage) expected.
  func hasDeletedTwin(of last: Range<Int>) -> Bool {
    guard let map = map?.map else { return false }
    let kept = map.old.touched(by: last).filter {
      map.target[$0] >= 0 && map.old[$0].weight > 0
    }
    // One surviving word doesn't prove that a line is similar.
    guard kept.count > 1 else { return false }
    var rarest = (word: kept[0], places: [Int]())
    for (number, word) in kept.enumerated() {
      guard let places = deletedWords[map.old[word].hash] else { return false }
      if number == 0 || places.count < rarest.places.count { rarest = (word, places) }
    }
    return rarest.places.prefix(Self.mostDeleted).contains { place in
      kept.allSatisfy { word in
        let other = word + place - rarest.word
        return map.old.indices.contains(other) && map.target[other] < 0
          && map.old[other].hash == map.old[word].hash
      }
    }
  }
}
