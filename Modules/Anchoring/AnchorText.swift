public import Model

/// A text in which highlights are found, as UTF-16 units.
public struct AnchorText: Hashable, Sendable {
  /// The UTF-16 units of the text.
  public let units: [UInt16]
  /// The offsets at which a line of the source begins although the text has no line feed before
  /// them, in ascending order.
  package let lineStarts: [Int]

  /// Creates a text without line starts.
  public init(_ text: String) { self.init(utf16: Array(text.utf16)) }

  package init(utf16 units: [UInt16], lineStarts: [Int] = []) {
    (self.units, self.lineStarts) = (units, lineStarts)
  }

  /// Returns the text in a range of UTF-16 units. The range is clamped to the text, because a
  /// stored position may belong to another version of it.
  public func substring(_ range: TextRange) -> String { string(range.utf16) }

  /// Returns the text in a range of UTF-16 units, clamped to the text.
  func string(_ range: Range<Int>) -> String {
    String(units: units[range.clamped(to: units.indices)])
  }
}

extension AnchorText {
  /// Converts a range of code points to UTF-16 units; nil if the text has fewer code points.
  /// O(text).
  public func range(ofCodePoints range: Range<Int>) -> TextRange? {
    var point = 0
    var start: Int?
    for (index, unit) in units.enumerated() where unit & 0xFC00 != 0xDC00 {
      if point == range.lowerBound { start = index }
      if point == range.upperBound { return start.map { TextRange(utf16: $0..<index) } }
      point += 1
    }
    guard point == range.upperBound, let start else { return nil }
    return TextRange(utf16: start..<units.count)
  }
}
