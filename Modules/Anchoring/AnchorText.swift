public import Model

/// A text in which places are looked for, in UTF-16 units.
public struct AnchorText: Hashable, Sendable {
  /// The text.
  public let units: [UInt16]
  /// The units, ascending, at which a line of the source begins though the text has no line feed there.
  package let lineStarts: [Int]

  /// Takes a text.
  public init(_ text: String) { self.init(utf16: Array(text.utf16)) }

  /// Takes UTF-16 units.
  package init(utf16 units: [UInt16], lineStarts: [Int] = []) {
    (self.units, self.lineStarts) = (units, lineStarts)
  }

  /// The text in a range of units, as far as it lies inside: a place of a library may be of another
  /// text.
  public func substring(_ range: TextRange) -> String { string(range.utf16) }

  /// The text in a range of units.
  func string(_ range: Range<Int>) -> String {
    String(decoding: units[range.clamped(to: units.indices)], as: UTF16.self)
  }
}

extension AnchorText {
  /// The UTF-16 units of some code points; nil when there are fewer. O(text).
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
