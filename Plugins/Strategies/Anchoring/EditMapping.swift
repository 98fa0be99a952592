public import Anchoring
import Model

/// Finds a highlight by applying Diple's own edits, which is exact.
public struct EditMapping: AnchorStrategy {
  /// The id, which is stored with each place that the strategy finds.
  public static let id = "edit-map"
  /// The description that `diple strategies` prints.
  public static let summary = "follows the edits that Diple itself made"
  /// Examples, which are also the tests.
  public static let examples = [
    AnchorExample(
      "text inserted before the passage", old: "one «two» three", new: "zero one «two» three",
      edits: [TextEdit(range: TextRange(utf16: 0..<0), replacement: "zero ")]),
    AnchorExample(
      "a deleted passage", old: "one «two» three", new: "one  three",
      edits: [TextEdit(range: TextRange(utf16: 4..<7), replacement: "")]),
    AnchorExample("an edit by another program", old: "one «two»", new: "zero one two"),
  ]

  /// Creates the strategy, which has no state.
  public init() {}

  /// Returns the proposed places, best first; empty if the strategy finds none.
  public func candidates(for subject: AnchorSubject, in context: AnchorContext) -> [Candidate] {
    guard let edits = context.edits, let range = subject.last?.mapped(through: edits),
      range.utf16.upperBound <= context.text.units.count
    else { return [] }
    return context.verified(range.utf16, subject, score: 1, isMoved: false).map { [$0] } ?? []
  }
}
