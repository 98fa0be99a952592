public import Model

extension TextRange {
  /// Where the range stands after some edits; nil when nothing of it is left.
  ///
  /// Text that is inserted at either end stays outside. What replaces a part that the range holds
  /// as a whole belongs to it; when an end lies inside a replaced part, the range then ends at that
  /// part's border.
  ///
  /// - Parameter edits: sorted and disjoint, all in the text before any of them. O(edits).
  public func mapped(through edits: [TextEdit]) -> TextRange? {
    let start = Self.map(utf16.lowerBound, edits, isStart: true)
    let end = Self.map(utf16.upperBound, edits, isStart: false)
    return start < end ? TextRange(utf16: start..<end) : nil
  }

  private static func map(_ offset: Int, _ edits: [TextEdit], isStart: Bool) -> Int {
    var shift = 0
    for edit in edits {
      let range = edit.range.utf16
      let length = edit.replacement.utf16.count
      if isStart ? range.lowerBound > offset : range.lowerBound >= offset { break }
      if isStart, range.lowerBound == offset, !range.isEmpty { break }
      if offset >= range.upperBound {
        // Replaced before the place; an insertion exactly at a start goes before it.
        shift += length - range.count
        continue
      }
      return range.lowerBound + shift + (isStart ? length : 0)
    }
    return offset + shift
  }
}
