/// The replacement of a range of a text by other text.
///
/// The ranges in a list of edits all refer to the text before the first edit. They are sorted and
/// disjoint.
///
/// ```swift
/// let edit = TextEdit(range: TextRange(utf16: 4..<9), replacement: "slow")
/// let units = Array("the quick fox".utf16).applying([edit])  // units of “the slow fox”
/// ```
public struct TextEdit: Hashable, Sendable {
  /// The range that is replaced; empty for an insertion.
  package var range: TextRange
  /// The text that replaces it; empty for a deletion.
  package var replacement: String

  /// Creates an edit. The range refers to the text before any edit of the same list.
  public init(range: TextRange, replacement: String) {
    self.range = range
    self.replacement = replacement
  }
}

extension [UInt16] {
  /// Returns the text after some edits, which must be sorted and disjoint. O(units).
  package func applying(_ edits: [TextEdit]) -> [UInt16] {
    var result: [UInt16] = []
    result.reserveCapacity(count)
    var position = 0
    for edit in edits {
      result += self[position..<edit.range.utf16.lowerBound]
      result += edit.replacement.utf16
      position = edit.range.utf16.upperBound
    }
    result += self[position...]
    return result
  }

  /// Returns whether ``applying(_:)`` would return the given units. O(count), without a copy.
  package func applying(_ edits: [TextEdit], gives expected: [UInt16]) -> Bool {
    var place = 0
    func matches(_ units: some Collection<UInt16>) -> Bool {
      defer { place += units.count }
      return place + units.count <= expected.count
        && expected[place..<place + units.count].elementsEqual(units)
    }
    var position = 0
    for edit in edits {
      guard matches(self[position..<edit.range.utf16.lowerBound]), matches(edit.replacement.utf16)
      else { return false }
      position = edit.range.utf16.upperBound
    }
    return matches(self[position...]) && place == expected.count
  }
}
