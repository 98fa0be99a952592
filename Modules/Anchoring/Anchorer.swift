package import Model

/// Finds the places of a document's highlights in another version of its text, by strategies that
/// are tried in order.
///
/// Pure: the same input gives the same answer. One comparison of the texts serves all highlights:
/// O(text) expected, and a little for each highlight.
package struct Anchorer: Sendable {
  /// From this score on a place is relied upon.
  package static let sureScore = 0.8
  /// Below this score a place is not even proposed.
  package static let doubtfulScore = 0.5

  let strategies: [(id: String, strategy: any AnchorStrategy)]

  /// Tries these strategies, in this order.
  package init(strategies: [any AnchorStrategy]) {
    self.strategies = strategies.map { (type(of: $0).id, $0) }
  }

  /// Tries the strategies of a registry, in its order.
  package init(_ registry: Registry<any AnchorStrategy>) {
    strategies = registry.entries.map { ($0.id, $0.strategy) }
  }

  /// The place of each highlight in a text, in the order of the subjects.
  ///
  /// - Parameters:
  ///   - snapshot: the text in which the subjects' `last` ranges lie; nil when it is not known.
  ///   - edits: what Diple itself changed in the snapshot to make the text; nil when another
  ///     program did it.
  package func reanchor(
    _ subjects: [AnchorSubject], from snapshot: AnchorText?, to text: AnchorText,
    edits: [TextEdit]? = nil
  ) -> [Anchor] {
    let context = AnchorContext(snapshot: snapshot, text: text, edits: edits)
    context.subjects = subjects
    var anchors = subjects.map { anchor($0, context) }
    // What was found beyond doubt shows where the rest is to be expected.
    let unsure = anchors.indices.filter { anchors[$0].score < Landmarks.leastScore }
    guard !unsure.isEmpty, unsure.count < anchors.count else { return anchors }
    context.landmarks = Landmarks(
      zip(subjects, anchors).compactMap { subject, anchor in
        guard anchor.score >= Landmarks.leastScore, let range = anchor.range else { return nil }
        return (subject.selector.position.utf16.lowerBound, range.utf16.lowerBound)
      })
    for index in unsure { anchors[index] = self.anchor(subjects[index], context) }
    return anchors
  }

  func anchor(_ subject: AnchorSubject, _ context: AnchorContext) -> Anchor {
    var doubtful: (candidate: Candidate, id: String)?
    for (id, strategy) in strategies {
      if strategy.knowsAbsence(of: subject) { return .orphan }
      guard let best = strategy.candidates(for: subject, in: context).first else { continue }
      if best.score >= Self.sureScore {
        return Anchor(
          range: best.range, state: best.state, score: best.score, runnerUp: best.runnerUp,
          method: id)
      }
      if best.score >= Self.doubtfulScore, best.score > doubtful?.candidate.score ?? 0 {
        doubtful = (best, id)
      }
    }
    guard let (candidate, id) = doubtful else { return .orphan }
    return Anchor(
      range: candidate.range, state: .doubtful, score: candidate.score,
      runnerUp: candidate.runnerUp, method: id)
  }
}
