public import Anchoring

/// Finds changed words where rare words of the quote and its context stand together.
public struct Fuzzy: AnchorStrategy {
  /// The name by which it is chosen.
  public static let id = "fuzzy"
  /// What it does, in one line.
  public static let summary = "finds changed words by the rare words in and around them"
  /// What it must do; these are its tests.
  public static let examples = [
    AnchorExample(
      "a word inside changed",
      old:
        "She said that «the quick brown fox jumps over the lazy dog» and then she left the room.",
      new:
        "Well: she said that «the quick red fox jumps over the lazy dog» and then she left the room.",
      hasSnapshot: false),
    AnchorExample(
      "nothing like it", old: "One «two three four five six» seven.",
      new: "Nobody was at home when the letter came.", hasSnapshot: false),
  ]

  /// Makes the strategy.
  public init() {}

  /// The places that it proposes, best first.
  public func candidates(for subject: AnchorSubject, in context: AnchorContext) -> [Candidate] {
    context.similarPlaces(for: subject)
  }
}
