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
        var range = best.range
        if best.state == .edited {
          range = WordEdges.withEditedEnds(range, of: subject.selector, in: context.text)
          range = WordEdges.whole(range, of: subject.selector, in: context.text)
        }
        return Anchor(
          range: range, state: best.state, score: best.score, runnerUp: best.runnerUp,
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

/// Conflicts between the places of a document's highlights.
extension Anchorer {
  /// A highlight with its place in the new text, and its place in the text it was compared with.
  package struct Placed {
    /// The place in the new text. `doubtingClaimed` may lower its score.
    package var anchor: Anchor
    /// The text in which the highlight was last located; nil if it isn't known.
    package var lastText: ContentDigest?
    /// The range in that text; nil if it isn't known.
    package var last: TextRange?
    /// Whether the place was already stored for exactly the new text.
    package var isKnown: Bool

    package init(anchor: Anchor, lastText: ContentDigest?, last: TextRange?, isKnown: Bool) {
      (self.anchor, self.lastText, self.last, self.isKnown) = (anchor, lastText, last, isKnown)
    }

    /// Whether this highlight and another one were at overlapping places of the same text. Both may
    /// then be at the same place now.
    fileprivate func wasBeside(_ other: Placed) -> Bool {
      guard let text = lastText, text == other.lastText, let last, let range = other.last else {
        return false
      }
      return last.overlaps(range)
    }
  }

  /// Makes an edited place doubtful if it is exactly the certain, verbatim place of another
  /// highlight.
  ///
  /// Each group of highlights is compared with its own last text. A deleted passage may therefore
  /// seem to have become its neighbour, although the neighbour's own highlight, in another group,
  /// is there unchanged.
  ///
  /// Highlights that already were at the same place are not affected. Two highlights that are both
  /// verbatim may be at the same place. O(highlights) expected.
  package static func doubtingClaimed(_ highlights: [Placed], in text: AnchorText) -> [Placed] {
    let places = highlights.map { $0.anchor.range.map { words(of: $0, in: text) } }
    var owners: [TextRange: [Int]] = [:]
    for (index, placed) in highlights.enumerated() {
      guard let place = places[index], [.exact, .moved].contains(placed.anchor.state),
        placed.anchor.score >= sureScore, owners[place, default: []].count < mostOwners
      else { continue }
      owners[place, default: []].append(index)
    }
    guard !owners.isEmpty else { return highlights }
    var result = highlights
    for (index, placed) in highlights.enumerated() where placed.anchor.state == .edited {
      guard let place = places[index], let owners = owners[place] else { continue }
      let isClaimed = owners.contains { owner in
        !placed.wasBeside(highlights[owner])
          && !(placed.isKnown && highlights[owner].isKnown)
      }
      guard isClaimed else { continue }
      result[index].anchor.state = .doubtful
      result[index].anchor.score = min(placed.anchor.score, scoreOfClaimed)
      result[index].anchor.runnerUp = max(
        placed.anchor.runnerUp, 1 - result[index].anchor.score)
    }
    return result
  }

  /// The maximum confidence in a place that is also the place of another highlight.
  private static let scoreOfClaimed = 0.79
  /// The maximum number of highlights at one place that are compared.
  private static let mostOwners = 8

  /// Returns the part of a range from its first to its last letter or digit; the whole range if it
  /// has neither. Two highlights have the same passage if only the punctuation at their ends
  /// differs.
  private static func words(of range: TextRange, in text: AnchorText) -> TextRange {
    func isSign(_ unit: UInt16) -> Bool {
      unit < 0x80
        && !((48...57).contains(unit) || (65...90).contains(unit) || (97...122).contains(unit))
    }
    let units = text.units[range.utf16.clamped(to: text.units.indices)]
    guard let first = units.firstIndex(where: { !isSign($0) }),
      let last = units.lastIndex(where: { !isSign($0) })
    else { return range }
    return TextRange(utf16: first..<last + 1)
  }
}
