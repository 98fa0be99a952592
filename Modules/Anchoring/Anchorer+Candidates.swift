import Model

extension Anchorer {
  /// Returns the places that any strategy proposes for a highlight, best first, with any score. The
  /// user can choose from them. If places overlap, only the best of them is returned.
  ///
  /// - Parameter limit: the maximum number of places.
  package func candidates(
    for subject: AnchorSubject, from snapshot: AnchorText?, to text: AnchorText, limit: Int
  ) -> [Candidate] {
    let context = AnchorContext(snapshot: snapshot, text: text)
    context.subjects = [subject]
    var all = strategies.flatMap { $0.strategy.candidates(for: subject, in: context) }
    all.sort { $0.score > $1.score }
    var chosen: [Candidate] = []
    for candidate in all where chosen.count < limit {
      if chosen.allSatisfy({ !$0.range.overlaps(candidate.range) }) { chosen.append(candidate) }
    }
    return chosen
  }
}
