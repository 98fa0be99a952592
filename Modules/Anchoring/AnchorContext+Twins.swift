import Model

extension AnchorContext {
  /// With more tokens of unbroken surroundings than this a place needs no comparison.
  private static let tellingNeighbours = 12.0
  /// How many units of the surroundings are compared.
  private static let reach = 64

  /// How much another copy of a passage, word for word and put in since, looks like the place that the
  /// comparison with the old text gave it: a number below 1 that is the runner-up's score, or nil.
  ///
  /// Where a passage comes to stand several times and nothing around it is left, the texts do not tell
  /// which one it was; a comparison that begins at both ends would give the last one and be sure of it.
  /// O(1) where its neighbours still stand beside it, else O(copies).
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

  /// How many units before a place and after it are those around the passage in the old text.
  private func surroundings(of place: Range<Int>, _ last: Range<Int>, in snapshot: AnchorText)
    -> Int
  {
    let (old, new) = (snapshot.units, text.units)
    let before = zip(old[..<last.lowerBound].reversed(), new[..<place.lowerBound].reversed())
    let after = zip(old[last.upperBound...], new[place.upperBound...])
    return before.prefix(Self.reach).prefix { $0 == $1 }.count
      + after.prefix(Self.reach).prefix { $0 == $1 }.count
  }
}
