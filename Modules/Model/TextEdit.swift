/// The replacement of a range of a text by other text. In a list of edits all ranges are of the
/// text before any of them, sorted and disjoint.
public struct TextEdit: Hashable, Sendable {
  /// What is replaced.
  package var range: TextRange
  /// What stands there afterwards.
  package var replacement: String

  /// Makes an edit of its parts.
  public init(range: TextRange, replacement: String) {
    self.range = range
    self.replacement = replacement
  }
}
