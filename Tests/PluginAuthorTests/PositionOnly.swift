import Anchoring
import Model

/// An anchor strategy: the old position if it has the same words, or else the best of the similar
/// passages.
struct PositionOnly: AnchorStrategy {
  static let id = "position-only"
  static let summary = "the old position, else the best similar place"
  static let examples = [
    AnchorExample("nothing changed", old: "one «two» three", new: "one «two» three")
  ]

  func candidates(for subject: AnchorSubject, in context: AnchorContext) -> [Candidate] {
    if let known = subject.known, let range = known.range {
      return [Candidate(range: range, score: known.score, state: known.state)]
    }
    let selector = subject.selector
    let place = subject.last ?? selector.position
    if place.upperBound.utf16 <= context.text.units.count,
      context.text.substring(place) == selector.exact,
      selector.prefix.count + selector.suffix.count > 0
    {
      return [Candidate(range: place, score: 1, state: .exact)]
    }
    return context.similarPlaces(for: subject).filter { place in
      place.score - place.runnerUp > 0.5 && place.state != .orphaned && !place.range.isEmpty
    }
  }
}
