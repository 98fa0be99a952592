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

extension [UInt16] {
  /// The units of a text with some edits made, which are sorted and disjoint. O(units).
  package func applying(_ edits: [TextEdit]) -> [UInt16] {
    var result: [UInt16] = []
    result.reserveCapacity(count)
    var position = 0
    for edit in edits {
      result += self[position..<edit.range.utf16.lowerBound]
      result += edit.replacement.utf16
      position = edit.range.utf16.upperBound
    }
    return result + self[position...]
  }
}
