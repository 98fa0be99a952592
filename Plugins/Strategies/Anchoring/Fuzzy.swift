public import Anchoring

/// Finds changed text at the place where rare words of the quote and its context occur together.
public struct Fuzzy: AnchorStrategy {
  /// The id, which is stored with each place that the strategy finds.
  public static let id = "fuzzy"
  /// The description that `diple strategies` prints.
  public static let summary = "finds changed words by the rare words in and around them"
  /// Examples, which are also the tests.
  public static let examples = [
    AnchorExample(
      "a changed word in the passage",
      old:
        "She said that «the quick brown fox jumps over the lazy dog» and then she left the room.",
      new:
        "Well: she said that «the quick red fox jumps over the lazy dog» and then she left the room.",
      hasSnapshot: false),
    AnchorExample(
      "no similar text", old: "One «two three four five six» seven.",
      new: "Nobody was at home when the letter came.", hasSnapshot: false),
  ]

  /// Creates the strategy, which has no state.
  public init() {}

  /// Returns the proposed places, best first; empty if the strategy finds none.
  public func candidates(for subject: AnchorSubject, in context: AnchorContext) -> [Candidate] {
    context.similarPlaces(for: subject)
  }
}
