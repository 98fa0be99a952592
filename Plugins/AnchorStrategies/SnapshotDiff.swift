public import Anchoring

/// Follows the highlight's words through a comparison of the old text with the new one, moved
/// blocks included.
public struct SnapshotDiff: AnchorStrategy {
  /// The name by which it is chosen.
  public static let id = "snapshot-diff"
  /// What it does, in one line.
  public static let summary = "follows the words through a comparison with the text last seen"
  /// What it must do; these are its tests.
  public static let examples = [
    AnchorExample(
      "text put in before it", old: "The quick brown «fox» jumps over the lazy dog.",
      new: "Once more: the quick brown «fox» jumps over the lazy dog."),
    AnchorExample(
      "a word inside changed",
      old: "She said that «the quick brown fox jumps over the lazy dog» and then she left.",
      new: "She said that «the quick red fox jumps over the lazy dog» and then she left."),
    AnchorExample(
      "one of two look-alikes deleted, the other is not it",
      old: """
        First part. In the beginning there was nothing but water. «See the note.» It was cold.

        Second part. Much later people came from the hills. See the note. They stayed for long.
        """,
      new: """
        First part.

        Second part. Much later people came from the hills. See the note. They stayed for long.
        """),
    AnchorExample("no text to compare with", old: "one «two»", new: "one two", hasSnapshot: false),
  ]

  /// Makes the strategy.
  public init() {}

  /// The places that it proposes, best first.
  public func candidates(for subject: AnchorSubject, in context: AnchorContext) -> [Candidate] {
    context.candidateFromSnapshot(for: subject).map { [$0] } ?? []
  }
}
