public import Model

extension TextRange {
  /// Returns the position of the range after some edits; nil if all of it was deleted.
  ///
  /// Text inserted at either end stays outside the range. A replacement of text that is completely
  /// inside the range belongs to the range. If an end of the range lies inside replaced text, the
  /// range ends at the border of the replacement.
  ///
  /// - Parameter edits: sorted, disjoint edits; their ranges all refer to the text before the first
  ///   edit.
  /// - Complexity: O(edits).
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
        // The edit precedes the offset. Text inserted exactly at the start of the range goes before
        // it.
        shift += length - range.count
        continue
      }
      return range.lowerBound + shift + (isStart ? length : 0)
    }
    return offset + shift
  }
}
