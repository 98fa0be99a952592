import Model

extension AnchorContext {
  /// The number of unchanged neighbouring tokens above which a place isn't compared with others.
  private static let tellingNeighbours = 12.0
  /// The maximum number of UTF-16 units that are compared on each side of a place.
  private static let reach = 64

  /// Compares the place that the diff found with other copies of the same passage that were
  /// inserted since. Returns the runner-up's score, 0.5 to 1, if the surroundings of another copy
  /// match the old text at least as well; otherwise nil.
  ///
  /// If a passage occurs several times in the new text and nothing around it remained, the texts
  /// don't determine which occurrence is the original. A diff that starts at both ends of the texts
  /// would choose the last occurrence with certainty. O(1) if the passage's neighbours are still
  /// next to it, else O(copies).
  func twin(of place: Placement, _ last: Range<Int>, _ subject: AnchorSubject) -> Double? {
    let evidence = place.evidence
    guard let snapshot, evidence.isVerbatim,
      (evidence.farBefore + evidence.farAfter) * Double(Evidence.far) <= Self.tellingNeighbours
    else { return nil }
    let own = surroundings(of: place.range, last, in: snapshot)
    var best = 0
    for other in addedPlaces(of: query(for: subject), near: place.range.lowerBound)
    where !other.overlaps(place.range) {
      best = max(best, surroundings(of: other, last, in: snapshot))
    }
    return best > 0 && best >= own ? Double(best) / Double(best + own) : nil
  }

  /// Returns the number of UTF-16 units next to `place` that equal those next to the passage in the
  /// old text, on both sides together.
  private func surroundings(of place: Range<Int>, _ last: Range<Int>, in snapshot: AnchorText)
    -> Int
  {
    let (old, new) = (snapshot.units, text.units)
    let before = zip(old[..<last.lowerBound].reversed(), new[..<place.lowerBound].reversed())
    let after = zip(old[last.upperBound...], new[place.upperBound...])
    return before.prefix(Self.reach).prefix { $0 == $1 }.count
      + after.prefix(Self.reach).prefix { $0 == $1 }.count
  }

  /// The maximum number of deleted copies of a word that are checked.
  private static let mostDeleted = 64

  /// Returns whether a deleted passage of the old text could have become the place of an edited one as
  /// well: it has the words that survived, in the same order, and none of them is in the text any
  /// more. If one of two similar lines is edited and the other one is deleted, the texts don't
  /// determine which. O(passage) expected.
  func hasDeletedTwin(of last: Range<Int>) -> Bool {
    guard let map = map?.map else { return false }
    let kept = map.old.touched(by: last).filter {
      map.target[$0] >= 0 && map.old[$0].weight > 0
    }
    // One surviving word is no evidence for a similar line.
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
