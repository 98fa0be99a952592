public import Anchoring
import Model

/// The place on record for exactly this text: an undo or a change of branch is a look-up.
public struct KnownText: AnchorStrategy {
  /// The name by which it is chosen.
  public static let id = "known-text"
  /// What it does, in one line.
  public static let summary = "the place on record for exactly this text"
  /// What it must do; these are its tests.
  public static let examples = [
    AnchorExample(
      "a text that was seen before", old: "one «two» three", new: "three «two» one",
      hasSnapshot: false, isKnown: true),
    AnchorExample("a text that is new", old: "one «two»", new: "one two", hasSnapshot: false),
  ]

  /// Makes the strategy.
  public init() {}

  /// The places that it proposes, best first.
  public func candidates(for subject: AnchorSubject, in context: AnchorContext) -> [Candidate] {
    guard let known = subject.known, let range = known.range,
      range.utf16.upperBound <= context.text.units.count
    else { return [] }
    return [
      Candidate(
        range: range, score: known.score, runnerUp: known.runnerUp, state: known.state)
    ]
  }

  /// Whether the passage is on record as an orphan of exactly this text: a text that comes back gets the
  /// answer that it had, and not the place of a look-alike.
  public func knowsAbsence(of subject: AnchorSubject) -> Bool {
    subject.known.map { $0.range == nil } ?? false
  }
}
