public import Anchoring

/// Finds a highlight by a diff of the old text and the new text, including moved blocks.
///
/// ```swift
/// let anchorer = Anchorer(strategies: [KnownText(), EditMapping(), SnapshotDiff(), Fuzzy()])
/// ```
public struct SnapshotDiff: AnchorStrategy {
  /// The id, which is stored with each place that the strategy finds.
  public static let id = "snapshot-diff"
  /// The description that `diple strategies` prints.
  public static let summary = "compares the text with its previous version, word by word"
  /// Examples, which are also the tests.
  public static let examples = [
    AnchorExample(
      "text inserted before the passage", old: "The quick brown «fox» jumps over the lazy dog.",
      new: "Once more: the quick brown «fox» jumps over the lazy dog."),
    AnchorExample(
      "a changed word in the passage",
      old: "She said that «the quick brown fox jumps over the lazy dog» and then she left.",
      new: "She said that «the quick red fox jumps over the lazy dog» and then she left."),
    AnchorExample(
      "a deleted passage, with an equal sentence elsewhere",
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

  /// Creates the strategy, which has no state.
  public init() {}

  /// Returns the proposed places, best first; empty if the strategy finds none.
  public func candidates(for subject: AnchorSubject, in context: AnchorContext) -> [Candidate] {
    context.candidateFromSnapshot(for: subject).map { [$0] } ?? []
  }
}
