public import Anchoring
import Model

/// Returns the stored place for exactly this text, so that an undo or a switch of branches needs no
/// search.
public struct KnownText: AnchorStrategy {
  /// The id, which is stored with each place that the strategy finds.
  public static let id = "known-text"
  /// The description that `diple strategies` prints.
  public static let summary = "uses the place that is stored for exactly this text"
  /// Examples, which are also the tests.
  public static let examples = [
    AnchorExample(
      "a stored place", old: "one «two» three", new: "three «two» one",
      hasSnapshot: false, isKnown: true),
    AnchorExample("no stored place", old: "one «two»", new: "one two", hasSnapshot: false),
  ]

  /// Creates the strategy, which has no state.
  public init() {}

  /// Returns the proposed places, best first; empty if the strategy finds none.
  public func candidates(for subject: AnchorSubject, in context: AnchorContext) -> [Candidate] {
    guard let known = subject.known, let range = known.range,
      range.utf16.upperBound <= context.text.units.count
    else { return [] }
    return [
      Candidate(
        range: range, score: known.score, runnerUp: known.runnerUp, state: known.state)
    ]
  }

  /// Whether the passage is stored as an orphan of exactly this text. If the document returns to
  /// this text, the highlight becomes an orphan again instead of moving to a similar passage.
  public func knowsAbsence(of subject: AnchorSubject) -> Bool {
    subject.known.map { $0.range == nil } ?? false
  }
}
