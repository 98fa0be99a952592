package import Model

/// Finds the highlights of a document in another version of its text, with strategies that are
/// tried in order.
///
/// ```swift
/// let anchorer = Anchorer(strategies: strategies)
/// let anchors = anchorer.reanchor(
///   [AnchorSubject(selector: selector, last: selector.position)],
///   from: AnchorText("The old text."), to: AnchorText("The new text."))
/// ```
///
/// The result depends only on the input. The texts are compared once for all highlights: O(text)
/// expected, and a small cost for each highlight.
package struct Anchorer: Sendable {
  /// The minimum score of a place that is accepted.
  package static let sureScore = 0.8
  /// The minimum score of a place that is proposed as doubtful. Places with lower scores are
  /// discarded.
  package static let doubtfulScore = 0.5

  let strategies: [(id: String, strategy: any AnchorStrategy)]

  /// Creates an anchorer that tries the strategies in this order.
  package init(strategies: [any AnchorStrategy]) {
    self.strategies = strategies.map { (type(of: $0).id, $0) }
  }

  /// Creates an anchorer that tries the strategies in the order of their registration.
  package init(_ registry: Registry<any AnchorStrategy>) {
    strategies = registry.entries.map { ($0.id, $0.strategy) }
  }

  /// Returns the position of each highlight in a text, in the order of `subjects`.
  ///
  /// - Parameters:
  ///   - snapshot: the text to which the `last` ranges of the subjects refer; nil if it isn't
  ///     known.
  ///   - edits: the edits by which Diple changed the snapshot into the text; nil if another program
  ///     changed it.
  package func reanchor(
    _ subjects: [AnchorSubject], from snapshot: AnchorText?, to text: AnchorText,
    edits: [TextEdit]? = nil
  ) -> [Anchor] {
    let context = AnchorContext(snapshot: snapshot, text: text, edits: edits)
    context.subjects = subjects
    var anchors = subjects.map { anchor($0, context) }
    // The highlights found with certainty show where to expect the others.
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
