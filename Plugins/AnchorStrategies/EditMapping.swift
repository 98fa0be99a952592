public import Anchoring
import Model

/// Follows Diple's own edits exactly; never a guess.
public struct EditMapping: AnchorStrategy {
  /// The name by which it is chosen.
  public static let id = "edit-map"
  /// What it does, in one line.
  public static let summary = "follows the edits that Diple itself made"
  /// What it must do; these are its tests.
  public static let examples = [
    AnchorExample(
      "text put in before it", old: "one «two» three", new: "zero one «two» three",
      edits: [TextEdit(range: TextRange(utf16: 0..<0), replacement: "zero ")]),
    AnchorExample(
      "everything removed", old: "one «two» three", new: "one  three",
      edits: [TextEdit(range: TextRange(utf16: 4..<7), replacement: "")]),
    AnchorExample("another program's edit", old: "one «two»", new: "zero one two"),
  ]

  /// Makes the strategy.
  public init() {}

  /// The places that it proposes, best first.
  public func candidates(for subject: AnchorSubject, in context: AnchorContext) -> [Candidate] {
    guard let edits = context.edits, let range = subject.last?.mapped(through: edits),
      range.utf16.upperBound <= context.text.units.count
    else { return [] }
    return context.verified(range.utf16, subject, score: 1, isMoved: false).map { [$0] } ?? []
  }
}
